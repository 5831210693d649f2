"""Whose data a statement may touch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Owner:
    """(user, project): every read and write carries it. ``''`` stands for none, in the graph and here."""

    user_id: str = ""
    project: str = ""

    @classmethod
    def of(cls, user_id: str | None, project: str | None) -> Owner:
        """The owner for what the API was given; None becomes ``''``."""
        return cls(user_id or "", project or "")

    @property
    def parameters(self) -> dict[str, Any]:
        """The two parameters that every owned statement takes."""
        return {"user_id": self.user_id, "project": self.project}
