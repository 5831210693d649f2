"""Sections of a project's texts that tell how something is run: the heading that says so, and the commands below it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragforge_memory.language.reading.endings import PROSE
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import block
from ragforge_memory.models.text import lines_of

MAX_READ, MAX_SECTIONS = 4, 2
"""Sections that are read, those of the likeliest texts, and of those with commands that are told."""

_MAX_LINES = 60
_MAX_SHOWN = 8

_MARKED = re.compile(r"^\s{0,3}(?P<mark>#{1,6}|={1,5})\s+\S")
_UNDERLINE = re.compile(r"^([=~^\"'`#*+.:_-])\1{2,}\s*$")
_FENCE = re.compile(r"^\s*(`{3,}|~{3,})\s*(?P<info>[\w-]*)")
_SHELLS = frozenset({"", "sh", "bash", "zsh", "shell", "console", "text", "terminal", "shell-session", "powershell"})
_DIRECTIVE = re.compile(r"^(?P<indent>\s*)(?:\.\. (?:code(?:-block)?|prompt|sourcecode)::.*|.*[^:]::)\s*$")
# Beside "Running the tests" a heading "Custom tests" is about something else.
_DOING = re.compile(r"\b(?:run|build|develop|contribut|install|set|start|usage|how|quick)", re.I)
_PROGRAMS = (
    "python3?|pytest|tox|nox|make|just|npm|npx|yarn|pnpm|bun|deno|node|go|cargo|mvnw?|gradlew?|rake|bundle|gem|ruby"
    r"|composer|php|dotnet|cmake|ctest|pip|pipx|uv|poetry|hatch|conda|docker|git|brew|apt(?:-get)?|curl|wget|bash|sh"
    r"|sphinx-\w+|mkdir"
)
_COMMAND = re.compile(rf"^(?:sudo |[A-Z_]+=\S+ )*(?:\./|\.venv|cd |export |source |(?:{_PROGRAMS})\b)")
# What these tell is how the project that is built in them is run.
_OF_OTHERS = re.compile(
    r"(?:^|/)(?:tutorials?|examples?|samples?|demos?|templates?|vendor|third_party|node_modules)/", re.I
)
_PROMPT = re.compile(r"^\s*(?:\$|>|%)\s+(?=\S)")
_SETS_HEADING = r"^\s{0,3}(?:#{1,6}|={1,5})\s.*"
# A heading of reStructuredText is known by the line below it; a sentence is no heading.
_SHORT = r"^(?=(?-i:[A-Z])[^\n.:`|<>{}()=]{0,60}$).*"


@dataclass(frozen=True, slots=True)
class Section:
    """Commands of one section, with its heading and the place of that."""

    heading: str
    file: str
    line: int
    commands: tuple[str, ...]


def heading_call(word: str) -> Call:
    """Looks for headings that have a word, given as a regular expression."""
    pattern = rf"(?:{_SETS_HEADING}|{_SHORT})\b{word}[^\n]*$"
    return Call("grep_code", (("pattern", pattern), ("ignore_case", True), ("limit", 200)))


def section_calls(word: str, found: Sequence[Found], place: Callable[[str], Any]) -> tuple[Call, ...]:
    """Reads the sections with such headings, those of the files that come first by ``place``."""
    return tuple(_read(each) for each in _headings(word, found, place))


def sections(word: str, found: Sequence[Found], place: Callable[[str], Any]) -> list[Section]:
    """What was read: the sections that have commands."""
    told: list[Section] = []
    for heading in _headings(word, found, place):
        value = next((each.value for each in found if each.call.key == _read(heading).key), None)
        lines = lines_of(str(value.get("content") or "")) if isinstance(value, dict) else []
        if lines and (commands := _commands(_below(lines), marked=_MARKED.match(lines[0]) is not None)):
            told.append(Section(_named(heading["text"]), heading["file"], heading["line"], tuple(commands)))
    return told[:MAX_SECTIONS]


def section_lines(told: Sequence[Section]) -> list[str]:
    """Each section's commands as a block of code, below its heading and its place."""
    lines: list[str] = []
    for each in told:
        shown, more = each.commands[:_MAX_SHOWN], len(each.commands) > _MAX_SHOWN
        lines += [f"Under `{each.heading}`, {each.file}:{each.line} has:"]
        lines += [*block(shown), *(["… and more."] if more else []), ""]
    return lines


def is_of_others(file: str) -> bool:
    """Whether a file is of a project that only stands in this one: a tutorial's, an example's."""
    return bool(_OF_OTHERS.search(file))


def _headings(word: str, found: Sequence[Found], place: Callable[[str], Any]) -> list[Mapping[str, Any]]:
    """The headings of texts that have the word, those that say that something is done first."""
    key = heading_call(word).key
    value = next((each.value for each in found if each.call.key == key), None)
    matches = value.get("matches") or [] if isinstance(value, dict) else []
    rest = [
        each
        for each in matches
        if (PROSE.search(each["file"]) or "." not in each["file"].rpartition("/")[2]) and not is_of_others(each["file"])
    ]
    rest.sort(key=lambda each: (not _DOING.search(each["text"]), *place(each["file"]), each["line"]))
    return rest[:MAX_READ]


def _read(heading: Mapping[str, Any]) -> Call:
    first = heading["line"]
    return Call("read_file", (("path", heading["file"]), ("start_line", first), ("end_line", first + _MAX_LINES)))


def _named(text: str) -> str:
    return re.sub(r"^[\s#=]+|[\s#=]+$", "", text)


def _below(lines: Sequence[str]) -> list[str]:
    """A section without its heading, up to the next heading of its rank; nothing where the first line is none."""
    mark, fenced = _MARKED.match(lines[0]), ""
    if mark is None and not (len(lines) > 1 and _UNDERLINE.match(lines[1])):
        return []
    first = 1 if mark else 2
    rank = mark["mark"] if mark else lines[1].strip()[0]
    for at, line in enumerate(lines[first:], first):
        if mark and (fence := _FENCE.match(line)):
            fenced = "" if fenced and line.strip().startswith(fenced) else fenced or fence[1]
        elif not fenced and mark and (other := _MARKED.match(line)) and len(other["mark"]) <= len(rank):
            return list(lines[first:at])
        elif not fenced and not mark and _UNDERLINE.match(line) and line.strip()[0] == rank and lines[at - 1].strip():
            return list(lines[first : at - 1])
    return list(lines[first:])


def _commands(lines: Sequence[str], *, marked: bool) -> list[str]:
    """The lines of the blocks of code in a section that a shell runs; ``marked``: it is a text with fences."""
    blocks: list[list[str]] = [[]]
    fenced, shell, indent = "", False, -1
    for line in lines:
        if marked and (fence := _FENCE.match(line)):
            if fenced:
                fenced = "" if line.strip().startswith(fenced) else fenced
            else:
                fenced, shell, indent = fence[1], fence["info"].lower() in _SHELLS, -1
            blocks.append([])
            continue
        directive = _DIRECTIVE.match(line)
        depth = len(line) - len(line.lstrip())
        if not fenced and directive:
            indent = len(directive["indent"])
            blocks.append([])
        elif not fenced and line.strip() and depth <= indent:
            indent = -1
            blocks.append([])
        inside = (bool(fenced) and shell) or (not fenced and ((indent >= 0 and not directive) or _is_prompt(line)))
        if inside and line.strip() and not re.match(r"^\s*:[\w-]+:", line):
            blocks[-1].append(line)
    kept: list[str] = []
    for each in blocks:
        # Beside what is typed behind a prompt stands what is printed.
        typed = [line for line in each if _PROMPT.match(line)] or each
        kept += [_PROMPT.sub("", line).strip() for line in typed]
    return kept if any(map(_COMMAND.match, kept)) else []


def _is_prompt(line: str) -> bool:
    return bool(re.match(r"^(?:\s{2,}|\t)\$\s+\S|^\$\s+\S", line))
