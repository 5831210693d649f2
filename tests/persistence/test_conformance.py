"""What conversations do, wherever their texts are kept: the same calls, the same answers."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversation, ConversationNotFound, InvalidInput, MessageNotFound
from ragforge_memory.llm.port import ReasoningChunk, ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.insights.talks import FIELDS, TASK, asked_of, talks
from tests.persistence.conftest import Graph, Keeping

pytestmark = pytest.mark.anyio

STEPS = [
    [ReasoningChunk("zebra thoughts"), ToolRequest("1", "weigh", {"thing": "zebra stones"})],
    "They weigh seven zebra grams. We keep getHttpGate closed.",
    [ToolRequest("2", "weigh", {"thing": "nothing"})],
    "Nothing zebra weighs nothing.",
    "third zebra answer",
    "fourth zebra answer",
    "fifth zebra answer",
]
QUESTIONS = ["What do zebra stones weigh?", "And zebra nothing?", "third zebra", "fourth zebra"]

# Every text of messages that a node has; of filed ones there is none.
_TEXTS = """
MATCH (m:Message) WHERE m.user_id = $user_id AND m.project = $project
OPTIONAL MATCH (m)-[:MADE_TOOL_CALL]->(t:ToolCall)
OPTIONAL MATCH (t)-[:PRODUCED_RESULT]->(r:ToolResult)
UNWIND [m, t, r] AS n
WITH DISTINCT n WHERE n IS NOT NULL
UNWIND [k IN keys(n) WHERE k IN ['content', 'terms', 'reasoning', 'provider_parts', 'arguments', 'result', 'error']
  OR valueType(n[k]) STARTS WITH 'STRING' AND n[k] CONTAINS 'zebra'] AS found
RETURN DISTINCT labels(n)[0] AS label, found
"""


@pytest.fixture(params=["neo4j", "files"])
def kind(request: pytest.FixtureRequest, graph: Graph) -> Iterator[str]:
    """Where texts are kept; afterwards the graph has none of them where they are in files."""
    yield request.param
    if request.param == "files":
        assert graph.run(_TEXTS) == []


async def _told(conversation: AsyncConversation, questions: int = 4) -> None:
    for question in QUESTIONS[:questions]:
        await conversation.send_message(question, metadata={"from": "test"})


async def test_what_was_said_comes_back_whole(kind: str, keeping: Keeping, graph: Graph) -> None:
    async with keeping(kind, *STEPS) as agent:
        made = await agent.create_conversation(title="Weights", tags=["zoo"])
        await _told(made, 3)
        here = await made.get_history()
    async with keeping(kind) as agent:
        conversation = await agent.load_conversation(made.uuid)
        there = await conversation.get_history()
        assert there == here
        assert [each.content for each in there][:3] == [QUESTIONS[0], STEPS[1], QUESTIONS[1]]
        assert there[1].reasoning == "zebra thoughts"
        assert there[0].metadata == {"from": "test"}
        [call] = there[1].tool_calls
        assert (call.arguments, call.result["note"], call.success) == (
            {"thing": "zebra stones"},
            "zebra zebra stones",
            True,
        )
        [failed] = there[3].tool_calls
        assert (failed.success, failed.result) == (False, None)
        assert "nothing to weigh" in str(failed.error)
        calls = await conversation.get_tool_calls()
        assert calls == [call, failed]
        assert await conversation.get_tool_calls("weigh", success=False) == [failed]
        plain = await conversation.get_history(2, include_tool_calls=False, include_reasoning=False)
        assert [(each.content, each.tool_calls, each.reasoning) for each in plain] == [
            ("third zebra", (), None),
            ("third zebra answer", (), None),
        ]
        assert await conversation.get_history(before_message_id=there[2].uuid) == there[:2]
        with pytest.raises(MessageNotFound):
            await conversation.get_history(before_message_id="nobody")
        with pytest.raises(InvalidInput, match="not valid text"):
            await conversation.get_history(before_message_id="\ud800")
        services = await agent.open()
        assert await services.stores.messages.tool_result(call.uuid) == call
        [row] = graph.run("MATCH (c:Conversation {uuid: $uuid}) RETURN c.file_path AS path", uuid=made.uuid)
        assert row["path"] == (f"conversations/{made.uuid}.jsonl" if kind == "files" else None)
        assert conversation.info.file_path == row["path"]


async def test_a_turn_is_given_what_went_before(kind: str, keeping: Keeping) -> None:
    provider = ScriptedProvider([*STEPS, "found"])
    async with keeping(kind, provider=provider, settings={"max_context_messages": 2}) as agent:
        conversation = await agent.create_conversation()
        await _told(conversation)
        answer = await conversation.send_message("Is the gate closed?")
        given = "\n".join(message.content for message in provider.requests[-1].messages)
        assert "fourth zebra answer" in given
        used = [each.message.content for each in answer.context_used.relevant_messages]
        assert any("getHttpGate" in content for content in used)
        receipt = await conversation.receipt()
        assert any("zebra" in (item.excerpt or "") for item in receipt.items)
        history = await conversation.get_history()
        snapshot = await conversation.as_of(history[3].uuid)
        assert snapshot.history == tuple(history[:4])
        assert snapshot.exact
        context = await conversation.build_context(query="Is the getHttpGate closed?", recent_messages=1)
        assert any("getHttpGate" in each.message.content for each in context.relevant_messages)


async def test_search_finds_by_words_and_by_meaning(kind: str, keeping: Keeping) -> None:
    async with keeping(kind, *STEPS) as agent:
        conversation = await agent.create_conversation(tags=["zoo"])
        await _told(conversation, 3)
        other = await agent.create_conversation(tags=["bank"])
        await other.send_message("Where is the gate of the bank?")
        await agent.drain()
        found = await conversation.search_history("http gate")
        assert (found[0].message.content, set(found[0].matched_by)) == (STEPS[1], {"text", "meaning"})
        assert await conversation.search_history("bank", min_score=0.9) == []
        assert {hit.message.role for hit in await conversation.search_history("zebra", role="user")} == {"user"}
        [hit] = await conversation.search_history("stones grams", tool="weigh", limit=1)
        assert hit.message.content == STEPS[1]
        everywhere = await agent.search_messages("gate")
        assert {hit.conversation_id for hit in everywhere} == {conversation.uuid, other.uuid}
        tagged = await agent.search_messages("gate", tags=["bank"])
        assert {hit.conversation_id for hit in tagged} == {other.uuid}
        assert await agent.search_messages("gate", since="2100-01-01") == []
        similar = await agent.find_similar_conversations("zebra stones weigh")
        assert similar[0].uuid == conversation.uuid
    async with keeping(kind, user_id="somebody else") as agent:
        assert await agent.search_messages("gate zebra") == []


async def test_long_talks_are_summarised_and_condensed(kind: str, keeping: Keeping) -> None:
    seen: list[str] = []

    def summary(request: Any) -> str:
        seen.append(request.messages[0].content)
        return "They weighed things."

    provider = ScriptedProvider([*STEPS, "last"], purposes={"summary": [summary] * 9, "title": ["Weighing"] * 3})
    settings = {"enable_summarization": True, "summarize_every": 4}
    async with keeping(kind, provider=provider, settings=settings) as agent:
        conversation = await agent.create_conversation()
        await _told(conversation)
        await agent.drain()
        assert "What do zebra stones weigh?" in seen[0]
        assert "grams" in seen[0]
        await conversation.summarize()
        info = await conversation.refresh()
        assert str(info.summary).startswith("They weighed things.")
        assert info.title == "Weighing"


async def test_branches_share_and_go_their_own_way(kind: str, keeping: Keeping) -> None:
    steps = [*STEPS[:5], "left zebra", "regenerated zebra", "edited zebra", "after the merge"]
    async with keeping(kind, *steps) as agent:
        trunk = await agent.create_conversation(title="Trunk")
        await _told(trunk, 3)
        history = await trunk.get_history()
        left = await trunk.branch(history[3].uuid, title="Left")
        await left.send_message("left question about the drawbridge")
        again = await trunk.regenerate(history[5].uuid)
        edited = await trunk.edit(history[4].uuid, "third zebra, edited")
        assert [each.content for each in await left.get_history()] == [
            *(each.content for each in history[:4]),
            "left question about the drawbridge",
            "left zebra",
        ]
        assert (await again.get_history())[-1].content == "regenerated zebra"
        assert [each.content for each in await edited.get_history()][-2:] == ["third zebra, edited", "edited zebra"]
        assert [call.arguments["thing"] for call in await left.get_tool_calls()] == ["zebra stones", "nothing"]
        found = await left.search_history("gate drawbridge")
        assert {"left question about the drawbridge", STEPS[1]} <= {hit.message.content for hit in found}
        comparison = await trunk.compare(left)
        assert "left zebra" in str(comparison)
        merged = await trunk.merge(left)
        assert merged.content
        await agent.drain()
        await trunk.delete()
        shared = await left.get_history()
        assert [each.content for each in shared[:4]] == [each.content for each in history[:4]]
        everywhere = await agent.search_messages("getHttpGate closed")
        assert everywhere[0].message.content == STEPS[1]
        assert everywhere[0].conversation_id in {left.uuid, again.uuid, edited.uuid}


async def test_an_archive_goes_out_and_comes_back(kind: str, keeping: Keeping, graph: Graph, tmp_path: Path) -> None:
    async with keeping(kind, *STEPS) as agent:
        conversation = await agent.create_conversation(title="Weights", tags=["zoo"])
        await _told(conversation, 3)
        branch = await conversation.branch((await conversation.get_history())[1].uuid)
        await branch.send_message("on the branch")
        history, shared = await conversation.get_history(), await branch.get_history()
        exported = await conversation.export()
        assert "zebra thoughts" in json.dumps(exported)
        assert "zebra thoughts" in str(await conversation.export(format="markdown"))
        await agent.export_all(tmp_path / "all.jsonl")
        copy = await agent.import_conversation(exported, on_conflict="copy")
        assert [(m.content, m.reasoning) for m in await copy.get_history()] == [
            (m.content, m.reasoning) for m in history
        ]
        await asyncio.gather(*(each.delete() for each in (branch, conversation)))
        report = await agent.import_conversations(tmp_path / "all.jsonl", on_conflict="skip")
        assert report.errors == ()
        back = await agent.load_conversation(conversation.uuid)
        assert [each.model_dump(exclude={"references"}) for each in await back.get_history()] == [
            each.model_dump(exclude={"references"}) for each in history
        ]
        assert [m.content for m in await (await agent.load_conversation(branch.uuid)).get_history()] == [
            m.content for m in shared
        ]
        assert (await back.search_history("getHttpGate"))[0].message.content == STEPS[1]


@pytest.mark.parametrize("kinds", [("neo4j", "files"), ("files", "neo4j")])
async def test_an_archive_moves_between_both(kinds: tuple[str, str], keeping: Keeping) -> None:
    async with keeping(kinds[0], *STEPS) as agent:
        conversation = await agent.create_conversation(title="Weights")
        await _told(conversation, 2)
        history = await conversation.get_history()
        exported = await conversation.export()
        await conversation.delete()
    async with keeping(kinds[1]) as agent:
        moved = await agent.import_conversation(exported)
        assert [each.model_dump(exclude={"references"}) for each in await moved.get_history()] == [
            each.model_dump(exclude={"references"}) for each in history
        ]
        assert moved.info.file_path == (f"conversations/{moved.uuid}.jsonl" if kinds[1] == "files" else None)


async def test_other_programs_conversations_are_taken_in_and_analysed(kind: str, keeping: Keeping) -> None:
    async with keeping(kind, provider=asked_of()) as agent:
        made = await talks(agent, 3)
        found = await agent.batch_analyze(made, TASK, {"type": "object", "properties": FIELDS})
        assert [each.data["topic"] for each in found] == ["topic-0", "topic-1", "topic-2"]
        [hit] = await agent.search_messages("topic 1 known", limit=1)
        assert hit.conversation_id == made[1]
        many = [{"role": "user", "content": f"zebra {number}"} for number in range(700)]
        large = await agent.import_conversation(many)
        assert [each.content for each in await large.get_history(3)] == ["zebra 697", "zebra 698", "zebra 699"]


async def test_code_that_was_discussed(kind: str, keeping: Keeping, tmp_path: Path) -> None:
    (tmp_path / "auth.py").write_text("def check_password(word):\n    return len(word) > 8\n")
    async with keeping(kind, "zebra: `check_password` compares lengths.") as agent:
        await agent.ingest(tmp_path)
        conversation = await agent.create_conversation()
        await conversation.send_message("What does zebra check_password do?")
        [reference] = await conversation.referenced_code()
        assert reference.name == "check_password"
        [about] = await agent.conversations_about("check_password")
        assert about.uuid == conversation.uuid
        question = (await conversation.get_history())[0]
        await conversation.reference_code(question.uuid, ["check_password"], kind="read")
        assert {each.kind for each in await conversation.referenced_code()} == {"discussed", "read"}


async def test_a_deleted_conversation_leaves_nothing(
    kind: str, keeping: Keeping, graph: Graph, owner: Owner, tmp_path: Path
) -> None:
    before = graph.seen()
    async with keeping(kind, *STEPS) as agent:
        conversation = await agent.create_conversation()
        await _told(conversation, 2)
        branch = await conversation.branch((await conversation.get_history())[1].uuid)
        await branch.send_message("on the branch")
        await agent.drain()
        await conversation.delete()
        with pytest.raises(ConversationNotFound):
            await agent.load_conversation(conversation.uuid)
        texts = "".join(path.read_text() for path in tmp_path.rglob("*.jsonl"))
        assert ("Nothing zebra" in texts, STEPS[1] in texts) == (False, kind == "files")
        await branch.delete()
        assert graph.seen().differs(before) == []
    assert [path for path in tmp_path.rglob("*") if path.is_file() and "zebra" in path.read_text()] == []
    assert list(tmp_path.rglob("*.jsonl")) == []
