"""What is remembered of a turn's tools: what worked together, and what failed until it works."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.tool_memories import Chain, Failure, Learned
from ragforge_memory.models.conversation import CUT_OFF, ToolCall
from ragforge_memory.models.text import truncated

if TYPE_CHECKING:
    from ragforge_memory.graph.tool_memories import ToolMemoryStore

log = logging.getLogger(__name__)

_BATCH = 50
# Of a call that failed: characters of its arguments, and of its error.
_LONGEST_SHAPE, _LONGEST_ERROR = 160, 240
# A value of at most so many characters without a space is a name: of code, of a file, of an environment.
_LONGEST_NAME = 80
_MOST_VALUES = 8


@cache
def own_tools() -> frozenset[str]:
    """The names of this library's own tools: that they were used, or found nothing, is no experience to keep."""
    from ragforge_memory.memory.tools import MEMORY_ALL
    from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS
    from ragforge_memory.tools.earlier_results import read_tool_result

    return frozenset(each.__name__ for each in (*CODE_SEARCH_TOOLS, *MEMORY_ALL, read_tool_result))


class ToolMemory:
    """Makes memories of tool calls, and knows what failed before; of other tools than this library's own.

    Args:
        store: of one owner.
        redacted: takes secrets out of a text.
    """

    def __init__(self, store: ToolMemoryStore, redacted: Callable[[str], str]) -> None:
        self._store = store
        self._redacted = redacted

    async def remember(self) -> None:
        """Makes memories of the tool calls of all answers that wait for it."""
        while True:
            answers = await self._store.pending(_BATCH)
            if answers:
                await self._store.remember([self._learned(message_id, calls) for message_id, calls in answers])
            if len(answers) < _BATCH:
                return

    async def before(self, call: ToolCall) -> str | None:
        """Where a call like this one has failed before: when, and how; memory that fails is no reason to fail."""
        if call.tool_name in own_tools():
            return None
        try:
            failure = await self._store.failure(call.tool_name, shape_of(call.arguments))
        except RagforgeError as error:
            log.info("whether %s failed before is not known: %s", call.tool_name, error)
            return None
        return None if failure is None else f"This failed before ({failure[0]}): {failure[1]}"

    def _learned(self, message_id: str, calls: Sequence[ToolCall]) -> Learned:
        """What calls teach: of those of one shape the last counts, and one that was cut off counts for nothing."""
        calls = [each for each in calls if each.tool_name not in own_tools()]
        last = {(each.tool_name, shape_of(each.arguments)): each for each in calls if each.error != CUT_OFF}
        worked = [each for each in calls if each.success]
        names = tuple(dict.fromkeys(each.tool_name for each in worked))
        time = sum(each.duration_ms for each in worked)
        content = f"Successfully used tools: {', '.join(names)} (total time: {time}ms)"
        return Learned(
            message_id,
            Chain(names, content) if names else None,
            tuple(self._failure(each, shape) for (_, shape), each in last.items() if not each.success),
            tuple(key for key, each in last.items() if each.success),
        )

    def _failure(self, call: ToolCall, shape: str) -> Failure:
        error = next(iter((call.error or "").strip().splitlines()), "it said nothing")
        error = truncated(self._redacted(error), _LONGEST_ERROR)
        called = f"{call.tool_name}({truncated(self._redacted(shape), _LONGEST_SHAPE)})"
        content = f"Failed tools: {called}: {error}"
        return Failure(call.tool_name, shape, content, error, tuple(dict.fromkeys(_names(call.arguments))))


def shape_of(arguments: Mapping[str, Any]) -> str:
    """What a call's arguments are like: their names and types, and those values that are names themselves."""
    return ", ".join(f"{name}={_shape(arguments[name])}" for name in sorted(arguments))


def _shape(value: Any) -> str:
    match value:
        case None | bool():
            return json.dumps(value)
        case int() | float():
            return "number"
        case str():
            return json.dumps(value, ensure_ascii=False) if _is_name(value) else "text"
        case Mapping():
            return f"{{{shape_of(value)}}}"
        case _:
            return f"[{', '.join(map(_shape, value[:_MOST_VALUES]))}]"


def _names(value: Any) -> Iterator[str]:
    match value:
        case str() if _is_name(value):
            yield value
        case Mapping():
            yield from (name for each in value.values() for name in _names(each))
        case list():
            yield from (name for each in value[:_MOST_VALUES] for name in _names(each))


def _is_name(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_NAME and not any(map(str.isspace, text))
