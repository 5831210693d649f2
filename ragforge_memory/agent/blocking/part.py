"""What the groups of a blocking agent's methods are built on."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any, TypeVar

from ragforge_memory.agent.blocking.waiting import wait
from ragforge_memory.agent.turns.loop import background_loop

if TYPE_CHECKING:
    from ragforge_memory.agent.agent import AsyncConversationAgent

T = TypeVar("T")


class BlockingAgentPart:
    """One group of an agent's methods: each waits for that of the agent behind it."""

    def _adopt(self, agent: AsyncConversationAgent) -> None:
        self._agent = agent
        self._forget: Callable[[], None] | None = None

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
