"""What every public shape has in common: frozen, strict about unknown fields, and dumped as JSON."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Shape(BaseModel):
    """A frozen value. ``model_dump(mode="json")`` is what ``--json`` and HTTP show."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=())
