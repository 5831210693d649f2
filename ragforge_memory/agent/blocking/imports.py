"""Taking in what was said elsewhere, for code that does not await."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import IO, TYPE_CHECKING, Any

from ragforge_memory.agent.blocking.conversation import Conversation
from ragforge_memory.agent.blocking.part import BlockingAgentPart

if TYPE_CHECKING:
    from ragforge_memory.agent.archives.transcripts import OnConflict
    from ragforge_memory.models.imports import ImportProgress, ImportReport


class BlockingAgentImports(BlockingAgentPart):
    """See `AgentImports`."""

    def import_conversation(
        self, data: Any, on_conflict: OnConflict = "fail", *, title: str | None = None
    ) -> Conversation:
        """See `AsyncConversationAgent.import_conversation`."""
        return Conversation(
            self._do(lambda: self._agent.import_conversation(data, on_conflict=on_conflict, title=title))
        )

    def import_conversations(
        self,
        source: str | os.PathLike[str] | IO[bytes] | IO[str],
        on_conflict: OnConflict = "fail",
        *,
        progress: Callable[[ImportProgress], None] | None = None,
    ) -> ImportReport:
        """See `AsyncConversationAgent.import_conversations`."""
        return self._do(lambda: self._agent.import_conversations(source, on_conflict=on_conflict, progress=progress))
