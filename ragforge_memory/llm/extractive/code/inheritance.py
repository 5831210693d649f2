"""Answers about types: what stands below one and above it, and which of their members override which."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.llm.extractive.code.impl_lines import Line, listed_impls
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import (
    MAX_ASKED,
    item,
    left_out,
    more_of_that_name,
    nothing,
    rest,
    signature,
    subject,
    taken_for,
    trimmed,
    use_item,
)
from ragforge_memory.models.text import counted

MAX_BARE = 8
"""Members that nothing overrides, by name."""

_CALLED = ("method", "function")
_UNNAMED = "in Go a type implements an interface by its methods alone, without naming it."
_TYPES = ("class", "struct", "interface", "enum", "trait", "type")


def subclasses(asked: str, value: Mapping[str, Any], impls: Sequence[Line] = ()) -> list[str]:
    """What stands below each type of a name, and the lines that implement it for what is no scope of this project."""
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    if all(scope.get("type") in _CALLED for scope in scopes):
        return overridden(asked, value)  # "what implements Sink.matched?"
    types = _types(scopes)
    lines: list[str] = []
    for scope in types:
        below = scope.get("subclasses") or []
        number = _number_below(scope)
        embedding = [each for each in below if _is_unnamed(scope) and _is_implemented(each)]
        if embedding:
            lines.append(f"{subject(scope)} is embedded in {counted(len(embedding), 'interface')}:")
            lines += [use_item(each) for each in embedding[:MAX_ASKED]] + rest(len(embedding) - MAX_ASKED) + [""]
            below = [each for each in below if each not in embedding]
            number -= len(embedding)
        if number:
            shown = below[:MAX_ASKED]
            # A trait or an interface below another does not implement it.
            only_such = bool(below) and all(map(_is_implemented, below))
            does = "implemented" if _is_implemented(scope) and not only_such else "inherited"
            lines.append(f"{subject(scope)} is {does} by {counted(number, 'scope')}:")
            lines += [use_item(each) for each in shown] + rest(number - len(shown)) + [""]
    unnamed = [subject(each) for each in types if _is_unnamed(each)]
    bare = [subject(each) for each in types if not _number_below(each) and not _is_unnamed(each)]
    inherits = "implements" if all(map(_is_implemented, types)) else "inherits from"
    if impls:
        which = "It" if lines else ", ".join(bare)
        lines += [f"{which} is implemented in {counted(len(impls), 'line')}{' too' if lines else ''}:"]
        lines += [*listed_impls(impls), ""]
        bare = []
    if bare and not lines:
        lines += [f"{bare.pop(0)}: nothing in this project {inherits} it.", ""]
    if bare:
        lines += [f"Nothing in this project {inherits} {', '.join(bare)}.", ""]
    if unnamed:
        lines += [f"What has the methods of {', '.join(unnamed)} is not followed: {_UNNAMED}", ""]
    lines += more_of_that_name(int(value.get("total") or 0) - len(scopes))
    return trimmed([*lines, *taken_for(value, asked)])


def bases(asked: str, value: Mapping[str, Any], impls: Sequence[Line] = ()) -> list[str]:
    """What stands directly above each type of a name, and the lines that implement something for it besides.

    A base that is not defined in this project has no place; it stands in the type's own line, which is quoted.
    """
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    lines: list[str] = []
    for scope in _types(scopes):
        above = scope.get("bases") or []
        if above:
            inherits = (
                "implements" if all(map(_is_implemented, above)) and not _is_implemented(scope) else "inherits from"
            )
            more = left_out(scope, "bases")
            lines.append(f"{subject(scope)} {inherits} {counted(len(above) + more, 'definition')} of this project:")
            lines += [item(each) for each in above] + rest(more)
        elif impls:
            lines += [f"Implemented for {subject(scope)} in {counted(len(impls), 'line')}:", *listed_impls(impls), ""]
            continue
        else:
            lines.append(f"{subject(scope)} inherits from nothing that is defined in this project.")
        written = signature(scope)
        lines += [*(["It is written as:", *written] if written else []), ""]
    lines += more_of_that_name(int(value.get("total") or 0) - len(scopes))
    return trimmed([*lines, *taken_for(value, asked)])


def _is_implemented(scope: Mapping[str, Any]) -> bool:
    """Whether what stands below a type implements it."""
    return scope.get("type") in ("trait", "interface")


def _is_unnamed(scope: Mapping[str, Any]) -> bool:
    """Whether what implements an interface does not say so."""
    return scope.get("type") == "interface" and str(scope["file"]).endswith(".go")


def overridden(asked: str, value: Mapping[str, Any]) -> list[str]:
    """The members that override each one of a name; of a type what inherits from it, which may override any."""
    scopes = value.get("scopes") or []
    if not scopes or scopes[0].get("type") in _TYPES:
        return subclasses(asked, value)
    lines: list[str] = []
    told: set[tuple[str, str]] = set()
    open_ones = [each for each in scopes if each.get("overrides") and not _is_last(each)]
    for scope in open_ones:
        over = scope["overrides"]
        total = max(len(over), int((scope.get("totals") or {}).get("overrides") or 0))
        place = (scope["file"], scope["qualified_name"])
        # Overloads are not told apart: what overrides one stands under the first.
        if place not in told:
            told.add(place)
            lines.append(f"{subject(scope)} is overridden by {counted(total, 'definition')}:")
            lines += [use_item(each) for each in over[:MAX_ASKED]] + rest(total - len(over[:MAX_ASKED])) + [""]
    bare = [subject(each) for each in scopes if each not in open_ones]
    if bare and not lines:
        lines += [f"{bare.pop(0)}: nothing that inherits from its type overrides it.", ""]
    if bare:
        more = f" and {len(bare) - MAX_BARE:,} more of that name" if len(bare) > MAX_BARE else ""
        lines += [f"Nothing that inherits from their types overrides {', '.join(bare[:MAX_BARE])}{more}.", ""]
    unseen = int(value.get("total") or 0) - len(scopes)
    if unseen > 0:
        lines.append(f"{counted(unseen, 'more definition')} of that name, not looked at for what overrides them;")
        lines += [f"`what overrides CLASS.{scopes[0]['name']}?` asks of one.", ""]
    return trimmed([*lines, *taken_for(value, asked)])


def is_cut(value: Mapping[str, Any]) -> bool:
    """Whether a look at members told of the first of a name alone: what overrides the others must be asked for."""
    scopes = value.get("scopes") or []
    return bool(scopes) and int(value.get("total") or 0) > len(scopes) and all(map(_is_member, scopes))


def _is_last(scope: Mapping[str, Any]) -> bool:
    """Whether a member says that nothing may override it: what does overrides an overload of it."""
    before = rf"\b(?:sealed|final)\b.*\b{re.escape(scope['name'])}\s*[(<]"
    return bool(re.search(before, scope.get("signature") or ""))


def calls_through(scope: Mapping[str, Any], told: Sequence[Mapping[str, Any]]) -> list[str]:
    """Calls of what a member overrides, which may be of it; those of what is ``told`` itself stand there."""
    calls: dict[str, list[Mapping[str, Any]]] = {}
    for each in scope.get("through") or []:
        calls.setdefault(each["calls"], []).append(each)
    lines: list[str] = []
    for above, uses in calls.items():
        if all(above != each["qualified_name"] for each in told):
            lines.append(f"It overrides `{above}`, and calls of that may be of it ({counted(len(uses), 'scope')}):")
            lines += [use_item(each) for each in uses[:MAX_ASKED]] + rest(len(uses) - MAX_ASKED)
    return lines


def overrides(asked: str, found: Sequence[Found]) -> list[str]:
    """The methods of a type that a type directly above it has too; of a method those that it overrides itself."""
    outlines = [
        each.value
        for each in found
        if each.call.tool == "outline" and isinstance(each.value, dict) and each.value.get("kind") == "scope"
    ]
    if not outlines:
        return [nothing(asked)]
    own, bases = outlines[0], outlines[1:]
    scope = own["scope"]
    if not bases:
        return [f"{subject(scope)} inherits from nothing that is defined in this project."]
    method = _chosen(found[:1])
    only = method["name"] if method is not None and _is_member(method) else ""
    answer: list[str] = []
    for base in bases:
        there = {each["name"]: each for each in _direct(base)}
        shared = [
            each
            for each in _direct(own)
            if each["name"] in there and each["type"] in _CALLED and only in ("", each["name"])
        ]
        above = base["scope"]
        if not shared:
            answer += [f"{subject(scope)} overrides {f'no `{only}`' if only else 'no method'} of {subject(above)}.", ""]
            continue
        answer.append(f"{subject(scope)} overrides {counted(len(shared), 'method')} of {subject(above)}:")
        for each in shared[:MAX_ASKED]:
            over, file = there[each["name"]]["line"], each.get("file", own["file"])
            answer.append(f"- `{each['qualified_name']}` - {file}:{each['line']} (there in line {over})")
        answer += [*rest(len(shared) - MAX_ASKED), ""]
    return trimmed(answer)


def inheriting_calls(found: Sequence[Found]) -> tuple[Call, ...]:
    """The outlines of a type, of several with that name the first that inherits, and of what is directly above it; of a
    method first what its type inherits from."""
    chosen = _chosen(found)
    if chosen is None:
        return ()
    if _is_member(chosen):
        owner = chosen["qualified_name"].rpartition(".")[0]
        return (Call("find_callees", (("name", owner), ("file", chosen["file"]))),)
    types = [chosen, *(chosen.get("bases") or [])[:5]]
    return tuple(Call("outline", (("target", f"{each['file']}:{each['qualified_name']}"),)) for each in types)


def _chosen(found: Sequence[Found]) -> Mapping[str, Any] | None:
    """What the last look at bases was at: of several the first that has any."""
    values = [each.value for each in found if each.call.tool == "find_callees" and isinstance(each.value, dict)]
    scopes = values[-1].get("scopes") or [] if values else []
    return next((each for each in scopes if each.get("bases")), scopes[0] if scopes else None)


def _is_member(scope: Mapping[str, Any]) -> bool:
    return scope.get("type") in _CALLED and "." in scope["qualified_name"]


def _direct(outline: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The members of an outline's type itself, once a name."""
    prefix = f"{outline['scope']['qualified_name']}."
    members = {
        each["qualified_name"]: each
        for each in outline.get("scopes") or []
        if each["qualified_name"] == prefix + each["name"]
    }
    return list(members.values())


def _number_below(scope: Mapping[str, Any]) -> int:
    """How many there are, listed or not: of what is used everywhere a result has not all."""
    return max(len(scope.get("subclasses") or ()), int((scope.get("totals") or {}).get("subclasses") or 0))


def _types(scopes: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    """Of one name's definitions only types can have anything above or below them; the first where there are none."""
    return [each for each in scopes if each.get("type") in _TYPES] or scopes[:1]
