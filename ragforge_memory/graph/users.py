"""The store of users: plan, preferences, and what they use in a day."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import date
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.text import is_deep
from ragforge_memory.models.user import UsageDay, UserContext

DAYS = 30
"""Days of usage that are told."""

LONGEST_PLAN = 100
"""Characters of a plan's name."""

MOST_PREFERENCES = 10_000
"""Characters of preferences as JSON: a model is told all of them."""


class UserStore(OwnerStore):
    """One user, in whichever project."""

    def __init__(self, client: GraphClient, owner: Owner) -> None:
        super().__init__(client, owner)
        self._user = owner.user_id

    async def context(self, today: date) -> UserContext:
        """Plan, preferences and usage; ``today`` is the day of `UserContext.usage`."""
        [row] = await self._read("user_context", days=DAYS)
        days = tuple(UsageDay(**each) for each in row["days"])
        day = today.isoformat()
        return UserContext(
            user_id=self._user or None,
            plan=row["plan"] or None,
            preferences=json.loads(row["preferences"] or "{}"),
            usage=next((each for each in days if each.day == day), UsageDay(day=day)),
            usage_days=days,
        )

    async def set(
        self, *, plan: str | None = None, preferences: Mapping[str, Any] | None = None, replace: bool = False
    ) -> None:
        """Sets what is given.

        Args:
            plan: its name, at most 100 characters; '' takes it away.
            preferences: merged with those that there are by their keys, where None takes one away; at most 10,000
                characters of JSON in all.
            replace: these are all preferences that are left.

        Raises:
            InvalidInput: the plan is no line of text, or the preferences are too long or no JSON.
        """
        if plan is not None and not (isinstance(plan, str) and (plan.isprintable() or not plan)):
            raise InvalidInput("a plan is text on one line, without control characters")
        if plan is not None and len(plan) > LONGEST_PLAN:
            raise InvalidInput(f"a plan's name has {len(plan):,} characters; at most {LONGEST_PLAN}")
        given = _checked(preferences)
        while True:
            [row] = await self._read("user_context", days=0)
            before = row["preferences"] or "{}"
            merged = given if replace else {**json.loads(before), **given}
            text = json.dumps({key: value for key, value in merged.items() if value is not None}, ensure_ascii=False)
            if len(text) > MOST_PREFERENCES:
                raise InvalidInput(
                    f"the preferences would have {len(text):,} characters; at most {MOST_PREFERENCES:,}",
                    hint="take some away: a preference that is set to None goes",
                )
            if await self._write("set_user_context", user=self._user, before=before, preferences=text, plan=plan):
                return

    async def usage(self, today: date) -> UsageDay:
        """What was used on a day."""
        day = today.isoformat()
        rows = await self._read("usage_day", day=day)
        return UsageDay(**rows[0]["day"]) if rows else UsageDay(day=day)

    async def count(
        self,
        today: date,
        *,
        turns: int = 1,
        input_tokens: int = 0,
        output_tokens: int = 0,
        cost_usd: float = 0.0,
    ) -> UsageDay:
        """Adds to what was used on a day, which is returned; whoever else counts at the same time does so too."""
        numbers = {"turns": turns, "input_tokens": input_tokens, "output_tokens": output_tokens, "cost_usd": cost_usd}
        for name, number in numbers.items():
            if not number >= 0 or math.isinf(number):
                raise InvalidInput(f"{name} is a number of 0 or more, not {number!r}")
        [row] = await self._write("count_usage", user=self._user, day=today.isoformat(), uuid=uuid4().hex, **numbers)
        return UsageDay(**row["day"])


def _checked(preferences: Mapping[str, Any] | None) -> dict[str, Any]:
    """Preferences as JSON gives them back.

    Raises:
        InvalidInput: they are no JSON.
    """
    if preferences is None:
        return {}
    if not isinstance(preferences, Mapping) or not all(isinstance(key, str) for key in preferences):
        raise InvalidInput("preferences are a mapping with keys of text")
    try:
        if is_deep(dict(preferences)):
            raise InvalidInput("the preferences are nested too deeply")
        text = json.dumps(dict(preferences), ensure_ascii=False, allow_nan=False)
        text.encode()
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the preferences are no JSON: {error}", hint="texts, numbers, lists, mappings") from error
    checked: dict[str, Any] = json.loads(text)
    return checked
