"""The agents of a server: one a user, on one connection to the graph, with one model and one embedder."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ragforge_memory.api.agent import AsyncConversationAgent

log = logging.getLogger(__name__)

_AT_ONCE = 20


@dataclass(slots=True)
class _Slot:
    """An agent, and how many requests use it now."""

    agent: AsyncConversationAgent
    users: int = 0


class Hub:
    """Opens agents when they are first asked for, and closes those that were used least where there are too many.

    Args:
        first: nobody's agent, or that of the user whose requests without a key are. It is open as long as the hub, and
            the others use its connection, model and embedder.
        most: agents that stay open while nobody uses them.
    """

    def __init__(self, first: AsyncConversationAgent, most: int) -> None:
        self.first = first
        self._most = most
        self._slots: OrderedDict[str, _Slot] = OrderedDict()
        self._closing: set[asyncio.Task[None]] = set()

    @asynccontextmanager
    async def agent(self, user_id: str) -> AsyncIterator[AsyncConversationAgent]:
        """The open agent of a user, which is not closed while it is used.

        Raises:
            GraphUnavailable: there is no server.
        """
        if user_id == (self.first.user_id or ""):
            yield self.first
            return
        slot = self._slots.get(user_id)
        if slot is None:
            slot = self._slots[user_id] = _Slot(self.first.for_user(user_id or None))
        self._slots.move_to_end(user_id)
        slot.users += 1
        try:
            await slot.agent.open()
            yield slot.agent
        finally:
            slot.users -= 1
            self._close_least_used()

    @property
    def open_agents(self) -> int:
        """How many are open now, the first included."""
        return len(self._slots) + 1

    async def forget(self, user_id: str) -> None:
        """Closes a user's agent, as after an erasure; the next request opens another."""
        slot = self._slots.pop(user_id, None)
        if slot is not None:
            await self._end(slot.agent)

    async def aclose(self) -> None:
        """Closes all agents, the first at the end; turns that run still are cancelled, their partial answers stored."""
        if self._closing:
            await asyncio.wait(self._closing)
        some = asyncio.Semaphore(_AT_ONCE)

        async def end(slot: _Slot) -> None:
            async with some:
                with contextlib.suppress(Exception):
                    await slot.agent.abandon()

        slots = list(self._slots.values())
        self._slots.clear()
        await asyncio.gather(*map(end, slots))
        await self.first.abandon()

    def _close_least_used(self) -> None:
        if len(self._slots) <= self._most:
            return
        idle = next((user for user, slot in self._slots.items() if not slot.users), None)
        if idle is not None:
            task = asyncio.create_task(self._end(self._slots.pop(idle).agent), name="ragforge-close-agent")
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    @staticmethod
    async def _end(agent: AsyncConversationAgent) -> None:
        try:
            await agent.aclose()
        except Exception:
            log.warning("an agent could not be closed", exc_info=True)
