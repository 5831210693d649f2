"""What was decided in one conversation is recalled in another by itself, with what became of its code."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import CODE_SEARCH_TOOLS, events
from ragforge_memory.api.conversation import AsyncConversation
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.conversation import AssistantResponse
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio

DECISION = "We decided to keep the retry logic out of the Client class."
QUESTION = "Should I add retry logic to the Client class?"
PATIENT = {"recall_deadline_ms": 10_000}  # a server that plans a statement for the first time takes a second


async def asked(talk: AsyncConversation, question: str) -> tuple[AssistantResponse, list[events.Event]]:
    """The answer to a question, and the events on the way."""
    seen: list[events.Event] = []
    async with talk.stream_message(question) as stream:
        async for event in stream:
            seen.append(event)
    return stream.response, seen


@pytest.mark.parametrize("question", [QUESTION, "What must I know before I change fetch_all?"])
async def test_a_decision_reaches_the_model_in_another_conversation(
    make_agent: MakeAgent, project: Path, question: str, cypher: Cypher
) -> None:
    model = ScriptedProvider(["Noted.", "It would go against that.", "It has changed."])
    async with make_agent(provider=model, root=project) as agent:
        await agent.ingest()
        await (await agent.create_conversation()).send_message(DECISION)
        talk = await agent.create_conversation()
        answer, seen = await asked(talk, question)
        [recalled] = [event for event in seen if isinstance(event, events.Recalled)]
        [item] = recalled.items
        assert (item.memory.kind, item.memory.content, "code" in item.tiers) == ("decision", DECISION, True)
        assert set(recalled.tiers_answered) >= {"standing", "key", "code", "text"}
        assert not recalled.tiers_missed
        assert not answer.degraded
        assert answer.context_used.memories == recalled.items
        system = model.requests[-1].system
        told = system.partition("## Decided or noted about this code")[2]
        assert f"by the user; its code is as it was] {DECISION}" in told
        # The receipt names it.
        receipt = await talk.receipt(answer.message_id)
        assert [each.uuid for each in receipt.items if each.kind == "memory"] == [item.memory.uuid]
        code = (project / "client.py").read_text()
        (project / "client.py").write_text(code.replace("(request)", "(request, retries=3)", 1))
        await agent.ingest()
        await asked(await agent.create_conversation(), question)
        assert f"its code has changed since] {DECISION}" in model.requests[-1].system
    rows = cypher(
        "MATCH (a:CodeAnchor)<-[:ABOUT]-(m:Memory {user_id: $user})-[:DERIVED_FROM]->(:Message {content: $said}) "
        "RETURN m.kind AS kind, a.name AS about, m.use_count AS uses",
        said=DECISION,
        user=agent.user_id,
    )
    assert rows == [{"kind": "decision", "about": "Client", "uses": 2}]


async def test_nobody_else_is_told_and_nothing_else_is_about_it(
    make_agent: MakeAgent, project: Path, owner: Owner
) -> None:
    async with make_agent("Noted.", "Yes.", root=project) as agent:
        await agent.ingest()
        await (await agent.create_conversation()).send_message(DECISION)
        _, seen = await asked(await agent.create_conversation(), "What does unrelated return?")
        assert not [event for event in seen if isinstance(event, events.Recalled)]
    for options in ({"user_id": f"another-{owner.user_id}"}, {"project": f"another-{owner.project}"}):
        model = ScriptedProvider(["I know of nothing."])
        async with make_agent(provider=model, root=project, **options) as agent:
            await agent.ingest()
            _, seen = await asked(await agent.create_conversation(), QUESTION)
            assert not [event for event in seen if isinstance(event, events.Recalled)]
            assert DECISION not in model.requests[-1].system


async def test_without_a_model_the_answer_quotes_it_first(make_agent: MakeAgent, project: Path) -> None:
    async with make_agent(provider=ExtractiveProvider(), tools=CODE_SEARCH_TOOLS, root=project) as agent:
        await agent.ingest()
        await (await agent.create_conversation()).send_message(DECISION)
        for question in (QUESTION, "What happens in fetch_all when the service is down?"):
            answer = await (await agent.create_conversation()).send_message(question)
            heading, first, *_ = answer.content.splitlines()
            assert heading == "Decided or noted about this code:"
            assert DECISION in first
            assert answer.content.count(DECISION) == 1


async def test_the_same_words_in_another_order_take_its_place(make_agent: MakeAgent, cypher: Cypher) -> None:
    model = ScriptedProvider(["Noted."] * 3 + ["Spaces."] * 2)
    async with make_agent(provider=model) as agent:
        talk = await agent.create_conversation()
        for note in ("note: tabs over spaces", "note: Tabs over spaces!", "note: spaces over tabs"):
            await talk.send_message(note)
        await (await agent.create_conversation()).send_message("Do we use tabs or spaces?")
        told = model.requests[-1].system.partition("Decided or noted")[2]
        assert "note: spaces over tabs" in told
        assert "tabs over spaces" not in told
        rows = cypher(
            "MATCH (m:Memory {user_id: $user}) OPTIONAL MATCH (m)-[:SUPERSEDED_BY]->(later) "
            "RETURN m.content AS content, m.is_active AS holds, later.content AS later, "
            "COUNT { (m)-[:DERIVED_FROM]->() } AS sources ORDER BY content",
            user=agent.user_id,
        )
    old = {"content": "note: tabs over spaces", "holds": False, "later": "note: spaces over tabs", "sources": 2}
    assert rows == [{"content": "note: spaces over tabs", "holds": True, "later": None, "sources": 1}, old]


async def test_what_is_taken_back_is_recalled_no_more_and_a_rule_always_is(make_agent: MakeAgent) -> None:
    model = ScriptedProvider(["Noted."] * 9)
    async with make_agent(provider=model) as agent:
        talk = await agent.create_conversation()
        await talk.send_message("rule: never log a token of a session")
        await talk.send_message("decision: the cache lives in Redis")
        await (await agent.create_conversation()).send_message("How long does it take?")
        assert (
            "rule: never log a token of a session" in model.requests[-1].system.partition("Relevant context about")[2]
        )
        await talk.send_message("update: the cache lives in Postgres")
        await (await agent.create_conversation()).send_message("Where does the cache live?")
        told = model.requests[-1].system
        assert ("in Postgres" in told, "in Redis" in told) == (True, False)
        # What the correction had taken back holds again once that is taken back itself.
        await talk.send_message("forget: the cache lives in Postgres")
        await (await agent.create_conversation()).send_message("Where does the cache live?")
        told = model.requests[-1].system
        assert ("in Postgres" in told, "in Redis" in told) == (False, True)
