"""Which line of a session follows which, and which of them the program itself would show."""

from __future__ import annotations

import enum
import json
import pickle
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Mapping
from typing import Any

ABANDONED = "abandoned branch"
SIDECHAIN = "sidechain"
"""Why a message is not shown, as an import counts it."""

_IN_MEMORY = 1_000_000
_NONE = -1


class Kind(enum.IntEnum):
    """What a line is to the others.

    ``PROMPT`` is what the user typed to begin a turn, ``BESIDE`` what belongs to one without beginning it (results of
    tools, what the program wrote, what was typed meanwhile), ``SIDE`` what an agent of its own said, ``OTHER`` is
    not a message.
    """

    OTHER = 0
    PROMPT = 1
    BESIDE = 2
    ANSWER = 3
    SIDE = 4


class Family:
    """Parents and kinds of a session's lines, in some 150 bytes each."""

    def __init__(self) -> None:
        self._index: dict[int, int] = {}
        self._parents = array("q")
        self._kinds = bytearray()
        self._numbers = array("q")
        self._digests = array("q")
        self._word = "line"
        self.has_main = False

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

    def add(self, place: str, uuid: str | None, parent: str | None, kind: Kind, message: object) -> None:
        """Takes up a line."""
        self._word, _, number = place.partition(" ")
        if uuid is not None:
            self._index[hash(uuid)] = len(self._kinds)
        self._kinds.append(kind)
        self._parents.append(0 if parent is None else hash(parent))
        self._numbers.append(int(number.partition(" ")[0]))
        self._digests.append(_digest(message) if kind is not Kind.OTHER else 0)
        self.has_main = self.has_main or kind in (Kind.PROMPT, Kind.BESIDE, Kind.ANSWER)

    def shown(self) -> list[str | None]:
        """Of each line why it is not shown; None where it is.

        Where two prompts follow one message, the user went back and began anew: the last one goes on, and what hangs on
        the others is abandoned. Answers and results that follow one message stand beside each other, and a parent that
        is missing abandons nothing.
        """
        newest: dict[int, int] = {}
        roots: set[int] = set()
        for index, kind in enumerate(self._kinds):
            if kind != Kind.PROMPT:
                continue
            above = self._message_above(index)
            if above == _NONE:
                continue
            if above in newest:
                roots.add(newest[above])
            newest[above] = index
        why: list[str | None] = [SIDECHAIN if kind == Kind.SIDE else None for kind in self._kinds]
        for index in range(len(why)):
            if roots and why[index] is None and self._hangs_on(index, roots):
                why[index] = ABANDONED
        return why

    def _message_above(self, index: int) -> int:
        """The message that a line follows, past what is none."""
        for _ in range(len(self._kinds)):
            index = self._index.get(self._parents[index], _NONE) if self._parents[index] else _NONE
            if index == _NONE or self._kinds[index] != Kind.OTHER:
                return index
        return _NONE

    def _hangs_on(self, index: int, roots: set[int]) -> bool:
        seen = 0
        while index != _NONE and seen <= len(self._kinds):
            if index in roots:
                return True
            index = self._index.get(self._parents[index], _NONE) if self._parents[index] else _NONE
            seen += 1
        return False


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
        """The lines in their order, once."""
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
