"""The newest exchange in few tokens, for a caller's own prompt: whole messages where they fit, else shortened ones.

Nothing is left out of it: every call keeps its result, every answer its question; long results and arguments become
short first, then long texts too, each saying how long it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ragforge_memory.agent.context.prompt import short_values, shortened, shortened_result
from ragforge_memory.graph.records import as_text
from ragforge_memory.models.conversation import Message, ToolCall
from ragforge_memory.models.tokens import estimate_tokens

# Characters that are left of a long result, or text, tried in this order.
_CHARACTERS = (16_000, 8_000, 4_000, 2_000, 1_000, 500, 200, 80)


def message_tokens(message: Message) -> int:
    """About how many tokens a message is, with its tool calls and their whole results."""
    calls = (
        estimate_tokens(f"{call.tool_name} {call.arguments}{call.result if call.success else call.error}")
        for call in message.tool_calls
    )
    return estimate_tokens(message.content) + sum(calls)


def newest_within(exchange: Sequence[Message], room: int) -> list[Message]:
    """The exchange as it fits into ``room`` tokens, as whole as can be; nothing where no form of it does."""
    for texts in (False, True):
        for characters in _CHARACTERS:
            short = [_short(message, characters, texts=texts) for message in exchange]
            if sum(map(message_tokens, short)) <= room:
                return short
    return []


def least_tokens(exchange: Sequence[Message]) -> int:
    """The tokens of an exchange's shortest form."""
    return sum(message_tokens(_short(message, _CHARACTERS[-1], texts=True)) for message in exchange)


def _short(message: Message, characters: int, *, texts: bool) -> Message:
    content = shortened(message.content, characters) if texts else message.content
    calls = tuple(_short_call(call, characters) for call in message.tool_calls)
    return message.model_copy(update={"content": content, "tool_calls": calls})


def _short_call(call: ToolCall, characters: int) -> ToolCall:
    changes: dict[str, Any] = {"arguments": short_values(call.arguments, characters)}
    if call.success and len(as_text(call.result)) > characters:
        changes |= {"result": shortened_result(as_text(call.result), characters, call.uuid), "truncated": True}
    if call.error is not None:
        changes["error"] = shortened(call.error, characters)
    return call.model_copy(update=changes)
