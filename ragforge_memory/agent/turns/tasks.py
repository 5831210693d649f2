"""The turns that run: tasks of the agent's, so that losing a reader or a waiter never loses a turn."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Protocol
from weakref import WeakValueDictionary

from ragforge_memory.agent.turns.loop import check_process
from ragforge_memory.agent.turns.stream import Channel, error_event
from ragforge_memory.errors import TurnCancelled
from ragforge_memory.models.conversation import AssistantResponse


class Handle(Protocol):
    """What stands for a conversation."""

    @property
    def uuid(self) -> str:
        """The conversation's uuid."""


class TurnTasks:
    """Starts, knows and ends the turns of one agent."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        # By identity: two handles of one conversation are equal, and each is held for itself.
        self._handles: WeakValueDictionary[int, Handle] = WeakValueDictionary()
        self._deleted: set[str] = set()
        self._running: dict[asyncio.Task[AssistantResponse], tuple[str, Channel | None]] = {}

    def start(
        self, conversation_id: str, turn: Callable[[], Awaitable[AssistantResponse]], channel: Channel | None
    ) -> asyncio.Task[AssistantResponse]:
        """Runs a turn; the channel gets an error event where it fails, and the end."""

        async def run() -> AssistantResponse:
            failure: BaseException | None = None
            try:
                try:
                    return await turn()
                except asyncio.CancelledError:
                    raise TurnCancelled("the turn was cancelled before it began") from None
            except BaseException as error:
                failure = error
                raise
            finally:
                if channel is not None:
                    message_id = getattr(failure, "message_id", None)
                    channel.end(error_event(failure, message_id) if failure is not None else None)

        task = asyncio.create_task(run(), name="ragforge-turn")
        self._running[task] = (conversation_id, channel)
        task.add_done_callback(self._ended)
        return task

    def hold(self, handle: Handle) -> None:
        """Somebody holds a conversation, for as long as the object lives."""
        self._handles[id(handle)] = handle

    def held(self) -> set[str]:
        """The conversations that somebody holds, or in which a turn runs."""
        return {handle.uuid for handle in self._handles.values()} | {uuid for uuid, _ in self._running.values()}

    def is_deleted(self, conversation_id: str) -> bool:
        """Whether turns of a conversation are being cancelled because it is deleted."""
        return conversation_id in self._deleted

    async def cancel_deleted(self, conversation_id: str) -> None:
        """Cancels the turns of a conversation that will be deleted: nothing of them will be kept."""
        self._deleted.add(conversation_id)
        try:
            await self.cancel(conversation_id)
        finally:
            self._deleted.discard(conversation_id)

    async def cancel(self, conversation_id: str | None = None) -> bool:
        """Cancels the turns of a conversation (None: all) and waits until what they had said is stored.

        Returns:
            Whether there was one.

        Raises:
            ForkedProcess: this is a child of the process whose turns they are.
        """
        check_process(self._pid)
        tasks = []
        for task, (running, channel) in self._running.items():
            if conversation_id in (None, running):
                tasks.append(task)
                if channel is not None:
                    channel.unbounded()  # whoever waits here may be the one who does not read
                task.cancel()
        if tasks:
            await asyncio.wait(tasks)
        return bool(tasks)

    async def finish(self) -> None:
        """Waits until no turn runs; one whose reader has stopped reading is not held up by it."""
        for _, channel in self._running.values():
            if channel is not None:
                channel.unbounded()
        if self._running:
            await asyncio.wait(list(self._running))

    def _ended(self, task: asyncio.Task[AssistantResponse]) -> None:
        _, channel = self._running.pop(task)
        if not task.cancelled():
            # Whoever waits for the turn gets its error; where nobody does, asyncio need not say so.
            task.exception()
        elif channel is not None:
            # Cancelled before its first step, so that nothing of it ran: the reader is told here.
            channel.end()
