"""The tools that let a model look at the project's code and at what was said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragforge_memory.tools.code_around import find_around
from ragforge_memory.tools.code_changes import code_changes, impact
from ragforge_memory.tools.code_dependencies import dependencies
from ragforge_memory.tools.code_exports import exports
from ragforge_memory.tools.code_files import grep_code, read_file
from ragforge_memory.tools.code_find import search_code
from ragforge_memory.tools.code_history import code_history
from ragforge_memory.tools.code_imports import find_imports
from ragforge_memory.tools.code_kinds import list_definitions
from ragforge_memory.tools.code_named import find_files
from ragforge_memory.tools.code_overrides import find_overrides
from ragforge_memory.tools.code_scopes import outline, read_scope
from ragforge_memory.tools.code_subtypes import find_subtypes
from ragforge_memory.tools.code_tests import list_tests
from ragforge_memory.tools.code_unused import find_untested, find_unused
from ragforge_memory.tools.code_uses import find_callees, find_callers
from ragforge_memory.tools.code_version import project_version
from ragforge_memory.tools.conversation import list_decisions, recent_conversations, search_conversation

__all__ = [
    "ANSWER_TOOLS",
    "CODE_SEARCH_TOOLS",
    "MEMORY_TOOLS",
    "code_changes",
    "code_history",
    "dependencies",
    "exports",
    "find_around",
    "find_callees",
    "find_callers",
    "find_files",
    "find_imports",
    "find_overrides",
    "find_subtypes",
    "find_untested",
    "find_unused",
    "grep_code",
    "impact",
    "list_decisions",
    "list_definitions",
    "list_tests",
    "outline",
    "project_version",
    "read_file",
    "read_scope",
    "recent_conversations",
    "search_code",
    "search_conversation",
]

MEMORY_TOOLS: tuple[Callable[..., Any], ...] = (search_conversation, list_decisions, recent_conversations)
"""Those that look at what was said: none of them serves an agent that keeps nothing."""

CODE_SEARCH_TOOLS: tuple[Callable[..., Any], ...] = (
    search_code,
    read_scope,
    outline,
    find_callers,
    find_callees,
    find_imports,
    grep_code,
    read_file,
    impact,
    *MEMORY_TOOLS,
)
"""All that a model is offered; none changes anything, so all may run at the same time."""

ANSWER_TOOLS: tuple[Callable[..., Any], ...] = (
    code_changes,
    code_history,
    dependencies,
    exports,
    find_around,
    find_files,
    find_overrides,
    find_subtypes,
    find_untested,
    find_unused,
    list_definitions,
    list_tests,
    project_version,
)
"""What answers without a model look up besides. Models are not offered them: they find the like with the others, and
these descriptions would be 600 tokens of every prompt."""
