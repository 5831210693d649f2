"""Finding again what was said in any conversation of an owner."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ragforge_memory.agent.inputs import check_limit
from ragforge_memory.agent.search_inputs import check_query, checked_filters

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.models.conversation import Role, ScoredMessage
    from ragforge_memory.models.search import SearchResults


class AgentSearch:
    """Searching all conversations of an agent's owner."""

    @abstractmethod
    async def open(self) -> Services:
        """Opens what is needed, once."""

    async def search_messages(
        self,
        query: str,
        limit: int = 10,
        *,
        role: Role | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        tags: Sequence[str] | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """Messages of every conversation of this owner, never of another, that bear on a question, best first.

        Args:
            query: the question, in any words.
            limit: messages at most, 1 to 1,000.
            role: only what the ``user``, the ``assistant`` or the ``system`` said.
            since: only what was said then or later: a datetime (without a zone: UTC) or ISO text.
            until: only what was said then or earlier.
            tags: only of conversations that have any of these.
            tool: only messages that called this tool.

        Returns:
            As `AsyncConversation.search_history`.

        Raises:
            InvalidInput: something asked for is none.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.search import search

        check_query(query)
        check_limit(limit)
        filters = checked_filters(role=role, since=since, until=until, tool=tool, tags=tags)
        return await search(await self.open(), query, limit=limit, filters=filters)
