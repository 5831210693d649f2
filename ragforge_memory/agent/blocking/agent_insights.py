"""Finding the same thing in many conversations, for code that does not await."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.blocking.part import BlockingAgentPart

if TYPE_CHECKING:
    from pydantic import BaseModel

    from ragforge_memory.agent.api.agent_insights import AConversation, TheConversations
    from ragforge_memory.models.conversation import Page
    from ragforge_memory.models.insight import Insight, Insights


class BlockingAgentInsights(BlockingAgentPart):
    """See `AgentInsights`."""

    def batch_analyze(
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
        """See `AsyncConversationAgent.batch_analyze`."""
        return self._do(
            lambda: self._agent.batch_analyze(
                conversations,
                task,
                output_schema,
                concurrency=concurrency,
                max_cost_usd=max_cost_usd,
                max_tokens=max_tokens,
                attempts=attempts,
                refresh=refresh,
                progress=progress,
            )
        )

    def list_insights(
        self,
        conversation: AConversation | None = None,
        *,
        task: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Insight]:
        """See `AsyncConversationAgent.list_insights`."""
        return self._do(lambda: self._agent.list_insights(conversation, task=task, limit=limit, cursor=cursor))
