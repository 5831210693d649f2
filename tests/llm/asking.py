"""What the tests of the providers share: a policy whose sleeps are only written down, and short questions."""

from __future__ import annotations

import json
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from ragforge_memory.llm.asking import ModelAnswer
from ragforge_memory.llm.port import ChatMessage, ModelChunk, ModelProvider, ModelRequest, ToolOutcome, ToolSpec
from ragforge_memory.vendors.retry import RetryPolicy

SEARCH = ToolSpec(
    "search_code",
    "Finds code.",
    {
        "type": "object",
        "properties": {"query": {"type": "string"}},
        "required": ["query"],
        "additionalProperties": False,
    },
)
READ = ToolSpec("read_scope", "Reads a scope.", {"type": "object", "properties": {"name": {"type": "string"}}})
TOOLS = (SEARCH, READ)


@dataclass
class Sleeps:
    """Stands in for the clock: writes down how long would have been slept."""

    seconds: list[float] = field(default_factory=list)

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)

    def policy(self, **values: float) -> RetryPolicy:
        return RetryPolicy(sleep=self, draw=lambda: 1.0, **values)  # type: ignore[arg-type]


def question(
    text: str = "Where is login?", *, tools: tuple[ToolSpec, ...] = (), system: str = "Be brief."
) -> ModelRequest:
    return ModelRequest(system, (ChatMessage("user", text),), tools)


def follow_up(request: ModelRequest, answer: ModelAnswer, key: str | None = None) -> ModelRequest:
    """The next step of the turn: what was asked for is answered, after a trip through JSON as from the graph."""
    parts = json.loads(json.dumps(answer.finished.provider_parts)) if key else None
    said = ChatMessage("assistant", answer.text, answer.tool_requests, provider_parts=parts, parts_model=key)
    outcomes = tuple(
        ToolOutcome(asked.id, asked.name, asked.error or f"result of {asked.name}", asked.error is not None)
        for asked in answer.tool_requests
    )
    return replace(request, messages=(*request.messages, said, ChatMessage("tool", tool_outcomes=outcomes)))


async def collect(provider: ModelProvider, request: ModelRequest) -> list[ModelChunk]:
    async with aclosing(provider.stream(request)) as chunks:
        return [chunk async for chunk in chunks]
