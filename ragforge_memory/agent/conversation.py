"""A conversation, awaited."""

from __future__ import annotations

from ragforge_memory.agent.api.turns import ConversationTurns


class AsyncConversation(ConversationTurns):
    """A conversation of an `AsyncConversationAgent`; made by its methods, not by hand."""
