"""Conversations to test with, made through the stores or past them."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import NewMessage

REFRESH = "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()"


def said(text: str, **more: Any) -> NewMessage:
    """A user's message with a uuid of its own."""
    return NewMessage(uuid=uuid4().hex, role="user", content=text, **more)


MANY = """
MATCH (c:Conversation {uuid: $uuid})
SET c.head_seq = $count, c.message_count = $count
WITH c
UNWIND range(1, $count) AS seq
CREATE (c)-[:HAS_MESSAGE]->(m:Message {uuid: c.uuid + '-' + seq, conversation_id: c.uuid, seq: seq, role: 'user',
  content: 'message ' + seq, state: 'complete', user_id: c.user_id, project: c.project,
  timestamp: datetime() - duration({milliseconds: $count - seq, hours: $hours})})
FOREACH (_ IN CASE WHEN seq % 5 = 0 THEN [1] ELSE [] END | SET m:Important:Decision, m.kind = 'note')
FOREACH (_ IN CASE WHEN seq % 10 = 0 THEN [1] ELSE [] END |
  CREATE (m)-[:MADE_TOOL_CALL]->(:ToolCall {uuid: m.uuid + 'c', message_id: m.uuid, index: 0, tool_name: 'look',
    arguments: '{}', success: true, timestamp: datetime()})-[:PRODUCED_RESULT]->(:ToolResult {uuid: m.uuid + 'r'}))
"""


async def conversation_of(client: GraphClient, conversations: ConversationStore, count: int, *, hours: int = 0) -> str:
    """A conversation of so many messages, the last of them ``hours`` ago, made past the product: each tenth has a tool
    call, each fifth is important."""
    uuid = (await conversations.create(title=f"{count} messages")).uuid
    await client.run_schema(MANY, uuid=uuid, count=count, hours=hours)
    return uuid
