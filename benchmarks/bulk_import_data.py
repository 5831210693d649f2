"""Conversations to import, as each format has them, and the rows that write the same: for `bulk_import`."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.graph.text import owner_token, terms
from ragforge_memory.models.archive import FORMAT, VERSION

DIMENSION = 384
BATCH = 1_000
"""Messages of a transaction."""

WORDS = ("parser", "handler", "the", "of", "reads", "writes", "token", "_cache", "index", "and", "is", "which", "queue")
TIME = "2025-06-14T10:00:00.000Z"

Rows = list[dict[str, Any]]


def said(drawn: random.Random) -> str:
    """Some 300 characters, names of code among them."""
    words = [drawn.choice(WORDS) for _ in range(40)]
    names = f"{drawn.choice(WORDS)}_{drawn.randrange(10**6)} load{drawn.randrange(10**4)}Items"
    return " ".join([*words, names, *(["It failed."] if drawn.random() < 0.1 else [])])


def messages(count: int, drawn: random.Random) -> list[dict[str, Any]]:
    """A plain list."""
    return [
        {"role": "assistant" if n % 2 else "user", "content": said(drawn), "timestamp": TIME, "uuid": uuid4().hex}
        for n in range(count)
    ]


def with_tools(count: int, drawn: random.Random, result: int = 1_000) -> Iterator[dict[str, Any]]:
    """OpenAI messages: every other one calls a tool, whose result has so many characters."""
    for number in range(count):
        if number % 2 == 0:
            yield {"role": "user", "content": said(drawn), "uuid": uuid4().hex}
            continue
        call = {"id": f"c{number}", "function": {"name": "read", "arguments": '{"path": "a.py"}'}}
        yield {"role": "assistant", "content": said(drawn), "tool_calls": [call], "uuid": uuid4().hex}
        yield {"role": "tool", "tool_call_id": f"c{number}", "content": (said(drawn) * (result // 250 + 1))[:result]}


def answered(count: int, drawn: random.Random) -> list[dict[str, Any]]:
    """The same, each result beside its call."""
    found: list[dict[str, Any]] = []
    for record in with_tools(count, drawn):
        if record["role"] == "tool":
            found[-1]["results"] = [record["content"]]
        else:
            found.append({**record, "timestamp": TIME})
    return found


def lines(records: Any) -> str:
    """JSON lines."""
    return "".join(json.dumps(record) + "\n" for record in records)


def archive(
    conversations: list[list[dict[str, Any]]], vectors: list[list[float]] | None = None, model: str = ""
) -> bytes:
    """An archive of ours of these conversations."""
    head: dict[str, Any] = {"record": "archive", "format": FORMAT, "version": VERSION}
    if vectors is not None:
        head["embeddings"] = {"model": model, "dimension": DIMENSION}
    records = [head]
    for found in conversations:
        uuid = uuid4().hex
        records.append({"record": "conversation", "uuid": uuid, "title": "t", "head_seq": len(found)})
        question = None
        for seq, each in enumerate(found, start=1):
            row = {"record": "message", "seq": seq, "uuid": each["uuid"], "role": each["role"], "state": "complete"}
            row |= {"content": each["content"], "timestamp": TIME}
            if (importance := importance_of(each["content"])) is not None:
                row |= {"importance": importance, "important": True}
            if each["role"] == "user":
                question = each["uuid"]
            else:
                row["in_reply_to"] = question
            row["tool_calls"] = [archived_call(*pair) for pair in calls_of(each)]
            if vectors is not None:
                row["embedding"] = vectors[seq - 1]
            records.append(row)
        records.append({"record": "end", "uuid": uuid, "messages": len(found)})
    records.append({"record": "done", "conversations": len(conversations)})
    return "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in records).encode()


def calls_of(message: dict[str, Any]) -> list[tuple[dict[str, Any], str]]:
    """Its tool calls, each with its result."""
    return list(zip(message.get("tool_calls", ()), message.get("results", ()), strict=True))


def archived_call(call: dict[str, Any], result: str) -> dict[str, Any]:
    """A tool call as an archive has it."""
    given = {"uuid": uuid4().hex, "success": True, "result": result, "timestamp": TIME, "truncated": False}
    return {
        "uuid": uuid4().hex,
        "index": 0,
        "tool_name": "read",
        "success": True,
        "timestamp": TIME,
        "iteration": 1,
        "duration_ms": 0,
        "arguments": json.loads(call["function"]["arguments"]),
        "result": given | {"result_size_bytes": len(result) + 2},
    }


def rows_of(
    project: str, found: list[dict[str, Any]], vectors: list[list[float]] | None = None, *, length: int = 0
) -> list[tuple[Rows, Rows]]:
    """What the floor is given, a batch after the other: conversations and messages with all their properties.

    Args:
        project: whose they become.
        found: the messages.
        vectors: one for each, or none.
        length: messages of a conversation; 0: all are one.
    """
    conversation, question, token = "", None, owner_token("", project)
    rows = []
    for number, each in enumerate(found):
        seq = number % (length or len(found)) + 1
        if seq == 1:
            conversation, question = uuid4().hex, None
        row: dict[str, Any] = {"uuid": each["uuid"], "role": each["role"], "content": each["content"], "seq": seq}
        row |= {"terms": terms(each["content"]), "state": "complete", "timestamp": TIME, "calls": []}
        row |= {
            "conversation_id": conversation,
            "project": project,
            "user_id": "",
            "owner_token": token,
        }
        if (importance := importance_of(each["content"])) is not None:
            row["importance"] = importance
        if each["role"] == "user":
            question = each["uuid"]
        else:
            row["in_reply_to"] = question
        for call, result in calls_of(each):
            uuid = uuid4().hex
            asked = {"uuid": uuid, "message_id": each["uuid"], "index": 0, "tool_name": "read", "success": True}
            asked |= {"arguments": call["function"]["arguments"], "duration_ms": 0, "iteration": 1}
            given = {"uuid": uuid4().hex, "tool_call_id": uuid, "success": True, "result": json.dumps(result)}
            given |= {"result_size_bytes": len(result) + 2, "truncated": False}
            row["calls"].append({"call": asked, "result": given})
        if vectors is not None:
            row["vector"] = vectors[number]
        rows.append(row)
    batches = [rows[first : first + BATCH] for first in range(0, len(rows), BATCH)]
    return [([begun(row, length or len(found)) for row in batch if row["seq"] == 1], batch) for batch in batches]


def begun(first: dict[str, Any], messages: int) -> dict[str, Any]:
    """A conversation with all its properties, from the row of its first message."""
    row = {name: first[name] for name in ("project", "user_id", "owner_token")}
    row |= {"uuid": first["conversation_id"], "title": "t", "tags": [], "status": "active", "metadata": "{}"}
    return row | {"head_seq": messages, "message_count": messages, "summarized_seq": 0, "extracted_seq": 0}
