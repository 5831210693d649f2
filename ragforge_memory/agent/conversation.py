"""A conversation, awaited."""

from __future__ import annotations

from ragforge_memory.agent.api.branches import ConversationBranches


class AsyncConversation(ConversationBranches):
    """A conversation of an `AsyncConversationAgent`; made by its methods, not by hand."""
