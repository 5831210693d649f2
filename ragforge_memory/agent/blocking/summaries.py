"""What a conversation says in short, for code that does not await."""

from __future__ import annotations

from ragforge_memory.agent.blocking.handle import BlockingHandle
from ragforge_memory.agent.blocking.waiting import wait


class BlockingSummaries(BlockingHandle):
    """See `ConversationSummaries`."""

    def summarize(self) -> str:
        """See `AsyncConversation.summarize`."""
        return wait(self._conversation.summarize)
