"""A conversation, awaited."""

from __future__ import annotations

from ragforge_memory.agent.api.archive import ConversationArchive
from ragforge_memory.agent.api.branches import ConversationBranches
from ragforge_memory.agent.api.code import ConversationCode
from ragforge_memory.agent.api.context import ConversationContexts
from ragforge_memory.agent.api.search import ConversationSearch
from ragforge_memory.agent.api.summaries import ConversationSummaries


class AsyncConversation(
    ConversationBranches,
    ConversationSummaries,
    ConversationSearch,
    ConversationContexts,
    ConversationCode,
    ConversationArchive,
):
    """A conversation of an `AsyncConversationAgent`; made by its methods, not by hand."""
