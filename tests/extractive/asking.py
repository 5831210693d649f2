"""What the tests of the provider share: they ask it alone and play the tools, or ask an agent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.llm.asking import ModelAnswer, complete
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolOutcome, ToolSpec
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
from ragforge_memory.tools.registry import ToolRegistry

TOOLS = ToolRegistry(CODE_SEARCH_TOOLS).specs
SYSTEM = "Today's date: 2026-11-29"


def user(text: str) -> ChatMessage:
    return ChatMessage("user", text)


def said(text: str) -> ChatMessage:
    return ChatMessage("assistant", text)


async def requests_for(*messages: ChatMessage, tools: tuple[ToolSpec, ...] = TOOLS) -> list[tuple[str, dict[str, Any]]]:
    """What the provider asks the tools first."""
    answer = await complete(ExtractiveProvider(), ModelRequest(SYSTEM, messages, tools))
    return [(each.name, each.arguments) for each in answer.tool_requests]


async def played(
    text: str, results: Mapping[str, Any], *before: ChatMessage, tools: tuple[ToolSpec, ...] = TOOLS
) -> tuple[ModelAnswer, list[tuple[str, dict[str, Any]]]]:
    """Plays the tools: ``results`` by tool name, given for whatever is asked; a text is the failure of a tool."""
    messages = [*before, user(text)]
    asked: list[tuple[str, dict[str, Any]]] = []
    for _ in range(4):
        given = await complete(ExtractiveProvider(), ModelRequest(SYSTEM, tuple(messages), tools))
        if not given.tool_requests:
            assert given.finished.reason == "stop"
            return given, asked
        asked += [(each.name, each.arguments) for each in given.tool_requests]
        outcomes = []
        for each in given.tool_requests:
            result = results.get(each.name, "?")
            failed = isinstance(result, str)
            content = json.dumps({"error": result} if failed else result)
            outcomes.append(ToolOutcome(each.id, each.name, content, failed))
        messages += [
            ChatMessage("assistant", "", tool_requests=given.tool_requests),
            ChatMessage("tool", tool_outcomes=tuple(outcomes)),
        ]
    raise AssertionError("it asks for ever")


async def answer_to(text: str, results: Mapping[str, Any], *before: ChatMessage) -> list[str]:
    """The lines of the answer, the tools played."""
    return (await played(text, results, *before))[0].text.splitlines()


async def ask(agent: AsyncConversationAgent, *texts: str) -> list[str]:
    """The lines of an agent's last answer in a conversation of its own."""
    talk = await agent.create_conversation()
    lines: Sequence[str] = ()
    for text in texts:
        lines = (await talk.send_message(text)).content.splitlines()
    return list(lines)
