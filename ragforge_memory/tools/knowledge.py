"""The tool with which a model looks into the documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragforge_memory.errors import ToolError
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext

_MOST = 20


@tool
async def search_knowledge_base(context: ToolContext, query: str, limit: int = 5) -> dict[str, Any]:
    """Finds passages of the documents that were read in: manuals, policies, notes. Quote them with source and place.

    Args:
        query: what to look for, as a question or in words.
        limit: passages at most.
    """
    if context.knowledge is None:
        raise ToolError("there are no documents here", hint="the user can read some: ragforge knowledge ingest DIR")
    if not query.strip():
        raise ToolError("the query is empty", hint="say what to look for")
    found = await context.knowledge.search(query, limit=max(1, min(limit, _MOST)))
    return {"results": [{"source": each.source, "place": each.place, "text": each.content} for each in found]}


KNOWLEDGE_TOOLS: tuple[Callable[..., Any], ...] = (search_knowledge_base,)
"""The tools that look into documents; offered where there are any, without being given."""
