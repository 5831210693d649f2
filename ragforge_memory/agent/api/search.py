"""Finding again what was said in a conversation."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from ragforge_memory.agent.api.handle import ConversationHandle
from ragforge_memory.agent.inputs import check_limit
from ragforge_memory.agent.search.inputs import check_query, check_threshold, checked_filters

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import Role, ScoredMessage
    from ragforge_memory.models.search import SearchResults


class ConversationSearch(ConversationHandle):
    """Searching one conversation."""

    async def search_history(
        self,
        query: str,
        limit: int = 10,
        min_score: float | None = None,
        role: Role | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """Messages of this conversation (a branch: of its whole lineage) that bear on a question, best first.

        Found by words and by meaning at the same time; what was said right before and after a hit may come too. A
        message is found by its words as soon as it is written, by its meaning once it is embedded, a moment later.

        Args:
            query: the question, in any words.
            limit: messages at most, 1 to 1,000.
            min_score: the least ``similarity``, 0 (unrelated) to 1 (identical), on the same scale for every embedding
                model; a message without a vector must have this share of the question's words. None: no threshold.
            role: only what the ``user``, the ``assistant`` or the ``system`` said.
            since: only what was said then or later: a datetime, a date or ISO text, local time without a zone.
            until: only what was said then or earlier.
            tool: only messages that called this tool.

        Returns:
            A list whose ``answered`` and ``missed`` say whether words (``text``) and ``meaning`` were searched. Each
            item says why it is there: ``matched_by``, ``matched_words``, ``similarity``. Messages come without their
            tool calls.

        Raises:
            InvalidInput: something asked for is none.
            ConversationNotFound: it was deleted.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.search.messages import search

        check_query(query)
        check_limit(limit)
        check_threshold(min_score)
        filters = checked_filters(role=role, since=since, until=until, tool=tool)
        services = await self._saved()
        return await search(
            services, query, limit=limit, conversation_id=self.uuid, filters=filters, min_score=min_score
        )
