"""How many of the definitions that universal-ctags lists does parsing find?

    python benchmarks/scopes_ctags.py DIR... [--language NAME]... [--missing N] [--json]

For every file that an ingest of DIR would read, ctags is asked for its tags (in the language that we take the file
for), and each tag that counts is looked for among the scopes: the same name, and the tag's line inside of the scope's
lines. ``line`` is the share of those whose line is the scope's definition line exactly.

What counts, by ctags' kinds (KINDS below): functions, methods, classes, structs, unions, interfaces, traits, enums and
their members, modules, type aliases, macros and named constants. What does not: packages and namespaces (they are
properties of files here, not scopes: C++, C#, PHP, Java, Go), fields and variables that are not constants, locals,
parameters, labels, imports, names that ctags makes up for what has none, object properties, guards (macros without a
value), Rust's ``mod name;``. Of kinds that mix constants and variables, and where ctags mistakes other things for
definitions, only those count whose line shows it (LINES). A name that ctags lists twice on a line
(``x.f = function f()``) is one definition. ``scopes/s`` is by processor time of one process, parsing and hashing,
without the graph.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragforge_memory.code.discover import discover
from ragforge_memory.code.parse import parse
from ragforge_memory.code.parsed import ParsedFile, ParsedScope
from ragforge_memory.models.text import lines_of

CTAGS_NAMES = {
    "python": "Python", "javascript": "JavaScript", "typescript": "TypeScript", "go": "Go", "rust": "Rust",
    "java": "Java", "c": "C", "cpp": "C++", "csharp": "C#", "ruby": "Ruby", "php": "PHP",
}  # fmt: skip

KINDS: dict[str, frozenset[str]] = {
    "python": frozenset({"class", "function", "member", "variable"}),
    "javascript": frozenset({"function", "generator", "class", "method", "getter", "setter", "constant"}),
    "typescript": frozenset(
        {
            "function",
            "generator",
            "class",
            "interface",
            "enum",
            "enumerator",
            "alias",
            "method",
            "namespace",
            "constant",
        }
    ),
    "go": frozenset({"func", "methodSpec", "interface", "struct", "type", "talias", "const"}),
    "rust": frozenset(
        {"function", "method", "struct", "enum", "interface", "typedef", "macro", "module", "variable", "enumerator"}
    ),
    "java": frozenset({"annotation", "class", "enum", "enumConstant", "interface", "method", "field"}),
    "c": frozenset({"function", "struct", "union", "enum", "enumerator", "typedef", "macro", "variable"}),
    "cpp": frozenset({"function", "class", "struct", "union", "enum", "enumerator", "typedef", "macro", "variable"}),
    "csharp": frozenset({"class", "interface", "struct", "enum", "enumerator", "method", "property", "field"}),
    "ruby": frozenset({"class", "module", "method", "singletonMethod", "constant", "accessor", "alias"}),
    "php": frozenset({"class", "interface", "trait", "function", "define"}),
}

LINES: dict[tuple[str, str], re.Pattern[str]] = {
    ("python", "variable"): re.compile(r"^_{0,2}[A-Z][A-Z0-9_]*\s*[:=]"),
    ("java", "field"): re.compile(r"\bstatic\b.*\bfinal\b|\bfinal\b.*\bstatic\b"),
    ("csharp", "field"): re.compile(r"\bconst\b|\bstatic\b.*\breadonly\b"),
    ("c", "variable"): re.compile(r"\bconst\b"),
    ("cpp", "variable"): re.compile(r"\bconst(expr)?\b"),
    ("c", "macro"): re.compile(r"#\s*define\s+\w+(\(|\s+\S)"),
    ("cpp", "macro"): re.compile(r"#\s*define\s+\w+(\(|\s+\S)"),
    ("rust", "module"): re.compile(r"\{"),
    ("rust", "variable"): re.compile(r"\b(const|static)\s+(mut\s+)?\w+\s*:"),
    ("javascript", "class"): re.compile(r"\b(class|function)\b"),
    ("csharp", "class"): re.compile(r"\b(class|record)\b(?!.*\bwhere\s+NAME\s*:)"),
    ("csharp", "property"): re.compile(r"^(?!.*<NAME>).*\bNAME\b"),
    ("javascript", "constant"): re.compile(r"^(export\s+)?const\s+NAME\b(?!.*\brequire\()"),
    ("typescript", "constant"): re.compile(r"^(export\s+)?(declare\s+)?const\s+NAME\b(?!.*\brequire\()"),
    ("typescript", "alias"): re.compile(r"\btype\s+NAME\s*[<=]"),
    ("typescript", "method"): re.compile(r"\bNAME\??\s*[(<:=]|^\s*(?!if|for|while|switch)NAME\b"),
    ("typescript", "enumerator"): re.compile(r"^\s*NAME\b|[{,]\s*NAME\b"),
}
"""For kinds that hold more than constants, and where ctags 5.9 takes other things for definitions (imported types,
digits behind an underscore, calls, objects' keys): what the tag's line must match, with the tag's name for NAME."""

MINIFIED_LINE = 1_000
"""Characters: what stands on longer lines was written by a tool, and is not counted."""

_MADE_UP = re.compile(r"__anon|AnonymousFunction[0-9a-f]|AnonymousClass[0-9a-f]")


@dataclass(slots=True)
class Tally:
    """The counts of one language."""

    files: int = 0
    skipped: int = 0
    scopes: int = 0
    seconds: float = 0.0
    counted: int = 0
    found: int = 0
    exact: int = 0
    missing: list[str] = field(default_factory=list)


def tags(root: Path, language: str, paths: list[str]) -> Iterable[dict[str, Any]]:
    """ctags' tags of these files, in file order."""
    command = [
        "ctags", "-L", "-", "-f", "-", "--output-format=json", "--fields=+neKzS", "--sort=no", "--quiet=yes",
        f"--language-force={CTAGS_NAMES[language]}", "--kinds-Go=+a",
    ]  # fmt: skip
    listed = subprocess.run(
        command, cwd=root, input="\n".join(paths), capture_output=True, text=True, errors="replace", check=True
    )
    for line in listed.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") == "tag":
            yield tag


def counts(language: str, tag: dict[str, Any], lines: list[str]) -> bool:
    """Whether a tag is one of the definitions that this benchmark is about."""
    kind, name, number = tag["kind"], tag["name"], tag["line"]
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    if kind not in KINDS[language] or _MADE_UP.match(name) or name.strip() in ("", "_"):
        return False
    if len(line) > MINIFIED_LINE:
        return False
    needed = LINES.get((language, kind))
    if needed is not None and "NAME" in needed.pattern:
        needed = re.compile(needed.pattern.replace("NAME", re.escape(name)))
    if (
        kind in ("variable", "constant", "field")
        and needed is not None
        and language != "java"
        and tag.get("scopeKind") == "function"
    ):
        return False
    return needed is None or needed.search(line) is not None


def bare(language: str, name: str) -> str:
    """A tag's name as scopes have it."""
    if language == "cpp":
        return re.sub(r"operator\s+(?=\W)", "operator", name).replace(" ", "") if "operator" in name else name
    if language == "csharp":  # an interface's method, implemented explicitly
        return name.rpartition(".")[2]
    return name.rpartition("::")[2] if language == "ruby" else name


def match(scopes: dict[str, list[ParsedScope]], name: str, line: int, language: str) -> ParsedScope | None:
    """The scope that a tag means; each answers for one tag."""
    same = scopes.get(name, [])
    exact = [scope for scope in same if scope.definition_line == line]
    around = [scope for scope in same if scope.start_line <= line <= scope.end_line]
    chosen = exact or sorted(around, key=lambda scope: scope.end_line - scope.start_line)
    if not chosen:
        return None
    same.remove(chosen[0])
    return chosen[0]


def measure(root: Path, only: set[str], tallies: dict[str, Tally]) -> None:
    """Add one project to the tallies."""
    parsed: dict[str, dict[str, tuple[ParsedFile, list[str]]]] = defaultdict(dict)
    for source in discover(root).files:
        data = (root / source.path).read_bytes()
        start = time.process_time()
        file = parse(source.path, data)
        spent = time.process_time() - start
        if only and file.language not in only:
            continue
        tally = tallies[file.language]
        tally.seconds += spent
        tally.files += 1
        if file.error is not None:
            tally.skipped += 1
            tally.missing.append(f"{root.name}/{source.path}: skipped: {file.error}")
        tally.scopes += len(file.scopes) if file.error is None else 0
        parsed[file.language][source.path] = (file, lines_of(data.decode("utf-8", "replace")))
    for language, files in parsed.items():
        tally = tallies[language]
        names: dict[str, dict[str, list[ParsedScope]]] = {}
        seen: set[tuple[str, str, int]] = set()
        seen: set[tuple[str, int, str]] = set()
        for tag in tags(root, language, sorted(files)):
            file, lines = files[tag["path"]]
            place = (tag["path"], tag["line"], tag["name"])
            if place in seen or not counts(language, tag, lines):
                continue
            seen.add(place)
            if language in ("javascript", "typescript"):  # ``a.b = function b() {…}`` is two tags for one definition
                place = tag["path"], tag["name"], tag["line"]
                if place in seen:
                    continue
                seen.add(place)
            if tag["path"] not in names:
                by_name: dict[str, list[ParsedScope]] = defaultdict(list)
                for scope in file.scopes if file.error is None else ():
                    by_name["".join(scope.name.split()) if language == "cpp" else scope.name].append(scope)
                names[tag["path"]] = by_name
            tally.counted += 1
            scope = match(names[tag["path"]], bare(language, tag["name"]), tag["line"], language)
            if scope is None:
                tally.missing.append(f"{root.name}/{tag['path']}:{tag['line']}: {tag['kind']} {tag['name']}")
            else:
                tally.found += 1
                tally.exact += scope.definition_line == tag["line"]


def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directories", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--language", action="append", default=[], choices=sorted(CTAGS_NAMES), metavar="NAME")
    parser.add_argument("--missing", type=int, default=0, metavar="N", help="list so many of the missing per language")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if shutil.which("ctags") is None:
        sys.exit("universal-ctags is not installed (apt-get install universal-ctags)")
    tallies: dict[str, Tally] = defaultdict(Tally)
    for directory in options.directories:
        measure(directory.resolve(), set(options.language), tallies)
    if options.json:
        print(json.dumps({name: row(tally) for name, tally in sorted(tallies.items())}, indent=2))
        return
    print(
        f"{'language':<12}{'files':>6}{'skipped':>8}{'scopes':>8}{'scopes/s':>9}{'ctags':>8}{'found':>8}{'share':>8}{'line':>8}"
    )
    for name, tally in sorted(tallies.items()):
        data = row(tally)
        print(
            f"{name:<12}{tally.files:>6}{tally.skipped:>8}{tally.scopes:>8}{data['scopes_per_second']:>9}"
            f"{tally.counted:>8}{tally.found:>8}{data['share']:>8.2%}{data['line']:>8.2%}"
        )
        for missing in tally.missing[: options.missing]:
            print(f"    {missing}")


def row(tally: Tally) -> dict[str, Any]:
    """One language as plain values."""
    return {
        "files": tally.files,
        "skipped": tally.skipped,
        "scopes": tally.scopes,
        "scopes_per_second": round(tally.scopes / tally.seconds) if tally.seconds else 0,
        "ctags": tally.counted,
        "found": tally.found,
        "share": round(tally.found / tally.counted, 4) if tally.counted else 1.0,
        "line": round(tally.exact / tally.found, 4) if tally.found else 1.0,
        "missing": tally.missing,
    }


if __name__ == "__main__":
    main()
