"""A user, apart from what they said: plan, preferences, and what they have used."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from ragforge_memory.models.shape import Shape


class UsageDay(Shape):
    """What a user has used on a day (an ISO date) over all projects; ``cost_usd`` counts what has a known price."""

    day: str
    turns: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0


class UserContext(Shape):
    """A user in every project; ``user_id`` None: nobody, ``plan`` None: none was given.

    ``usage`` is of the day that was asked for, ``usage_days`` are the newest 30 with any usage, the newest first.
    """

    user_id: str | None = None
    plan: str | None = None
    preferences: dict[str, Any] = Field(default_factory=dict)
    usage: UsageDay
    usage_days: tuple[UsageDay, ...] = ()
