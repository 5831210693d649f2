"""The turns that run: tasks of the agent's, so that losing a reader or a waiter never loses a turn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from ragforge_memory.agent.stream import Channel, error_event
from ragforge_memory.errors import TurnCancelled
from ragforge_memory.models.conversation import AssistantResponse


class TurnTasks:
    """Starts, knows and ends the turns of one agent."""

    def __init__(self) -> None:
        self._running: dict[asyncio.Task[AssistantResponse], str] = {}

    def start(
        self, conversation_id: str, turn: Callable[[], Awaitable[AssistantResponse]], channel: Channel | None
    ) -> asyncio.Task[AssistantResponse]:
        """Runs a turn; the channel gets an error event where it fails, and the end."""

        async def run() -> AssistantResponse:
            try:
                try:
                    return await turn()
                except asyncio.CancelledError:
                    raise TurnCancelled("the turn was cancelled before it began") from None
            except BaseException as error:
                if channel is not None:
                    await channel.send(error_event(error, getattr(error, "message_id", None)))
                raise
            finally:
                if channel is not None:
                    await channel.send(None)

        task = asyncio.create_task(run(), name="ragforge-turn")
        self._running[task] = conversation_id
        task.add_done_callback(lambda done: self._running.pop(done, None))
        return task

    async def cancel(self, conversation_id: str | None = None) -> bool:
        """Cancels the turns of a conversation (None: all) and waits until what they had said is stored.

        Returns:
            Whether there was one.
        """
        tasks = [task for task, running in self._running.items() if conversation_id in (None, running)]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        return bool(tasks)

    async def finish(self) -> None:
        """Waits until no turn runs."""
        if self._running:
            await asyncio.wait(list(self._running))
