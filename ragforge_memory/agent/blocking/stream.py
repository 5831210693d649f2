"""The events of a turn, for code that does not await."""

from __future__ import annotations

from collections.abc import Iterator
from types import TracebackType
from typing import TYPE_CHECKING

from ragforge_memory.agent.blocking.waiting import wait

if TYPE_CHECKING:
    from ragforge_memory import events
    from ragforge_memory.agent.turns.stream import AsyncMessageStream
    from ragforge_memory.models.conversation import AssistantResponse


class MessageStream:
    """The events of a turn: a context manager and an iterator.

    Leaving the block early, `close` and losing the stream cancel the turn; what it had said is stored as a partial
    answer.
    """

    def __init__(self, stream: AsyncMessageStream) -> None:
        self._stream = stream

    @property
    def response(self) -> AssistantResponse:
        """The whole answer, once the stream has ended.

        Raises:
            RagforgeError: the turn has not ended, or what it failed with.
        """
        return self._stream.response

    def __enter__(self) -> MessageStream:
        wait(self._stream.__aenter__)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[events.Event]:
        return self

    def __next__(self) -> events.Event:
        async def following() -> events.Event | None:
            return await anext(self._stream, None)

        event = wait(following, stop=self._stream.aclose)
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        """Cancels the turn if it still runs, and waits until what it had said is stored."""
        wait(self._stream.aclose)
