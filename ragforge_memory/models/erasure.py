"""The certificate of an erasure."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ragforge_memory.models.shape import Shape


class ErasureQuery(Shape):
    """A Cypher query with its parameters that anyone can run again; its one row has one number, ``left``: 0."""

    text: str
    parameters: dict[str, Any]


class Erasure(Shape):
    """What went when a memory was forgotten for good, or a whole user, and how to prove that nothing is left.

    It holds uuids and counts, and no text of what was erased. ``who`` is the user all the same: without the name nobody
    could ask again, and who is asked for a proof knows it. ``memory_id`` is the memory; None: all that the user had.
    ``counts`` are of nodes by label, of messages those that lost text. ``when`` is when nothing was left any more.
    """

    uuid: str
    who: str
    when: datetime
    memory_id: str | None = None
    counts: dict[str, int]
    queries: tuple[ErasureQuery, ...]
