"""By what commands a project is built, tested or run: lines of its texts and settings that have such commands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.endings import MADE, PROSE, TEXT
from ragforge_memory.language.reading.wording import beginning, content_words
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.sections import (
    heading_call,
    is_of_others,
    section_calls,
    section_lines,
    sections,
)
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import rest, text_line, trimmed

MAX_COMMANDS = 12
"""Lines that are listed."""

_PROGRAM = (
    r"(?:^|[\s\"'`$>:;&(])(?:\./)?(?:pytest|tox|nox|make|just|npm|npx|yarn|pnpm|bun|deno|go|cargo|mvnw?|gradlew?|rake"
    r"|bundle|composer|dotnet|cmake|ctest|pip|pipx|uv|poetry|hatch|python3?|ruby|php|docker)\b"
)
# A target of a Makefile, a script of package.json.
_SCRIPT = r"^\s*\"?(?:[\w-]+:)?{word}[\w:-]*\"?\s*:(?!:)"
# How a file begins that a build is described in, and its wrapper's script.
_BUILD_FILE = (
    r"<project[\s>]|^\s*(?:plugins|dependencies|android)\s*\{|^apply plugin|^\[(?:package|workspace)\]|^module\s+\S"
    r"|<Project\b|^// swift-tools-version|^\s*use Mix\.Project|\bGRADLE_OPTS\b|\bMAVEN_OPTS\b"
    r"|^\[(?:tool[.:])?(?:tox|pytest)\b|^import nox\b"
)
_MAVEN = {"test": "test", "build": "package", "compile": "compile", "package": "package", "install": "install"}
_GRADLE = {"test": "test", "build": "build", "compile": "assemble", "run": "run", "start": "run"}
_CARGO = {
    "test": "test",
    "build": "build",
    "compile": "build",
    "run": "run",
    "start": "run",
    "install": "install --path .",
}
_GO = {
    "test": "test ./...",
    "build": "build ./...",
    "compile": "build ./...",
    "run": "run .",
    "install": "install ./...",
}
_PLAIN = {"test": "test", "build": "build", "compile": "build", "run": "run", "start": "run"}
_USUAL: tuple[tuple[str, tuple[str, Mapping[str, str]]], ...] = (
    (r"pom\.xml", ("mvn", _MAVEN)),
    (r"build\.gradle(?:\.kts)?", ("gradle", _GRADLE)),
    (r"Cargo\.toml", ("cargo", _CARGO)),
    (r"go\.mod", ("go", _GO)),
    (r"[\w.-]+\.(?:csproj|fsproj)", ("dotnet", _PLAIN)),
    (r"Package\.swift", ("swift", _PLAIN)),
    (r"mix\.exs", ("mix", {"test": "test", "build": "compile", "compile": "compile", "run": "run"})),
    (r"noxfile\.py", ("nox", {"test": ""})),
    (r"tox\.(?:ini|toml)", ("tox", {"test": ""})),
)
# What Python's own files of settings have of the programs that run tests.
_RUNS_TESTS = re.compile(r"^\[(?:tool[.:])?(?P<tool>tox|pytest)\b")
_COMMANDS_IN = re.compile(r"(?:^|/)(?:Makefile|[Jj]ustfile|Dockerfile|Rakefile|[\w.-]+\.sh)$")
_NAMES_COMMANDS = re.compile(r"(?:^|/)(?:Makefile|[Jj]ustfile|package\.json)$")
# An item of a list, alone in its line, perhaps with a version: `"pytest>=8",`.
_REQUIREMENT = re.compile(r"(?:- *)?[\"'][\w.-]+(?:\[[\w, -]*\])? *(?:[<>=~!^;@].*)?[\"'],?$")
_REQUIRED = re.compile(r"requirements[\w.-]*\.(?:txt|in)$", re.I)
# What only says what something is, or is for.
_SAYS = re.compile(r"#|[\"']?(?:description|summary|name|title)\b[\"']? *[=:]")
_TOLD = re.compile(r"\.(?:mdx?|rst|adoc)$", re.I)
# Where people write for people comes before what machines run.
_ORDER = ("contributing", "readme", "makefile", "justfile", "package.json", "pyproject.toml", "tox.ini", "docs/")
# What every such question has says little of what is run.
_ANY = ("run", "execute", "start", "launch", "set", "suite", "unit", "integration", "everything")


def command_calls(asked: str) -> tuple[Call, ...]:
    """Looks for lines with a command that has to do with what is asked for, for files that a build is described in, and
    for headings."""
    word = re.escape(_subject(asked))
    # Some programs that run tests have them in their names.
    named = rf"\b(?:(?:py|vi|c)?{word})" if word == "test" else rf"\b{word}"
    pattern = rf"(?=[^\n]*{named}){_PROGRAM}|{_SCRIPT.format(word=word)}"
    return (
        Call("grep_code", (("pattern", pattern), ("limit", 200))),
        Call("grep_code", (("pattern", _BUILD_FILE), ("limit", 200))),
        heading_call(_heading(asked)),
    )


def command_sections(asked: str, found: Sequence[Found]) -> tuple[Call, ...]:
    """Reads what the headings head."""
    return section_calls(_heading(asked), found, _place)


def commands(asked: str, found: Sequence[Found]) -> list[str]:
    """The commands of sections on it, then lines of texts and settings that `grep_code` gave; that there are none, and
    no code in their place."""
    value: Mapping[str, Any] = next((each.value for each in found if isinstance(each.value, dict)), {})
    lines = [each for each in value.get("matches") or [] if _tells(each["file"], each["text"])]
    word = _subject(asked)
    told = sections(_heading(asked), found, _place)
    shown = {command for each in told for command in each.commands}
    lines = [each for each in lines if not any(command in each["text"] for command in shown)]
    usual = _usual(word, found)
    if not lines and not told:
        none = f"no text and no settings of this project have a command with `{word}`"
        return [f"{none[0].upper()}{none[1:]}, but {usual}"] if usual else [f"{NOTHING_FOUND}: {none}."]
    lines.sort(key=lambda each: (is_of_others(each["file"]), *_place(each["file"])))
    answer = section_lines(told)
    if lines:
        also = "These" if told else "How is not for me to say, but these"
        answer.append(f"{also} lines of texts and settings have a command with `{word}`{' too' if told else ''}:")
        answer += [*(f"- {text_line(each)}" for each in lines[:MAX_COMMANDS]), *rest(len(lines) - MAX_COMMANDS)]
    if usual and not told and not any(_is_told(each["file"]) for each in lines):
        answer += ["", f"{usual[0].upper()}{usual[1:]}"]
    return trimmed(answer)


def _usual(word: str, found: Sequence[Found]) -> str:
    """What is usual for the outermost file that a build is described in; nothing where there is none."""
    second = found[1].value if len(found) > 1 else None
    matches = (second or {}).get("matches") or []
    files = {str(each["file"]) for each in matches}
    for file in sorted(files, key=lambda each: (each.count("/"), each)):
        tool, by_word = next((usual for name, usual in _USUAL if re.search(rf"(?:^|/){name}$", file)), ("", {}))
        command = next((command for verb, command in by_word.items() if verb.startswith(word)), None)
        if command is not None:
            wrapper = next((each for each in files if each == f"{tool}w"), None)
            whole = f"./{wrapper} {command}" if wrapper else f"{tool} {command}".strip()
            return f"there is `{file}`; with such a file it is usually `{whole}`."
    own = [each for each in matches if "/" not in each["file"]] if word == "test" else []
    for tool in ("tox", "pytest"):
        settings = [each for each in own if (match := _RUNS_TESTS.match(each["text"])) and match["tool"] == tool]
        if settings:
            line = min(settings, key=lambda each: len(each["text"]))
            return f"there is `{line['text'].strip()}` in `{line['file']}`; with that it is usually `{tool}`."
    return ""


def _subject(asked: str) -> str:
    """What is to be run, as its commands have it: of "run the tests" ``test``, of "install it" ``install``."""
    words = [each.lower() for each in content_words(asked)]
    if "install" in words:  # what is installed has any name
        return "install"
    telling = [each for each in words if each not in _ANY] or words
    return beginning(telling[-1]) if telling else "run"


def _heading(asked: str) -> str:
    """A regular expression for the word in a heading: "Running the tests", "Installation"."""
    return rf"{re.escape(_subject(asked))}\w*"


def _is_told(file: str) -> bool:
    """Whether a file is a text for people on the whole project, or has commands under names."""
    if is_of_others(file) or ("/" in file and not re.search(r"contribut|readme|develop", file, re.I)):
        return False
    return bool(PROSE.search(file) or _NAMES_COMMANDS.search(file) or _COMMANDS_IN.search(file))


def _tells(file: str, line: str) -> bool:
    """Whether a line is no code, and has a program, or is in a file that gives commands names; what is required, or
    said of it, is no command."""
    if _REQUIRED.search(file):
        return False
    if not _TOLD.search(file) and (_SAYS.match(line.strip()) or _REQUIREMENT.match(line.strip())):
        return False
    if MADE.search(file) or not (TEXT.search(file) or _COMMANDS_IN.search(file)):
        return False
    return bool(_NAMES_COMMANDS.search(file) or re.search(_PROGRAM, line))


def _place(file: str) -> tuple[int, int, str]:
    near = next((at for at, each in enumerate(_ORDER) if each in file.lower()), len(_ORDER))
    return near, file.count("/"), file
