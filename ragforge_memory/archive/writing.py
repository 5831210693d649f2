"""A conversation from elsewhere while it is being written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from ragforge_memory.archive.extending import Extension
    from ragforge_memory.models.transcript import Transcript


@dataclass(slots=True)
class Writing:
    """A conversation that is being written. ``over``: it was refused or skipped, the rest of it is read past.

    ``names`` has the new uuid of a question whose own was taken, as long as answers to it may come; ``following`` are
    those after the batch that is being written. ``extension`` adds to a conversation that is here what is new of it.
    """

    transcript: Transcript
    uuid: str = field(default_factory=lambda: uuid4().hex)
    token: str | None = None
    first: str = ""
    asked: bool = False
    names: dict[str, str] = field(default_factory=dict)
    following: dict[str, str] = field(default_factory=dict)
    messages: int = 0
    tool_calls: int = 0
    over: bool = False
    extension: Extension | None = None

    def begin(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Takes up what a title is made of: the first question, else what was said first."""
        asked = [row["content"] for row in rows if row["role"] == "user"]
        self.asked = bool(asked)
        self.first = next(filter(None, [*asked, *(row["content"] for row in rows)]), "")
