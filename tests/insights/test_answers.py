"""Answers that do not fit: what the model is told, what is stored of them, and schemas of every form."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragforge_memory import (
    InvalidInput,
)
from ragforge_memory.llm.port import Finished, ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.insights.talks import ALONE, FIELDS, TASK, answered, asked_of, talks, topic_of

pytestmark = pytest.mark.anyio


async def test_a_bad_answer_goes_back_with_what_is_wrong(make_agent: MakeAgent) -> None:
    provider = asked_of(
        "I think it is about topic-0.",
        json.dumps({"topic": 0, "extra": True}),
        'Here it is:\n```json\n{"topic": "topic-0", "findings": []}\n```\nI hope it helps, as [1] says.',
    )
    async with make_agent(provider=provider, settings=ALONE) as agent:
        found = await agent.batch_analyze(await talks(agent, 1), TASK, FIELDS)
    assert found[0].data == {"topic": "topic-0", "findings": []}
    first, second, third = provider.requests
    assert [message.role for message in second.messages] == ["user", "assistant", "user"]
    assert second.messages[0] == first.messages[0]
    assert second.messages[1].content == "I think it is about topic-0."
    assert "not JSON" in second.messages[2].content
    told = third.messages[2].content
    assert "'findings' is a required property" in told
    assert "'extra' was unexpected" in told
    assert "topic: 0 is not of type 'string'" in told
    assert len(third.messages) == 3, "only the last answer goes back"


async def test_one_that_never_fits_is_a_failure_and_stores_nothing(
    make_agent: MakeAgent, owner: Owner, cypher: Cypher
) -> None:
    async def answer(request: ModelRequest) -> str:
        return "{}" if topic_of(request) == "topic-1" else answered(request)

    provider = ScriptedProvider(purposes={"insight": [answer]}, loop=True)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 3)
        found = await agent.batch_analyze(made, TASK, FIELDS, attempts=2)
        assert [each.conversation_id for each in found] == [made[0], made[2]]
        [failed] = found.failed
        assert (failed.conversation_id, failed.reason) == (made[1], "invalid")
        assert "'topic' is a required property" in failed.message
        assert len(provider.requests) == 4
        assert len(await agent.list_insights()) == 2
    assert cypher("MATCH (c:Conversation {uuid: $u}) RETURN c.insight_token AS t", u=made[1]) == [{"t": None}]


async def test_what_is_almost_json_is_none(make_agent: MakeAgent) -> None:
    almost = ["Infinity", '{"topic": NaN, "findings": []}', '{"n": 1e999}', "[" * 100_000]
    async with make_agent(provider=asked_of(*almost), settings=ALONE) as agent:
        found = await agent.batch_analyze(await talks(agent, 4), TASK, {"type": "object"}, attempts=1)
    assert [each.reason for each in found.failed] == ["invalid"] * 4


async def test_an_answer_that_was_cut_off_is_told_so(make_agent: MakeAgent) -> None:
    provider = asked_of(['{"topic": "to', Finished("length", Usage(input_tokens=1, output_tokens=1))], answered)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        assert len(await agent.batch_analyze(await talks(agent, 1), TASK, FIELDS)) == 1
    assert "cut off at your limit" in provider.requests[1].messages[2].content


async def test_what_json_escapes_is_stored(make_agent: MakeAgent) -> None:
    said = json.dumps({"topic": "a\ud800b \U0001f600 \0 漢字", "findings": []})
    async with make_agent(provider=asked_of(said), settings=ALONE) as agent:
        made = await talks(agent, 1)
        await agent.batch_analyze(made, TASK, FIELDS)
        [kept] = await agent.list_insights(made[0])
    assert kept.data["topic"] == "a?b \U0001f600 \0 漢字"


async def test_secrets_are_taken_out(make_agent: MakeAgent) -> None:
    secret = "ghp_" + "a1B2" * 9
    said = json.dumps({"topic": f"the token {secret}", "findings": []})
    async with make_agent(provider=asked_of(said), settings=ALONE) as agent:
        [kept] = await agent.batch_analyze(await talks(agent, 1), f"What became of {secret}?", FIELDS)
        assert secret not in kept.model_dump_json()
        assert "[redacted github token]" in kept.data["topic"]
        assert len(await agent.list_insights(task=f"What became of {secret}?")) == 1


# --- schemas ----------------------------------------------------------------------------------------------------------


async def test_schemas_of_every_form(make_agent: MakeAgent) -> None:
    defined = {"$defs": {"f": {"type": "integer"}}, "type": "object", "properties": {"n": {"$ref": "#/$defs/f"}}}
    forms: list[tuple[dict[str, Any], Any]] = [
        ({"enum": ["good", "bad"]}, "good"),
        ({"title": {"type": "string"}, "$schema": {"type": "string"}}, {"title": "t", "$schema": "s"}),
        (defined, {"n": 1}),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["n"]}, {"n": None}),
    ]
    provider = asked_of(*(said for _, good in forms for said in ("null", json.dumps(good))))
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 1)
        for schema, good in forms:
            [found] = await agent.batch_analyze(made, TASK, schema)
            assert found.data == good
    assert len(provider.requests) == 2 * len(forms)


async def test_a_reference_that_only_an_answer_shows_to_lead_nowhere(make_agent: MakeAgent) -> None:
    schema = {"type": "object", "properties": {"a": {"$id": "inner", "$ref": "#/nowhere"}}}
    async with make_agent(provider=asked_of('{"a": 1}'), settings=ALONE) as agent:
        with pytest.raises(InvalidInput, match="refers to what it does not have"):
            await agent.batch_analyze(await talks(agent, 1), TASK, schema)


async def test_an_answer_that_is_nested_too_deeply_does_not_fit(make_agent: MakeAgent) -> None:
    schema = {"$defs": {"n": {"type": "array", "items": {"$ref": "#/$defs/n"}}}, "$ref": "#/$defs/n"}
    async with make_agent(provider=asked_of("[" * 900 + "]" * 900), settings=ALONE) as agent:
        found = await agent.batch_analyze(await talks(agent, 1), TASK, schema, attempts=1)
    assert [each.reason for each in found.failed] == ["invalid"]


async def test_the_order_of_a_schemas_keys_makes_no_other_insight(make_agent: MakeAgent) -> None:
    async with make_agent(provider=asked_of(), settings=ALONE) as agent:
        made = await talks(agent, 1)
        await agent.batch_analyze(made, TASK, {"type": "object", "required": ["topic"]})
        again = await agent.batch_analyze(made, f"  {TASK}\n", {"required": ["topic"], "type": "object"})
    assert (len(again), again.made) == (1, 0)
