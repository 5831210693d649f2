"""A conversation as it comes from elsewhere, before the graph has it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ragforge_memory.models.conversation import Role


@dataclass(frozen=True, slots=True)
class TranscriptMessage:
    """One message; what its source did not say is None. ``timestamp`` has a zone."""

    role: Role
    content: str
    timestamp: datetime | None = None
    uuid: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of one conversation in their order."""

    messages: tuple[TranscriptMessage, ...]
    title: str | None = None
