"""Having another model make a project's vectors anew, for code that does not await."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ragforge_memory.agent.agent import AsyncConversationAgent
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.models.embedding import ReembedReport

T = TypeVar("T")


class BlockingAgentVectors:
    """See `AgentVectors`."""

    _agent: AsyncConversationAgent

    @abstractmethod
    def _do(self, function: Callable[[], Awaitable[T]]) -> T: ...

    def reembed(
        self,
        embedder: Embedder | str | None = None,
        *,
        dimension: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReembedReport:
        """See `AsyncConversationAgent.reembed`."""
        return self._do(lambda: self._agent.reembed(embedder, dimension=dimension, progress=progress))
