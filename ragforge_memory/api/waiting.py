"""What the blocking classes are built on: each method waits for that of the awaited object behind it."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

from ragforge_memory.agent.turns.loop import background_loop
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory import events
    from ragforge_memory.agent.turns.stream import AsyncMessageStream
    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.api.knowledge import AsyncAgentKnowledge
    from ragforge_memory.api.memory import AsyncAgentMemory
    from ragforge_memory.api.user import AsyncAgentUser
    from ragforge_memory.models.conversation import AssistantResponse

T = TypeVar("T")


class Do(Protocol):
    """Waits for what a function awaits."""

    def __call__(self, function: Callable[[], Awaitable[T]], /) -> T:
        """Its result."""


def wait(function: Callable[[], Awaitable[T]], *, stop: Callable[[], Awaitable[Any]] | None = None) -> T:
    """Runs ``function`` on the background loop; Ctrl-C stops it (with ``stop``, which is waited for) and goes on."""
    loop = background_loop()
    future = loop.start(function)
    try:
        return future.result()
    except KeyboardInterrupt:
        if stop is not None:
            loop.start(stop).result()
        future.cancel()
        raise


def refuse_driver(target: object) -> None:
    """Refuses an open driver: its connections belong to the loop that it is used on, which is not this class's.

    Raises:
        InvalidInput: it is one.
    """
    driver = getattr(sys.modules.get("neo4j"), "AsyncDriver", None)
    if driver is not None and isinstance(target, driver):
        raise InvalidInput(
            "an open AsyncDriver cannot be used by a ConversationAgent, which has an event loop of its own",
            hint="give neo4j= a function that returns a driver, or an address, or use AsyncConversationAgent",
        )


class BlockingAgent:
    """The part of a blocking agent that is written by hand: it is closed at exit, if not before."""

    def _adopt(self, agent: AsyncConversationAgent) -> None:
        self._agent = agent
        self._forget: Callable[[], None] | None = None

    def _another(self, agent: AsyncConversationAgent) -> Self:
        other = type(self).__new__(type(self))
        other._adopt(agent)
        return other

    def _do(self, function: Callable[[], Awaitable[T]]) -> T:
        if self._forget is None:
            self._forget = background_loop().at_exit(self._agent.abandon)
        return wait(function)

    def _end(self, close: Callable[[], Awaitable[Any]]) -> None:
        forget = self._forget
        if forget is not None:
            wait(close)
            # Only now: where Ctrl-C cuts that short, another call goes on with it, or the end of the process.
            forget()
            self._forget = None


class BlockingMemory:
    """The part of a blocking agent's memory that is written by hand; ``do`` waits as the agent does."""

    def __init__(self, memory: AsyncAgentMemory, do: Do) -> None:
        self._memory = memory
        self._do = do


class BlockingUser:
    """The part of a blocking agent's user that is written by hand; ``do`` waits as the agent does."""

    def __init__(self, user: AsyncAgentUser, do: Do) -> None:
        self._user = user
        self._do = do


class BlockingKnowledge:
    """The part of a blocking agent's knowledge base that is written by hand."""

    def __init__(self, knowledge: AsyncAgentKnowledge, do: Do) -> None:
        self._knowledge = knowledge
        self._do = do


class BlockingConversation:
    """The part of a blocking conversation that is written by hand."""

    def __init__(self, conversation: AsyncConversation) -> None:
        self._conversation = conversation

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._conversation.uuid!r}, title={self._conversation.title!r})"

    def __eq__(self, other: object) -> bool:
        """Two of one agent are equal where they are of one conversation."""
        return self._conversation == other._conversation if isinstance(other, BlockingConversation) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._conversation)


def awaited(other: BlockingConversation | str) -> AsyncConversation | str:
    """The conversation behind a blocking one; what is neither is refused where it is used."""
    found: AsyncConversation | str = getattr(other, "_conversation", other)  # type: ignore[arg-type]
    return found


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
