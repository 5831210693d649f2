"""The condensing of a conversation's older part, of which turns at once share the outcome."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.models.summary import Summary


@dataclass(slots=True, weakref_slot=True)
class Condensing:
    """What the turns of one conversation share while they are prepared: one condenses at a time, and those that have
    read before it was stored go on with what it kept."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    kept: Summary | None = None
