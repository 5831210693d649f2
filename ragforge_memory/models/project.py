"""A project as lists show it."""

from __future__ import annotations

from datetime import datetime

from ragforge_memory.models.shape import Shape


class ProjectInfo(Shape):
    """A project of a graph, of all its users together.

    ``name`` is what it is called now, ``also`` the other names that lead to it, ``project`` what its nodes say: the
    first of them. ``place`` is where it was seen last.
    """

    name: str
    also: tuple[str, ...] = ()
    project: str
    place: str | None = None
    conversations: int = 0
    messages: int = 0
    used_at: datetime | None = None
