"""The store of what is remembered of tool calls: what worked together, and what failed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import tool_call
from ragforge_memory.graph.text import terms
from ragforge_memory.models.conversation import ToolCall

FAILURE_DAYS = 30
"""Days after which a failure that nothing was tried against is given no more: what it was about has changed."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Tools that worked in one answer, in the order of their first use."""

    tools: tuple[str, ...]
    content: str


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that failed last in one answer: with arguments of what ``shape``, how, and the names in them."""

    tool: str
    shape: str
    content: str
    error: str
    names: tuple[str, ...]


class Learned(NamedTuple):
    """What the tool calls of one answer teach; ``solved`` are the calls (tool, shape) that worked last."""

    message_id: str
    chain: Chain | None
    failures: tuple[Failure, ...]
    solved: tuple[tuple[str, str], ...]


class ToolMemoryStore(OwnerStore):
    """What is remembered of the tool calls of one owner."""

    async def pending(self, limit: int) -> list[tuple[str, list[ToolCall]]]:
        """Answers, the oldest first, whose tool calls are no memories yet: message and calls in their order."""
        rows = await self._read("pending_tool_memories", limit=limit, filed=False)
        return [(row["message"], [tool_call(each) for each in row["calls"]]) for row in rows]

    async def remember(self, learned: Sequence[Learned]) -> None:
        """Stores what answers teach, each answer once, whoever else does it."""
        turns = [{"message": each.message_id, "memories": self._rows(each)} for each in learned]
        await self._write("remember_tool_calls", user=self._owner["user_id"], turns=turns)

    async def failure(self, tool: str, shape: str) -> tuple[str, str] | None:
        """The day on which a call like this failed last, and its error; None where it did not, or has worked since."""
        rows = await self._read("tool_failure", uuid=self._uuid("tool_failure", tool, shape), recover=False)
        return (rows[0]["day"], rows[0]["error"]) if rows else None

    def _rows(self, learned: Learned) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = [
            {"uuid": self._uuid("tool_failure", *each), "properties": None} for each in learned.solved
        ]
        rows += [
            {
                "uuid": self._uuid("tool_failure", each.tool, each.shape),
                "properties": {
                    **_properties("tool_failure", "ErrorPatterns", 0.8, each.content, (each.tool,)),
                    "tags": ["tool_failure", "error", each.tool],
                    "tool": each.tool,
                    "error": each.error,
                },
                "about": list(each.names),
                "lasts": f"P{FAILURE_DAYS}D",
            }
            for each in learned.failures
        ]
        if (chain := learned.chain) is not None:
            properties = _properties("tool_use", "TaskHistory", 0.7, chain.content, chain.tools)
            rows.append(
                {
                    "uuid": self._uuid("tool_use", *chain.tools),
                    "properties": {**properties, "tags": ["tool_usage", "success", *chain.tools]},
                    "about": None,
                    "lasts": None,
                }
            )
        return rows

    def _uuid(self, *parts: str) -> str:
        """The uuid of the one memory of this kind that this owner has of these tools."""
        key = "\0".join((self._owner["user_id"], self._owner["project"], *parts))
        return hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:32]


def _properties(kind: str, category: str, importance: float, content: str, tools: Sequence[str]) -> dict[str, Any]:
    return {
        "kind": kind,
        "tier": "long",
        "category": category,
        "content": content,
        "terms": terms(content),
        "names": " ".join(tools),
        "importance": importance,
        "confidence": 1.0,
        "trust": "tool",
        "source": "tools",
    }
