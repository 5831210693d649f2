"""The pieces of an answer: a definition with its place, a list of uses, a quotation."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.quoting.docstrings import readable
from ragforge_memory.models.text import counted, lines_of
from ragforge_memory.models.times import local
from ragforge_memory.text.names import declared_with

MAX_LISTED = 25
"""Items of a list beside the answer; what is left is counted."""

MAX_ASKED = 500
"""Items of a list that was asked for: half of it is a wrong answer."""

MAX_SAID = 100
"""Messages that a search for all that was decided brings at most."""

DOCUMENTATION_LINES = 14
SUMMARY_LINES = 2
SOURCE_LINES = 60
# So many lines more are shown rather than told of.
_FEW_LINES = 3
MAX_DECORATORS = 12
"""Lines of decorators that are shown with the code; tables of test parameters are longer."""

_HEADING = re.compile(r"^\*\*[^*]+\*\*$")
_FENCE = re.compile(r"^\s*(?P<mark>`{3,}|~{3,})(?P<info>.*)$")
_MARKUP = {"python": "python", "javascript": "js", "typescript": "ts", "tsx": "tsx", "csharp": "csharp"}


def place(scope: Mapping[str, Any]) -> str:
    """``path:line`` of a definition."""
    return f"{scope['file']}:{scope['line']}"


def head(scope: Mapping[str, Any]) -> str:
    """The line that says what and where: ```name` - path:line (method, lines 10-20)``."""
    return f"`{scope['qualified_name']}` - {place(scope)} ({_about(scope)})"


def subject(scope: Mapping[str, Any]) -> str:
    """The definition that a list is about, with its place in words, so that the list's places stand alone."""
    return f"`{scope['qualified_name']}` ({scope['file']}, line {scope['line']})"


def item(scope: Mapping[str, Any]) -> str:
    """A definition as an item of a list."""
    return f"- `{scope['qualified_name']}` - {place(scope)} ({scope['type']})"


def use_item(use: Mapping[str, Any]) -> str:
    """A scope that uses something, with the lines where it does."""
    lines = ", ".join(str(line) for line in use["lines"])
    return f"- `{use['qualified_name']}` - {use['file']}:{lines}"


def text_line(line: Mapping[str, Any]) -> str:
    """A line that `grep_code` gave, with its place; of a long one the beginning."""
    return f"{line['file']}:{line['line']} {code_span(line['text'].strip()[:160])}"


def code_span(text: str) -> str:
    """A piece of code in a line of prose, between more backticks than any that are inside."""
    ticks = "`" * (1 + max(map(len, re.findall("`+", text)), default=0))
    space = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{ticks}{space}{text}{space}{ticks}"


def signature(scope: Mapping[str, Any]) -> list[str]:
    """The signature as a quotation; nothing where there is none."""
    return [f"> {code_span(scope['signature'])}"] if scope.get("signature") else []


def declared(scope: Mapping[str, Any], modifier: str) -> str:
    """The sentence that says whether a definition's signature has a word before the name: ``async``."""
    says = modifier in declared_with(str(scope.get("signature") or ""), str(scope["name"]))
    return f"Its signature {'says' if says else 'does not say'} `{modifier}`."


def documentation(scope: Mapping[str, Any]) -> list[str]:
    """The documentation as a quotation; cut, at a paragraph's end if one is near, its last line ends with ``…``."""
    lines = readable(str(scope.get("docstring") or ""), str(scope.get("file") or ""))
    if len(lines) <= DOCUMENTATION_LINES:
        return quotation(lines)
    shown = lines[:DOCUMENTATION_LINES]
    border = max((at for at, line in enumerate(lines[: DOCUMENTATION_LINES + 1]) if not line), default=0)
    if border > DOCUMENTATION_LINES // 2:
        shown = lines[:border]
    while len(shown) > 1 and (not shown[-1] or shown[-1].endswith(":") or _HEADING.match(shown[-1])):
        shown.pop()  # what only leads to something that is left out
    return quotation([*shown, opened[1], "…"] if (opened := open_block(shown)) else continued(shown))


def summary(scope: Mapping[str, Any]) -> list[str]:
    """The first paragraph of the documentation as a quotation, at most `SUMMARY_LINES` of it."""
    lines = readable(str(scope.get("docstring") or ""), str(scope.get("file") or ""))
    paragraph = lines[: lines.index("")] if "" in lines else lines
    shown = paragraph[:SUMMARY_LINES]
    # What ends with a colon leads to what is left out.
    more = len(paragraph) > SUMMARY_LINES or (len(lines) > len(paragraph) and shown[-1].endswith(":"))
    return quotation(continued(shown) if more else shown)


def continued(lines: list[str]) -> list[str]:
    """Lines with a mark behind them that says that there is more; the end of a block of code can have none."""
    if _FENCE.match(lines[-1]):
        return [*lines, "…"]
    return [*lines[:-1], f"{lines[-1].removesuffix(' …')} …"]


def open_block(lines: Iterable[str]) -> tuple[int, str] | None:
    """Where a block of code begins that none of the lines ends, and what ends it."""
    opened: tuple[int, str] | None = None
    for at, line in enumerate(lines):
        fence = _FENCE.match(line)
        if fence is None:
            continue
        mark, info = fence["mark"], fence["info"].strip()
        if opened is None:
            opened = (at, mark) if "`" not in info else None
        elif not info and mark.startswith(opened[1]):
            opened = None
    return opened


def quotation(lines: Iterable[str]) -> list[str]:
    """Lines as a quotation in Markdown."""
    return [f"> {line}".rstrip() for line in lines]


def minute(time: str) -> str:
    """A time (ISO) as the clock here showed it."""
    return f"{local(datetime.fromisoformat(time)):%Y-%m-%d %H:%M}"


def source(scope: Mapping[str, Any], limit: int = SOURCE_LINES) -> list[str]:
    """The source as a block of code; says what is left out, of which there are more than a few lines. Decorators of
    many lines are."""
    lines = lines_of(str(scope.get("source") or ""))
    if not lines:
        return []
    before = scope["line"] - scope["start_line"]
    skipped = before if before > MAX_DECORATORS else 0
    few = len(lines) <= skipped + limit + _FEW_LINES
    shown = lines[skipped:] if few else lines[skipped : skipped + limit]
    first = scope["start_line"] + skipped
    last = first + len(shown) - 1
    notes = []
    if skipped:
        notes.append(f"Its decorators, lines {scope['start_line']}-{first - 1}, are left out.")
    if last < scope["end_line"]:
        notes.append(f"… {counted(scope['end_line'] - last, 'more line')}, up to line {scope['end_line']}.")
    language = str(scope.get("language") or "")
    return [*block(shown, _MARKUP.get(language, language)), *notes]


def block(lines: Iterable[str], language: str = "") -> list[str]:
    """Lines as a fenced block; the fence is longer than any inside."""
    kept = list(lines)
    fence = "```"
    while any(fence in line for line in kept):
        fence += "`"
    return [f"{fence}{language}", *kept, fence]


def rest(number: int, what: str = "more") -> list[str]:
    """What is left out of a list; nothing where nothing is."""
    return [f"… and {number} {what}."] if number > 0 else []


def more_of_that_name(number: int) -> list[str]:
    """How many definitions of a name are left out."""
    return rest(number, f"more {'definition' if number == 1 else 'definitions'} of that name")


def left_out(scope: Mapping[str, Any], key: str) -> int:
    """How many of one of its lists a result has no room for; its ``totals`` count them all."""
    return max(0, int((scope.get("totals") or {}).get(key) or 0) - len(scope.get(key) or ()))


def trimmed(lines: list[str]) -> list[str]:
    """Without empty lines at the end."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    return lines


def nothing(asked: str) -> str:
    """The sentence for what is not there."""
    return f"{NOTHING_FOUND} for `{asked}` in this project."


def taken_for(value: Mapping[str, Any], asked: str) -> list[str]:
    """What to say about a name that was not taken literally."""
    scopes = value.get("scopes") or []
    names = list(dict.fromkeys(f"`{scope['qualified_name']}`" for scope in scopes))
    match value.get("match"):
        case "typo":
            closest = "that is the closest name" if len(names) == 1 else "those are the closest names"
            return [f"Did you mean {_either(names)}? Nothing is called `{asked}`; {closest}."]
        case "spelling":
            return [f"It is spelled {_either(names)}."]
        case "partial":
            return [f"Nothing is called exactly `{asked}`; {_either(names)} contains it."]
        case "moved":
            return [f"{_then(value['was'])} It is `{scopes[0]['qualified_name']}` in {scopes[0]['file']} now."]
        case "inherited":
            return [f"`{asked}` is not defined there itself: it comes from `{scopes[0]['qualified_name']}`."]
        case _:
            return []


def spelled_otherwise(value: Mapping[str, Any], asked: str) -> list[str]:
    """As `taken_for`, beside lines that have a name in its very letters."""
    if value.get("match") != "spelling":
        return taken_for(value, asked)
    names = dict.fromkeys(f"`{scope['qualified_name']}`" for scope in value.get("scopes") or [])
    return [f"Nothing is defined as `{asked}` in these letters; in others {_either(list(names))} is."]


def without_mark(asked: str, said: str, values: Iterable[Mapping[str, Any]]) -> list[str]:
    """What to say last where the mark at a name's end (Ruby's `save!`) is no part of what it was taken for."""
    best = next((each["scopes"][0] for each in values if each.get("match") == "exact" and each.get("scopes")), None)
    # At the end of a sentence the mark may be the sentence's; that of a macro is no part of its name.
    if best is None or best["type"] == "macro" or not re.search(rf"{re.escape(asked)}(?:\?|\s+\w)", said):
        return []
    name = str(best["qualified_name"]).rpartition(".")[2]
    marked = asked[-1:] in ("!", "?") and not name.endswith(asked[-1])
    return ["", f"Nothing is called `{asked}`, with its mark; this is `{name}`."] if marked else []


def gone(values: Iterable[Mapping[str, Any]]) -> list[str]:
    """What to say first of code that was spoken of and is not there any more."""
    lost = next((each["was"] for each in values if each.get("was", {}).get("status") == "orphaned"), None)
    if lost is None:
        return []
    perhaps = f" Perhaps it is {_either([f'`{each}`' for each in lost['candidates']])}." if lost["candidates"] else ""
    return [f"{_then(lost)} It is gone since.{perhaps}", ""]


def _then(was: Mapping[str, Any]) -> str:
    commit = f", commit {was['commit'][:8]}" if was["commit"] else ""
    return f"When it was spoken of, `{was['qualified_name']}` was in {was['file']}:{was['line']}{commit}."


def _either(names: list[str]) -> str:
    return (
        names[0]
        if len(names) == 1
        else ", ".join(names[:-1][:4]) + " or " + names[-1]
        if len(names) <= 5
        else (", ".join(names[:4]) + " or another")
    )


def _about(scope: Mapping[str, Any]) -> str:
    start, end, line = scope["start_line"], scope["end_line"], scope["line"]
    if start == end:
        return f"{scope['type']}, line {start}" if start != line else str(scope["type"])
    decorated = ", decorators included" if start < line else ""
    return f"{scope['type']}, lines {start}-{end}{decorated}"
