"""A conversation for code that does not await."""

from __future__ import annotations

from ragforge_memory.agent.blocking.branches import BlockingBranches


class Conversation(BlockingBranches):
    """`AsyncConversation` for code that does not await; made by a `ConversationAgent`."""
