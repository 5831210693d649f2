"""Finding again what was said in any conversation of an owner."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from ragforge_memory.agent.api.part import AgentPart
from ragforge_memory.agent.inputs import check_flag, check_limit, check_text
from ragforge_memory.agent.search.inputs import check_query, check_threshold, checked_filters

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import ConversationInfo, Page, Role, ScoredMessage
    from ragforge_memory.models.decisions import Decision
    from ragforge_memory.models.search import SearchResults


class AgentSearch(AgentPart):
    """Searching all conversations of an agent's owner."""

    async def search_messages(
        self,
        query: str,
        limit: int = 10,
        role: Role | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        tags: Sequence[str] | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """Messages of every conversation of this owner, never of another, that bear on a question, best first.

        Args:
            query: the question, in any words.
            limit: messages at most, 1 to 1,000.
            role: only what the ``user``, the ``assistant`` or the ``system`` said.
            since: only what was said then or later: a datetime, a date or ISO text, local time without a zone.
            until: only what was said then or earlier.
            tags: only of conversations that have any of these.
            tool: only messages that called this tool.

        Returns:
            As `AsyncConversation.search_history`.

        Raises:
            InvalidInput: something asked for is none.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.search.messages import search

        check_query(query)
        check_limit(limit)
        filters = checked_filters(role=role, since=since, until=until, tool=tool, tags=tags)
        return await search(await self.open(), query, limit=limit, filters=filters)

    async def find_similar_conversations(
        self, query: str, limit: int = 5, min_score: float | None = None
    ) -> SearchResults[ConversationInfo]:
        """Conversations of this owner that are about what a text says, the likest first.

        By what they are about (the summary with the title; before the first summary the title and the first messages)
        and by the words of titles and summaries.

        Args:
            query: the text, in any words.
            limit: conversations at most, 1 to 1,000.
            min_score: the least ``similarity``, 0 (unrelated) to 1 (identical), on the same scale for every embedding
                model; a conversation without a vector must have this share of the text's words. None: no threshold.

        Returns:
            A list, each with its ``similarity`` (None where there is no vector yet), which is not the order: words
            count too, and what is near to everything counts less. ``answered`` and ``missed`` as in `search_messages`.

        Raises:
            InvalidInput: something asked for is none.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.search.similar import find_similar

        check_query(query)
        check_limit(limit)
        check_threshold(min_score)
        return await find_similar(await self.open(), query, limit=limit, min_score=min_score)

    async def decisions(
        self,
        about: str | None = None,
        *,
        doubtful: bool = False,
        since: date | str | None = None,
        until: date | str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Decision]:
        """What was decided, ruled or noted in this owner's conversations, the newest first, and whether it still holds.

        Without a model: messages that decide or rule something by their words, what the user notes, and what has an
        ``importance`` of .9 or more. Each is told with what the user said later against it, and with what has become
        of the code that it is about, as of the last `ingest`.

        Args:
            about: only those that have these words, or are about code or a file of this name, of then or of now; of a
                folder those about what is in it. Where there are none, those that have words which begin with these.
            doubtful: only those that were corrected, or of whose code something has changed or is gone.
            since: only what was said then or later: a datetime, a date or ISO text, local time without a zone.
            until: only what was said then or earlier; what corrects it may be later.
            limit: decisions at most, 1 to 1,000.
            cursor: ``next_cursor`` of the page before.

        Returns:
            A page; ``next_cursor`` is None on the last.

        Raises:
            InvalidInput: something asked for is none.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.decisions import decisions

        if about is not None:
            check_text(about, "what decisions are about")
        check_flag(doubtful, "doubtful")
        check_limit(limit)
        times = checked_filters(since=since, until=until)
        return await decisions(
            await self.open(),
            about=about,
            doubtful=doubtful,
            since=times.since,
            until=times.until,
            limit=limit,
            cursor=cursor,
        )
