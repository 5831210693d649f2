"""Markdown and plain text, as blocks with their lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ragforge_memory.knowledge.parts import Block, ReadDocument, text_of

_LONGEST_HEADING = 1_000
_HEADING = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_FRONT = re.compile(r"\A---\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.S)
_TITLE = re.compile(r"^title:[ \t]*(.+?)[ \t]*$", re.M | re.I)
# `{#install}`, `{ .class }`: attributes behind a heading.
_ATTRIBUTES = re.compile(r"[ \t]*\{[ \t]*[#.:][^{}]*\}[ \t]*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_MARKS = re.compile(r"[*`]+|</?\w[^<>]*>")
_BEGINS_NO_HEADING = re.compile(r"[ \t]*(?:[-*+>|]|\d+[.)])[ \t]")


def read_markdown(data: bytes) -> ReadDocument:
    """A Markdown file: headings by ``#`` or a line below, fences whole, paragraphs and lists by empty lines."""
    text = text_of(data)
    front = _FRONT.match(text)
    title = ""
    if front is not None:
        named = _TITLE.search(front.group(1))
        title = named.group(1).strip("'\" ") if named else ""
        text = "\n" * front.group().count("\n") + text[front.end() :]
    blocks = markdown_blocks(text)
    return ReadDocument(title or title_of(blocks), blocks, unit="line")


def read_text(data: bytes) -> ReadDocument:
    """Plain text: paragraphs by empty lines."""
    lines = text_of(data).split("\n")
    return ReadDocument("", tuple(_paragraphs(list(enumerate(lines, 1)))), unit="line")


def markdown_blocks(text: str) -> tuple[Block, ...]:
    """The blocks of a Markdown text; comments, which nobody sees, are left out."""
    return tuple(_blocks(_without_comments(text).split("\n")))


def _without_comments(text: str) -> str:
    """A text whose comments have left their line ends; one that nothing closes is none."""
    kept: list[str] = []
    at = 0
    while (begin := text.find("<!--", at)) >= 0 and (end := text.find("-->", begin + 4)) >= 0:
        kept += (text[at:begin], "\n" * text.count("\n", begin, end))
        at = end + 3
    return "".join((*kept, text[at:]))


def _blocks(lines: Sequence[str]) -> Iterator[Block]:
    prose: list[tuple[int, str]] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        if opened := _FENCE.match(line):
            yield from _paragraphs(prose)
            first, prose = number, []
            number = _fence_end(lines, number, opened.group(1))
            yield Block("\n".join(lines[first - 1 : number]), code=True, first=first, last=number)
        elif len(line) <= _LONGEST_HEADING and (heading := _HEADING.match(line)):
            yield from _paragraphs(prose)
            prose = []
            if told := _plain(heading.group(2) or ""):
                yield Block(told, level=len(heading.group(1)), first=number, last=number)
        elif (under := _UNDERLINE.match(line)) and _is_title(prose):
            yield from _paragraphs(prose[:-1])
            (at, told), prose = prose[-1], []
            yield Block(_plain(told), level=1 if under.group(1)[0] == "=" else 2, first=at, last=number)
        else:
            prose.append((number, line))
    yield from _paragraphs(prose)


def _is_title(prose: Sequence[tuple[int, str]]) -> bool:
    """Whether the last line is one of words, alone in its paragraph: what is underlined is a heading then."""
    if not prose or not prose[-1][1].strip() or _BEGINS_NO_HEADING.match(prose[-1][1]):
        return False
    return len(prose) < 2 or not prose[-2][1].strip()


def _fence_end(lines: Sequence[str], number: int, mark: str) -> int:
    """The line that closes a block of code; the last one where none does."""
    closing = re.compile(rf"[ \t]*{re.escape(mark[0])}{{{len(mark)},}}[ \t]*$")
    return next((at for at in range(number + 1, len(lines) + 1) if closing.match(lines[at - 1])), len(lines))


def _paragraphs(lines: Sequence[tuple[int, str]]) -> Iterator[Block]:
    kept: list[tuple[int, str]] = []
    for number, line in (*lines, (0, "")):
        if line.strip():
            kept.append((number, line.rstrip()))
        elif kept:
            text = "\n".join(each for _, each in kept)
            yield Block(text, first=kept[0][0], last=kept[-1][0])
            kept = []


def _plain(heading: str) -> str:
    """The words of a heading, without links, attributes and signs of emphasis."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", _ATTRIBUTES.sub("", heading))).split())


def title_of(blocks: Sequence[Block]) -> str:
    """The title of a document: its first heading, where no other is of the first level."""
    headings = [each for each in blocks if each.level]
    return headings[0].text if [each for each in headings if each.level == 1] == headings[:1] != [] else ""
