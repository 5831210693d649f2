"""The answer to what a commit changes, what is not committed yet, and what has changed of something."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.said.openings import NOT_LOOKED_UP, WHAT_WAS_SAID
from ragforge_memory.llm.extractive.quoting.pieces import MAX_ASKED, MAX_LISTED, code_span, nothing, rest, taken_for
from ragforge_memory.llm.extractive.said.sayings import quoted_message
from ragforge_memory.models.text import counted


def committed(value: Mapping[str, Any]) -> list[str]:
    """The definitions that it changes by file, the files beside them, and what was decided about them."""
    if "before" not in value:
        return [f"{NOT_LOOKED_UP}: no list of changes was given."]
    scopes = value.get("scopes") or []
    lines = [f"{_what(value)} changes {_number(value)}{':' if scopes else '.'}", *_listed(value)]
    lines += _outside("Files that it changes outside of definitions:" if scopes else "Files that it changes:", value)
    return lines + _decided(value)


def changed_of(asked: str, value: Mapping[str, Any]) -> list[str]:
    """What has changed of a definition, a file or a folder, as `code_changes` has it."""
    if not value.get("known"):
        return [nothing(asked)]
    what = _what(value)
    about = code_span(value.get("path") or asked)
    lines = [f"Of {about}, {what[0].lower()}{what[1:]} changes {_number(value)}{':' if value['scopes'] else '.'}"]
    lines += [*_listed(value), *_outside("Changed outside of definitions:", value)]
    note = taken_for({"match": value["match"], "scopes": value.get("meant") or []}, asked)
    return [*lines, *_decided(value), *(["", *note] if note else [])]


def _number(value: Mapping[str, Any]) -> str:
    number = int((value.get("totals") or {}).get("scopes") or 0)
    return counted(number, "definition") if number else "no definition"


def _listed(value: Mapping[str, Any]) -> list[str]:
    lines = []
    scopes: Sequence[Mapping[str, Any]] = value.get("scopes") or []
    for each in scopes[:MAX_ASKED]:
        file, _, name = (each.get("moved_to") or "").rpartition(" ")
        change = f"{each['change']} to {file} as `{name}`" if name else each["change"]
        lines.append(f"- `{each['qualified_name']}` - {each['file']} ({each['type']}, {change})")
    return lines + rest(int((value.get("totals") or {}).get("scopes") or 0) - len(scopes[:MAX_ASKED]))


def _outside(head: str, value: Mapping[str, Any]) -> list[str]:
    files: Sequence[str] = value.get("outside") or []
    if not files:
        return []
    shown = files[:MAX_LISTED]
    more = rest(int((value.get("totals") or {}).get("outside") or 0) - len(shown))
    return [head, *(f"- {each}" for each in shown), *more]


def _decided(value: Mapping[str, Any]) -> list[str]:
    decisions = value.get("decisions") or []
    if not decisions:
        return []
    names = dict.fromkeys(f"`{code['name']}`" for each in decisions for code in each["code"])
    lines = ["", f"{WHAT_WAS_SAID} {', '.join(names)}:"]
    for each in decisions:
        lines += quoted_message(each, ())
    return lines


def _what(value: Mapping[str, Any]) -> str:
    after = value.get("after")
    if after is None:
        return f"What is not committed (since {code_span(value['before'])})"
    if re.search(r"\.\.", value.get("revision") or ""):
        return f"What lies between {code_span(value['before'])} and {code_span(after)}"
    about = ", ".join(each for each in (value.get("date"), f'"{value.get("subject")}"') if each)
    return f"Commit {code_span(after)} ({about})"
