"""Finding the same thing in many conversations of an owner."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.api.part import AgentPart
from ragforge_memory.agent.inputs import check_flag, check_limit, check_progress, check_text

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ragforge_memory.agent.api.handle import ConversationHandle
    from ragforge_memory.agent.blocking.handle import BlockingHandle
    from ragforge_memory.models.conversation import ConversationInfo, Page
    from ragforge_memory.models.insight import Insight, Insights

    AConversation = str | ConversationInfo | ConversationHandle | BlockingHandle
    TheConversations = AConversation | Iterable[AConversation] | Mapping[str, Any] | None


class AgentInsights(AgentPart):
    """Insights of an agent's owner: made by a model, one for each conversation, and kept in the graph."""

    async def batch_analyze(
        self,
        conversations: TheConversations,
        task: str,
        output_schema: type[BaseModel] | Mapping[str, Any],
        *,
        concurrency: int = 4,
        max_cost_usd: float | None = None,
        max_tokens: int | None = None,
        attempts: int = 3,
        refresh: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Insights:
        """Asks the model the same of each conversation and keeps each answer as an `Insight`, once it fits the schema.

        What is done is not asked again: run with the same task and schema, it goes on where it was stopped or killed.
        Two that run at once share the work. A conversation that does not fit the model's window is shown by its
        summaries and its newest messages.

        Args:
            conversations: which: uuids, `ConversationInfo` objects or conversations, one or many; a filter,
                ``{"status": "active" or "archived", "tags": [any of these]}``; None: all of this owner.
            task: what to find, in words.
            output_schema: how to answer: a pydantic class; a JSON Schema; or, in short, an object's fields with a
                schema each, all of them required: ``{"main_topic": {"type": "string"}}``.
            concurrency: requests at a time, 1 to 64.
            max_cost_usd: US dollars that this run may take, by the model's list price. A request is begun only where
                it fits with all that was taken and all that runs; what an answer will take is guessed by the longest.
            max_tokens: tokens that this run may take, given and said, likewise.
            attempts: requests for one conversation, at most, 1 to 10: an answer that is no JSON or does not fit goes
                back to the model with what is wrong.
            refresh: make those anew whose conversations have gone on since.
            progress: is called with how many conversations are settled, of how many.

        Returns:
            The insights that there are now, in the order of the conversations (of a filter or None, the newest first):
            a list, with ``made``, ``failed`` (each with a reason), ``left`` and ``stopped`` (where a limit ended the
            run, or the model failed on three conversations in a row), and ``usage``.

        Raises:
            InvalidInput: something asked for is none, or ``max_cost_usd`` of a model without a known price.
            ConfigError: there is no model to ask.
            ConversationNotFound: this owner has no such conversation.
            ModelError: the model failed, and there is no insight at all.
            GraphUnavailable: the graph cannot be asked; what was stored by then stays.
        """
        from ragforge_memory.agent.insights import inputs
        from ragforge_memory.agent.insights.analysis import analyse
        from ragforge_memory.agent.insights.schema import checked_schema

        check_flag(refresh, "refresh")
        check_progress(progress)
        choice = inputs.checked_choice(conversations)
        task = inputs.checked_task(task)
        form = checked_schema(output_schema)
        limits = inputs.checked_limits(
            concurrency=concurrency, attempts=attempts, max_cost_usd=max_cost_usd, max_tokens=max_tokens
        )
        return await analyse(await self.open(), choice, task, form, limits, refresh=refresh, progress=progress)

    async def list_insights(
        self,
        conversation: AConversation | None = None,
        *,
        task: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Insight]:
        """The insights that there are, the newest first; no model is asked.

        Args:
            conversation: only of this one; None: of all of this owner.
            task: only of this task.
            limit: most items on the page, 1 to 1,000.
            cursor: ``next_cursor`` of the page before.

        Raises:
            InvalidInput: something asked for is none.
            ConversationNotFound: this owner has no such conversation.
        """
        from ragforge_memory.agent.insights import inputs
        from ragforge_memory.agent.insights.analysis import listed

        check_limit(limit)
        if cursor is not None:
            check_text(cursor, "a cursor")
        wanted = inputs.checked_task(task) if task is not None else None
        only = inputs.named(conversation) if conversation is not None else None
        return await listed(await self.open(), only, task=wanted, limit=limit, cursor=cursor)
