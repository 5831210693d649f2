"""A turn as text: the events of its stream become lines on the terminal."""

from __future__ import annotations

import json
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ragforge_memory.cli.markdown import MarkdownPrinter
from ragforge_memory.cli.shown import printable
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from ragforge_memory.events import Event
    from ragforge_memory.models.conversation import Correction
    from ragforge_memory.models.memory import RecalledMemory

_LONGEST_ARGUMENT = 60  # characters
_LONGEST_STATEMENT = 300


class TurnView:
    """Shows one turn. The answer goes to stdout; tool calls and notes go to stderr.

    ``show`` takes the events in their order; ``finish`` prints what is left, also of a turn that was cut. What is not
    available is not told where it is ``known``. ``spoke``: there was a piece of an answer.
    """

    def __init__(self, terminal: Terminal, spinner: Spinner, *, known: Collection[str] = ()) -> None:
        self._terminal = terminal
        self._spinner = spinner
        self._markdown = MarkdownPrinter(terminal)
        self._arguments: dict[str, dict[str, Any]] = {}
        self.spoke = False
        self._saved: list[str] = []
        self._known = known
        self._degraded = set(known)
        self._last: Literal["text", "note"] | None = None

    def show(self, event: Event) -> None:
        """Prints what the event adds."""
        match event.type:
            case "message_started":
                self._spinner.phase("reading the conversation")
            case "recalled":
                if self._terminal.progress:
                    self._note(recalled_line(event.items))
                self._spinner.phase("thinking")
            case "compressed":
                self._note(
                    f"context condensed: {event.tokens_before:,} tokens to {event.tokens_after:,}, "
                    f"{event.tokens_saved:,} saved; the messages stay in the graph"
                )
            case "reasoning_delta":
                self._spinner.phase("thinking")
            case "text_delta":
                self._spinner.phase("answering")
                self.spoke = True
                self._print(self._markdown.feed(event.text))
            case "tool_use":
                if self._terminal.rendered:
                    self.finish()
                self._arguments[event.tool_call_id] = event.arguments
                self._spinner.phase(f"running {printable(event.tool_name)}")
            case "tool_result":
                self._show_tool(event)
            case "memory_saved":
                self._saved.append(one_line(event.content, _LONGEST_STATEMENT))
            case "degraded":
                self._show_degraded(event.what, event.detail)
            case "message_completed":
                if not self.spoke:
                    self._print(self._markdown.feed(event.response.content))
                self.finish()
                if event.response.model != "memory":  # an order's answer says it
                    self._show_saved()
                if event.response.state == "partial":
                    self._note("the model ended before its answer was whole: at its limit, or without a word")
                for what in event.response.degraded:
                    self._show_degraded(what, "")
            case "error":
                self.finish()
                self._show_saved()

    def finish(self) -> None:
        """Prints the rest of the answer."""
        self._print(self._markdown.finish())

    def _show_saved(self) -> None:
        for saved in self._saved:
            self._note(f"remembered: {saved}")

    def _show_tool(self, event: Any) -> None:
        self._spinner.phase("thinking")
        if not self._terminal.progress:
            return
        arguments = self._arguments.pop(event.tool_call_id, {})
        error = None if event.success else event.error or "no reason given"
        self._note(tool_line(event.tool_name, arguments, event.duration_ms, error, self._terminal.width))

    def _show_degraded(self, what: str, detail: str) -> None:
        if what == "recall" and not self._terminal.progress:
            return  # it is late once in a while, and the answer is there
        if what not in self._degraded or (detail and what not in self._known):
            self._degraded.add(what)
            self._note(f"not available: {what}" + (f" ({detail})" if detail else ""))

    def _note(self, text: str) -> None:
        self._spinner.clear()
        if self._last == "text" and self._terminal.rendered:
            note("")
        self._last = "note"
        note(printable(text))

    def _print(self, pieces: list[str]) -> None:
        if pieces:
            self._spinner.clear()
            if self._last == "note" and self._terminal.rendered and not pieces[0].startswith("\n"):
                pieces = ["\n", *pieces]
            self._last = "text"
            sys.stdout.write("".join(pieces))
            sys.stdout.flush()


def tool_line(name: str, arguments: dict[str, Any], duration_ms: int, error: str | None, width: int) -> str:
    """A tool call on one line of at most ``width`` characters (40 at least): arguments and errors are cut."""
    width = max(width, 40)
    ending = f"  {duration_ms:,} ms"
    if error is not None:
        ending += f"  {one_line(f'failed: {error}', width // 2)}"
    shown = ", ".join(
        f"{key}={one_line(json.dumps(value, ensure_ascii=False, default=str), _LONGEST_ARGUMENT)}"
        for key, value in arguments.items()
    )
    return f"· {one_line(f'{name}({shown})', width - len(ending) - 2)}{ending}"


def corrected(later: Correction) -> str:
    """What was said against a decision, and when, on one line."""
    said = one_line(later.text, _LONGEST_STATEMENT, whole_words=True)
    how = {"corrects": "corrected", "retracts": "taken back", "done": "done"}[later.how]
    return f"{how} {local(later.timestamp):%Y-%m-%d %H:%M}: {said}"


def recalled_line(items: Sequence[RecalledMemory]) -> str:
    """What was recalled: the first in its words, with what became of its code, and how many more there are."""
    first, *more = items
    label = f" ({first.memory.code_label})" if first.memory.code_label else ""
    also = f", and {len(more)} more" if more else ""
    return f'recalled: "{one_line(first.memory.content, 60)}"{label}{also}'


def one_line(text: str, limit: int, *, whole_words: bool = False) -> str:
    """The text on one line of at most ``limit`` characters; ``whole_words``: cut behind one, if one ends near."""
    text = " ".join(printable(text.replace("\n", " ").replace("\t", " ")).split())
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    if whole_words and text[limit - 1] != " ":
        word = cut.rpartition(" ")[0]
        cut = word if len(word) * 3 >= len(cut) * 2 else cut
    return cut + "…"
