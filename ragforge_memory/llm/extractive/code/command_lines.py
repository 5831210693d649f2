"""By what commands a project is built, tested or run: lines of its texts and settings that have such commands."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.endings import TEXT
from ragforge_memory.language.reading.wording import beginning, content_words
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import rest, text_line

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
)
_COMMANDS_IN = re.compile(r"(?:^|/)(?:Makefile|[Jj]ustfile|Dockerfile|Rakefile|[\w.-]+\.sh)$")
_NAMES_COMMANDS = re.compile(r"(?:^|/)(?:Makefile|[Jj]ustfile|package\.json)$")
_MADE = re.compile(r"(?:[.-]lock(?:\.\w+)?|\.lockb|\.svg|\.csv|\.snap)$|(?:^|/)(?:CHANGE|HISTORY|NEWS)", re.I)
# Where people write for people comes before what machines run.
_ORDER = ("contributing", "readme", "makefile", "justfile", "package.json", "pyproject.toml", "tox.ini", "docs/")
# What every such question has says little of what is run.
_ANY = ("run", "execute", "start", "launch", "set", "suite", "unit", "integration", "everything")


def command_calls(asked: str) -> tuple[Call, ...]:
    """Looks for lines with a command that has to do with what is asked for."""
    word = re.escape(_subject(asked))
    # Some programs that run tests have them in their names.
    named = rf"\b(?:(?:py|vi|c)?{word})" if word == "test" else rf"\b{word}"
    pattern = rf"(?=[^\n]*{named}){_PROGRAM}|{_SCRIPT.format(word=word)}"
    return (
        Call("grep_code", (("pattern", pattern), ("limit", 200))),
        Call("grep_code", (("pattern", _BUILD_FILE), ("limit", 200))),
    )


def commands(asked: str, found: Sequence[Found]) -> list[str]:
    """The lines of texts and settings that `grep_code` gave; that there are none, and no code in their place."""
    value: Mapping[str, Any] = next((each.value for each in found if isinstance(each.value, dict)), {})
    lines = [each for each in value.get("matches") or [] if _tells(each["file"], each["text"])]
    word = _subject(asked)
    if not lines and (usual := _usual(word, found)):
        return usual
    if not lines:
        return [f"{NOTHING_FOUND}: no text and no settings of this project have a command with `{word}`."]
    lines.sort(key=lambda each: _place(each["file"]))
    return [
        f"How is not for me to say, but these lines of texts and settings have a command with `{word}`:",
        *(f"- {text_line(each)}" for each in lines[:MAX_COMMANDS]),
        *rest(len(lines) - MAX_COMMANDS),
    ]


def _usual(word: str, found: Sequence[Found]) -> list[str]:
    """What is usual for the outermost file that a build is described in; nothing where there is none."""
    second = found[1].value if len(found) > 1 else None
    files = {str(each["file"]) for each in (second or {}).get("matches") or []}
    for file in sorted(files, key=lambda each: (each.count("/"), each)):
        tool, by_word = next((usual for name, usual in _USUAL if re.search(rf"(?:^|/){name}$", file)), ("", {}))
        command = next((command for verb, command in by_word.items() if verb.startswith(word)), None)
        if command is not None:
            wrapper = next((each for each in files if each == f"{tool}w"), None)
            whole = f"./{wrapper} {command}" if wrapper else f"{tool} {command}"
            return [
                f"No text and no settings of this project have a command with `{word}`, but there is `{file}`; "
                f"with such a file it is usually `{whole}`."
            ]
    return []


def _subject(asked: str) -> str:
    """What is to be run, as its commands have it: of "run the tests" ``test``, of "install it" ``install``."""
    words = [each.lower() for each in content_words(asked)]
    telling = [each for each in words if each not in _ANY] or words
    return beginning(telling[-1]) if telling else "run"


def _tells(file: str, line: str) -> bool:
    """Whether a line is no code, and has a program, or is in a file that gives commands names."""
    if _MADE.search(file) or not (TEXT.search(file) or _COMMANDS_IN.search(file)):
        return False
    return bool(_NAMES_COMMANDS.search(file) or re.search(_PROGRAM, line))


def _place(file: str) -> tuple[int, int, str]:
    near = next((at for at, each in enumerate(_ORDER) if each in file.lower()), len(_ORDER))
    return near, file.count("/"), file
