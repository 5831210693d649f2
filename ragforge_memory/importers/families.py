"""Which line of a session follows which, and which of them the program itself would show."""

from __future__ import annotations

import enum
import json
import pickle
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from ragforge_memory.models.transcript import ABANDONED

SIDECHAIN = "sidechain"
"""Why a message of an agent's own is not shown, as an import counts it."""

_IN_MEMORY = 1_000_000
_NONE = -1


class Kind(enum.IntEnum):
    """What a line is to the others.

    ``PROMPT`` is what the user typed to begin a turn, ``BESIDE`` what belongs to one without beginning it (results of
    tools, what the program wrote, what was typed meanwhile), ``OTHER`` is not a message.
    """

    OTHER = 0
    PROMPT = 1
    BESIDE = 2
    ANSWER = 3


class Family:
    """Parents and kinds of a session's lines, in some 150 bytes each.

    What an agent of its own said (``side``) is no part of the session, and is one where there is nothing else: then the
    file is that agent's, which its lines name.
    """

    def __init__(self) -> None:
        self._index: dict[int, int] = {}
        self._parents = array("q")
        self._kinds = bytearray()
        self._numbers = array("q")
        self._digests = array("q")
        self._sides = bytearray()
        self._word = "line"
        self._has_main = False
        self._has_links = True
        self._is_agents = False

    @property
    def last(self) -> int:
        """The index of the newest line."""
        return len(self._kinds) - 1

    def has(self, uuid: str) -> bool:
        """Whether it came."""
        return hash(uuid) in self._index

    def place_of(self, uuid: str) -> str | None:
        """Where a uuid stood before; None where it did not."""
        index = self._index.get(hash(uuid))
        return None if index is None else f"{self._word} {self._numbers[index]}"

    def is_same(self, uuid: str, message: object) -> bool:
        """Whether a message says what was said under its uuid before."""
        return self._digests[self._index[hash(uuid)]] == _digest(message)

    def add(
        self,
        place: str,
        uuid: str | None,
        parent: str | None,
        kind: Kind,
        message: object,
        *,
        side: bool = False,
        agent: bool = False,
    ) -> None:
        """Takes up a line.

        Args:
            place: where it stands.
            uuid: its own.
            parent: the line that it follows; None: it begins something.
            kind: what it is to the others.
            message: what it says, by which a repeated one is known.
            side: whether an agent of its own said it.
            agent: whether it shows that the file is that agent's.
        """
        self._word, _, number = place.partition(" ")
        if uuid is not None:
            self._index[hash(uuid)] = len(self._kinds)
        self._kinds.append(kind)
        self._sides.append(side)
        self._parents.append(0 if parent is None else hash(parent))
        self._numbers.append(int(number.partition(" ")[0]))
        self._digests.append(_digest(message) if kind is not Kind.OTHER else 0)
        self._has_main = self._has_main or (not side and kind in (Kind.PROMPT, Kind.ANSWER))
        # Lines that lost their ids say nothing of what follows what.
        self._has_links = self._has_links and not (kind is Kind.ANSWER and not side and parent is None)
        self._is_agents = self._is_agents or agent

    def shown(self, instead: int | None = None) -> list[str | None]:
        """Of each line why it is not shown; None where it is.

        Where two prompts follow one message, the user went back and began anew, or two windows were open: the one goes
        on in which something was said last, and what hangs on the others is abandoned. Answers and results that follow
        one message stand beside each other, and a parent that is missing abandons nothing.

        Args:
            instead: shows this abandoned prompt, with what led to it and what hangs on it, and nothing else that came
                after it.
        """
        roots = self._roots(instead)
        is_session = self._has_main or not self._is_agents
        why: list[str | None] = [SIDECHAIN if side and is_session else None for side in self._sides]
        hangs: dict[int, bool] = {_NONE: False, **dict.fromkeys(roots, True)}
        below: dict[int, bool] = {_NONE: False} if instead is None else {_NONE: False, instead: True}
        for index in range(len(why)) if roots else ():
            gone = self._hangs(index, hangs)
            if instead is not None and index > instead:
                gone = gone or not self._hangs(index, below)
            if gone and why[index] is None:
                why[index] = ABANDONED
        return why

    def abandoned(self) -> list[int]:
        """The prompts that were abandoned, in the order in which they came."""
        return sorted(self._roots(None))

    def _roots(self, instead: int | None) -> set[int]:
        """Of prompts that follow one message, all but the one that goes on."""
        kept = set[int]()
        while instead is not None and instead != _NONE and instead not in kept:
            kept.add(instead)
            instead = self._above(instead)
        newest = self._newest
        goes_on: dict[int, int] = {}
        roots: set[int] = set()
        for index, kind in enumerate(self._kinds):
            if kind != Kind.PROMPT or (self._has_main and self._sides[index]):
                continue
            above = self._message_above(index)
            if above == _NONE:
                continue
            before = goes_on.setdefault(above, index)
            if before == index:
                continue
            first = before in kept or (index not in kept and newest[before] > newest[index])
            goes_on[above] = before if first else index
            roots.add(index if first else before)
        return roots

    @cached_property
    def _newest(self) -> array[int]:
        """Of each line the newest message that hangs on it, itself included; asked for once all lines are there."""
        newest = array("q", (index if kind != Kind.OTHER else _NONE for index, kind in enumerate(self._kinds)))
        for index in reversed(range(len(newest))):
            above = self._above(index)
            if _NONE < above < index:  # a ring says nothing
                newest[above] = max(newest[above], newest[index])
        return newest

    def _above(self, index: int) -> int:
        """The line that a line follows."""
        return self._index.get(self._parents[index], _NONE) if self._parents[index] else _NONE

    def _message_above(self, index: int) -> int:
        """The message that a line follows, past what is none; of what begins a session a number below `_NONE`, which is
        the same for what begins it in the same place."""
        below = _NONE
        for _ in range(len(self._kinds)):
            if self._parents[index] == 0 and self._has_links:
                return _NONE - 1 - (0 if below == _NONE else 1 + index)
            below = index
            index = self._above(index)
            if index == _NONE or self._kinds[index] != Kind.OTHER:
                return index
        return _NONE

    def _hangs(self, index: int, known: dict[int, bool]) -> bool:
        """Whether a line hangs on an abandoned prompt, by what is known of those above it; they are known then too."""
        way: list[int] = []
        while index not in known:
            known[index] = False  # of a ring, which leads nowhere
            way.append(index)
            index = self._above(index)
        found = known[index]
        known.update(dict.fromkeys(way, found))
        return found


class Spool:
    """Lines that wait to be looked at again: in memory as long as they are few, else in a temporary file."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115 - closed with this object
        self._count = 0
        weakref.finalize(self, self._file.close)

    def add(self, index: int, place: str, line: Mapping[str, Any]) -> None:
        """Takes a line with its index in the family."""
        pickle.dump((index, place, line), self._file)
        self._count += 1

    def records(self) -> Iterator[tuple[int, str, Mapping[str, Any]]]:
        """The lines in their order."""
        self._file.seek(0)
        for _ in range(self._count):
            yield pickle.load(self._file)


def _digest(message: object) -> int:
    return hash(json.dumps(message, sort_keys=True, default=str)) & 0x7FFFFFFFFFFFFFFF


Spooled = tuple[int, str, Mapping[str, Any]]


def with_next(records: Iterator[Spooled]) -> Iterator[tuple[Spooled, Mapping[str, Any] | None]]:
    """Each record with the line that follows it."""
    before: Spooled | None = None
    for record in records:
        if before is not None:
            yield before, record[2]
        before = record
    if before is not None:
        yield before, None
