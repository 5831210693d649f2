"""Which reader a document has: by the end of its name, and by what it begins with."""

from __future__ import annotations

import re
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import PurePath

from ragforge_memory.errors import InvalidInput
from ragforge_memory.knowledge.docx import read_docx
from ragforge_memory.knowledge.html import read_html
from ragforge_memory.knowledge.jsonlines import read_jsonlines
from ragforge_memory.knowledge.markdown import read_markdown, read_text
from ragforge_memory.knowledge.parts import MARKS, ReadDocument, Reader, Unreadable
from ragforge_memory.knowledge.pdf import read_pdf

INSTALL_COMMAND = "pip install 'ragforge-memory[knowledge]'"

READERS: dict[str, Reader] = {
    "markdown": read_markdown,
    "html": read_html,
    "pdf": read_pdf,
    "docx": read_docx,
    "jsonl": read_jsonlines,
    "text": read_text,
}
SUFFIXES = {
    **dict.fromkeys((".md", ".markdown", ".mdx", ".mkd"), "markdown"),
    **dict.fromkeys((".html", ".htm", ".xhtml"), "html"),
    ".pdf": "pdf",
    ".docx": "docx",
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    **dict.fromkeys((".txt", ".text", ".rst", ".adoc", ".asciidoc", ".org"), "text"),
}
_LIBRARIES = {
    "html": ("selectolax", "markdownify"),
    "docx": ("mammoth", "selectolax", "markdownify"),
    "pdf": ("pypdfium2",),
}
_PAGE = re.compile(rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.I | re.S)
_HEAD = 1_024


def format_by_name(name: str) -> str | None:
    """The format that a name tells; None where it tells none of ours."""
    return SUFFIXES.get(PurePath(name).suffix.lower())


def format_of(name: str, data: bytes) -> str:
    """The format of a document; what it begins with weighs more than its name, and text is what else is text.

    Raises:
        Unreadable: it is none that can be read.
    """
    head, named = data[:_HEAD], format_by_name(name)
    if head.lstrip().startswith(b"%PDF-"):
        return "pdf"
    if named in (None, "text") and _PAGE.match(head):
        return "html"
    if named is None and b"\0" in head and not head.startswith(MARKS):
        raise Unreadable(f"this format is not known; known are {', '.join(SUFFIXES)}")
    return named or "text"


def check_installed(formats: Iterable[str]) -> None:
    """Refuses formats whose libraries are not there, before anything is written.

    Raises:
        InvalidInput: one is missing.
    """
    for each in sorted(set(formats)):
        missing = [name for name in _LIBRARIES.get(each, ()) if find_spec(name) is None]
        if missing:
            raise InvalidInput(f"{each} documents are read with {' and '.join(missing)}", hint=INSTALL_COMMAND)


def read_document(format: str, data: bytes) -> ReadDocument:
    """A document, read.

    Raises:
        Unreadable: it cannot be, or is a PDF of pictures.
    """
    read = READERS[format](data)
    if format == "pdf" and not read.blocks:
        raise Unreadable("there is no text on its pages, only pictures")
    return read
