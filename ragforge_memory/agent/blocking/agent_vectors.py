"""Having another model make a project's vectors anew, for code that does not await."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ragforge_memory.agent.blocking.part import BlockingAgentPart

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.models.embedding import ReembedReport


class BlockingAgentVectors(BlockingAgentPart):
    """See `AgentVectors`."""

    def reembed(
        self,
        embedder: Embedder | str | None = None,
        *,
        dimension: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReembedReport:
        """See `AsyncConversationAgent.reembed`."""
        return self._do(lambda: self._agent.reembed(embedder, dimension=dimension, progress=progress))
