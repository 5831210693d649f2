"""One file's bytes to its scopes, in any of the languages; never an exception for what a file holds."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ragforge_memory.code.draft import Draft, TooDeep
from ragforge_memory.code.languages import language_of, parser_of, reader_of
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.partly import Rest, rest_of, sound_part
from ragforge_memory.code.syntax import first_error, is_too_deep, tree_of, unread_bytes

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

    from ragforge_memory.code.languages import Reader

_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
"""An encoding declared in the first two lines, as PEP 263 has it (Ruby takes the same form)."""

ENDLESS = "takes too long to parse: its syntax errors have no end"
"""The reason that a file is skipped for where the parser comes to no end."""

DEEP = "nested too deeply"
"""The reason where it would take a time that grows with the square of the file's size to read it."""

LATE = "takes too long to read"
"""The reason where a reading process had to be ended over it."""

_GIVEN_UP = frozenset({ENDLESS, DEEP})

_WIDE_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"),
               (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip


def parse(path: str, data: bytes) -> ParsedFile:
    """Read the definitions of one file and what they use.

    A tree with syntax errors makes the file broken unless its language forgives them (Reader.refusal): then
    ``error`` says why, with the line, and the rest holds what could be read.

    Args:
        path: relative to the project's root, with ``/``; its name tells the language.
        data: the file's bytes: UTF-8, with a byte order mark or not; else what its first lines declare, else Latin-1.
    """
    return _parsed(path, data, lambda parsed, *_: parsed)


def parse_partly(path: str, data: bytes) -> tuple[ParsedFile, Rest | None]:
    """The same, but of a broken file only what no error touches, with what is left; see partly.py.

    What is not text, or of no language, has an ``error`` and no rest.
    """
    rest: Rest | None = None

    def part(parsed: ParsedFile, draft: Draft, root: Node, reader: Reader) -> ParsedFile:
        nonlocal rest
        if parsed.error is None:
            return parsed
        sound, rest = sound_part(parsed, draft, root, parsed.error, indented=bool(reader.blocks))
        return sound

    parsed = _parsed(path, data, part)
    return (parsed, rest) if parsed.error not in _GIVEN_UP else unread(path, data, parsed.error)


def unread(path: str, data: bytes, reason: str) -> tuple[ParsedFile, Rest | None]:
    """A text that the grammar could make nothing of: all that was known of it may still be there."""
    language = language_of(path, data)
    text = _utf8(data)
    rest = None if language is None or text is None else rest_of(text)
    return ParsedFile(path, language.name if language else "", error=reason), rest


def _parsed(path: str, data: bytes, finish: Callable[[ParsedFile, Draft, Node, Reader], ParsedFile]) -> ParsedFile:
    language = language_of(path, data)
    if language is None:
        return ParsedFile(path, "", error="not a file of a language that is read")
    text = _utf8(data)
    if text is None:
        return ParsedFile(path, language.name, error="not text: it holds null bytes")
    reader = reader_of(language.name)
    if reader.source is not None:
        try:
            text = reader.source(text)
        except ValueError as no_code:
            return ParsedFile(path, language.name, error=str(no_code))
    parser = parser_of(language.name, path)
    root = tree_of(parser, reader.prepare(text) if reader.prepare else text)
    if root is None:
        return ParsedFile(path, language.name, error=ENDLESS)
    try:
        draft = _drafted(root, path, language.name, text, reader)
        if root.has_error and reader.simplify and first_error(root) is not None:
            root, draft = _simplified(root, draft, parser, reader)
    except TooDeep:
        return ParsedFile(path, language.name, error=DEEP)
    parsed = draft.finish(root, reader)
    error = None
    if root.has_error or draft.doubtful:
        error = reader.refusal(root, text) if reader.refusal else first_error(root)
    return finish(parsed if error is None else replace(parsed, error=error), draft, root, reader)


def _drafted(root: Node, path: str, language: str, text: bytes, reader: Reader) -> Draft:
    if is_too_deep(root):
        raise TooDeep
    draft = Draft(path, language, text, reader.normal_form)
    draft.walk(root, reader.handlers)
    if reader.finish is not None:
        reader.finish(root, draft)
    return draft


def _simplified(root: Node, draft: Draft, parser: Parser, reader: Reader) -> tuple[Node, Draft]:
    """The best of a tree with errors and those of the text's simpler forms.

    A form that leaves nothing unread while it takes little away is the one; among others the one with most scopes.
    """
    best, tried = (root, draft), draft.data
    for number, simplify in enumerate(reader.simplify):
        simpler = simplify(draft.data)
        if simpler == tried or (number and not _is_lost(best)):
            continue
        tried, tree = simpler, tree_of(parser, simpler)
        if tree is None:
            continue
        form = tree, _drafted(tree, draft.path, draft.language, draft.data, reader)
        if number == 0 and first_error(tree) is None:
            return form
        best = min(best, form, key=_loss)
    return best


def _is_lost(form: tuple[Node, Draft]) -> bool:
    """Whether the file's structure is lost, so that it is worth to give up branches for it."""
    return _loss(form)[0] or any(scope.is_astray for scope in form[1].scopes)


def _loss(form: tuple[Node, Draft]) -> tuple[bool, int, int]:
    """How much a form loses: the file's structure, then scopes with their places, then bytes."""
    root, draft = form
    unread = unread_bytes(root)
    return unread * 10 > len(draft.data), -sum(not scope.is_astray for scope in draft.scopes), unread


def _utf8(data: bytes) -> bytes | None:
    """The text as UTF-8 with line feeds and no byte order mark; None for what is not text."""
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            data = data.decode(encoding, "replace").encode()
            break
    data = data.removeprefix(codecs.BOM_UTF8)
    if b"\x00" in data:
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        data = data.decode(_declared(data), "replace").encode()
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    return data


def _declared(data: bytes) -> str:
    for line in data.split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found:
            try:
                return codecs.lookup(found[1].decode("ascii")).name
            except LookupError:
                break
    return "latin-1"
