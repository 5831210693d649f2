"""``#if`` and its branches in C, C++ and C#: grammars read whole statements and members in them, and nothing less.

Where the branches cut a statement in two, or open and close different braces, the grammar loses its place, often to
the end of the class. For such files all branches but one are blanked out, with the directives themselves: only the
parser sees the result, byte for byte as long as the source.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ragforge_memory.code.syntax import blank

_CONDITION = re.compile(rb"^[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b[ \t]*([^\n]*)")
_NEVER = (b"0", b"(0)", b"false")
_TEXTS = re.compile(
    rb'/\*.*?\*/|//[^\n]*|"""+.*?"""+|R"([^()\s\\]*)\(.*?\)\1"|\$?@\$?"(?:[^"]|"")*"'
    rb"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)+'",
    re.DOTALL,
)
"""Comments, strings and characters, whose braces do not count."""

_BRACKETS = re.compile(rb"[][(){}]")
_PAIRS = {b"(": (0, 1), b")": (0, -1), b"[": (1, 1), b"]": (1, -1), b"{": (2, 1), b"}": (2, -1)}
_GOES_ON = re.compile(rb"(?:else|catch|finally|while|case|default|where)\b|[;,.)=?:&|+*/<>-]")
"""What begins no statement and no member: it goes on with the one before, or is a label."""

_ENDS = b";{}:"
"""After these a statement or a member can begin."""


@dataclass(slots=True)
class _Stretch:
    """What is to know of a stretch of code: its first bytes, its last one, and whether its brackets match."""

    first: bytes = b""
    last: bytes = b""
    open: list[int] = field(default_factory=lambda: [0, 0, 0])
    uneven: bool = False

    def add(self, code: bytes) -> None:
        code = code.strip()
        if not code:
            return
        self.first, self.last = self.first or code[:8], code[-1:]
        for found in _BRACKETS.finditer(code):
            kind, step = _PAIRS[found[0]]
            self.open[kind] += step
            self.uneven = self.uneven or self.open[kind] < 0

    def join(self, other: _Stretch) -> None:
        """What ``other`` says stands behind this."""
        self.first, self.last = self.first or other.first, other.last or self.last
        self.uneven = self.uneven or other.uneven
        self.open = [mine + its for mine, its in zip(self.open, other.open, strict=True)]

    @property
    def whole(self) -> bool:
        """Whether it can stand or be left out as it is."""
        closed = not self.uneven and not any(self.open)
        return closed and not _GOES_ON.match(self.first) and (not self.last or self.last in b";}")


@dataclass(slots=True)
class _Branch:
    start: int
    """The number of the directive's first line."""
    body: int
    """The number of the first line behind the directive."""
    never: bool
    code: _Stretch = field(default_factory=_Stretch)


@dataclass(slots=True)
class _Group:
    """One ``#if`` with its branches; ``before`` is the code's last byte ahead of it."""

    before: bytes
    branches: list[_Branch]
    end: tuple[int, int] = (0, 0)

    @property
    def kept(self) -> _Branch:
        """The branch that stays: the first one, unless its condition can never hold."""
        return next((branch for branch in self.branches if not branch.never), self.branches[0])

    @property
    def whole(self) -> bool:
        """Whether its branches are whole statements or members."""
        starts = not self.before or self.before in _ENDS
        return starts and all(branch.code.whole for branch in self.branches)


def one_branch(data: bytes) -> bytes:
    """The source with one branch of each ``#if``."""
    return _reduced(data, every=True)


def whole_branches(data: bytes) -> bytes:
    """The source with one branch of each ``#if`` that cuts statements or braces in two; the others stay."""
    return _reduced(data, every=False)


def _reduced(data: bytes, *, every: bool) -> bytes:
    lines = data.split(b"\n")
    for group in _groups(data, lines):
        if every or not group.whole:
            _blank(lines, group)
    return b"\n".join(lines)


def _groups(data: bytes, lines: list[bytes]) -> list[_Group]:
    """The groups that end, inner ones first."""
    codes = _TEXTS.sub(lambda found: blank(found[0]), data).split(b"\n")
    done: list[_Group] = []
    waiting: list[_Group] = []  # ended, and nothing but white space and directives seen since
    stack: list[_Group] = []
    around = [_Stretch()]
    number = 0
    while number < len(lines):
        start, found = number, _CONDITION.match(codes[number])
        if codes[number].lstrip().startswith(b"#"):
            while lines[number].endswith(b"\\") and number + 1 < len(lines):
                number += 1
        number += 1
        if found is None:
            if codes[start].lstrip().startswith(b"#"):
                continue
            if waiting and (code := codes[start].strip()):
                _follow(waiting, code)
            around[-1].add(codes[start])
        elif found[1] in (b"if", b"ifdef", b"ifndef"):
            never = found[1] == b"if" and found[2].strip().startswith(_NEVER)
            branch = _Branch(start, number, never)
            stack.append(_Group(around[-1].last, [branch]))
            around.append(branch.code)
        elif stack and found[1] == b"endif":
            group = stack.pop()
            around.pop()
            group.end = (start, number)
            around[-1].join(group.kept.code)
            done.append(group)
            waiting.append(group)
        elif stack:
            group = stack[-1]
            group.branches.append(_Branch(start, number, never=False))
            around[-1] = group.branches[-1].code
    return done


def _follow(waiting: list[_Group], code: bytes) -> None:
    """Groups that what follows them goes on with are not whole."""
    if _GOES_ON.match(code):
        for group in waiting:
            group.kept.code.uneven = True
    waiting.clear()


def _blank(lines: list[bytes], group: _Group) -> None:
    """Make spaces of a group's directives, and of all branches but one what is not a directive."""
    ends = [branch.start for branch in group.branches[1:]] + [group.end[0]]
    for branch, end in zip(group.branches, ends, strict=True):
        _clear(lines, range(branch.start, branch.body))
        if branch is not group.kept:
            number = branch.body
            while number < end:
                start = number
                while lines[start].lstrip().startswith(b"#") and lines[number].endswith(b"\\") and number + 1 < end:
                    number += 1
                number += 1
                if not lines[start].lstrip().startswith(b"#"):
                    _clear(lines, range(start, number))
    _clear(lines, range(*group.end))


def _clear(lines: list[bytes], numbers: range) -> None:
    for number in numbers:
        lines[number] = b" " * len(lines[number])
