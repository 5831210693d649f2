"""What branches share is summarised once, where it was said, and each lineage is covered without a gap."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable

import pytest

from ragforge_memory.agent.upkeep.work import SummaryTask
from ragforge_memory.models.lineage import cut
from tests.long_runs import first_of
from tests.summaries.desk import Desk, faults

pytestmark = pytest.mark.anyio

MakeDesk = Callable[..., Desk]


async def _branch(desk: Desk, uuid: str, seq: int) -> str:
    point = await desk.branches.point(uuid)
    return (
        await desk.branches.create(uuid, cut(point.lineage, seq), title="A branch", summarize_every=desk.every)
    ).uuid


async def test_a_branch_shares_what_ends_before_it_and_goes_on_from_there(make_desk: MakeDesk) -> None:
    desk = make_desk(4)
    uuid = await desk.conversation(11)
    await desk.work()
    branch = await _branch(desk, uuid, 6)
    await desk.say(branch, 3)
    await desk.work()
    # One stretch is the parent's, the next begins in the parent's part and is the branch's own.
    assert [(row["start"], row["end"], sorted(row["messages"])) for row in await desk.all(branch)] == [
        (5, 8, [5, 6, 7, 8])
    ]
    assert (await desk.state(branch))["summary"] == "They did 1 to 4.\nThey did 5 to 8."
    assert (await desk.state(uuid))["summary"] == "They did 1 to 4.\nThey did 5 to 8."
    parts = (await desk.store.cover(branch, to_seq=9)).parts
    assert [part.conversation_id for part in parts] == [uuid, branch]
    # The stretch that the branch cuts is summarised for each side, what comes before it once.
    shared = [message.content.split("§")[1] for message in (await desk.messages.history(branch))[:6]]
    assert [desk.marks.count(mark) for mark in shared] == [1, 1, 1, 1, 2, 2]


async def test_a_branch_says_what_it_shares(make_desk: MakeDesk) -> None:
    desk = make_desk(3)
    uuid = await desk.conversation(8)
    await desk.work()
    assert (await desk.state(await _branch(desk, uuid, 7)))["summary"] == "They did 1 to 3.\nThey did 4 to 6."
    branch = await _branch(desk, uuid, 5)
    assert (await desk.state(branch))["summary"] is None
    await desk.work()
    assert (await desk.state(branch))["summary"] == "They did 1 to 3."
    # On demand the parent has said more than a branch from before shares.
    await desk.summaries.on_demand(uuid)
    assert (await desk.state(await _branch(desk, uuid, 8)))["summary"].endswith("They did 7 to 8.")
    branch = await _branch(desk, uuid, 7)
    await desk.work()
    assert (await desk.state(branch))["summary"] == "They did 1 to 3.\nThey did 4 to 6."


async def test_a_branch_takes_over_what_its_parent_summarised_since(make_desk: MakeDesk) -> None:
    desk = make_desk(3)
    uuid = await desk.conversation(7)
    branch = await _branch(desk, uuid, 7)
    await desk.work()
    await desk.say(branch, 1)
    await desk.work()
    assert await desk.all(branch) == []
    assert (await desk.state(branch))["watermark"] == 6
    await desk.say(branch, 1)
    await desk.work()
    assert [(row["start"], row["end"]) for row in await desk.all(branch) if row["level"] == 1] == [(7, 9)]
    assert [(row["start"], row["end"]) for row in await desk.all(branch) if row["level"] == 2] == [(1, 9)]
    assert len(desk.marks) == len(set(desk.marks)) == 9


async def test_what_branches_share_is_summarised_once_where_it_was_said(make_desk: MakeDesk) -> None:
    desks = [make_desk(2) for _ in range(4)]
    desk = desks[0]
    trunk = await desk.conversation(9)
    first, second = await _branch(desk, trunk, 9), await _branch(desk, trunk, 6)
    deep = await _branch(desk, first, 9)
    for branch in (first, second, deep):
        await desk.say(branch, 3)

    tasks = [SummaryTask(one.summaries, lambda: None) for one in desks]
    await asyncio.gather(*(task.drain() for task in tasks))
    await asyncio.gather(*(task.aclose() for task in tasks))
    marks = [mark for one in desks for mark in one.marks]
    shared = [message.content.split("§")[1] for message in await desk.messages.history(trunk)]
    assert [marks.count(mark) for mark in shared[:8]] == [1] * 8
    # What reaches beyond what is shared is another stretch.
    assert faults(await desk.all(trunk), 2, 9) == []
    for branch in (first, second, deep):
        own = await desk.all(branch)
        assert min(row["end"] for row in own) > (6 if branch == second else 9)
        head = (await desk.state(branch))["head"]
        cover = await desk.store.cover(branch, to_seq=head)
        assert cover.end == (await desk.state(branch))["watermark"] == head // 2 * 2


async def test_a_summary_on_demand_of_a_branch_uses_what_is_made_where_it_was_said(make_desk: MakeDesk) -> None:
    desk, other = make_desk(2), make_desk(2)
    trunk = await desk.conversation(4)
    branch = await _branch(desk, trunk, 4)
    texts = await asyncio.gather(desk.summaries.on_demand(branch), other.summaries.on_demand(trunk))
    assert texts[0] == texts[1]
    assert len([*desk.marks, *other.marks]) == 4
    assert await desk.all(branch) == []


async def test_what_a_deleted_parent_did_not_summarise_its_branch_does(make_desk: MakeDesk) -> None:
    desk = make_desk(2)
    trunk = await desk.conversation(4)
    branch, short = await _branch(desk, trunk, 4), await _branch(desk, trunk, 1)
    await desk.conversations.delete(trunk)
    await desk.work()
    assert [(row["start"], row["end"]) for row in await desk.all(branch)] == [(1, 2), (3, 4), (1, 4)]
    assert (await desk.state(branch))["summary"] == "They did 1 to 4."
    assert not (await desk.state(branch))["pending"]
    assert await desk.all(short) == []


@pytest.mark.parametrize("seed", first_of(range(6), 2))
async def test_every_lineage_is_covered_without_a_gap(make_desk: MakeDesk, seed: int) -> None:
    rng = random.Random(seed)
    every = rng.choice([2, 3, 4])
    desk = make_desk(every)
    heads = {await desk.conversation(): 0}
    for _ in range(14):
        uuid = rng.choice(list(heads))
        match rng.randint(0, 3):
            case 0:
                await desk.work()
            case 1:
                seq = rng.randint(0, heads[uuid])
                heads[await _branch(desk, uuid, seq)] = seq
            case _:
                count = rng.randint(1, 2 * every)
                await desk.say(uuid, count)
                heads[uuid] += count
    await desk.work()
    for uuid, head in heads.items():
        cover = await desk.store.cover(uuid, to_seq=head)
        assert cover.end == head // every * every == (await desk.state(uuid))["watermark"]
        end = 0
        for part in cover.parts:
            assert part.from_seq == end + 1
            end = part.to_seq
        spans = [part.to_seq - part.from_seq + 1 for part in cover.parts]
        assert spans == sorted(spans, reverse=True)
        assert all(spans.count(span) < every for span in spans)
