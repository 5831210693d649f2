"""Functions that tests make tools of, and a call of one."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any

from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.owner import Owner
from ragforge_memory.tools.registry import ToolContext, ToolRegistry, ToolRun, tool

CONTEXT = ToolContext(owner=Owner("ada", "demo"))


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: int


@tool
def add(a: int, b: int = 2) -> int:
    """Adds two numbers.

    Both are whole.

    Args:
        a: the first
            number, as it comes.
        b (int): the second.

    Returns:
        Their sum.

    Raises:
        ValueError: never.
    """
    return a + b


@tool
async def whoami(context: ToolContext, title: str = "") -> str:
    """Says whose session this is."""
    return f"{title}{context.owner.user_id}"


async def run(function: Any, /, **arguments: Any) -> ToolRun:
    registry = ToolRegistry([function])
    return await registry.run(ToolRequest("1", registry.names[0], arguments), CONTEXT)
