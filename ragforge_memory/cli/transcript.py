"""Stored messages as a transcript."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ragforge_memory.cli.markdown import MarkdownPrinter
from ragforge_memory.cli.references import labels
from ragforge_memory.cli.render import tool_line
from ragforge_memory.cli.shown import printable
from ragforge_memory.cli.terminal import Terminal
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import Message

_NAMES = {"user": "you", "assistant": "agent", "system": "system"}


def transcript(messages: Iterable[Message], terminal: Terminal) -> str:
    """The messages one after the other; Markdown is laid out on a terminal and left alone elsewhere."""
    return "\n".join(_message(message, terminal) for message in messages)


def _message(message: Message, terminal: Terminal) -> str:
    head = f"#{message.seq} {_NAMES[message.role]} · {local(message.timestamp):%Y-%m-%d %H:%M}"
    if message.state != "complete":
        head += f" · {message.state}"
    lines = [terminal.dim(head)]
    for call in message.tool_calls:
        error = None if call.success else call.error or "no reason given"
        line = tool_line(call.tool_name, call.arguments, call.duration_ms, error, terminal.width)
        lines.append(terminal.dim(printable(line)))
    notes = "".join(terminal.dim(terminal.wrap(printable(f"  {line}"))) + "\n" for line in labels(message.references))
    if message.role == "user":
        text = printable(message.content) if terminal.rendered else message.content
        return "\n".join([*lines, text]) + "\n" + notes
    markdown = MarkdownPrinter(terminal)
    return "\n".join(lines) + "\n" + "".join(markdown.feed(message.content) + markdown.finish()) + notes
