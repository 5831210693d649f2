"""Scopes and files as the properties that the graph keeps: RagForge's names, and ours beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.code.fingerprint import text_hash
from ragforge_memory.code.parsed import ParsedFile, ParsedScope
from ragforge_memory.graph.text import terms


def file_properties(parsed: ParsedFile, digest: str, broken: str | None = None) -> dict[str, Any]:
    """What a File has, its uuid and project aside. ``hash`` is of its bytes, see readers.py; by ``scope_count`` the
    next ingest sees whether another tool has taken scopes away; ``broken`` is why only a part of it was read."""
    directory, _, name = parsed.path.rpartition("/")
    stem, dot, extension = name.rpartition(".")
    return {
        "path": parsed.path,
        "name": name,
        "directory": directory or ".",
        "extension": f".{extension}" if dot and stem else "",
        "language": parsed.language,
        "namespace": parsed.package or None,
        "lineCount": parsed.line_count,
        "hash": digest,
        "scope_count": len({scope.key for scope in parsed.scopes}),
        "broken": broken,
    }


def scope_properties(
    scope: ParsedScope,
    parsed: ParsedFile,
    *,
    project: str,
    token: str,
    parent: ParsedScope | None,
    parent_uuid: str | None,
) -> dict[str, Any]:
    """What a Scope has, its uuid aside.

    ``parameters`` is JSON and ``modifiers`` are joined by commas, as RagForge's own tools write them.

    Args:
        token: the project's word in the full-text index.
        parent: the scope around it, None at the top level.
    """
    return {
        "project": project,
        "key": scope.key,
        "name": scope.name,
        "qualified_name": scope.qualified_name,
        "type": scope.type,
        "file": parsed.path,
        "language": parsed.language,
        "startLine": scope.start_line,
        "endLine": scope.end_line,
        "definition_line": scope.definition_line,
        "linesOfCode": scope.end_line - scope.start_line + 1,
        "source": scope.source,
        "signature": scope.signature,
        "hash": scope.hash,
        "body_hash": scope.body_hash,
        "signature_hash": text_hash(scope.signature),
        "sketch": scope.sketch,
        "anchor_key": anchor_key(project, parsed.path, scope.key, scope.type, scope.body_hash),
        "parent": parent.name if parent else None,
        "parentUUID": parent_uuid,
        "depth": scope.depth,
        "docstring": scope.docstring,
        "returnType": scope.return_type,
        "parameters": json.dumps(scope.parameters, ensure_ascii=False) if scope.parameters else None,
        "modifiers": ",".join(scope.modifiers) or None,
        "complexity": scope.complexity,
        "terms": terms(f"{scope.qualified_name} {scope.signature}"),
        "project_token": token,
    }


def anchor_key(project: str, file: str, key: str, type: str, body_hash: str) -> str:
    """What an anchor on a scope is known by: one a project, place, kind and tokens, however many messages it has."""
    return text_hash("\0".join((project, file, key, type, body_hash)))


def embedding_text(properties: Mapping[str, Any]) -> str:
    """What a scope's vector is made of: its name, its signature and the first line of its documentation."""
    first = next((line.strip() for line in (properties.get("docstring") or "").splitlines() if line.strip()), "")
    parts = (properties.get("qualified_name") or properties["name"], properties.get("signature") or "", first)
    return "\n".join(part for part in parts if part)


def without_foreign(properties: Mapping[str, Any], foreign: Sequence[str] | None) -> dict[str, Any]:
    """The properties without those that another tool has in the scope and that the code gives no value for: they stay.

    Args:
        foreign: what stood in the scope when it was claimed; it is kept as ``foreign_properties``, for as long as the
            code has nothing to say there.
    """
    left = sorted(name for name in foreign or () if name in properties and properties[name] is None)
    kept = {name: value for name, value in properties.items() if name not in left}
    return kept | {"foreign_properties": left or None}


def differs(properties: Mapping[str, Any], stored: Mapping[str, Any]) -> bool:
    """Whether the graph's scope must be written."""
    return any(stored.get(name) != value for name, value in properties.items())
