"""Answers about code that is deprecated, and about code that nothing calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.targets import Target
from ragforge_memory.language.said.openings import NOT_LOOKED_UP, NOTHING_FOUND
from ragforge_memory.llm.extractive.code.members import texts_last
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import (
    MAX_LISTED,
    head,
    item,
    nothing,
    quotation,
    rest,
    taken_for,
    text_line,
)
from ragforge_memory.models.text import counted

MAX_UNUSED = 100
"""Definitions that nothing names which are listed."""

_SAYS_SO = re.compile(r"deprecat|obsolete", re.I)


def deprecation_call(target: Target) -> Call:
    """Looks for lines that say that something is deprecated; of a name those that have it too."""
    named = rf"(?=.*\b{re.escape(target.member)}\b)" if target.member else ""
    pattern = rf"^{named}(?=.*(?:deprecat|@obsolete|\[obsolete))"
    path = (("path", target.text),) if target.kind == "file" else ()
    return Call("grep_code", (("pattern", pattern), *path, ("ignore_case", True), ("limit", 200)))


def deprecated(asked: str, target: Target, found: Sequence[Found]) -> list[str]:
    """The lines that say that something is deprecated: its own, else others that name it; else that none does."""
    values = {each.call.tool: each.value for each in reversed(found) if isinstance(each.value, dict)}
    grep: Mapping[str, Any] = values.get("grep_code", {})
    lines = texts_last(grep.get("matches") or [])
    if target.kind != "name":
        if not lines:
            return [f"{NOTHING_FOUND}: no line of it says that something is deprecated."]
        number = f"{'more than ' if grep.get('more') else ''}{counted(len(lines), 'line')}"
        return [f"{number} speak of what is deprecated:", *_listed(lines, MAX_LISTED * 2)]
    value: Mapping[str, Any] = values.get("read_scope", {})
    best = next(iter(value.get("scopes") or []), None)
    if best is None or value.get("match") in ("typo", "partial"):
        return _elsewhere(asked, lines) or [nothing(asked)]
    own = [
        {"file": best["file"], "line": number, "text": text}
        for number, text in enumerate(str(best.get("source") or "").split("\n"), best["start_line"])
        if _SAYS_SO.search(text)
    ]
    said = [line.strip() for line in str(best.get("docstring") or "").splitlines() if _SAYS_SO.search(line)]
    answer = [head(best)]
    if own:
        answer += ["These lines of it speak of that:", *_listed(own, MAX_LISTED)]
    elif said:
        answer += ["Its documentation speaks of that:", *quotation(said)]
    else:
        answer.append("Nothing in it says that it is deprecated.")
        answer += _elsewhere(asked, [each for each in lines if each["file"] != best["file"]])
    note = taken_for(value, asked)
    return [*answer, "", *note] if note else answer


def unused(value: Mapping[str, Any]) -> list[str]:
    """The definitions that nothing in the code names, as `find_unused` gave them."""
    if not value:
        return []
    if value.get("late"):
        return ["There was no time to read all files, so that I cannot tell; `is NAME used?` tells it of one."]
    what = ("class", "classes") if value.get("kind") == "class" else ("function or method", "functions and methods")
    scopes = value.get("scopes")
    if scopes is None:
        return [f"{NOT_LOOKED_UP}: no list of what nothing names was given."]
    if not scopes:
        return [f"{NOTHING_FOUND}: the name of each {what[0]} stands somewhere else than where it is defined, too."]
    return [
        f"The names of {counted(value['total'], *what)} stand nowhere in the code but where they are defined:",
        *(f"{item(each)}{', decorated' if each.get('decorated') else ''}" for each in scopes[:MAX_UNUSED]),
        *rest(int(value["total"]) - len(scopes[:MAX_UNUSED])),
        "Nothing here calls them by name; other projects, a framework, or a name that is put together may.",
        *(f"I could not read `{file}`, which may name some of them." for file in value.get("unread") or ()),
    ]


def untested(value: Mapping[str, Any]) -> list[str]:
    """The definitions that no test names, as `find_untested` gave them."""
    if not value:
        return []
    if value.get("late"):
        return ["There was no time to read all tests, so that I cannot tell; `is NAME tested?` tells it of one."]
    what = ("class", "classes") if value.get("kind") == "class" else ("function or method", "functions and methods")
    scopes = value.get("scopes")
    if scopes is None:
        return [f"{NOT_LOOKED_UP}: no list of what no test names was given."]
    if not value["tests"]:
        return [f"{NOTHING_FOUND} that is a test in this project."]
    caveat = "That goes by names alone and is no measure of coverage: tests may run a thing through others."
    unread = [f"I could not read `{file}`, which may name some of them." for file in value.get("unread") or ()]
    if not scopes:
        return [f"{NOTHING_FOUND}: the name of each {what[0]} stands in some test. {caveat}", *unread]
    return [
        f"The names of {counted(value['total'], *what)} stand in no test:",
        *map(item, scopes[:MAX_UNUSED]),
        *rest(int(value["total"]) - len(scopes[:MAX_UNUSED])),
        caveat,
        *unread,
    ]


def _elsewhere(asked: str, lines: Sequence[Mapping[str, Any]]) -> list[str]:
    return (
        [f"These lines name `{asked}` and speak of what is deprecated:", *_listed(lines, MAX_LISTED)] if lines else []
    )


def _listed(lines: Sequence[Mapping[str, Any]], most: int) -> list[str]:
    return [*(f"- {text_line(each)}" for each in lines[:most]), *rest(len(lines) - most)]
