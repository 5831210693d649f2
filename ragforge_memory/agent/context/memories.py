"""The memories of a prompt: which of those that were recalled have room, and the line of each."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ragforge_memory.agent.context.prompt import MemoryLine
from ragforge_memory.agent.context.quotes import flat
from ragforge_memory.models.memory import Memory, RecalledMemory
from ragforge_memory.models.tokens import estimate_tokens

LONGEST = 600
"""Characters that are shown of a memory."""

_HEADINGS = 50
_ABOUT = dict.fromkeys(("fact", "episode", "rule"), "user") | {each: each for each in ("tool_use", "tool_failure")}
_VOUCHES = {"user": "the user", "agent": "an assistant", "tool": "a tool or a file, unconfirmed"}


def lines_within(
    recalled: Sequence[RecalledMemory], room: int, shown: Collection[str], known: str
) -> tuple[MemoryLine, ...]:
    """The lines of what was recalled, the best first, within ``room`` tokens.

    Args:
        recalled: in the order of recall.
        room: tokens.
        shown: messages that the prompt holds anyway: what only says them again is left out, unless it always stands.
        known: what the prompt tells in short of what was said here, with single spaces: likewise.
    """
    lines: list[MemoryLine] = []
    spent = _HEADINGS
    for each in recalled:
        told = each.memory.message_id in shown or flat(each.memory.content) in known
        if told and "standing" not in each.tiers:
            continue
        line = line_of(each.memory)
        spent += line_tokens(line)
        if spent > room:
            break
        lines.append(line)
    return tuple(lines)


def line_tokens(line: MemoryLine) -> int:
    """About how many tokens a memory is in the prompt."""
    return estimate_tokens(line.text) + 1


def memory_tokens(lines: Sequence[MemoryLine]) -> int:
    """About how many tokens these lines are, with their headings."""
    return sum(map(line_tokens, lines)) + _HEADINGS if lines else 0


def line_of(memory: Memory) -> MemoryLine:
    """A memory as the prompt tells it."""
    said = f"{memory.kind}, {memory.created_at:%Y-%m-%d}, by {_VOUCHES[memory.trust]}"
    head = "; ".join(filter(None, (said, memory.code_label)))
    return MemoryLine(memory.uuid, memory.content, head, _ABOUT.get(memory.kind, "code"), LONGEST)
