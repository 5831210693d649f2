"""A turn as a stream of events: the turn is a task of the agent's, the stream only reads."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections import deque
from collections.abc import AsyncIterator, Callable
from types import TracebackType

from ragforge_memory import events
from ragforge_memory.agent.turns.loop import check_process
from ragforge_memory.agent.turns.patience import abandoned
from ragforge_memory.errors import RagforgeError, TurnCancelled, describe
from ragforge_memory.models.conversation import AssistantResponse

# Events that may wait for a slow reader; then the turn waits.
CHANNEL_SIZE = 256

StartTurn = Callable[["Channel"], "asyncio.Task[AssistantResponse]"]


class Channel:
    """Carries events from a turn to its reader; what is sent after the reader has gone is dropped.

    A turn waits while its reader is far behind, but never to say how it ended: whoever cancels a turn may be the one
    who does not read.
    """

    def __init__(self) -> None:
        self._events: deque[events.Event | None] = deque()
        self._readable = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._closed = False
        self._bounded = True

    async def send(self, event: events.Event) -> None:
        """Hands over an event, waiting while the reader is far behind.

        Where that is cancelled the event is handed over all the same: what it tells is kept of the turn, too.
        """
        try:
            await self._room.wait()
        finally:
            self._put(event)

    def end(self, event: events.Event | None = None) -> None:
        """Hands over the last event, if there is one, and the end."""
        if event is not None:
            self._put(event)
        self._put(None)

    async def receive(self) -> events.Event | None:
        """The next event; None at the end, to all who wait for it."""
        while not self._events:  # another reader may be quicker
            await self._readable.wait()
        if self._events[0] is None:
            return None
        event = self._events.popleft()
        if not self._events:
            self._readable.clear()
        if len(self._events) < CHANNEL_SIZE:
            self._room.set()
        return event

    def unbounded(self) -> None:
        """From here on the turn waits for nobody: it is cancelled, or the agent is closing."""
        self._bounded = False
        self._room.set()

    def close(self) -> None:
        """The reader goes: a turn that waits for it goes on, and a read that waits ends."""
        self._closed = True
        self._events.clear()
        self._events.append(None)
        self._readable.set()
        self._room.set()

    def _put(self, event: events.Event | None) -> None:
        if self._closed:
            return
        self._events.append(event)
        self._readable.set()
        if self._bounded and len(self._events) >= CHANNEL_SIZE:
            self._room.clear()


class AsyncMessageStream:
    """The events of a turn: an async context manager and iterator.

    The turn starts with ``async with`` or with the first event asked for. Leaving the block early, `aclose` and
    losing the stream cancel the turn; what it had said by then is stored as a partial answer.
    """

    def __init__(self, start: StartTurn) -> None:
        self._start = start
        self._channel = Channel()
        self._task: asyncio.Task[AssistantResponse] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._pid = os.getpid()
        self._ended = False

    @property
    def response(self) -> AssistantResponse:
        """The whole answer, once the stream has ended.

        Raises:
            RagforgeError: the turn has not ended, or what it failed with.
        """
        if self._task is None or not self._task.done():
            raise RagforgeError("the turn has not ended yet", hint="read the stream to its end first")
        if self._task.cancelled():
            raise TurnCancelled("the turn was cancelled")
        return self._task.result()

    async def __aenter__(self) -> AsyncMessageStream:
        self._begin()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[events.Event]:
        return self

    async def __anext__(self) -> events.Event:
        check_process(self._pid)
        task = self._begin()
        if self._ended:
            raise StopAsyncIteration
        event = await self._channel.receive()
        if event is not None:
            return event
        self._ended = True
        # Another may have closed the stream while this one waited: the turn is being cancelled and stores its part.
        await asyncio.wait((task,))
        if task.cancelled():
            raise TurnCancelled("the turn was cancelled")
        error = task.exception()
        if error is not None:
            raise error
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Cancels the turn if it still runs, and waits until what it had said is stored.

        In a forked child nothing happens: the turn is the parent's.
        """
        if os.getpid() != self._pid:
            return
        self._ended = True
        self._channel.close()
        if self._task is not None:
            await abandoned(self._task)

    def __del__(self) -> None:
        if os.getpid() == self._pid and self._task is not None and not self._task.done() and self._loop is not None:
            with contextlib.suppress(RuntimeError):  # the loop is closed
                # A stream may be lost in any thread; what belongs to the loop is touched there alone.
                self._loop.call_soon_threadsafe(_give_up, self._channel, self._task)

    def _begin(self) -> asyncio.Task[AssistantResponse]:
        if self._task is None:
            if self._ended:
                raise RagforgeError("this stream was closed before it began", hint="begin another: stream_message()")
            self._loop = asyncio.get_running_loop()
            self._task = self._start(self._channel)
        return self._task


def _give_up(channel: Channel, turn: asyncio.Task[AssistantResponse]) -> None:
    channel.close()
    turn.cancel()


def error_event(error: BaseException, message_id: str | None) -> events.Error:
    """The event that says what a turn failed with."""
    return events.Error(message_id=message_id, **describe(error))
