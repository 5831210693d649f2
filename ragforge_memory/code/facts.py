"""What resolution needs of a parsed file, as compact bytes: kept on this machine, so that an edit of one file does
not make all others be parsed again.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from importlib import metadata
from operator import attrgetter
from typing import Any

from ragforge_memory.code.layout import outline, to_text
from ragforge_memory.code.parsed import Binding, Export, Import, ParsedFile, ParsedScope, Use

# Raised when these bytes change, or what the readers make of the same file; see `facts_version` for what else makes a
# file be read again.
_FORMAT = 16

# What a scope says to people: the graph has it, and no name is resolved by it.
TEXTS: dict[str, Any] = {
    "signature": "",
    "docstring": None,
    "doc_line": None,
    "source": "",
    "hash": "",
    "body_hash": "",
    "sketch": "",
    "return_type": None,
    "parameters": (),
    "complexity": 1,
}
FILE_TEXTS: dict[str, Any] = {"outside": "", "outside_lines": ()}
"""The same of a file."""

PLACES = frozenset({"line", "start_line", "definition_line", "end_line", "line_count"})


@dataclass(frozen=True, slots=True)
class Facts:
    """One file's facts.

    Args:
        outline: what lookups over the whole project go by, see outline.py.
        head: the file as others see it, see `decode`.
        body: what its top level and its bodies use; only needed to resolve the file itself.
    """

    outline: str
    head: bytes
    body: bytes


def facts_version() -> str:
    """Names what makes facts: this library's release and the form of the bytes. Files read by another are read anew."""
    return f"{metadata.version('ragforge-memory')}+{_FORMAT}"


def encode(parsed: ParsedFile) -> Facts:
    """The facts of a file."""
    head = [_FILE.row(parsed), [_SCOPE.row(scope) for scope in parsed.scopes]]
    body = [_rows(_USE, parsed.uses), [_rows(_USE, scope.uses) for scope in parsed.scopes]]
    return Facts(to_text(outline(parsed)), _packed(head), _packed(body))


def decode(head: bytes, body: bytes | None = None) -> ParsedFile:
    """The file behind `Facts`: sources, signatures, documentation, hashes and parameters are empty.

    Without ``body`` uses are empty too.

    Raises:
        ValueError: these are not facts.
    """
    try:
        file, scopes = _unpacked(head)
        uses, inner = _unpacked(body) if body is not None else ((), [()] * len(scopes))
        made = tuple(_SCOPE.made(row, _all(_USE, more)) for row, more in zip(scopes, inner, strict=True))
        parsed: ParsedFile = _FILE.made(file, made, _all(_USE, uses))
        return parsed
    except (zlib.error, TypeError, IndexError) as error:
        raise ValueError(f"not the facts of a file: {error}") from error


def texts(parsed: ParsedFile) -> list[tuple[Any, ...]]:
    """What `decode` leaves empty, of the file and scope by scope; `restore` makes the file that was parsed with it."""
    return [_texts_of_file(parsed), *map(_texts_of, parsed.scopes)]


def restore(facts: Facts, texts: Sequence[tuple[Any, ...]]) -> ParsedFile:
    """The file that was parsed."""
    file, scopes = _unpacked(facts.head)
    uses, inner = _unpacked(facts.body)
    made = [
        _SCOPE.made(row, _all(_USE, more), constant=dict(zip(TEXTS, text, strict=True)))
        for row, more, text in zip(scopes, inner, texts[1:], strict=True)
    ]
    said = dict(zip(FILE_TEXTS, texts[0], strict=True))
    parsed: ParsedFile = _FILE.made(file, tuple(made), _all(_USE, uses), constant=said)
    return parsed


_texts_of: Callable[[ParsedScope], tuple[Any, ...]] = attrgetter(*TEXTS)
_texts_of_file: Callable[[ParsedFile], tuple[Any, ...]] = attrgetter(*FILE_TEXTS)


class _Form:
    """How a dataclass becomes a row and back: its fields in order, without those that are kept elsewhere."""

    def __init__(
        self,
        kind: type[Any],
        *,
        apart: Sequence[str] = (),
        parts: dict[str, _Form] | None = None,
        texts: Mapping[str, Any] | None = None,
    ) -> None:
        self._kind = kind
        self._parts = parts or {}
        self._constant = dict(texts or {})
        self._names = [f.name for f in fields(kind) if f.name not in apart and f.name not in self._constant]
        self._apart = tuple(apart)
        self._values: Callable[[Any], tuple[Any, ...]] = attrgetter(*self._names)
        # A class all of whose fields are in the row, in order, is made without naming them: four times as fast.
        self._plain = not apart and not self._parts and not self._constant

    def row(self, value: Any) -> list[Any]:
        return [
            _rows(self._parts[name], item) if name in self._parts else item
            for name, item in zip(self._names, self._values(value), strict=True)
        ]

    def made(self, row: list[Any], *apart: Any, constant: Mapping[str, Any] | None = None) -> Any:
        if self._plain:
            return self._kind(*row)
        named = {
            name: _all(self._parts[name], item) if name in self._parts else tuple(item) if type(item) is list else item
            for name, item in zip(self._names, row, strict=True)
        }
        return self._kind(**named, **(constant or self._constant), **dict(zip(self._apart, apart, strict=True)))


_USE = _Form(Use)
_BINDING = _Form(Binding)
_PARTS = {"bindings": _BINDING, "imports": _Form(Import), "exports": _Form(Export)}
_SCOPE = _Form(ParsedScope, apart=("uses",), parts={"bindings": _BINDING}, texts=TEXTS)
_FILE = _Form(ParsedFile, apart=("scopes", "uses"), parts=_PARTS, texts=FILE_TEXTS)


def _rows(form: _Form, values: Iterable[Any]) -> list[list[Any]]:
    return [form.row(value) for value in values]


def _all(form: _Form, rows: Iterable[list[Any]]) -> tuple[Any, ...]:
    return tuple([form.made(row) for row in rows])


def _packed(plain: Any) -> bytes:
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def _unpacked(data: bytes) -> Any:
    return json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))
