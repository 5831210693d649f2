"""PDF: the text of each page, its lines joined into paragraphs."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence

from ragforge_memory.knowledge.parts import Block, ReadDocument, Unreadable

# PDFium is not made for several threads, not even with a document each.
_one_at_a_time = threading.Lock()

# How PDFium writes a hyphen that a line was broken at, with or without the break.
_BROKEN = re.compile(r"[\ufffe\x02\xad](?:\r\n|[\r\n])?")
_BEGINS = re.compile(r"[•●◦▪‣–—*-]\s|\(?\d{1,3}[.)]\s|\(?[a-z][.)]\s")
_ENDS = re.compile(r"[.!?:;…。！？][\"'”’)\]]*$")
# What programs write where nobody gave a title.
_NO_TITLE = re.compile(r"(?:microsoft \w+ - |untitled|document\d*$|.*\.(?:docx?|tex|dvi|indd|pdf|html?|md)$)", re.I)
# A line that ends a sentence and is so much shorter than most ends its paragraph; one much shorter still does anyhow.
_SHORT, _VERY_SHORT = 0.85, 0.5


def read_pdf(data: bytes) -> ReadDocument:
    """A PDF with text in it; pictures of pages have none.

    Raises:
        Unreadable: it is not one, a broken one, or has a password.
    """
    import pypdfium2

    with _one_at_a_time:
        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            locked = "password" in str(error).lower()
            raise Unreadable("it has a password" if locked else f"a broken PDF: {error}") from None
        try:
            named = " ".join(document.get_metadata_value("Title").split())
            pages = [_text(document, number) for number in range(len(document))]
        except pypdfium2.PdfiumError as error:
            raise Unreadable(f"a broken PDF: {error}") from None
        finally:
            document.close()
    blocks = tuple(
        Block(text, first=number, last=number) for number, page in enumerate(pages, 1) for text in paragraphs(page)
    )
    return ReadDocument("" if _NO_TITLE.match(named) else named, blocks, unit="page")


def _text(document: object, number: int) -> str:
    page = document[number]  # type: ignore[index]
    try:
        text = page.get_textpage()
        try:
            return str(text.get_text_bounded())
        finally:
            text.close()
    finally:
        page.close()


def paragraphs(page: str) -> Iterator[str]:
    """The paragraphs of a page: lines that the layout broke are joined again, words that it parted too."""
    lines = [line.strip() for line in _BROKEN.sub("", page).splitlines()]
    width = _width(lines)
    kept = ""
    before = ""
    for line in (*lines, ""):
        if kept and (not line or _begins(line, before, width)):
            yield kept
            kept = ""
        kept, before = _joined(kept, line), line
    if kept:
        yield kept


def _width(lines: Sequence[str]) -> int:
    """How long a full line is here: nine of ten are no longer."""
    lengths = sorted(len(line) for line in lines if line)
    return lengths[min(len(lengths) - 1, len(lengths) * 9 // 10)] if lengths else 0


def _begins(line: str, before: str, width: int) -> bool:
    if _BEGINS.match(line):
        return True
    ended = _ENDS.search(before) is not None
    return len(before) < width * (_SHORT if ended else _VERY_SHORT) and not line[:1].islower()


def _joined(kept: str, line: str) -> str:
    if not kept:
        return line
    if kept.endswith("-") and kept[-2:-1].isalpha() and line[:1].islower():
        return kept[:-1] + line
    return f"{kept} {line}"
