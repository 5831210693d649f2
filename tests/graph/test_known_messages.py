"""Read 1 brings a message once: of one that was read before comes only what may have changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.branches import BranchStore
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.receipts import ContextQuery, RecentMessages
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.lineage import Part
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.registry import tool
from tests.graph.filling import conversation_of

pytestmark = pytest.mark.anyio


async def test_what_changed_since_is_read(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore
) -> None:
    uuid = await conversation_of(client, conversations, 20)
    first = await messages.turn_context(uuid, ContextQuery(before_seq=21, limit=12))
    known = {message.uuid: message for message in first.messages}
    recent = RecentMessages(known, first.restored)
    await client.run_schema(
        "MATCH (m:Message {conversation_id: $uuid}) WHERE m.seq IN [12, 15, 17] "
        "SET m.state = CASE m.seq WHEN 12 THEN 'unanswered' ELSE m.state END, "
        "  m.importance = CASE m.seq WHEN 15 THEN 0.8 WHEN 17 THEN 'odd' END",
        uuid=uuid,
    )

    second = await messages.turn_context(uuid, ContextQuery(before_seq=21, limit=12, known=recent))
    whole = await messages.turn_context(uuid, ContextQuery(before_seq=21, limit=12))

    assert second.messages == whole.messages
    assert {message.seq: message.state for message in second.messages}[12] == "unanswered"
    assert {message.seq: message.importance for message in second.messages}[15] == 0.8
    same = {message.seq for message in second.messages if message is known[message.uuid]}
    assert same == {message.seq for message in first.messages} - {12, 15, 17}
    assert any(message.tool_calls for message in second.messages)


async def test_of_a_conversation_that_was_restored_since_all_is_read(
    client: GraphClient, conversations: ConversationStore, messages: MessageStore, owner: Owner
) -> None:
    """Its messages have their uuids and may say something else; those that a branch shares too."""
    uuid = await conversation_of(client, conversations, 20)
    lineage = (Part(uuid, 18),)
    branch = (await BranchStore(client, owner).create(uuid, lineage, title=None, summarize_every=None)).uuid
    queries = {}
    for each, before in ((uuid, 21), (branch, 19)):
        first = await messages.turn_context(each, ContextQuery(before_seq=before, limit=12))
        known = RecentMessages({message.uuid: message for message in first.messages}, first.restored)
        queries[each] = ContextQuery(before_seq=before, limit=12, known=known)
    await client.run_schema(
        "MATCH (c:Conversation {uuid: $uuid}) SET c.restored_at = datetime() WITH c "
        "MATCH (m:Message {conversation_id: c.uuid}) SET m.content = 'another text'",
        uuid=uuid,
    )
    for each, query in queries.items():
        texts = {message.content for message in (await messages.turn_context(each, query)).messages}
        assert texts == {"another text"}


@tool
def read_much() -> str:
    """Reads much."""
    return "x" * 1_000


async def test_a_turn_reads_whole_what_came_since_the_turn_before(
    neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also what another process said meanwhile; each request holds what one that knows nothing would hold."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path))

    def made(model: ScriptedProvider) -> AsyncConversationAgent:
        return AsyncConversationAgent(
            neo4j_config,
            llm_provider=model,
            tools=[read_much],
            config=ConversationConfig(embed_messages=False),
            user_id=owner.user_id,
            project=owner.project,
        )

    answers = [[ToolRequest("1", "read_much")], "It says x."]
    model, other = ScriptedProvider(answers, loop=True), ScriptedProvider(answers, loop=True)
    async with made(model) as agent, made(other) as elsewhere:
        conversation = await agent.create_conversation()
        await conversation.send_message("What is in the first?")
        await conversation.send_message("And in the second?")
        await (await elsewhere.load_conversation(conversation.uuid)).send_message("And in the third?")
        rows: list[dict[str, Any]] = []
        graph = (await agent.open()).stores.graph
        read = graph.read

        async def seen(name: str, /, **parameters: Any) -> Any:
            found = await read(name, **parameters)
            rows.extend(row for each in found if name == "turn_context" for row in each["messages"])
            return found

        monkeypatch.setattr(graph, "read", seen)
        await conversation.send_message("And in the fourth?")
        await (await elsewhere.load_conversation(conversation.uuid)).send_message("And in the fourth?")

    # The first turn was read by the second: what that one said, and the other process, comes now.
    assert [row["seq"] for row in rows if "role" in row] == [3, 4, 5, 6]
    assert [row["seq"] for row in rows if "role" not in row] == [1, 2]
    told = [[(message.role, message.content) for message in each.requests[-2].messages] for each in (model, other)]
    assert told[0] == told[1][: len(told[0]) - 1] + told[1][-1:]
