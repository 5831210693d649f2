"""A conversation for code that does not await."""

from __future__ import annotations

from ragforge_memory.agent.blocking.turns import BlockingTurns


class Conversation(BlockingTurns):
    """`AsyncConversation` for code that does not await; made by a `ConversationAgent`."""
