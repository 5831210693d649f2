"""What a long preparation reports while it runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeAlias

Phase: TypeAlias = Literal["wait", "download", "unpack", "java", "upgrade", "start"]


@dataclass(frozen=True, slots=True)
class Progress:
    """One report.

    Attributes:
        phase: ``wait`` (another process is at it), ``download``, ``unpack``, ``java`` (the runtime is copied),
            ``upgrade`` (the data is copied first), ``start`` (the server starts).
        what: a few words for a person, such as ``Neo4j 2026.09.0``.
        done: bytes that are there; 0 in phases that count nothing.
        total: bytes in all; 0 in phases that count nothing.
    """

    phase: Phase
    what: str
    done: int = 0
    total: int = 0


Reporter: TypeAlias = Callable[[Progress], None]
"""Called from worker threads too, but never by two at once."""
