"""Finding again what was said in any conversation, for code that does not await."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from ragforge_memory.agent.blocking.part import BlockingAgentPart

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import ConversationInfo, Page, Role, ScoredMessage
    from ragforge_memory.models.decisions import Decision
    from ragforge_memory.models.search import SearchResults


class BlockingAgentSearch(BlockingAgentPart):
    """See `AgentSearch`."""

    def search_messages(
        self,
        query: str,
        limit: int = 10,
        role: Role | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        tags: Sequence[str] | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """See `AsyncConversationAgent.search_messages`."""
        return self._do(
            lambda: self._agent.search_messages(
                query, limit=limit, role=role, since=since, until=until, tags=tags, tool=tool
            )
        )

    def find_similar_conversations(
        self, query: str, limit: int = 5, min_score: float | None = None
    ) -> SearchResults[ConversationInfo]:
        """See `AsyncConversationAgent.find_similar_conversations`."""
        return self._do(lambda: self._agent.find_similar_conversations(query, limit=limit, min_score=min_score))

    def decisions(
        self,
        about: str | None = None,
        *,
        doubtful: bool = False,
        since: date | str | None = None,
        until: date | str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Decision]:
        """See `AsyncConversationAgent.decisions`."""
        return self._do(
            lambda: self._agent.decisions(
                about, doubtful=doubtful, since=since, until=until, limit=limit, cursor=cursor
            )
        )
