"""Taking conversations out of the graph, for code that does not await."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, overload

from ragforge_memory.agent.blocking.handle import BlockingHandle
from ragforge_memory.agent.blocking.part import BlockingAgentPart
from ragforge_memory.agent.blocking.waiting import wait

if TYPE_CHECKING:
    from ragforge_memory.agent.api.archive import ExportFormat
    from ragforge_memory.models.conversation import ExportReport


class BlockingArchive(BlockingHandle):
    """See `ConversationArchive`."""

    @overload
    def export(
        self,
        path: str | os.PathLike[str] | None = None,
        format: Literal["json"] = "json",
        embeddings: bool = False,
    ) -> dict[str, Any]: ...

    @overload
    def export(
        self, path: str | os.PathLike[str] | None, format: Literal["markdown"], embeddings: bool = False
    ) -> str: ...

    @overload
    def export(
        self, path: str | os.PathLike[str] | None = None, *, format: Literal["markdown"], embeddings: bool = False
    ) -> str: ...

    @overload
    def export(
        self, path: str | os.PathLike[str] | None = None, format: ExportFormat = "json", embeddings: bool = False
    ) -> dict[str, Any] | str: ...

    def export(
        self,
        path: str | os.PathLike[str] | None = None,
        format: ExportFormat = "json",
        embeddings: bool = False,
    ) -> dict[str, Any] | str:
        """See `AsyncConversation.export`."""
        return wait(lambda: self._conversation.export(path, format=format, embeddings=embeddings))


class BlockingAgentArchive(BlockingAgentPart):
    """See `AgentArchive`."""

    def export_all(self, path: str | os.PathLike[str], *, embeddings: bool = False) -> ExportReport:
        """See `AsyncConversationAgent.export_all`."""
        return self._do(lambda: self._agent.export_all(path, embeddings=embeddings))
