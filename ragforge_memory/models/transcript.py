"""A conversation as it comes from elsewhere, before the graph has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeVar

from ragforge_memory.models.conversation import Role, Usage

T = TypeVar("T")

ABANDONED = "abandoned branch"
"""How messages are counted that a program shows no more: the user went back to an older one, or asked again."""


@dataclass(frozen=True, slots=True)
class TranscriptCall:
    """One tool call with what came of it. ``call_id`` is the source's; ``result`` is None where there was none."""

    tool_name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    call_id: str | None = None
    result: str | None = None
    error: str | None = None
    success: bool = True
    timestamp: datetime | None = None
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """One message; what its source did not say is None. ``timestamp`` has a zone; ``place`` is where it stood
    (``line 12``, ``record 3``)."""

    role: Role
    content: str
    timestamp: datetime | None = None
    uuid: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    reasoning: str | None = None
    model: str | None = None
    usage: Usage | None = None
    tool_calls: tuple[TranscriptCall, ...] = ()
    place: str = ""


@dataclass(frozen=True, slots=True)
class Flaw:
    """A record that was passed over: where it stands, and why."""

    place: str
    message: str


@dataclass(slots=True)
class Transcript:
    """One conversation, read once from front to back.

    A long one is never whole in memory, so what its source says only at the end is known when ``messages`` have been
    read: ``title``, ``session_id`` and ``created_at`` hold what is known so far.

    Attributes:
        messages: in their order. Reading on raises `InvalidInput` that names the place where a message is bad.
        format: what it was recognised as.
        place: where it begins.
        title: as its source shows it.
        session_id: what its source calls it: a session or a conversation.
        created_at: when it began, with a zone.
        metadata: what else its source says of the whole.
        flaws: records that were passed over, as far as they are known.
        left_out: what is left out on purpose, or is not known, counted by its type.
        branches: gives what was abandoned (see `ABANDONED`), once the messages have been read: each a transcript that
            begins as this one does, and knows whose branch it is (``of``).
        abandoned: of a branch, how many of the messages that ``of`` has left out it has been found to have.
        taken: whether it was imported.
    """

    messages: Iterator[TranscriptMessage]
    format: str
    place: str = ""
    title: str | None = None
    session_id: str | None = None
    created_at: datetime | None = None
    metadata: dict[str, Any] = field(default_factory=dict)
    flaws: list[Flaw] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    branches: Callable[[], Iterator[Transcript]] | None = None
    of: Transcript | None = None
    abandoned: int = 0
    taken: bool = False

    def branch(self, abandoned: int = 0) -> Transcript:
        """A way that its source shows no more, whose messages are still to be given; see ``abandoned``."""
        branch = Transcript(iter(()), self.format, place=self.place, session_id=self.session_id, of=self)
        branch.created_at, branch.abandoned = self.created_at, abandoned
        return branch

    def about(self, place: str, read: Callable[[], T]) -> T | None:
        """What its source says of the whole; None where that is bad, which costs no message and is noted."""
        try:
            return read()
        except ValueError as error:
            self.pass_over(place, str(error))
            return None

    def pass_over(self, place: str, why: str) -> None:
        """Notes a record that is bad: it costs itself and not the others."""
        self.place = self.place or place
        flaw = Flaw(place, why)
        if flaw not in self.flaws[-2:]:
            self.flaws.append(flaw)
