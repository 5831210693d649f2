"""How many at a time, how many tokens, how many dollars; and the lease that keeps two from one conversation."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from ragforge_memory import Neo4jConfig
from ragforge_memory.agent import opening
from ragforge_memory.errors import ConversationNotFound
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.insights import Claimed, InsightStore
from ragforge_memory.llm.port import Finished, ModelRequest
from ragforge_memory.llm.scripted import Hang, ScriptedProvider
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.insights.talks import ALONE, FIELDS, STORED, TASK, answered, asked_of, talks

pytestmark = pytest.mark.anyio


async def test_so_many_at_a_time(make_agent: MakeAgent) -> None:
    running: set[int] = set()
    most = 0
    full = asyncio.Event()

    async def answer(request: ModelRequest) -> str:
        nonlocal most
        running.add(id(request))
        most = max(most, len(running))
        if len(running) == 3:
            full.set()
        await full.wait()  # nobody goes on before all that may run do
        running.discard(id(request))
        return answered(request)

    provider = ScriptedProvider(purposes={"insight": [answer]}, loop=True)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 7)
        found = await agent.batch_analyze(made, TASK, FIELDS, concurrency=3)
    assert len(found) == 7
    assert most == 3


async def test_a_run_stops_before_its_tokens_are_passed(make_agent: MakeAgent) -> None:
    taken = Usage(input_tokens=400, output_tokens=100)

    def answer(request: ModelRequest) -> Any:
        return [answered(request), Finished("stop", taken)]

    provider = ScriptedProvider(purposes={"insight": [answer]}, loop=True)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 6)
        found = await agent.batch_analyze(made, TASK, FIELDS, max_tokens=2_100)
        assert found.stopped == "tokens"
        assert found.usage.input_tokens + found.usage.output_tokens == 500 * len(found) <= 2_100
        assert 2 <= len(found) <= 4
        assert list(found.left) == [uuid for uuid in made if uuid not in {each.conversation_id for each in found}]
        assert found.failed == ()
        rest = await agent.batch_analyze(made, TASK, FIELDS)
        assert (rest.made, len(rest), rest.left, rest.stopped) == (6 - len(found), 6, (), None)


async def test_a_run_stops_before_its_dollars_are_spent(make_agent: MakeAgent, owner: Owner, cypher: Cypher) -> None:
    provider = asked_of(token_price=0.001)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 8)
        # The first request alone is likely to take a thousand tokens of output: a dollar.
        none = await agent.batch_analyze(made, TASK, FIELDS, max_cost_usd=0.5)
        assert (list(none), none.stopped, list(none.left)) == ([], "cost", made)
        assert (provider.requests, none.usage) == ([], Usage())
        some = await agent.batch_analyze(made, TASK, FIELDS, max_cost_usd=1.4, concurrency=1)
        assert some.stopped == "cost"
        assert some.usage.cost_usd is not None
        assert 0 < some.usage.cost_usd <= 1.4
        assert 1 < len(some) < 8
        assert list(some.left) == made[len(some) :]
        for row in cypher("MATCH (c:Conversation) WHERE c.uuid IN $u RETURN c.insight_token AS token", u=made):
            assert row["token"] is None
        rest = await agent.batch_analyze(made, TASK, FIELDS, max_cost_usd=50)
        assert (rest.stopped, len(rest), rest.made) == (None, 8, 8 - len(some))
    assert len(cypher(STORED, user_id=owner.user_id, project=owner.project)) == 8


async def test_a_correction_is_paid_for_too(make_agent: MakeAgent) -> None:
    paid = Finished("stop", Usage(input_tokens=3_000, output_tokens=10))
    provider = asked_of(["no", paid], answered)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 1)
        found = await agent.batch_analyze(made, TASK, FIELDS, max_tokens=3_200)
    assert (list(found), found.stopped, list(found.left), found.failed) == ([], "tokens", made, ())
    assert found.usage.input_tokens == 3_000


async def test_what_is_cancelled_is_free_at_once(make_agent: MakeAgent, cypher: Cypher) -> None:
    asked = asyncio.Event()

    def answer(_: ModelRequest) -> Any:
        asked.set()
        return Hang()

    provider = ScriptedProvider(purposes={"insight": [answer]}, loop=True)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 2)
        run = asyncio.create_task(agent.batch_analyze(made, TASK, FIELDS))
        await asked.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
        tokens = cypher("MATCH (c:Conversation) WHERE c.uuid IN $u RETURN c.insight_token AS token", u=made)
        assert tokens == [{"token": None}, {"token": None}]


async def test_a_claim_that_a_cancel_comes_upon_is_given_back(
    make_agent: MakeAgent, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    made_in_the_graph, arrives = asyncio.Event(), asyncio.Event()

    class SlowStore(InsightStore):
        """The graph has the claim, its answer is still on its way."""

        async def claim(self, *arguments: Any, **options: Any) -> Any:
            claimed = await super().claim(*arguments, **options)
            made_in_the_graph.set()
            await arrives.wait()
            return claimed

    monkeypatch.setattr(opening, "InsightStore", SlowStore)
    monkeypatch.setattr("ragforge_memory.insights.analysis._CANCELLED_CLAIM_SECONDS", 60.0)
    async with make_agent(provider=asked_of(answered), settings=ALONE) as agent:
        made = await talks(agent, 1)
        run = asyncio.create_task(agent.batch_analyze(made, TASK, FIELDS))
        await made_in_the_graph.wait()
        run.cancel()
        # Whoever is to hear of the cancel has heard by the time the graph has answered twice.
        await agent.list_insights()
        await agent.list_insights()
        arrives.set()
        with pytest.raises(asyncio.CancelledError):
            await run
        tokens = cypher("MATCH (c:Conversation {uuid: $u}) RETURN c.insight_token AS token", u=made[0])
        assert tokens == [{"token": None}]


class BriefStore(InsightStore):
    """The store whose claims are renewed as often as brief ones."""

    async def claim(self, *arguments: Any, **options: Any) -> Claimed:
        claimed = await super().claim(*arguments, **options)
        return claimed if claimed.lease is None else replace(claimed, lease=replace(claimed.lease, seconds=0.5))


async def test_work_for_a_claim_that_is_lost_is_broken_off(
    make_agent: MakeAgent, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "InsightStore", BriefStore)

    def takes_over(_: ModelRequest) -> Any:
        cypher(
            "MATCH (c:Conversation {uuid: $u}) SET c.insight_token = 'x', "
            "c.insight_until = datetime() - duration('PT1S')",
            u=made[0],
        )
        return Hang()

    provider = asked_of(takes_over, answered)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 1)
        found = await agent.batch_analyze(made, TASK, FIELDS)
    assert (found.made, len(provider.requests)) == (1, 2)


async def test_what_another_process_never_ends_is_not_waited_for_for_ever(
    make_agent: MakeAgent, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.insights.analysis._PATIENCE_SECONDS", 0.5)
    async with make_agent(provider=asked_of(), settings=ALONE) as agent:
        made = await talks(agent, 3)
        held = "MATCH (c:Conversation {uuid: $u}) SET c.insight_token = 'x', c.insight_until = datetime('9999-01-01')"
        cypher(held, u=made[0])
        cypher("MATCH (c:Conversation {uuid: $u}) SET c.insight_token = 'x'", u=made[1])  # by nobody we know
        async with asyncio.timeout(60):
            found = await agent.batch_analyze(made, TASK, FIELDS)
    assert [each.conversation_id for each in found] == made[1:]
    assert [(each.conversation_id, each.reason) for each in found.failed] == [(made[0], "busy")]
    assert "another process" in found.failed[0].message


async def test_a_worker_whose_lease_was_taken_over_changes_nothing(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, owner: Owner, cypher: Cypher
) -> None:
    async with make_agent(settings=ALONE) as agent:
        [uuid] = await talks(agent, 1)
    client = await connect(neo4j_config)
    try:
        store = InsightStore(client, owner)
        first = (await store.claim(uuid, "k")).lease
        assert first is not None
        assert (await store.claim(uuid, "k")) == (await store.claim(uuid, "other"))
        assert (await store.claim(uuid, "k")).lease is None
        assert await store.renew(first)
        cypher("MATCH (c:Conversation {uuid: $u}) SET c.insight_until = datetime() - duration('PT1S')", u=uuid)
        second = (await store.claim(uuid, "k")).lease
        assert second is not None
        what = {"task": "t", "schema": {"type": "object"}, "to_seq": 2, "model": "m"}
        assert not await store.renew(first)
        assert await store.write(first, "k", data={"n": 1}, **what) is None
        await store.release(first)
        assert await store.renew(second)
        kept = await store.write(second, "k", data={"n": 2}, **what)
        assert kept is not None
        assert kept.data == {"n": 2}
        assert await store.write(second, "k", data={"n": 3}, **what) is None, "the claim has ended"
        assert (await store.claim(uuid, "k")).insight == kept
        stranger = InsightStore(client, Owner(owner.user_id + "-2", owner.project))
        with pytest.raises(ConversationNotFound):
            await stranger.claim(uuid, "k")
        assert await stranger.known([uuid], "k") == {}
        assert len(await stranger.page()) == 0
        assert len(await stranger.page(conversation_id=uuid)) == 0
        assert (await store.known([uuid], "k")).keys() == {uuid}
    finally:
        await client.aclose()
