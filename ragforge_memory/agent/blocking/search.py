"""Finding again what was said in a conversation, for code that does not await."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from ragforge_memory.agent.blocking.handle import BlockingHandle
from ragforge_memory.agent.blocking.waiting import wait

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import Role, ScoredMessage
    from ragforge_memory.models.search import SearchResults


class BlockingSearch(BlockingHandle):
    """See `ConversationSearch`."""

    def search_history(
        self,
        query: str,
        limit: int = 10,
        min_score: float | None = None,
        role: Role | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """See `AsyncConversation.search_history`."""
        return wait(
            lambda: self._conversation.search_history(
                query, limit=limit, min_score=min_score, role=role, since=since, until=until, tool=tool
            )
        )
