"""Following what is lost through the commits between two states."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace

import pytest

from ragforge_memory.anchors.definition import Definition
from ragforge_memory.anchors.history import follow, parsed_definitions
from ragforge_memory.anchors.revisions import Change, Step
from tests.anchors.definitions import only, read


class Versions:
    """Contents by name, parsed; counts what is asked for."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.asked = 0

    def __call__(self, blob: str, path: str) -> list[Definition] | None:
        self.asked += 1
        return parsed_definitions(path, self.texts[blob].encode(), partly=True)

    def edit(self, path: str, *texts: str) -> list[Step]:
        names = [f"{path}:{len(self.texts)}:{place}" for place in range(len(texts))]
        self.texts.update(zip(names, texts, strict=True))
        return [
            Step(f"c{place}", (Change(path, path, one, other),)) for place, (one, other) in enumerate(pairwise(names))
        ]


BODY = "    first = load(a)\n    second = save(b, first)\n    return first, second\n"


def test_a_rename_that_only_a_step_shows_is_followed() -> None:
    versions = Versions()
    steps = versions.edit(
        "a.py",
        "def f(a, b):\n" + BODY,
        "def g(a, b):\n" + BODY,
        "def g(a, b):\n    with opened(a) as file:\n" + BODY.replace("    ", "        "),
        "def g(path):\n    with opened(path) as file:\n        return list(file)\n",
        "def h(path):\n    with opened(path) as file:\n        return list(file)\n",
    )
    made = only("a.py", versions.texts[steps[0].changes[0].old_blob])

    went = follow([made], steps, versions)[made]

    assert went.definition is not None
    assert went.definition.qualified_name == "h"


def test_of_a_version_with_an_error_what_is_whole_is_followed_and_what_is_hidden_waits() -> None:
    versions = Versions()
    good = "def f(a, b):\n" + BODY + "\n\ndef waits(c):\n    return c + len(c)\n"
    broken = good.replace("def f", "def g").replace("c + len(c)", "c + len(c")
    steps = versions.edit("a.py", good, broken, broken.replace("len(c", "len(c)").replace("def waits", "def waited"))
    made, waits = read("a.py", good)

    went = follow([made, waits], steps, versions)

    assert [each.definition and each.definition.qualified_name for each in went.values()] == ["g", "waited"]


def test_of_many_versions_few_are_read() -> None:
    versions = Versions()
    bodies = [f"def f(a, b):\n    x = {number}\n" + BODY for number in range(400)]
    steps = versions.edit("a.py", *bodies, bodies[-1].replace("def f", "def g"))
    made = only("a.py", bodies[0])

    went = follow([made], steps, versions)[made]

    assert went.definition is not None
    assert went.definition.qualified_name == "g"
    assert versions.asked < 20


def moved_whole(versions: Versions, *paths: str, text: str) -> list[Step]:
    versions.texts["whole"] = text
    return [Step(path, (Change(before, path, "whole", "whole"),)) for before, path in pairwise(paths)]


def test_a_file_that_moved_as_it_was_takes_all_along_unread() -> None:
    versions = Versions()
    text = "def f(a, b):\n" + BODY
    steps = moved_whole(versions, "a.py", "lib/a.py", "src/lib/a.py", "lib/a.py", text=text)
    made = only("a.py", text)

    went = follow([made], steps, versions)[made]

    assert went.definition == replace(made, file="lib/a.py")
    assert [each.file for each in went.passed] == ["lib/a.py", "src/lib/a.py"]
    assert versions.asked <= 2 * len(steps)


def test_a_file_that_came_twice_is_not_told_by_its_content() -> None:
    versions = Versions()
    text = "def f(a, b):\n" + BODY
    (step,) = moved_whole(versions, "a.py", "lib/c.py", text=text)
    twice = Step("twice", (*step.changes, Change(None, "lib/b.py", "", "whole")))
    made = only("a.py", text)

    went = follow([made], [twice], versions)[made]

    assert went.definition is None
    assert {each.file for each in went.candidates} == {"lib/b.py", "lib/c.py"}


def test_what_is_known_tells_of_others_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    versions = Versions()
    old = "def f(a, b):\n" + BODY + "\n\ndef g(c, d):\n" + BODY.replace("a", "c")
    versions.texts |= {"old": old, "new": old + "\n\nx = 1\n", "other": "def h():\n    return other(place)\n"}
    steps = [
        Step("one", (Change("a.py", "b.py", "old", "new"),)),
        Step("two", (Change("h.py", "i.py", "other", "new"),)),
    ]
    first, second = read("a.py", old)
    third = only("h.py", versions.texts["other"])

    none = follow([first], steps, versions, deadline=time.monotonic() - 1)
    clock = Clock(monkeypatch)
    history = follow([first, second, third], steps, clock.up_with("new", versions), deadline=clock.now + 1)

    assert none == {}
    assert [history[each].definition for each in (first, second)] == [
        replace(each, file="b.py") for each in (first, second)
    ]
    assert third not in history


class Clock:
    """The time that the following of history sees."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("ragforge_memory.anchors.history.time", SimpleNamespace(monotonic=lambda: self.now))

    def up_with(self, blob: str, versions: Versions) -> Callable[[str, str], list[Definition] | None]:
        """Reads contents; of this one that takes longer than there is time."""

        def read(name: str, path: str) -> list[Definition] | None:
            self.now += 2 * (name == blob)
            return versions(name, path)

        return read
