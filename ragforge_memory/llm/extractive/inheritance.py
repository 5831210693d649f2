"""Answers about types: what stands below one, and what stands above it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.llm.extractive.quoting import (
    MAX_ASKED,
    nothing,
    rest,
    signature,
    subject,
    taken_for,
    trimmed,
    use_item,
)
from ragforge_memory.models.text import counted

_TYPES = ("class", "struct", "interface", "enum", "trait", "type")


def subclasses(asked: str, value: Mapping[str, Any]) -> list[str]:
    """What stands below each type of a name."""
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    types = _types(scopes)
    lines: list[str] = []
    for scope in types:
        below = scope.get("subclasses") or []
        number = _number_below(scope)
        if number:
            shown = below[:MAX_ASKED]
            lines.append(f"{subject(scope)} is inherited by {counted(number, 'scope')}:")
            lines += [use_item(each) for each in shown] + rest(number - len(shown)) + [""]
    bare = [subject(each) for each in types if not _number_below(each)]
    if bare and not lines:
        lines += [f"{bare.pop(0)}: nothing in this project inherits from it.", ""]
    if bare:
        lines += [f"Nothing in this project inherits from {', '.join(bare)}.", ""]
    lines += rest(int(value.get("total") or 0) - len(scopes), "more definitions of that name")
    return trimmed([*lines, *taken_for(value, asked)])


def bases(asked: str, value: Mapping[str, Any]) -> list[str]:
    """What stands directly above each type of a name.

    A base that is not defined in this project has no place; it stands in the type's own line, which is quoted.
    """
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    lines: list[str] = []
    for scope in _types(scopes):
        above = scope.get("bases") or []
        if above:
            lines.append(f"{subject(scope)} inherits from {counted(len(above), 'definition')} of this project:")
            lines += [
                f"- `{each['qualified_name']}` - {each['file']}:{each['line']} ({each['type']})" for each in above
            ]
        else:
            lines.append(f"{subject(scope)} inherits from nothing that is defined in this project.")
        written = signature(scope)
        lines += [*(["It is written as:", *written] if written else []), ""]
    lines += rest(int(value.get("total") or 0) - len(scopes), "more definitions of that name")
    return trimmed([*lines, *taken_for(value, asked)])


def _number_below(scope: Mapping[str, Any]) -> int:
    """How many there are, listed or not: of what is used everywhere a result has not all."""
    return max(len(scope.get("subclasses") or ()), int((scope.get("totals") or {}).get("subclasses") or 0))


def _types(scopes: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Of one name's definitions only types can have anything above or below them; the first where there are none."""
    return [each for each in scopes if each.get("type") in _TYPES] or scopes[:1]
