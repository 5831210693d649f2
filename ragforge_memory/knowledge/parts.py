"""What every reader gives: a document as blocks in their order, and why one cannot be read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ragforge_memory.models.knowledge import SkippedDocument

MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
"""What text of UTF-8 may begin with, and of UTF-16 begins with."""


class Unreadable(Exception):
    """A document cannot be read; the text says why, in a few words."""


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a list, a table, a block of code, or a heading.

    Args:
        text: as it stands in the document; of a heading its words alone.
        level: of a heading, from 1; 0: it is none.
        code: whether it is a fenced block of code.
        first, last: its first and last line, or its page twice; 0: nobody knows.
    """

    text: str
    level: int = 0
    code: bool = False
    first: int = 0
    last: int = 0


@dataclass(frozen=True, slots=True)
class ReadDocument:
    """A document that was read.

    Args:
        title: what it calls itself; '' where it does not.
        blocks: all of it, in order.
        unit: what the numbers of its blocks count: ``line``, ``page``; '' for nothing.
        skipped: parts that could not be read; their ``source`` is the place inside the document.
    """

    title: str
    blocks: tuple[Block, ...]
    unit: str = ""
    skipped: tuple[SkippedDocument, ...] = ()


Reader = Callable[[bytes], ReadDocument]


def text_of(data: bytes) -> str:
    """The text of a file, with ``\\n`` at the end of each line.

    Raises:
        Unreadable: it is not text.
    """
    wide = data.startswith(MARKS[1:])
    if not wide and b"\0" in data:
        raise Unreadable("it is not text")
    try:
        text = data.decode("utf-16" if wide else "utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("utf-16" if wide else "cp1252", "replace")
    return text.replace("\r\n", "\n").replace("\r", "\n").replace("\f", "\n").replace("\0", "")
