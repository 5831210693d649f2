"""Level 1 over each stretch of N messages, level n over N of the level below: no gap, no overlap."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

import pytest

from ragforge_memory.errors import ConversationNotFound, GraphUnavailable, ModelError
from ragforge_memory.graph.summaries import Lease, SummaryStore
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.scripted import Hang
from tests.long_runs import first_of
from tests.summaries.desk import Desk, faults

pytestmark = pytest.mark.anyio

MakeDesk = Callable[..., Desk]


@pytest.mark.parametrize("seed", first_of(range(10), 2))
async def test_the_grid_is_exact(make_desk: MakeDesk, seed: int) -> None:
    rng = random.Random(seed)
    every = rng.choice([1, 2, 2, 3, 3, 4, 5, 7])
    desk = make_desk(every)
    uuid = await desk.conversation()
    for _ in range(rng.randint(1, 5)):
        await desk.say(uuid, rng.randint(0, 3 * every))
        match rng.randint(0, 3):
            case 0:
                await desk.work()
            case 1:
                await desk.summaries.on_demand(uuid)
            case 2:
                # A worker that dies in between leaves its claim behind; the next takes it when it is over.
                other = make_desk(every, lease=0.01)
                await other.store.claim(uuid)
                while await other.claimed(uuid):
                    pass
    await desk.work()
    state = await desk.state(uuid)
    found = await desk.all(uuid)
    assert faults([row for row in found if row["level"]], every, state["head"]) == []
    assert state["watermark"] == state["head"] // every * every
    assert not state["pending"]


async def test_nothing_is_read_twice(make_desk: MakeDesk) -> None:
    desk = make_desk(3)
    uuid = await desk.conversation()
    for _ in range(5):
        await desk.say(uuid, 4)
        await desk.work()
    assert len(desk.marks) == 18
    assert len(set(desk.marks)) == 18
    requests = [request for request in desk.provider.requests if request.purpose == "summary"]
    assert len(requests) == 6 + 2
    assert all("Today's date: 2026-01-02" in request.system for request in requests)
    assert all(request.messages[-1].content.startswith("<data>\n") for request in requests)


async def test_the_conversation_says_what_its_summaries_say(make_desk: MakeDesk) -> None:
    desk = make_desk(3)
    uuid = await desk.conversation(17)
    await desk.work()
    assert (await desk.state(uuid))["summary"] == "They did 1 to 9.\nThey did 10 to 12.\nThey did 13 to 15."
    info = await desk.conversations.get(uuid)
    assert info.summarized_seq == 15
    assert await desk.summaries.on_demand(uuid) == (await desk.state(uuid))["summary"]
    assert (await desk.state(uuid))["summary"].endswith("They did 16 to 17.")
    await desk.say(uuid, 2)
    await desk.work()
    # What was asked for between gives way to the whole stretch.
    assert (await desk.state(uuid))["summary"] == "They did 1 to 9.\nThey did 10 to 18."


async def test_one_claim_at_a_time(make_desk: MakeDesk) -> None:
    desk = make_desk(2)
    uuid = await desk.conversation(2)
    claims = await asyncio.gather(*(desk.store.claim(uuid) for _ in range(12)))
    assert sum(claim is not None for claim in claims) == 1


async def test_a_claim_that_was_taken_over_changes_nothing(make_desk: MakeDesk) -> None:
    """The model of the first takes until the second, too, has summarised."""
    answer, asked = asyncio.Event(), asyncio.Event()

    def slow(request: Any) -> list[Any]:
        asked.set()
        return [answer, "Late."]

    slow_desk, desk = make_desk(2, slow, lease=60.0), make_desk(2)
    uuid = await slow_desk.conversation(2)
    working = asyncio.create_task(slow_desk.summaries.bring_up_to_date(uuid))
    await asked.wait()
    [due] = await desk.store.due()
    assert due.claimed
    assert due.wait > 30
    assert await desk.summaries.bring_up_to_date(uuid) is False
    # Its time is over, by the database's clock.
    await desk.client.run_schema(
        "MATCH (c:Conversation {uuid: $uuid}) SET c.summary_until = datetime() - duration('PT1S') RETURN c.uuid",
        uuid=uuid,
    )
    await desk.work()
    before = await desk.all(uuid), await desk.state(uuid)
    answer.set()
    assert await working is False
    assert (await desk.all(uuid), await desk.state(uuid)) == before
    # Its messages were sent to a model once, and are not sent to a second.
    assert [row["model"] for row in before[0]] == ["extractive"]
    assert desk.marks == []


async def test_a_claim_is_renewed_while_the_model_thinks(make_desk: MakeDesk) -> None:
    answer, twice = asyncio.Event(), asyncio.Event()
    seen = []

    class Watched(SummaryStore):
        """Its claims last a minute, and are renewed as often as those of half a second."""

        async def claim(self, conversation_id: str, *, eager: bool = False) -> Lease | None:
            lease = await super().claim(conversation_id, eager=eager)
            return None if lease is None else replace(lease, seconds=0.5)

        async def renew(self, lease: Lease, *, asked: int | None = None) -> bool:
            done = await super().renew(replace(lease, seconds=60.0), asked=asked)
            if asked is not None:
                return done
            seen.append((await desk.state(uuid))["until"])
            if len(seen) == 2:
                twice.set()
            return done

    slow, desk = make_desk(2, [answer, "At last."]), make_desk(2)
    slow.use(Watched(slow.client, slow.owner, every=2, lease=60.0))
    uuid = await slow.conversation(2)
    working = asyncio.create_task(slow.summaries.bring_up_to_date(uuid))
    await twice.wait()
    first, second = map(datetime.fromisoformat, seen)
    assert first < second
    assert await desk.summaries.bring_up_to_date(uuid) is False
    answer.set()
    assert await working is True
    assert [row["content"] for row in await desk.all(uuid)] == ["At last."]


async def test_what_was_sent_by_who_ended_is_not_sent_again(make_desk: MakeDesk) -> None:
    """Of others than the stretch that the model was asked for it is asked as ever, of other sizes too."""
    asked = asyncio.Event()

    def hanging(request: Any) -> list[Any]:
        asked.set()
        return [Hang()]

    first = make_desk(4, hanging)
    uuid = await first.conversation(4)
    working = asyncio.create_task(first.summaries.bring_up_to_date(uuid))
    await asked.wait()
    working.cancel()
    with pytest.raises(asyncio.CancelledError):
        await working
    second = make_desk(2)
    await second.say(uuid, 2)
    await second.work()
    found = await second.all(uuid)
    assert faults(found, 2, 6) == []
    assert [row["model"] for row in found if row["level"] == 1] == ["extractive", "extractive", "scripted:scripted"]
    assert len(first.marks) == 4
    assert len(second.marks) == 2
    assert not set(first.marks) & set(second.marks)


async def test_what_the_graph_could_not_take_is_not_asked_for_again(make_desk: MakeDesk) -> None:
    class Away(SummaryStore):
        """Takes no summary the first time."""

        tried = False

        async def write(self, *arguments: Any, **options: Any) -> Lease | None:
            if not self.tried:
                self.tried = True
                raise GraphUnavailable("the server went away")
            return await super().write(*arguments, **options)

    desk = make_desk(2, "They met.", "Something else.")
    desk.use(Away(desk.client, desk.owner, every=2))
    uuid = await desk.conversation(2)
    with pytest.raises(GraphUnavailable):
        await desk.summaries.bring_up_to_date(uuid)
    assert await desk.all(uuid) == []
    await desk.work()
    assert [row["content"] for row in await desk.all(uuid)] == ["They met."]
    assert len(desk.marks) == 2


async def test_who_ends_in_a_moment_asks_no_model_for_a_stretch(make_desk: MakeDesk) -> None:
    desk, plain = make_desk(2), make_desk(2)
    uuid = await desk.conversation(2)
    assert await desk.summaries.bring_up_to_date(uuid, hurried=True) is True
    assert await desk.all(uuid) == []
    assert (await desk.state(uuid))["pending"]
    # Without a model it is the matter of a moment.
    plain.summarizer.provider = ExtractiveProvider()
    assert await plain.summaries.bring_up_to_date(uuid, hurried=True) is True
    assert [row["model"] for row in await desk.all(uuid)] == ["extractive"]


async def test_a_conversation_that_is_deleted_meanwhile_keeps_nothing(make_desk: MakeDesk) -> None:
    desk = make_desk(2, lambda request: gone())
    uuid = await desk.conversation(4)

    async def gone() -> str:
        await desk.conversations.delete(uuid)
        return "Nobody reads this."

    assert await desk.summaries.bring_up_to_date(uuid) is False
    left = await desk.client.run_schema("MATCH (s:Summary {conversation_id: $uuid}) RETURN s.uuid", uuid=uuid)
    assert left == []
    assert await desk.store.due() == []
    with pytest.raises(ConversationNotFound):
        await desk.summaries.on_demand(uuid)


async def test_messages_that_are_missing_are_passed_over(make_desk: MakeDesk) -> None:
    """What somebody has damaged the graph of is summarised as far as it is there, and never looked at for ever."""
    desk = make_desk(3)
    uuid = await desk.conversation(11)
    await desk.client.run_schema(
        "MATCH (m:Message {conversation_id: $uuid}) WHERE m.seq IN [2, 7, 8, 9, 10, 11] DETACH DELETE m", uuid=uuid
    )
    async with asyncio.timeout(60):
        await desk.work()
        assert await desk.summaries.on_demand(uuid) == "They did 1 to 9.\nNothing was said in words."
    assert not (await desk.state(uuid))["pending"]


async def test_summaries_that_end_before_they_begin_are_none(make_desk: MakeDesk) -> None:
    desk = make_desk(2)
    uuid = await desk.conversation(4)
    await desk.client.run_schema(
        "MATCH (c:Conversation {uuid: $uuid}) UNWIND [1, 2] AS from_seq "
        "CREATE (c)-[:HAS_SUMMARY]->(:Summary {uuid: $uuid + from_seq, conversation_id: $uuid, kind: 'rolling', "
        "level: 1, from_seq: from_seq, to_seq: 0, content: 'odd', created_at: datetime()})",
        uuid=uuid,
    )
    async with asyncio.timeout(60):
        await desk.work()
        assert await desk.summaries.on_demand(uuid) == "They did 1 to 4."
    assert len(desk.provider.requests) < 10


async def test_what_another_process_never_ends_is_not_waited_for_for_ever(
    make_desk: MakeDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.agent.upkeep.summaries._MOST_LOOKS", 2)
    desk = make_desk(2)
    uuid = await desk.conversation(4)
    held = "MATCH (c:Conversation {uuid: $uuid}) SET c.summary_token = 'x', c.summary_until = datetime('9999-01-01')"
    await desk.client.run_schema(held, uuid=uuid)
    async with asyncio.timeout(60):
        with pytest.raises(GraphUnavailable, match="another process has been summarising"):
            await desk.summaries.on_demand(uuid)


# --- models that fail -------------------------------------------------------------------------------------------------


async def test_after_three_failures_it_is_extracted(make_desk: MakeDesk) -> None:
    desk = make_desk(2, ModelError("no luck"), ModelError("still none"), "", *["They met."] * 3)
    uuid = await desk.conversation(4)
    for attempts in (1, 2, 3):
        await desk.summaries.bring_up_to_date(uuid)
        assert (await desk.state(uuid))["attempts"] == attempts
        assert (await desk.state(uuid))["pending"]
    assert await desk.all(uuid) == []
    await desk.work()
    found = [(row["level"], row["model"]) for row in await desk.all(uuid)]
    # One stretch is extracted; the model is asked again for the next.
    assert found == [(1, "extractive"), (1, "scripted:scripted"), (2, "scripted:scripted")]
    assert (await desk.state(uuid))["attempts"] is None


async def test_nobody_tries_again_before_the_pause_is_over(make_desk: MakeDesk) -> None:
    desk = make_desk(2, ModelError("no luck"), "They met.")
    desk.summaries._pause = 60.0
    uuid = await desk.conversation(2)
    await desk.summaries.bring_up_to_date(uuid)
    [due] = await desk.store.due()
    assert not due.claimed
    assert due.wait > 30
    assert await desk.summaries.bring_up_to_date(uuid) is False
    # Who asks for it does not wait.
    assert await desk.summaries.on_demand(uuid) == "They met."


async def test_a_failure_on_demand_is_told(make_desk: MakeDesk) -> None:
    desk = make_desk(5, ModelError("no luck"), "They met.")
    uuid = await desk.conversation(2)
    with pytest.raises(ModelError, match="no luck"):
        await desk.summaries.on_demand(uuid)
    assert (await desk.state(uuid))["token"] is None
    assert await desk.summaries.on_demand(uuid) == "They met."


# --- on demand --------------------------------------------------------------------------------------------------------


async def test_on_demand_below_a_stretch(make_desk: MakeDesk) -> None:
    desk = make_desk(10)
    uuid = await desk.conversation()
    assert await desk.summaries.on_demand(uuid) == ""
    await desk.say(uuid, 3)
    assert await desk.summaries.on_demand(uuid) == "They did 1 to 3."
    assert await desk.summaries.on_demand(uuid) == "They did 1 to 3."
    await desk.say(uuid, 2)
    assert await desk.summaries.on_demand(uuid) == "They did 1 to 3.\nThey did 4 to 5."
    assert len(desk.marks) == len(set(desk.marks)) == 5
    await desk.say(uuid, 6)
    assert await desk.summaries.on_demand(uuid) == "They did 1 to 10.\nThey did 11 to 11."
    found = [(row["level"], row["start"], row["end"]) for row in await desk.all(uuid)]
    assert found == [(0, 1, 3), (0, 4, 5), (0, 11, 11), (1, 1, 10)]
    state = await desk.state(uuid)
    assert (state["watermark"], state["pending"], state["token"]) == (10, False, None)
