"""Contexts, receipts and snapshots, for code that does not await."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.agent.blocking.handle import BlockingHandle
from ragforge_memory.agent.blocking.waiting import wait

if TYPE_CHECKING:
    from ragforge_memory.models.context import ContextReceipt, Snapshot
    from ragforge_memory.models.conversation import ContextStrategy, ConversationContext


class BlockingContexts(BlockingHandle):
    """See `ConversationContexts`."""

    def build_context(
        self,
        strategy: ContextStrategy = "hybrid",
        recent_messages: int = 5,
        relevant_messages: int = 10,
        include_summary: bool = True,
        query: str | None = None,
        max_tokens: int | None = None,
    ) -> ConversationContext:
        """See `AsyncConversation.build_context`."""
        return wait(
            lambda: self._conversation.build_context(
                strategy,
                recent_messages=recent_messages,
                relevant_messages=relevant_messages,
                include_summary=include_summary,
                query=query,
                max_tokens=max_tokens,
            )
        )

    def receipt(self, message_id: str | None = None) -> ContextReceipt:
        """See `AsyncConversation.receipt`."""
        return wait(lambda: self._conversation.receipt(message_id))

    def as_of(self, message_id: str) -> Snapshot:
        """See `AsyncConversation.as_of`."""
        return wait(lambda: self._conversation.as_of(message_id))
