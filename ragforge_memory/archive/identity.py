"""What a message from elsewhere is known by when it comes again, and whether more of it was said since.

A message is called what its source calls it. One without an id is called by its session and its place there: by what
was said before it. Where the source has no id of the session either, that is the session's beginning, up to and with
the first word of the user.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragforge_memory.importers.exchange import NO_RESULT
from ragforge_memory.importers.fields import unique
from ragforge_memory.models.conversation import Role

Call = Mapping[str, Any]
"""A tool call as `graph.imports.call_row` makes it: its ``call`` and its ``result``."""


@dataclass(frozen=True, slots=True)
class Name:
    """What a message is called.

    Attributes:
        uuid: as it is stored.
        place: where it stands in its source.
        others: under which it may have been stored before its source gave it an id; the last one of an answer without
            one is its own where another answer has its place.
        given: whether its source calls it so, whatever it says by now.
        known_again: whether the source says which conversation it is of, so that to have it here is a conflict.
    """

    uuid: str
    place: str
    others: tuple[str, ...] = ()
    given: bool = False
    known_again: bool = True


class Names:
    """Names the messages of one conversation, in their order; pure, with some hundred bytes in memory.

    Args:
        session: what its source calls the conversation, if it does; a short id ("1") is the same in many files.
        opening: roles and texts of what was said up to and with the first word of the user.
    """

    def __init__(self, session: str | None, opening: Sequence[tuple[Role, str]]) -> None:
        self._has_session = unique(session) is not None
        if self._has_session:
            seeds: list[tuple[str, ...]] = [("session", str(session))]
        else:
            said = [text for each in opening for text in each]
            seeds = [("opening", session or "", *said)]
            before = [text for role, content in opening if role != "user" for text in (role, content)]
            # As long as the user had said nothing yet, it was called by what was there.
            if before and before != said:
                seeds.append(("opening", session or "", *before))
        self._seed = _digest(*seeds[0])
        self._chains = [_digest(*seed) for seed in seeds]

    def next(self, role: Role, content: str, calls: Iterable[Call] = (), *, given: str | None, place: str) -> Name:
        """The name of the next message. An answer grows, so what it says itself is no part of its place."""
        # An earlier beginning holds up to the first word of the user.
        if role == "user":
            del self._chains[1:]
        said = _digest(role, content, *(text for call in calls for text in _asked(call)))
        here = role if role == "assistant" else said
        places = [_digest("place", chain, here) for chain in self._chains]
        self._chains = [_digest("after", chain, said) for chain in self._chains]
        if given is not None:
            self._chains = [_digest("after", self._seed, given)]
            return Name(given, place, tuple(places) if role == "assistant" else (), given=True)
        others = places[1:]
        if role == "assistant":  # a second answer to the same
            others.append(_digest("said", places[0], said))
        return Name(places[0], place, tuple(others), known_again=self._has_session)


def fingerprint(row: Mapping[str, Any]) -> str:
    """How much was said of a message, by the row of `graph.imports.import_row`: lengths and hashes, and no text."""
    return _Said.of(row).written


def has_grown(stored: str, row: Mapping[str, Any]) -> bool:
    """Whether a row says what the stored message says and more: more text, more calls, results of open calls.

    A word of the user may turn out to be the program's (a command, once its output is there).
    """
    before = _Said.read(stored)
    return before is not None and stored != fingerprint(row) and before.begins(row)


def says_the_same(stored: str | None, row: Mapping[str, Any]) -> bool:
    """Whether one of both is an earlier state of the other; of what is stored a hash alone is known."""
    if stored is None or stored == fingerprint(row):
        return True
    before = _Said.read(stored)
    return before is None or before.begins(row) or before.goes_on_from(row)


@dataclass(frozen=True, slots=True)
class _Said:
    """A role, and of text, reasoning and results how much there is, and its hash; of calls one hash each."""

    role: str
    content: int
    content_hash: str
    reasoning: int
    reasoning_hash: str
    calls: tuple[str, ...]
    answered: int
    results: int
    results_hash: str

    @classmethod
    def of(cls, row: Mapping[str, Any], *, first: _Said | None = None) -> _Said:
        """What a row says; with ``first`` no more of its texts than that says."""
        content, reasoning = row["content"], row.get("reasoning") or ""
        if first is not None:
            content, reasoning = content[: first.content], reasoning[: first.reasoning]
        answered = [call for call in row["tool_calls"] if call["result"].get("error") != NO_RESULT]
        results = [call["result"].get(key) or "" for call in answered for key in ("result", "error")]
        return cls(
            role=row["role"],
            content=len(content),
            content_hash=_short(content),
            reasoning=len(reasoning),
            reasoning_hash=_short(reasoning),
            calls=tuple(_digest(*_asked(call))[:6] for call in row["tool_calls"]),
            answered=len(answered),
            results=sum(map(len, results)),
            results_hash=_short(*results),
        )

    @classmethod
    def read(cls, text: str) -> _Said | None:
        """What `written` wrote; None of what somebody else did."""
        try:
            role, content, content_hash, reasoning, reasoning_hash, calls, answered, results, results_hash = text.split(
                ":"
            )
            said = (role, int(content), content_hash, int(reasoning), reasoning_hash)
            return cls(*said, tuple(filter(None, calls.split("."))), int(answered), int(results), results_hash)
        except ValueError:
            return None

    @property
    def written(self) -> str:
        """As the graph keeps it."""
        values = [getattr(self, name) for name in self.__slots__]
        return ":".join(".".join(value) if isinstance(value, tuple) else str(value) for value in values)

    def begins(self, row: Mapping[str, Any]) -> bool:
        """Whether the row says all of this."""
        whole, first = _Said.of(row), _Said.of(row, first=self)
        return (
            (self.role == whole.role or (self.role, whole.role) == ("user", "system"))
            and (self.content, self.content_hash) == (first.content, first.content_hash)
            and (self.reasoning, self.reasoning_hash) == (first.reasoning, first.reasoning_hash)
            and self.calls == whole.calls[: len(self.calls)]
            and self.answered <= whole.answered
            and self.results <= whole.results
        )

    def goes_on_from(self, row: Mapping[str, Any]) -> bool:
        """Whether the row is an earlier state of this: its text had not come yet, or calls, or their results."""
        earlier = _Said.of(row)
        return (
            self.role == earlier.role
            and earlier.content_hash in ("", self.content_hash)
            and earlier.calls == self.calls[: len(earlier.calls)]
            and earlier.answered <= self.answered
        )


def _asked(call: Call) -> tuple[str, str]:
    return str(call["call"]["tool_name"]), str(call["call"]["arguments"])


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _short(*parts: str) -> str:
    return _digest(*parts)[:12] if any(parts) else ""
