"""The tool `read_tool_result`: the whole of what a tool gave before, where a prompt shows only its beginning."""

from __future__ import annotations

import json
from typing import Any

from ragforge_memory.errors import ToolError
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext

PAGE = 8_000
"""Characters of a result that one call gives: some 2,000 tokens."""


@tool
async def read_tool_result(context: ToolContext, tool_call_id: str, offset: int = 0) -> dict[str, Any]:
    """Reads what an earlier tool call gave, where it was shown shortened.

    Args:
        tool_call_id: as the shortened result names it.
        offset: characters to skip, to read on.
    """
    if context.results is None:
        raise ToolError("this agent keeps no results")
    call = await context.results.tool_result(tool_call_id)
    if call is None:
        raise ToolError(f"there is no tool call {tool_call_id!r}", hint="take the id from the shortened result")
    value = call.result if call.success else {"error": call.error}
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    offset = max(0, offset)
    answer: dict[str, Any] = {
        "tool_name": call.tool_name,
        "arguments": call.arguments,
        "total_characters": len(text),
        "text": text[offset : offset + PAGE],
    }
    if offset + PAGE < len(text):
        answer["next_offset"] = offset + PAGE
    return answer
