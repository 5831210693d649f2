"""The tools that let a model look at the project's code and at what was said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragforge_memory.tools.code_changes import impact
from ragforge_memory.tools.code_files import grep_code, read_file
from ragforge_memory.tools.code_find import search_code
from ragforge_memory.tools.code_scopes import outline, read_scope
from ragforge_memory.tools.code_uses import find_callees, find_callers
from ragforge_memory.tools.conversation import list_decisions, recent_conversations, search_conversation

__all__ = ["CODE_SEARCH_TOOLS", "MEMORY_TOOLS"]

MEMORY_TOOLS: tuple[Callable[..., Any], ...] = (search_conversation, list_decisions, recent_conversations)
"""Those that look at what was said: none of them serves an agent that keeps nothing."""

CODE_SEARCH_TOOLS: tuple[Callable[..., Any], ...] = (
    search_code,
    read_scope,
    outline,
    find_callers,
    find_callees,
    grep_code,
    read_file,
    impact,
    *MEMORY_TOOLS,
)
"""All that a model is offered; none changes anything, so all may run at the same time."""
