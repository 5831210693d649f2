"""A text that comes with a question (a diff, a traceback, a log, code): which definitions it names.

Without a model a text cannot be judged, but what it points at can be found: the lines that a diff changes, the frames
of a traceback, places written as ``file:line``, and words that can only be names of code.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ragforge_memory.language.reading.endings import TEXT
from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.small_talk import SMALL_TALK
from ragforge_memory.language.reading.targets import is_file, names_in
from ragforge_memory.models.text import lines_of

MAX_FILES, MAX_CHANGED = 15, 30
"""Files of one text, and of a diff, whose definitions are looked at."""

MAX_NAMES, MAX_TESTS = 15, 30
"""Names of one text, and tests in a report of a test run, that are looked up."""

_BLOCK = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<text>.*?)(?:^(?P=fence)[`~]*[ \t]*$|\Z)", re.M | re.S)
_BEGINS = re.compile(
    r"^(?:diff --git |--- \S+.*\n\+\+\+ \S|@@ -\d+|Traceback \(most recent call last\)|Exception in thread "
    r"|[ \t]+File \"[^\"\n]+\", line \d+|[ \t]+at \S+ ?\(?\S+:\d+|(?:FAILED|ERROR) \S+::\w"
    r"|(?:panic: .*\n+(?:\[.*\]\n+)?)?goroutine \d+ \[)",
    re.M,
)
_FRAME = re.compile(r"File \"(?P<file>[^\"\n]+)\", line (?P<line>\d+)(?:, in (?P<name>[\w<>.]+))?")
# What Go is in stands in the line before: "example.com/mux.(*Router).Match(0xc0, {0x1})", "created by main.run.func1".
_GO = re.compile(r"^(?:created by )?(?P<go>[^\s(][^\n]*)\n\t(?P<file>\S+\.go):(?P<line>\d+)", re.M)
_GO_CLOSURE = re.compile(r"\[\.\.\.\]|\.func\d+(?:\.\d+)*|-fm$")
# From where such a text begins, and no further on: a token of a thousand letters is read once. A frame names what it is
# in before it (JavaScript, Java) or behind it (Ruby).
_PLACE = re.compile(
    r"(?:^[ \t]+at (?:async |new )?(?P<before>[\w$.<>/]+) ?\()?"
    r"(?<![\w./\\@+~:-])(?P<file>[\w./\\@+~:-]*[\w-]\.[A-Za-z]{1,5}):(?P<line>\d+)"
    r"(?::in [`'](?:\w+ in )?(?P<behind>[\w:#.?!]+)')?",
    re.M,
)
# A line of pytest's: "FAILED tests/test_x.py::TestX::test_y[a b] - KeyError: 1", "[gw0] [ 9%] PASSED tests/…".
_TEST = re.compile(
    r"^(?:\[[^\]\n]*\] )*(?:[A-Z]+ )?(?P<file>[\w./\\@+~-]*[\w-]\.[A-Za-z]{1,5})::(?P<name>\w+(?:::\w+)*).*",
    re.M,
)
_IS_DIFF = re.compile(r"^(?:diff --git |@@ -\d+(?:,\d+)? \+\d+)", re.M)
_HUNK = re.compile(r"^@@ -\d+(?:,(?P<old>\d+))? \+(?P<start>\d+)(?:,(?P<new>\d+))? @@")
_WORD = re.compile(r"\w+")
# A line that begins a definition, in the languages that have a word for it.
_DEFINES = re.compile(
    r"^[-+]\s*(?:(?:export|default|async|declare|public|private|protected|internal|static|final|abstract|sealed|open"
    r"|const|unsafe|inline|virtual|partial|pub(?:\([^)]*\))?)\s+){0,6}"
    r"(?:def|class|function\*?|func|fn|struct|enum|trait|interface|module|type)\s+"
    r"(?:\([^)]*\)\s*|self\.)?(?P<name>[A-Za-z_$][\w$]*)[?!]?\s*"
    r"(?:[(<\[{:;=]|$|(?:extends|implements|struct|interface|where)\b)"
)
# What a question says that means the text: it is not searched for.
_MEANS_IT = re.compile(
    r"\b(?:this|these|that|those|it|here|above|below|following|diff|patch|hunks?|change[sd]?|commit|traceback|trace"
    r"|stack|error|exception|fail(?:s|ed|ing|ure)?|wrong|log|output|text|input|snippet|happen(?:s|ed)?|review"
    r"|summari[sz]e)\b",
    re.I,
)

# "What did we decide about this code?": of what stands in it, and not of such words.
_ALL_OF_IT = re.compile(
    r"(?:(?:this|these|that|those|the) )*(?:code|diff|patch|hunks?|changes?|commit|traceback|trace|snippet)", re.I
)

Sort = Literal["diff", "traceback", "text"]


@dataclass(slots=True)
class Places:
    """A file that a text points into.

    Args:
        lines: those that it names, of a diff as they are numbered after it.
        gaps: between which two lines a diff takes some away.
        frames: what a traceback says that a line is in, by the line.
        removed: the words of what a diff takes away.
        undefined: the names whose definitions it takes away without another in the file, as far as the lines tell.
        was: the path before it, where a diff moves the file.
    """

    lines: set[int] = field(default_factory=set)
    gaps: set[int] = field(default_factory=set)
    frames: dict[int, str] = field(default_factory=dict)
    removed: set[str] = field(default_factory=set)
    undefined: Counter[str] = field(default_factory=Counter)
    was: str = ""


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a text names: ``files`` with the places in them, those of code first and in the order of the text, ``names``
    of code, ``tests`` that were run, each a file and a name, and how many ``more`` files and ``more_tests`` there are,
    which are not looked at."""

    sort: Sort
    files: dict[str, Places]
    names: tuple[str, ...] = ()
    more: int = 0
    tests: tuple[tuple[str, str], ...] = ()
    more_tests: int = 0


def split_given(text: str) -> tuple[str, str]:
    """A message as the question and the text that came with it, ``''`` where none did.

    The text is what stands in fenced blocks, else all from the first line of a diff or a traceback on.
    """
    blocks = [match.group("text").strip("\n") for match in _BLOCK.finditer(text)]
    if any(block.strip() for block in blocks):
        return _BLOCK.sub("\n", text).strip(), "\n\n".join(blocks)
    begins = _BEGINS.search(text)
    if begins is None:
        return text, ""
    return text[: begins.start()].strip(), text[begins.start() :].strip("\n")


def is_about_given(question: Question) -> bool:
    """Whether a question is about the text that came with it, rather than about something that it names itself."""
    target = question.target
    if question.form == "commit":
        return not target.text  # "what does this diff change?"
    if target.kind in ("pronoun", "plural", "nothing"):
        return question.form not in (*SMALL_TALK, "said")
    if target.kind == "name" and not target.marked and " " not in question.text.strip():
        return True  # "Explain." is no name
    if target.kind == "name" and not target.marked and _MEANS_IT.fullmatch(target.text):
        return True  # "What is wrong?"
    if question.form == "said":
        return target.kind == "words" and bool(_ALL_OF_IT.fullmatch(target.text))
    return target.kind == "words" and bool(_MEANS_IT.search(question.text))


def mentions_of(text: str) -> Mentions:
    """What a text names, at most `MAX_FILES` files, `MAX_NAMES` names and `MAX_TESTS` tests."""
    if _IS_DIFF.search(text):
        changed = _changed(lines_of(text))
        return Mentions("diff", _first(changed, MAX_CHANGED), more=max(0, len(changed) - MAX_CHANGED))
    ran = dict.fromkeys(
        (match["file"].replace("\\", "/"), match["name"].replace("::", ".")) for match in _TEST.finditer(text)
    )
    tests, more_tests = tuple(ran)[:MAX_TESTS], max(0, len(ran) - MAX_TESTS)
    # What stands behind a test is its error: as little is asked about it as about the last line of a traceback.
    text = _TEST.sub("", text) if tests else text
    files: dict[str, Places] = {}
    frames = [*_FRAME.finditer(text), *_GO.finditer(text)]
    for match in (*frames, *_PLACE.finditer(text)):
        path = match["file"].replace("\\", "/")
        if is_file(path.rpartition("/")[2]):
            places, line = files.setdefault(path, Places()), int(match["line"])
            places.lines.add(line)
            named = next(filter(None, map(match.groupdict().get, ("name", "before", "behind", "go"))), "")
            if name := _name(_go_name(named) if match.re is _GO else named):
                places.frames[line] = name
    if frames or re.search(r"^[ \t]+at \S.*:\d+", text, re.M):
        sort: Sort = "text" if tests else "traceback"
        return Mentions(sort, _first(files), (), max(0, len(files) - MAX_FILES), tests, more_tests)
    names = names_in(_PLACE.sub(" ", text))
    for name in names:
        if is_file(name):
            files.setdefault(name, Places())
    named = tuple(name for name in names if not is_file(name))[:MAX_NAMES]
    return Mentions("text", _first(files), named, tests=tests, more_tests=more_tests)


def _go_name(written: str) -> str:
    """A Go function with its package's name and its type before it, without what it was given."""
    bare = re.sub(r" in goroutine \d+$", "", written.strip())
    bare = bare[: bare.rfind("(")] if bare.endswith(")") else bare
    bare = _GO_CLOSURE.sub("", bare.rpartition("/")[2]).replace("(*", "").replace(")", "")
    return bare if re.fullmatch(r"[\w.]+", bare) else ""


def _name(written: str) -> str:
    """What a frame is in, with dots; ``''`` for what has no name of its own: ``<module>``, ``Object.<anonymous>``."""
    bare = re.sub(r"::|[#$/]", ".", written.removesuffix(".<init>"))
    return "" if "<" in bare else bare


def _first(files: dict[str, Places], most: int = MAX_FILES) -> dict[str, Places]:
    return dict(sorted(files.items(), key=lambda each: bool(TEXT.search(each[0])))[:most])


def _changed(lines: Sequence[str]) -> dict[str, Places]:
    """The lines that a unified diff changes, as they are numbered after it, by file."""
    files: dict[str, Places] = {}
    file = old = ""
    rows = iter(lines)
    for line in rows:
        if line.startswith("diff --git "):
            # Without hunks (a rename, another mode) this line alone has the name.
            half = line.removeprefix("diff --git ").split(" b/", 1)
            file = _path(half[-1]) if len(half) == 2 else ""
            if file:
                _begin(files, _path(half[0]), file)
        elif line.startswith("--- "):
            old = _path(line[4:])
        elif line.startswith("+++ "):
            named = _path(line[4:])
            file = old if named == "/dev/null" else named
            _begin(files, old, file)
        elif (hunk := _HUNK.match(line)) is not None and file:
            _read_hunk(hunk, rows, files[file])
    return files


def _begin(files: dict[str, Places], old: str, file: str) -> None:
    places = files.setdefault(file, Places())
    if old not in (file, "/dev/null"):
        places.was = old


def _read_hunk(hunk: re.Match[str], rows: Iterator[str], places: Places) -> None:
    old, new = (int(hunk[side] if hunk[side] is not None else 1) for side in ("old", "new"))
    at = int(hunk["start"]) + (new == 0)
    while old > 0 or new > 0:
        line = next(rows, None)
        if line is None:
            return
        if line.startswith("+"):
            places.lines.add(at)
            at, new = at + 1, new - 1
            places.undefined.subtract(_defined(line))
        elif line.startswith("-"):
            places.gaps.add(at)
            places.removed.update(_WORD.findall(line))
            places.undefined.update(_defined(line))
            old -= 1
        elif not line.startswith("\\"):
            at, old, new = at + 1, old - 1, new - 1


def _defined(line: str) -> list[str]:
    """The name that a line of a diff begins to define; none where it begins nothing."""
    found = _DEFINES.match(line)
    return [found["name"]] if found else []


def _path(written: str) -> str:
    """A path of a diff's header: without the tab and time behind it, and without git's ``a/`` and ``b/``."""
    path = written.split("\t")[0].strip().strip('"')
    return path[2:] if path.startswith(("a/", "b/")) else path
