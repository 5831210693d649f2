"""What the tools that a model is offered take of its window."""

from __future__ import annotations

from datetime import date

from ragforge_memory import CODE_SEARCH_TOOLS
from ragforge_memory.agent.context.budget import tool_tokens, window_of
from ragforge_memory.agent.context.prompt import system_prompt
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.tools.earlier_results import read_tool_result
from ragforge_memory.tools.registry import ToolRegistry


def test_they_leave_a_conversation_room_in_a_window_of_4000() -> None:
    registry = ToolRegistry((*CODE_SEARCH_TOOLS, read_tool_result))
    instructions = estimate_tokens(system_prompt(None, today=date(2026, 11, 26)))
    assert window_of(128_000, 4_000).limit - tool_tokens(registry.specs) - instructions > 500
