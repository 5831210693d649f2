"""Chunks of a document, along its structure: what stands under one heading, in parts that a model reads at once."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ragforge_memory.graph.knowledge import NewChunk
from ragforge_memory.knowledge.parts import Block, ReadDocument
from ragforge_memory.models.text import truncated, well_formed
from ragforge_memory.text.sentences import SENTENCE_OR_LINE_END

MOST = 1_200
"""Characters of a chunk: some 300 tokens, which every embedding model of ours takes whole."""

_HEADING = 120
_GAP = "\n\n"
_FENCE_MARK = re.compile(r"[ \t]*(?:`{3,}|~{3,})")


def chunks_of(document: ReadDocument, title: str) -> list[NewChunk]:
    """The chunks of a document in their order; a heading with nothing below it is in the paths of others alone.

    Args:
        document: as it was read.
        title: stands before its headings, unless the first of them says the same.
    """
    return [
        NewChunk(well_formed(_GAP.join(each.text for each in part)), path, _position(part, document.unit))
        for path, blocks in _sections(document.blocks, title)
        for part in _parts(blocks, paged=document.unit == "page")
    ]


def _sections(blocks: Sequence[Block], title: str) -> Iterator[tuple[str, list[Block]]]:
    """What stands under each heading, with the path of headings."""
    path: list[tuple[int, str]] = []
    below: list[Block] = []
    for block in blocks:
        if not block.level:
            below.append(block)
            continue
        if below:
            yield _path(path, title), below
        below = []
        path = [(level, text) for level, text in path if level < block.level]
        path.append((block.level, block.text))
    if below:
        yield _path(path, title), below


def _path(path: Sequence[tuple[int, str]], title: str) -> str:
    names = [text for _, text in path]
    if title and (not names or names[0].casefold() != title.casefold()):
        names.insert(0, title)
    return well_formed(" > ".join(truncated(name, _HEADING) for name in names))


def _parts(blocks: Sequence[Block], *, paged: bool) -> Iterator[list[Block]]:
    """The blocks in runs that are short enough; no run goes over the end of a page."""
    part: list[Block] = []
    length = 0
    for block in (piece for each in blocks for piece in _pieces(each)):
        if part and (length + len(_GAP) + len(block.text) > MOST or (paged and part[-1].last != block.first)):
            yield part
            part, length = [], 0
        length += len(block.text) + (len(_GAP) if part else 0)
        part.append(block)
    if part:
        yield part


def _pieces(block: Block) -> Iterator[Block]:
    """A block, or what it is in parts where it is too long for one chunk."""
    if len(block.text) <= MOST:
        yield block
        return
    if not block.code:
        yield from _placed(block, _packed(_sentences(block.text), MOST))
        return
    # Code goes by its lines, each part a fence of its own.
    opened, *lines = block.text.split("\n")
    mark = (_FENCE_MARK.match(opened) or [""])[0]
    if lines and _FENCE_MARK.match(lines[-1]):
        lines.pop()
    opened = opened[: MOST // 2]
    parts = _packed([f"{line}\n" for line in lines], MOST - len(opened) - len(mark) - 2)
    for each in _placed(block, parts):
        yield replace(each, text=f"{opened}\n{each.text}\n{mark}")


def _placed(block: Block, texts: Iterator[str]) -> Iterator[Block]:
    """Parts of a block, each with its own lines where it is known by its lines."""
    by_lines = block.first > 0 and block.last - block.first == block.text.count("\n")
    end = 0
    for text in texts:
        start = block.text.index(text, end)
        end = start + len(text)
        first = block.first + block.text.count("\n", 0, start) * by_lines
        yield replace(block, text=text, first=first, last=first + text.count("\n") if by_lines else block.last)


def _sentences(text: str) -> Iterator[str]:
    """The sentences and lines of a text, each with the white space behind it."""
    start = 0
    for end in SENTENCE_OR_LINE_END.finditer(text):
        yield text[start : end.end()]
        start = end.end()
    yield text[start:]


def _packed(pieces: Iterable[str], most: int) -> Iterator[str]:
    """Pieces joined as far as there is room; one that is longer than that is cut at a space, or where it must be."""
    kept = ""
    for whole in pieces:
        piece = whole
        if kept and len(kept) + len(piece.rstrip()) > most:
            yield kept.strip("\n").rstrip()
            kept = ""
        while len(piece.rstrip()) > most:
            at = piece.rfind(" ", most // 2, most) + 1 or most
            yield piece[:at].rstrip()
            piece = piece[at:]
        kept += piece
    if kept.strip():
        yield kept.strip("\n").rstrip()


def _position(part: Sequence[Block], unit: str) -> str:
    first, last = part[0].first, part[-1].last
    if not unit or not first:
        return ""
    return f"{unit} {first}" if first == last else f"{unit}s {first}-{last}"
