"""Where a program starts, and where a package begins for those who use it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.around import around_calls, scopes_around
from ragforge_memory.llm.extractive.code.evidence import grep, listed_lines
from ragforge_memory.llm.extractive.code.message_lines import was_cut
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.text.names import is_aside

_MAX_LISTED = 12

# By the ending of the file what starts a program in it, or names what does.
_STARTS: Mapping[str, str] = {
    r"\.rs": r"^\s*(?:pub\s+)?(?:async\s+)?fn main\s*\(",
    r"\.go": r"^func main\(\)",
    r"\.(?:java|cs|kts?|scala)": r"\bstatic\s+(?:async\s+)?(?:final\s+)?\w+(?:<\w+>)?\s+[Mm]ain\s*\(|^\s*fun main\s*\(",
    r"\.(?:c|cc|cpp|cxx|h)": r"^(?:(?:int|void)\s+)?w?main\s*\((?:\s*(?:int|void|char)\b|\s*\)\s*\{?$)",
    r"\.py": r"^if __name__ == ['\"]__main__['\"]",
    r"\.rb": r"^if __FILE__ == \$(?:0|PROGRAM_NAME)",
    r"\.[cm]?[jt]s": r"\brequire\.main === module\b|\bimport\.meta\.main\b",
}
_NAMED: Mapping[str, str] = {
    r"package\.json": r"^\s*\"(?:main|module|bin|exports)\"\s*:",
    r"composer\.json": r"^\s*\"bin\"\s*:",
    r"Cargo\.toml": r"^\[\[bin\]\]|^default-run\b",
    r"pyproject\.toml": r"^\[(?:project|tool\.poetry)\.(?:gui-)?scripts\]",
    r"setup\.(?:py|cfg)": r"\bconsole_scripts\b",
    r"[\w.-]+\.gemspec": r"\.(?:executables?|bindir)\b",
    r"pom\.xml": r"<mainClass>",
    r"build\.gradle(?:\.kts)?": r"\bmainClass(?:Name)?\b",
}
# The file that whoever imports a package gets first, by the habits of its language.
_PACKAGE = re.compile(
    r"(?:src/)?lib\.rs|(?:src/)?index\.[cm]?[jt]sx?|mod\.ts|(?:src/)?(?P<py>\w+)/__init__\.py|lib/(?P<rb>[\w-]+)\.rb"
)


def entry_calls() -> tuple[Call, ...]:
    """Looks for what starts a program, for settings that name it, and for the files of the project."""
    return (grep("|".join(_STARTS.values())), grep("|".join(_NAMED.values())), Call("outline", (("target", "."),)))


def entry_scopes(found: Sequence[Found]) -> tuple[Call, ...]:
    """Asks what the lines that start a program stand in."""
    return around_calls(_lines(found, 0, _STARTS))


def entry_points(found: Sequence[Found]) -> list[str]:
    """Where programs start, what settings name, and the first files of packages."""
    starts, named, packages = _lines(found, 0, _STARTS), _lines(found, 1, _NAMED), _packages(found)
    lines: list[str] = []
    if starts:
        listed = listed_lines(starts[:_MAX_LISTED], (), scopes_around(found, starts))
        more = len(starts) - _MAX_LISTED
        lines += ["A program starts here:", *listed, *([f"- … and {more} more"] if more > 0 else [])]
    if named:
        lines += ["Settings name what is run or imported:", *listed_lines(named[:_MAX_LISTED], ())]
    if packages:
        lines += ["Who imports it begins in:", *(f"- `{file}`" for file in packages)]
    if not lines and was_cut(found):
        return [f"{NOTHING_FOUND}, but there was no time to look at all files."]
    return lines or [f"{NOTHING_FOUND}: no program starts in this project, and no settings name what is run."]


def _lines(found: Sequence[Found], at: int, patterns: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """The lines of one search that are what they look like in their files; tests and examples only where all are."""
    given = [each.value for each in found if each.call.tool == "grep_code"]
    matches = given[at].get("matches") or [] if at < len(given) and isinstance(given[at], dict) else []
    fitting = [
        line
        for line in matches
        if any(
            re.search(rf"(?:^|/|(?<=\w)){ending}$", line["file"]) and re.search(pattern, line["text"])
            for ending, pattern in patterns.items()
        )
    ]
    own = [line for line in fitting if not is_aside(line)] or fitting
    return sorted(own, key=lambda line: (line["file"].count("/"), line["file"], line["line"]))


def _packages(found: Sequence[Found]) -> list[str]:
    """The first files of packages; of Ruby's those that have a folder of the same name."""
    value = next((each.value for each in found if each.call.tool == "outline" and isinstance(each.value, dict)), {})
    files = [str(each) for each in value.get("files") or []]
    first = []
    for file in files:
        match = _PACKAGE.fullmatch(file)
        if match is None or is_aside({"file": file}):
            continue
        if match["rb"] is None or any(each.startswith(f"lib/{match['rb']}/") for each in files):
            first.append(file)
    return first[:_MAX_LISTED]
