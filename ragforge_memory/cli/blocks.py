"""Cuts streamed Markdown into blocks that can be printed for good, one after the other.

A block is final once no later text can change how it reads. Only whole lines are looked at, so the blocks do
not depend on how the text was cut into pieces. Code fences and tables stay whole; a list is given item by item.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"^ {0,3}(`{3,}(?=[^`]*$)|~{3,})")
_HEADING = re.compile(r"^ {0,3}#{1,6}(?:[ \t]|$)")
_RULE = re.compile(r"^ {0,3}(?:(?:\* *){3,}|(?:- *){3,}|(?:_ *){3,})$")
_SETEXT = re.compile(r"^ {0,3}(?:=+|-+)\s*$")
_ITEM = re.compile(r"^( {0,3})(?:([-+*])|(\d{1,9})([.)]))(?:( {1,4})(?=\S)|\s*$|(?= ))")


@dataclass(frozen=True, slots=True)
class Block:
    """Markdown that is printed at once. ``gap``: an empty line stands before it."""

    text: str
    gap: bool


@dataclass(slots=True)
class _List:
    """The list that is open.

    ``number`` is the current item's, ``column`` where its text starts, ``shift`` how far it is moved to the
    right because its number is written with more digits than the source has.
    """

    marker: str
    number: int
    column: int
    shift: int


class BlockSplitter:
    """Takes pieces of Markdown and gives finished blocks.

    ``feed`` returns the blocks that the piece completed, ``finish`` what is left.
    """

    def __init__(self) -> None:
        self._rest = ""
        self._lines: list[str] = []
        self._blank = False
        self._fence: str | None = None
        self._list: _List | None = None
        self._tight = False
        self._any = False

    def feed(self, piece: str) -> list[Block]:
        """The blocks that are final now."""
        self._rest += piece
        if "\n" not in piece:
            return []
        *lines, self._rest = self._rest.split("\n")
        return [block for line in lines for block in self._line(line.rstrip("\r"))]

    def finish(self) -> list[Block]:
        """The blocks that are left; the splitter is empty afterwards."""
        blocks = list(self._line(self._rest.rstrip("\r"))) if self._rest else []
        self._rest = ""
        blocks.extend(self._flush())
        self._list = self._fence = None
        self._blank = False
        return blocks

    def _line(self, line: str) -> Iterator[Block]:
        if self._fence is not None and not self._leaves_item(line):
            self._lines.append(self._shifted(line) if self._list else line)
            mark = line.strip()
            if len(mark) >= len(self._fence) and mark == self._fence[0] * len(mark):
                self._fence = None
                if self._list is None:
                    yield from self._flush()
            return
        cut_fence, self._fence = self._fence is not None, None
        line = line.expandtabs(4)
        if not line.strip():
            if self._list is None:
                yield from self._flush()
            else:
                self._blank = True
            return
        if self._list is not None:
            yield from self._line_of_list(self._list, line, lazy=not (self._blank or cut_fence))
        else:
            yield from self._line_outside(line)

    def _line_of_list(self, current: _List, line: str, *, lazy: bool) -> Iterator[Block]:
        indent = len(line) - len(line.lstrip())
        if indent >= current.column:
            self._continue(line)
            return
        item = _ITEM.match(line)
        if item and not _RULE.match(line):
            gap = self._blank
            yield from self._flush()
            marker = item[2] or item[4]
            if marker == current.marker:
                self._tight = not gap
                self._begin_item(item, line, current.number + 1)
            else:
                self._begin_item(item, line, int(item[3] or 0))
            return
        if lazy and not self._begins_block(line):
            self._continue(line)  # a lazy continuation of the item's paragraph
            return
        yield from self._flush()
        self._list = None
        yield from self._line_outside(line)

    def _line_outside(self, line: str) -> Iterator[Block]:
        if self._lines:
            if _SETEXT.match(line) and not self._lines[0].lstrip().startswith((">", "|")):
                self._lines.append(line)
                yield from self._flush()
                return
            item = _ITEM.match(line)
            interrupts = item is not None and bool(line[item.end() :].strip()) and item[3] in (None, "1")
            if not interrupts and not self._begins_block(line):
                self._lines.append(line)
                return
            yield from self._flush()
        fence = _FENCE.match(line)
        if fence:
            self._fence = fence[1]
            self._lines.append(line)
        elif _HEADING.match(line) or _RULE.match(line):
            self._lines.append(line)
            yield from self._flush()
        elif item := _ITEM.match(line):
            self._begin_item(item, line, int(item[3] or 0))
        else:
            self._lines.append(line)

    def _begins_block(self, line: str) -> bool:
        """Whether the line starts a block even directly under a paragraph (lists aside)."""
        if _FENCE.match(line) or _HEADING.match(line) or _RULE.match(line):
            return True
        quoted = line.lstrip().startswith(">")
        return quoted and not (self._lines and self._lines[0].lstrip().startswith(">"))

    def _begin_item(self, item: re.Match[str], line: str, number: int) -> None:
        """Opens a list item; its number is written out, since items are printed one by one."""
        marker = item[2] or item[4]
        written = marker if item[2] else f"{number}{marker}"
        column = item.end() if item[5] else item.end(2 if item[2] else 4) + 1
        text = line[column:]
        self._list = _List(marker, number, column, shift=len(written) + 1 - column)
        self._lines.append(f"{written} {text}".rstrip())
        self._open_fence(text)

    def _continue(self, line: str) -> None:
        if self._blank:
            self._lines.append("")
            self._blank = False
        self._lines.append(self._shifted(line))
        self._open_fence(line.lstrip())

    def _shifted(self, line: str) -> str:
        """The line of an item, moved with the text of its first line."""
        text = line.lstrip(" ")
        shift = self._list.shift if self._list else 0
        return " " * max(0, len(line) - len(text) + shift) + text if text else ""

    def _leaves_item(self, line: str) -> bool:
        """Whether the line stands left of the open item's text, which ends a fence inside it."""
        if self._list is None or not line.strip():
            return False
        return len(line) - len(line.lstrip(" ")) < self._list.column

    def _open_fence(self, text: str) -> None:
        fence = _FENCE.match(text)
        if fence:
            self._fence = fence[1]

    def _flush(self) -> Iterator[Block]:
        if self._lines:
            yield Block("\n".join(self._lines), gap=self._any and not self._tight)
            self._any = True
        self._lines = []
        self._blank = self._tight = False
