"""What the tests of the provider share: they ask it alone and play the tools, or ask an agent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolOutcome, ToolSpec
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolRegistry

TOOLS = ToolRegistry(CODE_SEARCH_TOOLS).specs
ECHO = {
    "name": "echo",
    "qualified_name": "Talk.echo",
    "type": "method",
    "file": "src/talk.py",
    "line": 12,
    "start_line": 11,
    "end_line": 14,
    "signature": "def echo(self)",
    "docstring": "Says it again.",
    "language": "python",
    "source": "    @cached\n    def echo(self):\n        # ```\n        return 1",
}


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


async def requests_for(*messages: ChatMessage, tools: tuple[ToolSpec, ...] = TOOLS) -> list[tuple[str, dict[str, Any]]]:
    answer = await complete(ExtractiveProvider(), ModelRequest("", messages, tools))
    return [(each.name, each.arguments) for each in answer.tool_requests]


async def answer_to(text: str, results: dict[str, Any], *before: ChatMessage, failing: bool = False) -> str:
    """Plays the tools: ``results`` by tool name, given for whatever is asked."""
    messages = [*before, user(text)]
    for _ in range(4):
        given = await complete(ExtractiveProvider(), ModelRequest("", tuple(messages), TOOLS))
        if not given.tool_requests:
            assert given.finished.reason == "stop"
            return given.text
        outcomes = tuple(
            ToolOutcome(each.id, each.name, json.dumps(results.get(each.name, {"error": "?"})), failing)
            for each in given.tool_requests
        )
        messages += [
            ChatMessage("assistant", "", tool_requests=given.tool_requests),
            ChatMessage("tool", tool_outcomes=outcomes),
        ]
    raise AssertionError("it asks for ever")


def found(*scopes: dict[str, Any], match: str = "exact") -> dict[str, Any]:
    return {"asked": "x", "match": match, "total": len(scopes), "scopes": list(scopes)}


async def ingested(agent: AsyncConversationAgent, root: Path, files: Mapping[str, str]) -> AsyncConversationAgent:
    """The agent, that has read a project with these files beside its own."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    await agent.ingest(root)
    return agent


async def ask(agent: AsyncConversationAgent, text: str) -> list[str]:
    """The lines of an agent's answer in a conversation of its own."""
    talk = await agent.create_conversation()
    return (await talk.send_message(text)).content.splitlines()
