"""What an import did, and how far it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from ragforge_memory.models.shape import Shape
from ragforge_memory.models.text import counted

OnConflict = Literal["fail", "skip", "copy", "extend"]
"""What becomes of a conversation that is here already."""

MOST_NAMED = 1_000
"""So many conversations, and so many errors, are named in a report; all are counted."""


class ImportFault(Shape):
    """A conversation that was refused. ``place`` is where it begins; ``message`` names the line or the record that is
    bad, ``hint`` what to do about it, where that is known. Nothing of it is left."""

    place: str
    message: str
    hint: str | None = None


class PassedOver(Shape):
    """A record that is bad, and is not in its conversation: ``place`` is where it stands, ``message`` says why."""

    place: str
    message: str


class ImportReport(Shape):
    """What an import did.

    ``conversations`` (new ones, and branches), ``messages``, ``tool_calls`` and ``memories`` were written; with
    ``on_conflict="extend"`` ``extended`` conversations were here and have what is new of them now, ``unchanged`` were
    here with all that was said; ``skipped`` were here already (with ``skip``); ``failed`` were refused, ``errors`` says
    why; ``imported`` has the uuids of those that were written or went on, in their order. ``flawed`` records were bad
    and cost themselves alone, ``passed_over`` says which; ``left_out`` counts by its type what is not taken on purpose,
    or is not known. Of each list there are at most 1,000. ``seconds`` is wall time.
    """

    conversations: int = 0
    messages: int = 0
    tool_calls: int = 0
    memories: int = 0
    extended: int = 0
    unchanged: int = 0
    skipped: int = 0
    failed: int = 0
    errors: tuple[ImportFault, ...] = ()
    imported: tuple[str, ...] = ()
    flawed: int = 0
    passed_over: tuple[PassedOver, ...] = ()
    left_out: dict[str, int] = Field(default_factory=dict)
    seconds: float = 0.0

    def __str__(self) -> str:
        """All of it in a sentence, with the first of the errors: ``print(report)`` tells what is missing."""
        parts = [f"imported {counted(self.conversations, 'conversation')}, {counted(self.messages, 'message')}"]
        if self.memories:
            parts[0] += f", {counted(self.memories, 'memory', 'memories')}"
        if self.extended:
            parts.append(f"{counted(self.extended, 'conversation')} went on")
        if self.unchanged:
            parts.append(f"{counted(self.unchanged, 'conversation')} unchanged")
        if self.skipped:
            parts.append(f"{counted(self.skipped, 'was', 'were')} here already")
        if self.flawed:
            parts.append(f"passed over {counted(self.flawed, 'record')}; {_first(self.passed_over)}")
        if self.failed:
            refused = f"refused {counted(self.failed, 'conversation')}"
            parts.append(f"{refused}; {self.errors[0].message}" if self.errors else refused)
        return "; ".join(parts)


def _first(passed_over: tuple[PassedOver, ...]) -> str:
    return f"{passed_over[0].place}: {passed_over[0].message}" if passed_over else ""


@dataclass(frozen=True, slots=True)
class ImportProgress:
    """How far an import is. ``read`` of ``size`` bytes (None: not known) were read; the rest is written and visible,
    but for ``messages``, which counts those of a long conversation as they are written."""

    conversations: int
    messages: int
    read: int
    size: int | None
