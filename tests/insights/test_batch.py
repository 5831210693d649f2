"""One validated insight a conversation: made, kept, found again, and what a model that fails leaves."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragforge_memory import (
    Insight,
    ModelError,
)
from ragforge_memory.errors import ModelBlocked, ModelStreamCut
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.insights.talks import ALONE, FIELDS, STORED, TASK, Found, answered, asked_of, talks, topic_of

pytestmark = pytest.mark.anyio


async def test_each_conversation_has_its_insight(make_agent: MakeAgent, owner: Owner, cypher: Cypher) -> None:
    provider = asked_of()
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 3)
        found = await agent.batch_analyze(made, TASK, Found)
        assert [each.conversation_id for each in found] == made
        assert [each.data["topic"] for each in found] == ["topic-0", "topic-1", "topic-2"]
        assert [Found.model_validate(each.data).open_questions for each in found] == [[], [], []]
        assert (found.made, found.failed, found.left, found.stopped) == (3, (), (), None)
        assert found.usage.input_tokens > 100
        first = found[0]
        assert isinstance(first, Insight)
        assert (first.task, first.model, first.to_seq) == (TASK, "scripted:scripted", 2)
        assert (first.user_id, first.project) == (owner.user_id, owner.project)
        assert first.schema["properties"]["topic"]["pattern"] == r"^topic-\d+$"
        assert set(first.model_dump(mode="json")) >= {"uuid", "task", "schema", "data", "created_at", "model"}
        request = provider.requests[0]
        assert TASK in request.system
        assert r"^topic-\\d+$" in request.system
        # Again: nothing is asked.
        again = await agent.batch_analyze(None, TASK, Found)
        assert sorted(each.uuid for each in again) == sorted(each.uuid for each in found)
        assert (again.made, again.usage) == (0, Usage())
        assert len(provider.requests) == 3
        # Another task, and another schema, are something else.
        other = await agent.batch_analyze(made[:1], "Name it again.", Found)
        third = await agent.batch_analyze(made[:1], TASK, FIELDS)
        assert len({first.uuid, other[0].uuid, third[0].uuid}) == 3
    rows = cypher(STORED, user_id=owner.user_id, project=owner.project)
    assert sorted(row["uuid"] for row in rows) == sorted([*made, made[0], made[0]])
    assert {(row["token"], row["until"]) for row in rows} == {(None, None)}
    assert all(json.loads(row["schema"])["type"] == "object" for row in rows)


async def test_conversations_are_named_in_many_ways(make_agent: MakeAgent) -> None:
    async with make_agent(provider=asked_of(), settings=ALONE) as agent:
        [one, two, three] = await talks(agent, 3)
        talk = await agent.load_conversation(two)
        await talk.set_tags(["auth"])
        await (await agent.load_conversation(three)).archive()

        async def of(choice: Any) -> list[str]:
            return [each.conversation_id for each in await agent.batch_analyze(choice, TASK, FIELDS)]

        assert await of(one) == [one]
        assert await of(talk) == [two]
        assert await of(talk.info) == [two]
        assert await of([three, talk, one, two]) == [three, two, one]
        assert await of({"tags": ["auth "]}) == [two]
        assert await of({"status": "archived"}) == [three]
        assert sorted(await of(await agent.list_conversations())) == sorted([one, two, three])
        assert await of(None) == [three, two, one], "the newest first"
        assert await of([]) == []


async def test_insights_are_listed_by_pages(make_agent: MakeAgent) -> None:
    async with make_agent(provider=asked_of(), settings=ALONE) as agent:
        made = await talks(agent, 3)
        await agent.batch_analyze(made, TASK, FIELDS, concurrency=1)
        await agent.batch_analyze(made[0], "Another.", FIELDS)
        first = await agent.list_insights(limit=3)
        rest = await agent.list_insights(limit=3, cursor=first.next_cursor)
        assert rest.next_cursor is None
        listed = [(each.conversation_id, each.task) for each in (*first, *rest)]
        assert listed == [(made[0], "Another."), *((uuid, TASK) for uuid in reversed(made))]
        of_one = await agent.list_insights(made[0])
        assert [each.task for each in of_one] == ["Another.", TASK]
        page = await agent.list_insights(made[0], limit=1)
        assert [each.task for each in await agent.list_insights(made[0], cursor=page.next_cursor)] == [TASK]
        assert [each.conversation_id for each in await agent.list_insights(task="Another.")] == [made[0]]
        assert len(await agent.list_insights(task="None such.")) == 0


async def test_one_that_has_gone_on_is_made_anew_where_that_is_wanted(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(["Yes."], purposes={"insight": [answered]}, loop=True)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        [one, two] = await talks(agent, 2)
        [old, other] = await agent.batch_analyze([one, two], TASK, FIELDS)
        await (await agent.load_conversation(one)).send_message("More of it?")
        same = await agent.batch_analyze([one, two], TASK, FIELDS)
        assert (same.made, same[0]) == (0, old)
        anew = await agent.batch_analyze([one, two], TASK, FIELDS, refresh=True)
        assert (anew.made, anew[0].uuid, anew[0].to_seq, anew[1]) == (1, old.uuid, 4, other)
        assert (await agent.batch_analyze([one, two], TASK, FIELDS, refresh=True)).made == 0


# --- a model that fails -----------------------------------------------------------------------------------------------


async def test_a_stream_that_was_cut_is_asked_again(make_agent: MakeAgent) -> None:
    provider = asked_of(['{"to', ModelStreamCut("the line went dead")], answered)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        assert len(await agent.batch_analyze(await talks(agent, 1), TASK, FIELDS)) == 1


async def test_a_model_that_fails_on_one_goes_on_with_the_others(make_agent: MakeAgent) -> None:
    def answer(request: ModelRequest) -> Any:
        failures = {"topic-0": ModelBlocked("for safety"), "topic-2": ModelError("overloaded")}
        return failures.get(topic_of(request)) or answered(request)

    async with make_agent(
        provider=ScriptedProvider(purposes={"insight": [answer]}, loop=True), settings=ALONE
    ) as agent:
        made = await talks(agent, 4)
        found = await agent.batch_analyze(made, TASK, FIELDS)
    assert [each.conversation_id for each in found] == [made[1], made[3]]
    assert [(each.conversation_id, each.reason) for each in found.failed] == [(made[0], "blocked"), (made[2], "model")]
    assert (found.left, found.stopped) == ((), None)


async def test_a_model_that_only_fails_is_soon_left_alone(make_agent: MakeAgent) -> None:
    def answer(request: ModelRequest) -> Any:
        return answered(request) if topic_of(request) == "topic-0" else ModelError("no credit left")

    provider = ScriptedProvider(purposes={"insight": [answer]}, loop=True)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 8)
        found = await agent.batch_analyze(made, TASK, FIELDS, concurrency=1)
        assert (len(found), found.stopped) == (1, "model")
        assert [each.conversation_id for each in found.failed] == made[1:4]
        assert list(found.left) == made[4:]
        assert len(provider.requests) == 4
        with pytest.raises(ModelError, match="no credit left"):
            await agent.batch_analyze(made[4:], TASK, FIELDS, concurrency=1)


async def test_one_that_is_deleted_while_the_model_thinks(make_agent: MakeAgent, owner: Owner, cypher: Cypher) -> None:
    async with make_agent(settings=ALONE) as other:

        async def answer(request: ModelRequest) -> str:
            if topic_of(request) == "topic-0":
                await (await other.load_conversation(made[0])).delete()
            return answered(request)

        provider = ScriptedProvider(purposes={"insight": [answer]}, loop=True)
        async with make_agent(provider=provider, settings=ALONE) as agent:
            made = await talks(agent, 2)
            found = await agent.batch_analyze(made, TASK, FIELDS)
    assert [each.conversation_id for each in found] == [made[1]]
    assert [(each.conversation_id, each.reason) for each in found.failed] == [(made[0], "deleted")]
    assert len(cypher(STORED, user_id=owner.user_id, project=owner.project)) == 1
