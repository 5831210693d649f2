"""One validated insight a conversation: made, kept, found again, and what is refused before anything is asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from pydantic import BaseModel, Field

from ragforge_memory import (
    AsyncConversationAgent,
    ConfigError,
    ConversationAgent,
    ConversationConfig,
    ConversationNotFound,
    Insight,
    InvalidInput,
    ModelError,
    Neo4jConfig,
)
from ragforge_memory.errors import ModelBlocked, ModelStreamCut
from ragforge_memory.llm.port import Finished, ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.owner import Owner
from tests.insights.talks import ALONE, FIELDS, STORED, TASK, answered, asked_of, talks, topic_of

pytestmark = pytest.mark.anyio

MakeAgent = Callable[..., AsyncConversationAgent]
Cypher = Callable[..., list[dict[str, Any]]]


class Found(BaseModel):
    """What is found in a conversation."""

    topic: str = Field(pattern=r"^topic-\d+$")
    findings: list[str]
    open_questions: list[str] = []


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
        assert await of({"tags": ["auth"]}) == [two]
        assert await of({"status": "archived"}) == [three]
        assert sorted(await of(await agent.list_conversations())) == sorted([one, two, three])
        assert await of(None) == [three, two, one], "the newest first"
        assert await of([]) == []


async def test_without_await(neo4j_config: Neo4jConfig, owner: Owner) -> None:
    def run() -> None:
        with ConversationAgent(
            neo4j_config,
            llm_provider=asked_of(),
            config=ConversationConfig(embed_messages=False, enable_summarization=False),
            user_id=owner.user_id,
            project=owner.project,
        ) as agent:
            talk = agent.import_conversation([{"role": "user", "content": "topic-7"}])
            told: list[tuple[int, int]] = []
            found = agent.batch_analyze([talk], TASK, Found, progress=lambda done, of: told.append((done, of)))
            assert found[0].data["topic"] == "topic-7"
            assert told == [(0, 1), (1, 1)]
            assert list(agent.list_insights(talk)) == list(found)

    await asyncio.to_thread(run)


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


# --- answers that do not fit ------------------------------------------------------------------------------------------


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
    assert "no JSON" in second.messages[2].content
    told = third.messages[2].content
    assert "'findings' is a required property" in told
    assert "'extra' was unexpected" in told
    assert "topic: 0 is not of type 'string'" in told
    assert len(third.messages) == 3, "only the last answer goes back"


async def test_a_class_says_what_is_wrong_too(make_agent: MakeAgent) -> None:
    provider = asked_of('{"topic": "x", "findings": 3}', "", '{"topic": "topic-1", "findings": []}')
    async with make_agent(provider=provider, settings=ALONE) as agent:
        found = await agent.batch_analyze(await talks(agent, 1), TASK, Found)
    assert found[0].data == {"topic": "topic-1", "findings": [], "open_questions": []}
    assert "topic: String should match pattern" in provider.requests[1].messages[2].content
    assert "findings: Input should be a valid" in provider.requests[1].messages[2].content
    assert "it is empty" in provider.requests[2].messages[2].content


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


@pytest.mark.parametrize("said", ["Infinity", '{"topic": NaN, "findings": []}', '{"n": 1e999}', "[" * 100_000])
async def test_what_is_almost_json_is_none(make_agent: MakeAgent, said: str) -> None:
    async with make_agent(provider=asked_of(said), settings=ALONE) as agent:
        found = await agent.batch_analyze(await talks(agent, 1), TASK, {"type": "object"}, attempts=1)
    assert [each.reason for each in found.failed] == ["invalid"]


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


async def test_what_was_said_in_none_has_no_insight(make_agent: MakeAgent) -> None:
    async with make_agent(provider=asked_of(), settings=ALONE) as agent:
        silent = await agent.create_conversation("Nothing")
        found = await agent.batch_analyze([silent], TASK, FIELDS)
    assert [(each.conversation_id, each.reason) for each in found.failed] == [(silent.uuid, "empty")]


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


# --- what is refused --------------------------------------------------------------------------------------------------


async def test_without_a_model_there_is_one_clear_error(make_agent: MakeAgent, owner: Owner, cypher: Cypher) -> None:
    async with make_agent(provider="extractive", settings=ALONE) as agent:
        made = await talks(agent, 2)
        with pytest.raises(ConfigError, match="insights need a language model") as refused:
            await agent.batch_analyze(made, TASK, FIELDS)
    assert "extractive" in str(refused.value)
    for setting in ("GEMINI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ragforge.config.yaml", "--model"):
        assert setting in (refused.value.hint or "")
    assert cypher(STORED, user_id=owner.user_id, project=owner.project) == []


BAD: list[tuple[dict[str, Any], str]] = [
    ({"task": ""}, "the task is empty"),
    ({"task": 3}, "a task is text"),
    ({"task": "a\ud800"}, "not valid text"),
    ({"task": "word " * 400_000}, "of the|window"),
    ({"output_schema": "object"}, "an output schema is"),
    ({"output_schema": Found(topic="topic-1", findings=[])}, "an output schema is"),
    ({"output_schema": {}}, "says nothing"),
    ({"output_schema": {"type": "thing"}}, "no JSON Schema: type: 'thing'"),
    ({"output_schema": {"topic": "string"}}, "says nothing|no JSON Schema"),
    ({"output_schema": {"type": "string", "pattern": "("}}, "no JSON Schema: pattern"),
    ({"output_schema": {"$ref": "https://example.org/x.json"}}, "which is not in it"),
    ({"output_schema": {"$ref": "#/$defs/x"}}, "there is no '#/"),
    ({"output_schema": {"$schema": 5}}, "says nothing"),
    ({"output_schema": {"$schema": 5, "type": "object"}}, "no JSON Schema: .schema: 5 is no text"),
    ({"output_schema": {"$schema": ["x"], "type": "object"}}, "no JSON Schema: .schema: "),
    ({"output_schema": {"$ref": "#"}}, "refers to itself"),
    ({"output_schema": {"type": {1, 2}}}, "no JSON"),
    ({"conversations": 3}, "conversations are"),
    ({"conversations": [3]}, "is no conversation"),
    ({"conversations": {"title": "x"}}, "not filtered by 'title'"),
    ({"conversations": {"status": "gone"}}, "no status"),
    ({"conversations": {"tags": "auth"}}, "list of words"),
    ({"concurrency": 0}, "concurrency is"),
    ({"concurrency": True}, "concurrency is"),
    ({"attempts": 11}, "attempts is"),
    ({"max_cost_usd": 0}, "max_cost_usd is"),
    ({"max_cost_usd": float("nan")}, "max_cost_usd is"),
    ({"max_tokens": -1}, "max_tokens is"),
    ({"max_cost_usd": 1.0}, "the price of scripted:scripted is not known"),
]


@pytest.mark.parametrize(("given", "told"), BAD, ids=[f"{next(iter(each))}-{n}" for n, (each, _) in enumerate(BAD)])
async def test_bad_input_is_refused(make_agent: MakeAgent, given: dict[str, Any], told: str) -> None:
    provider = asked_of()
    async with make_agent(provider=provider, settings=ALONE) as agent:
        with pytest.raises(InvalidInput, match=told):
            await agent.batch_analyze(
                **{"conversations": None, "task": TASK, "output_schema": FIELDS, **given}  # type: ignore[arg-type]
            )
    assert provider.requests == []


async def test_a_conversation_that_is_not_there(make_agent: MakeAgent) -> None:
    provider = asked_of()
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 1)
        with pytest.raises(ConversationNotFound, match="f00"):
            await agent.batch_analyze([*made, "f00"], TASK, FIELDS)
        with pytest.raises(ConversationNotFound):
            await agent.list_insights("f00")
    assert provider.requests == []


async def test_what_another_owner_has_is_not_there(make_agent: MakeAgent, owner: Owner) -> None:
    provider = asked_of()
    async with make_agent(provider=provider, settings=ALONE) as agent:
        [theirs] = await talks(agent, 1)
        await agent.batch_analyze(theirs, TASK, FIELDS)
    asked = asked_of()
    async with make_agent(provider=asked, settings=ALONE, user_id=f"{owner.user_id}-2") as other:
        for missing in (theirs, "f00"):
            with pytest.raises(ConversationNotFound) as refused:
                await other.batch_analyze([missing], TASK, FIELDS)
            assert str(refused.value) == f"there is no conversation {missing!r} here"
        with pytest.raises(ConversationNotFound):
            await other.list_insights(theirs)
        assert list(await other.batch_analyze(None, TASK, FIELDS)) == []
        assert len(await other.list_insights()) == 0
    assert asked.requests == []


async def test_without_memory_there_is_nothing_to_analyse(make_agent: MakeAgent) -> None:
    async with make_agent(provider=asked_of(), settings={**ALONE, "enable_memory": False}) as agent:
        with pytest.raises(InvalidInput, match="memory is off"):
            await agent.batch_analyze(None, TASK, FIELDS)
        assert len(await agent.list_insights()) == 0


# --- schemas ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "array", "items": {"type": "string"}, "minItems": 1}, ["a"]),
        ({"title": {"type": "string"}, "items": {"type": "array"}}, {"title": "t", "items": []}),
        ({"enum": ["good", "bad"]}, "good"),
        ({"$schema": {"type": "string"}}, {"$schema": "s"}),
        (
            {"$defs": {"f": {"type": "integer"}}, "type": "object", "properties": {"n": {"$ref": "#/$defs/f"}}},
            {"n": 1},
        ),
        ({"$schema": "http://json-schema.org/draft-07/schema#", "type": "object", "required": ["n"]}, {"n": None}),
    ],
)
async def test_schemas_of_every_form(make_agent: MakeAgent, schema: dict[str, Any], said: Any) -> None:
    provider = asked_of("null", json.dumps(said))
    async with make_agent(provider=provider, settings=ALONE) as agent:
        [found] = await agent.batch_analyze(await talks(agent, 1), TASK, schema)
    assert found.data == said
    assert len(provider.requests) == 2


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
