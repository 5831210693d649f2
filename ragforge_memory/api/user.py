"""An agent's user apart from what they said, awaited: plan, preferences and usage."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.graph.users import UserStore
    from ragforge_memory.models.user import UserContext


class AsyncAgentUser:
    """An agent's user, who is the same in every project of a graph; `AsyncConversationAgent.user`.

    Nobody, whose an agent without a user is, has a plan, preferences and usage too. Whatever asks the graph raises
    GraphUnavailable where that cannot be asked.
    """

    def __init__(self, open: Callable[[], Awaitable[Services]]) -> None:
        self._open_agent = open

    async def get(self) -> UserContext:
        """Plan, preferences, and what was used today and on the days before.

        Raises:
            GraphUnavailable: the graph cannot be asked.
        """
        store = await self._open()
        return await store.context(_today())

    async def set(self, plan: str | None = None, preferences: Mapping[str, Any] | None = None) -> UserContext:
        """Sets what is given, and gives all that there is then.

        Args:
            plan: its name, at most 100 characters; '' takes it away.
            preferences: merged with those that there are by their keys, where None takes one away; at most 10,000
                characters of JSON in all.

        Raises:
            InvalidInput: the plan is no line of text, or the preferences are too long or no JSON.
        """
        store = await self._open()
        await store.set(plan=plan, preferences=preferences)
        return await store.context(_today())

    async def _open(self) -> UserStore:
        from ragforge_memory.graph.users import UserStore

        services = await self._open_agent()
        return UserStore(services.stores.graph, services.place.owner)


def _today() -> date:
    """The day that usage counts for: UTC, wherever this is."""
    return datetime.now(UTC).date()
