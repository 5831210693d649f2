"""Lines of JSON: on each a text with its source or title."""

from __future__ import annotations

import json
from collections.abc import Iterator

from ragforge_memory.knowledge.markdown import markdown_blocks
from ragforge_memory.knowledge.parts import Block, ReadDocument, Unreadable, text_of
from ragforge_memory.models.knowledge import SkippedDocument
from ragforge_memory.models.text import well_formed

_TEXTS = ("content", "text")
_NAMES = ("title", "source", "name", "url")


def read_jsonlines(data: bytes) -> ReadDocument:
    """``{"content": …, "title": …}`` a line; ``text`` stands for the first, ``source`` for the other.

    A line with a flaw costs that line alone.

    Raises:
        Unreadable: every line has one.
    """
    blocks: list[Block] = []
    skipped: list[SkippedDocument] = []
    for number, line in enumerate(text_of(data).split("\n"), 1):
        if not line.strip():
            continue
        try:
            blocks += _record(line, number)
        except ValueError as error:
            skipped.append(SkippedDocument(source=f"line {number}", reason=str(error)))
    if skipped and not blocks:
        raise Unreadable(f"no line of it can be read; {skipped[0].source}: {skipped[0].reason}")
    return ReadDocument("", tuple(blocks), unit="line", skipped=tuple(skipped))


def _record(line: str, number: int) -> Iterator[Block]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    if not isinstance(record, dict):
        raise ValueError("not an object")
    text = next((record[name] for name in _TEXTS if isinstance(record.get(name), str)), None)
    if text is None or not text.strip():
        raise ValueError(f"no text under {' or '.join(_TEXTS)}")
    name = next((record[name] for name in _NAMES if isinstance(record.get(name), str)), f"line {number}")
    yield Block(" ".join(well_formed(name).split()), level=1, first=number, last=number)
    for each in markdown_blocks(well_formed(text)):
        # The headings of a text are below the name of its record.
        level = min(each.level + 1, 7) if each.level else 0
        yield Block(each.text, level=level, code=each.code, first=number, last=number)
