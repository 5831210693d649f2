"""What an answer was given, at the terminal: a chat's ``/context`` and ``/why``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ragforge_memory.cli.render import one_line, tool_line
from ragforge_memory.models.text import counted
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from ragforge_memory.cli.talk import Talk
    from ragforge_memory.models.context import ContextItem, ContextReceipt
    from ragforge_memory.models.conversation import ToolCall

_PARTS = ("system", "tools", "question", "summary", "recent", "relevant", "memories")


async def show_context(talk: Talk, reference: str) -> None:
    """Says what the last answer (or another) was given, by part, in tokens."""
    receipt = await _receipt(talk, reference)
    if receipt is not None:
        for line in context_lines(receipt):
            talk.say(line)


async def show_why(talk: Talk, reference: str) -> None:
    """Says what the last answer (or another) knew and from where: what it was given, and what its tools read."""
    receipt = await _receipt(talk, reference)
    if receipt is None or talk.conversation is None:
        return
    calls = await talk.conversation.get_tool_calls(limit=200)
    own = [call for call in calls if call.message_id == receipt.message_id]
    for line in why_lines(receipt, own, talk.session.terminal.width):
        talk.say(line)


def context_lines(receipt: ContextReceipt) -> Iterator[str]:
    """A receipt's parts, a line each, with their tokens."""
    if receipt.window is None or receipt.limit is None:
        yield "nothing was noted of what this answer was given"
        return
    spent = sum(receipt.tokens.get(part, 0) for part in _PARTS)
    yield f"prompt of about {spent:,} tokens, of {receipt.limit:,} in a window of {receipt.window:,}"
    for part in _PARTS:
        tokens = receipt.tokens.get(part, 0)
        if tokens:
            yield f"{part:<9} {tokens:>8,}  {_told(part, receipt.items)}".rstrip()
    if receipt.erased:
        yield f"{counted(receipt.erased, 'item')} of it erased since"


def why_lines(receipt: ContextReceipt, calls: Sequence[ToolCall], width: int) -> Iterator[str]:
    """A receipt item by item, what was worth most first, and the tools of the answer."""
    if receipt.window is None:
        yield "nothing was noted of what this answer was given"
    elif not receipt.items:
        yield "nothing that was said before: instructions, tools and the question alone"
    scored = any(item.score is not None for item in receipt.items)
    for item in receipt.items:
        score = f" {_score(item)}" if scored else ""
        head = f"{item.rank:>2} {item.tier:<9}{score} {item.tokens:>6,} tokens  {_place(item)}: "
        yield head + one_line(item.excerpt, max(12, width - len(head)))
    for call in calls:
        yield tool_line(call.tool_name, call.arguments, call.duration_ms, call.error, width)
    if receipt.erased:
        yield f"{counted(receipt.erased, 'item')} erased since"


async def _receipt(talk: Talk, reference: str) -> ContextReceipt | None:
    from ragforge_memory.cli.branches import find_message

    if talk.conversation is None:
        talk.say("nothing has been said yet")
        return None
    message = await find_message(talk.session.services.stores, talk.conversation, reference) if reference else None
    return await talk.conversation.receipt(message)


def _told(part: str, items: Sequence[ContextItem]) -> str:
    if part == "recent":
        return counted(sum(item.tier == "recent" for item in items), "message")
    if part == "relevant":
        tiers = Counter(item.tier for item in items if item.tier in ("important", "relevant"))
        return ", ".join(f"{count} {tier}" for tier, count in sorted(tiers.items()))
    if part == "memories":
        return counted(sum(item.kind == "memory" for item in items), "memory", "memories")
    if part == "summary":
        condensed = next((item for item in items if item.kind == "summary"), None)
        return f"condensed up to message {condensed.to_seq}" if condensed else "the conversation's summary"
    return ""


def _score(item: ContextItem) -> str:
    return f"{item.score:>6.2f}" if item.score is not None else " " * 6


def _place(item: ContextItem) -> str:
    if item.kind == "summary":
        return f"messages up to {item.to_seq}, condensed"
    when = f", {local(item.timestamp):%Y-%m-%d}" if item.timestamp else ""
    if item.kind == "memory":
        return f"remembered{when}"
    return f"#{item.seq} {item.role}{when}"
