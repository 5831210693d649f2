"""Deleting conversations by age and number, for code that does not await."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.agent.blocking.part import BlockingAgentPart

if TYPE_CHECKING:
    from ragforge_memory.models.conversation import ConversationInfo


class BlockingAgentRetention(BlockingAgentPart):
    """See `AgentRetention`."""

    def expired_conversations(
        self, *, older_than_days: int | None = None, keep: int | None = None
    ) -> list[ConversationInfo]:
        """See `AsyncConversationAgent.expired_conversations`."""
        return self._do(lambda: self._agent.expired_conversations(older_than_days=older_than_days, keep=keep))

    def delete_expired_conversations(
        self, *, older_than_days: int | None = None, keep: int | None = None
    ) -> list[ConversationInfo]:
        """See `AsyncConversationAgent.delete_expired_conversations`."""
        return self._do(lambda: self._agent.delete_expired_conversations(older_than_days=older_than_days, keep=keep))
