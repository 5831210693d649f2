"""What resolution needs of a parsed file, as compact bytes: kept on this machine, so that an edit of one file does
not make all others be parsed again.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from ragforge_memory.code.parsed import Binding, Export, Import, ParsedFile, ParsedScope, Use

# Raised whenever parsing or these bytes change: every file is then read again.
FACTS_VERSION = 1

_HIDING = frozenset({"function", "method"})


@dataclass(frozen=True, slots=True)
class Facts:
    """One file's facts.

    Args:
        interface: a digest of what other files' resolution can depend on: names, types, parents, bases, fields,
            imports and exports, not what happens inside of bodies, and no line numbers.
        head: the file as others see it, see `decode`.
        body: what its top level and its bodies use and bind; only needed to resolve the file itself.
    """

    interface: str
    head: bytes
    body: bytes


def encode(parsed: ParsedFile) -> Facts:
    """The facts of a file."""
    head = {
        "path": parsed.path,
        "language": parsed.language,
        "line_count": parsed.line_count,
        "package": parsed.package,
        "imports": [_import(item) for item in parsed.imports],
        "exports": [[item.name, item.local, item.line] for item in parsed.exports],
        "bindings": [_binding(item) for item in parsed.bindings],
        "scopes": [_scope(item) for item in parsed.scopes],
        "error": parsed.error,
    }
    body = {
        "uses": [_use(item) for item in parsed.uses],
        "scopes": [
            [[_use(use) for use in scope.uses], [_binding(item) for item in scope.bindings] if _hides(scope) else []]
            for scope in parsed.scopes
        ],
    }
    return Facts(_interface(parsed), _packed(head), _packed(body))


def decode(head: bytes, body: bytes | None = None) -> ParsedFile:
    """The file behind `Facts`: sources, signatures, documentation, hashes and parameters are empty.

    Without ``body`` uses are empty, and so are the bindings of functions.

    Raises:
        ValueError: these are no facts.
    """
    try:
        plain = _unpacked(head)
        rows = plain["scopes"]
        inside = _unpacked(body) if body is not None else {"uses": (), "scopes": [((), ())] * len(rows)}
        return ParsedFile(
            path=plain["path"],
            language=plain["language"],
            line_count=plain["line_count"],
            scopes=tuple(_to_scope(row, *more) for row, more in zip(rows, inside["scopes"], strict=True)),
            imports=tuple(Import(*row) for row in plain["imports"]),
            exports=tuple(Export(*row) for row in plain["exports"]),
            package=plain["package"],
            uses=tuple(Use(*row) for row in inside["uses"]),
            bindings=tuple(Binding(*row) for row in plain["bindings"]),
            error=plain["error"],
        )
    except (zlib.error, KeyError, TypeError, IndexError) as error:
        raise ValueError(f"not the facts of a file: {error}") from error


def _packed(plain: Any) -> bytes:
    text = json.dumps(plain, ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 1)


def _unpacked(data: bytes) -> Any:
    return json.loads(zlib.decompress(data).decode("utf-8", "surrogatepass"))


def _hides(scope: ParsedScope) -> bool:
    """Whether a scope's bindings are the locals of a body, seen from nowhere else; a class's are its fields."""
    return scope.type in _HIDING


def _scope(scope: ParsedScope) -> list[Any]:
    return [
        scope.key,
        scope.name,
        scope.qualified_name,
        scope.type,
        scope.start_line,
        scope.definition_line,
        scope.end_line,
        scope.parent,
        scope.depth,
        scope.owner,
        scope.returns,
        scope.modifiers,
        scope.decorators,
        scope.bases,
        scope.interfaces,
        [] if _hides(scope) else [_binding(item) for item in scope.bindings],
    ]


def _to_scope(row: list[Any], uses: list[list[Any]], hidden: list[list[Any]]) -> ParsedScope:
    return ParsedScope(
        key=row[0],
        name=row[1],
        qualified_name=row[2],
        type=row[3],
        start_line=row[4],
        definition_line=row[5],
        end_line=row[6],
        signature="",
        docstring=None,
        source="",
        hash="",
        body_hash="",
        parent=row[7],
        depth=row[8],
        owner=row[9],
        returns=row[10],
        modifiers=tuple(row[11]),
        decorators=tuple(row[12]),
        bases=tuple(row[13]),
        interfaces=tuple(row[14]),
        uses=tuple(Use(*use) for use in uses),
        bindings=tuple(Binding(*binding) for binding in (row[15] or hidden)),
    )


def _use(use: Use) -> list[Any]:
    return [use.name, use.receiver, use.kind, use.line]


def _binding(binding: Binding) -> list[Any]:
    return [binding.name, binding.kind, binding.value, binding.line]


def _import(item: Import) -> list[Any]:
    return [item.local, item.module, item.name, item.line, item.scope, item.exported]


def _interface(parsed: ParsedFile) -> str:
    shape = [
        parsed.path,
        parsed.language,
        parsed.package,
        [[*row[:3], *row[4:]] for row in map(_import, parsed.imports)],
        [[item.name, item.local] for item in parsed.exports],
        [_binding(item)[:3] for item in parsed.bindings],
        [
            [
                scope.key,
                scope.name,
                scope.qualified_name,
                scope.type,
                scope.parent,
                scope.owner,
                scope.returns,
                scope.modifiers,
                scope.decorators,
                scope.bases,
                scope.interfaces,
                [] if _hides(scope) else [_binding(item)[:3] for item in scope.bindings],
            ]
            for scope in parsed.scopes
        ],
        parsed.error,
    ]
    text = json.dumps(shape, ensure_ascii=True, separators=(",", ":"))
    return blake2b(text.encode(), digest_size=16).hexdigest()
