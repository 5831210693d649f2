"""What a message is read into, what the tools gave for it, and a row of the table of intents."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from ragforge_memory.text.days import Days
from ragforge_memory.text.forms import Form

Sort = Literal["name", "file", "folder", "project", "words"]


class Target(NamedTuple):
    """What a question is about, the ``file`` and the ``kind`` that a name is said to have, the ``lines`` of a file."""

    text: str
    sort: Sort = "name"
    file: str = ""
    kind: str = ""
    lines: tuple[int, int] = (0, 0)


@dataclass(frozen=True, slots=True)
class Pasted:
    """What came with a question: the lines that it points to in files, the files of a diff, and the fixed part of an
    error's ``message``, or what was put in quotes."""

    places: dict[str, list[int]] = field(default_factory=dict)
    files: dict[str, None] = field(default_factory=dict)
    message: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A message of the user's, read: ``text`` is what is asked, ``names`` are those of code in a longer question."""

    text: str
    intent: Intent
    target: Target = field(default=Target("", "words"))
    names: tuple[Target, ...] = ()
    pasted: Pasted = field(default_factory=Pasted)
    days: Days = field(default_factory=Days)
    form: Form | None = None
    revision: str = ""


class Call(NamedTuple):
    """A tool to ask, and with what."""

    tool: str
    arguments: dict[str, Any]

    def fitting(self, parameters: Collection[str]) -> Call:
        """The call with those arguments alone that the tool takes."""
        return self._replace(arguments={key: value for key, value in self.arguments.items() if key in parameters})


class Outcome(NamedTuple):
    """What a tool gave: an object, or why there is none."""

    tool: str
    value: dict[str, Any] | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What the tools gave for a question, in the order in which they were asked, and what is remembered of its code."""

    steps: Sequence[Outcome] = ()
    remembered: Sequence[Mapping[str, Any]] = ()

    def all(self, *tools: str) -> list[dict[str, Any]]:
        """What each call of these tools gave, without those that failed."""
        return [each.value for each in self.steps if each.tool in tools and each.value is not None]

    def first(self, *tools: str) -> dict[str, Any]:
        """What the first such call gave; empty where none did."""
        return next(iter(self.all(*tools)), {})

    @property
    def error(self) -> str:
        """Why a call failed; '' where none did."""
        return next((each.error for each in self.steps if each.error), "")


class Answer(NamedTuple):
    """The lines of an answer; ``echo``: it only quotes what was said, or states nothing."""

    lines: list[str]
    echo: bool = False


class Intent(NamedTuple):
    """A row of the table: the forms of a whole question, whose group ``x`` is what it is about; the tools that are
    asked, those of a second round, and what is answered from what all of them gave."""

    name: str
    patterns: tuple[re.Pattern[str], ...]
    tools: Callable[[Question], list[Call]]
    more: Callable[[Question, Outcomes], list[Call]]
    answer: Callable[[Question, Outcomes], Answer]
    about: tuple[Sort, ...] = ("name", "file", "folder", "project")
