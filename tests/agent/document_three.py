"""What document 3 of the requirements writes into the graph: its example, and its class's form."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

Cypher = Callable[..., list[dict[str, Any]]]

_EXAMPLE = (
    "CREATE (c:Conversation {uuid: randomUUID(), created_at: datetime(), status: 'active'}) RETURN c.uuid AS uuid"
)
_EXAMPLE_QUESTION = """
MATCH (c:Conversation {uuid: $conv_id})
CREATE (c)-[:HAS_MESSAGE]->(m:Message {uuid: randomUUID(), role: 'user', content: $content, timestamp: datetime()})
"""
_EXAMPLE_ANSWER = """
MATCH (c:Conversation {uuid: $conv_id})
CREATE (c)-[:HAS_MESSAGE]->(m:Message {uuid: randomUUID(), role: 'assistant', content: $content, reasoning: $reasoning,
  timestamp: datetime()})
WITH m
UNWIND $tool_calls AS tc
CREATE (m)-[:MADE_TOOL_CALL]->(t:ToolCall {uuid: randomUUID(), tool_name: tc.tool_name, arguments: tc.arguments,
  timestamp: datetime(), duration_ms: tc.duration_ms})
CREATE (t)-[:PRODUCED_RESULT]->(r:ToolResult {uuid: randomUUID(), success: tc.success, result: tc.result})
"""
_CLASS = """
CREATE (c:Conversation {uuid: $uuid, title: $title, tags: $tags, created_at: datetime(), updated_at: datetime(),
  message_count: 0, status: 'active'})
"""
_CLASS_MESSAGE = """
MATCH (c:Conversation {uuid: $convUuid})
CREATE (c)-[:HAS_MESSAGE]->(m:Message {uuid: $msgUuid, conversation_id: $convUuid, role: $role, content: $content,
  reasoning: $reasoning, timestamp: datetime()})
SET c.updated_at = datetime(), c.message_count = c.message_count + 1
"""
_CLASS_CALL = """
MATCH (m:Message {uuid: $msgUuid})
CREATE (m)-[:MADE_TOOL_CALL]->(t:ToolCall {uuid: $tcUuid, message_id: $msgUuid, tool_name: $toolName,
  arguments: $arguments, timestamp: datetime(), duration_ms: $duration, success: $success})
CREATE (t)-[:PRODUCED_RESULT]->(r:ToolResult {uuid: $resultUuid, tool_call_id: $tcUuid, success: $success,
  result: $result, error: $error, timestamp: datetime()})
"""


def example(cypher: Cypher, question: str, answer: str) -> str:
    """A conversation of the example: a question, and an answer with a tool call; returns its uuid."""
    [row] = cypher(_EXAMPLE)
    go_on_as_example(cypher, row["uuid"], question, answer)
    return str(row["uuid"])


def go_on_as_example(cypher: Cypher, uuid: str, question: str, answer: str) -> None:
    """Another question with its answer."""
    cypher(_EXAMPLE_QUESTION, conv_id=uuid, content=question)
    call = {"tool_name": "search", "arguments": '{"query": "salt"}', "duration_ms": 3, "success": True}
    calls = [{**call, "result": '["auth.py"]'}]
    cypher(_EXAMPLE_ANSWER, conv_id=uuid, content=answer, reasoning="It is looked up.", tool_calls=calls)


def of_class(cypher: Cypher, question: str, answer: str, *, title: str = "New Conversation") -> str:
    """A conversation as the class makes it; returns its uuid, which has dashes as all of `crypto.randomUUID`."""
    uuid = str(uuid4())
    cypher(_CLASS, uuid=uuid, title=title, tags=["refactoring"])
    go_on_as_class(cypher, uuid, question, answer)
    return uuid


def go_on_as_class(cypher: Cypher, uuid: str, question: str, answer: str) -> None:
    """Another question with its answer and a tool call that failed."""
    asked, answered = str(uuid4()), str(uuid4())
    said = {"convUuid": uuid, "reasoning": None}
    cypher(_CLASS_MESSAGE, **said, msgUuid=asked, role="user", content=question)
    cypher(_CLASS_MESSAGE, **said, msgUuid=answered, role="assistant", content=answer)
    call = {"tcUuid": str(uuid4()), "resultUuid": str(uuid4()), "toolName": "read", "arguments": '{"path": "a.py"}'}
    call |= {"duration": 0, "success": False, "result": "null", "error": "no such file"}
    cypher(_CLASS_CALL, msgUuid=answered, **call)
