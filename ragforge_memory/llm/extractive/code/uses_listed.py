"""Answers that list uses: what calls a definition, and what it calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from ragforge_memory.language.reading.question import Question
from ragforge_memory.llm.extractive.code.inheritance import calls_through
from ragforge_memory.llm.extractive.quoting.pieces import (
    MAX_ASKED,
    MAX_LISTED,
    item,
    left_out,
    more_of_that_name,
    nothing,
    rest,
    subject,
    taken_for,
    trimmed,
    use_item,
)
from ragforge_memory.models.text import counted
from ragforge_memory.text.names import KINDS, is_aside

_MAX_BESIDE = 10
"""Calls that may be of something else that are listed beside those that are not."""


def callers(question: Question, asked: str, value: Mapping[str, Any]) -> list[str]:
    """What calls, or uses, each definition of a name, as `find_callers` gave it."""
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    lines: list[str] = []
    silent: list[str] = []
    overloads: list[str] = []
    called: list[Mapping[str, Any]] = []
    for number, scope in enumerate(scopes):
        asked_for: tuple[str, ...] = ("callers",)
        uses = list(scope.get("callers") or [])
        if question.form == "uses":
            asked_for = ("callers", "decorates", "references", "subclasses")
            uses = _by_scope(*(scope.get(key) or [] for key in asked_for))
            uses.sort(key=lambda each: (is_aside(each), each["file"], each["lines"]))
        total = len(uses) + sum(left_out(scope, key) for key in asked_for)
        through = calls_through(scope, scopes)
        told = uses or through or any(scope.get(key) for key in ("top_level", "decorates", "references"))
        meant = number == 0 and question.target.sort in KINDS
        if told or meant or len(scopes) == 1:
            verb = "used" if question.form == "uses" else "called"
            lines += [*_one_target(scope, uses, total, verb), *through, ""]
            called.append(scope)
        elif any(same_definition(scope, each) for each in called):
            overloads.append(subject(scope))
        else:
            silent.append(subject(scope))
    if overloads:
        lines += [f"Overloads are not told apart: the calls above may be of {_some(overloads)} too.", ""]
    if silent:
        lines += [f"{silent[0]}: no calls of it were found in this project."] if not lines else []
        others = silent if len(lines) > 1 else silent[1:]
        lines += [f"No calls found of {_some(others)}.", ""] if others else [""]
    few = len(question.target.parts) > 1 and any(scope.get("callers") or scope.get("top_level") for scope in scopes)
    lines += _possible(scopes, few=few)
    lines += taken_for(value, asked)
    lines += more_of_that_name(int(value.get("total") or 0) - len(scopes))
    return trimmed(lines)


def _some(subjects: Sequence[str]) -> str:
    return ", ".join(subjects[:5]) + (f" and {len(subjects) - 5} others" if len(subjects) > 5 else "")


def _by_scope(*uses: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Each scope once, with all its lines: one may call a thing here and name it there."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for each in chain(*uses):
        key = (each["file"], each["qualified_name"])
        lines = {*found.get(key, each)["lines"], *each["lines"]}
        found[key] = {**found.get(key, each), "lines": sorted(lines)}
    return list(found.values())


def _one_target(scope: Mapping[str, Any], uses: Sequence[Mapping[str, Any]], total: int, verb: str) -> list[str]:
    top = scope.get("top_level") or []
    lines = []
    if uses:
        lines.append(f"{subject(scope)} is {verb} by {counted(total, 'scope')}:")
        lines += [use_item(each) for each in uses[:MAX_ASKED]]
        lines += rest(total - len(uses[:MAX_ASKED]))
    elif top:
        lines.append(f"{subject(scope)} is {verb} outside of functions only.")
    elif scope.get("possible") or scope.get("through"):
        lines.append(f"{subject(scope)}: no call is certain to be of it.")
    else:
        lines.append(f"{subject(scope)}: no calls of it were found in this project.")
    if top:
        lines.append("Outside of functions:")
        outside = len(top) + left_out(scope, "top_level")
        lines += [_outside(each) for each in top[:MAX_ASKED]] + rest(outside - len(top[:MAX_ASKED]))
    if verb == "called":
        lines += _named("It decorates", scope, "decorates")
        lines += _named("It is named without a call in", scope, "references")
    return lines


def _outside(use: Mapping[str, Any]) -> str:
    inside = f" (`{use['qualified_name']}`)" if use.get("qualified_name") else ""
    return f"- {use['file']}:{', '.join(map(str, use['lines']))}{inside}"


def _named(what: str, scope: Mapping[str, Any], key: str) -> list[str]:
    uses = scope.get(key) or []
    if not uses:
        return []
    names = list(
        dict.fromkeys(f"`{each['qualified_name']}`" if each["qualified_name"] else each["file"] for each in uses)
    )
    number = len(names) + left_out(scope, key)
    more = f" and {number - len(names[:10])} others" if number > 10 else ""
    return [f"{what} {', '.join(names[:10])}{more}."]


def _possible(scopes: Sequence[Mapping[str, Any]], *, few: bool) -> list[str]:
    """Calls that may mean any of several definitions: the same for each of them, so said once.

    ``few``: of many their number alone, since it was asked for the calls of one owner's, and there are some.
    """
    possible: dict[tuple[str, str], Mapping[str, Any]] = {}
    for scope in scopes:
        for each in scope.get("possible") or []:
            possible.setdefault((each["file"], each["qualified_name"]), each)
    if not possible:
        return []
    name = scopes[0]["name"]
    total = max(len(possible), *(int((scope.get("totals") or {}).get("possible") or 0) for scope in scopes))
    if few and total > _MAX_BESIDE:
        unknown = f"{counted(total, 'scope')} more call some `{name}` on something whose type is not known"
        return [f"{unknown}; `who calls {name}?` lists them.", ""]
    listed = list(possible.values())[:MAX_ASKED]
    return [
        f"Calls of some `{name}` on something whose type is not known:",
        *(use_item(each) if each.get("qualified_name") else _outside(each) for each in listed),
        *rest(total - len(listed)),
        "",
    ]


def callees(asked: str, value: Mapping[str, Any]) -> list[str]:
    """What each definition of a name calls, as `find_callees` gave it."""
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    lines: list[str] = []
    for scope in scopes[:5]:
        callees = scope.get("callees") or []
        others = scope.get("other_calls") or []
        if callees:
            total = len(callees) + left_out(scope, "callees")
            lines.append(f"{subject(scope)} uses {counted(total, 'definition')} of this project:")
            for each in callees[:MAX_ASKED]:
                lines.append(f"{item(each)} in line {', '.join(map(str, each['lines']))}")
            lines += rest(total - len(callees[:MAX_ASKED]))
        else:
            lines.append(f"{subject(scope)} calls nothing that is known to be defined in this project.")
        if others:
            listed = [f"`{each['name']}`" for each in others[: 2 * MAX_LISTED]]
            number = len(others) + left_out(scope, "other_calls") - len(listed)
            more = f" and {number} others" if number > 0 else ""
            lines.append(f"Other calls as written: {', '.join(listed)}{more}.")
        lines.append("")
    lines += taken_for(value, asked)
    lines += [item(each) for each in scopes[5:]]
    return trimmed(lines)


def same_definition(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether both are overloads of one."""
    return (one["file"], one["qualified_name"]) == (other["file"], other["qualified_name"])
