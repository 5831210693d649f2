"""A call of a tool, and what it gave."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call to make: the tool's name and its arguments."""

    tool: str
    arguments: tuple[tuple[str, Any], ...]

    @property
    def key(self) -> str:
        """The call as text, equal for equal calls."""
        return json.dumps([self.tool, dict(self.arguments)], sort_keys=True)


@dataclass(frozen=True, slots=True)
class Found:
    """What a call gave: ``value`` is the decoded JSON, None after an error, whose class ``error_kind`` names."""

    call: Call
    value: Any
    error: str | None = None
    error_kind: str | None = None
