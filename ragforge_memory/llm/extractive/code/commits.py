"""The answer to what a commit changes, or what is not committed yet."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.llm.extractive.quoting.pieces import (
    MAX_ASKED,
    MAX_LISTED,
    NOT_LOOKED_UP,
    code_span,
    rest,
)
from ragforge_memory.llm.extractive.said.echoes import WHAT_WAS_SAID
from ragforge_memory.llm.extractive.said.sayings import quoted_message
from ragforge_memory.models.text import counted


def committed(value: Mapping[str, Any]) -> list[str]:
    """The definitions that it changes by file, the files beside them, and what was decided about them."""
    if "before" not in value:
        return [f"{NOT_LOOKED_UP}: no list of changes was given."]
    scopes: Sequence[Mapping[str, Any]] = value.get("scopes") or []
    outside: Sequence[str] = value.get("outside") or []
    totals = value.get("totals") or {}
    number = counted(int(totals.get("scopes") or 0), "definition") if scopes else "no definition"
    lines = [f"{_what(value)} changes {number}{':' if scopes else '.'}"]
    for each in scopes[:MAX_ASKED]:
        file, _, name = (each.get("moved_to") or "").rpartition(" ")
        change = f"{each['change']} to {file} as `{name}`" if name else each["change"]
        lines.append(f"- `{each['qualified_name']}` - {each['file']} ({each['type']}, {change})")
    lines += rest(int(totals.get("scopes") or 0) - len(scopes[:MAX_ASKED]))
    if outside:
        lines.append("Files that it changes outside of definitions:" if scopes else "Files that it changes:")
        lines += [f"- {each}" for each in outside[:MAX_LISTED]]
        lines += rest(int(totals.get("outside") or 0) - len(outside[:MAX_LISTED]))
    decisions = value.get("decisions") or []
    if decisions:
        names = dict.fromkeys(f"`{code['name']}`" for each in decisions for code in each["code"])
        lines += ["", f"{WHAT_WAS_SAID} {', '.join(names)}:"]
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
