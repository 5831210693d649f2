"""A conversation for code that does not await."""

from __future__ import annotations

from ragforge_memory.agent.blocking.archive import BlockingArchive
from ragforge_memory.agent.blocking.branches import BlockingBranches
from ragforge_memory.agent.blocking.code import BlockingCode
from ragforge_memory.agent.blocking.context import BlockingContexts
from ragforge_memory.agent.blocking.search import BlockingSearch
from ragforge_memory.agent.blocking.summaries import BlockingSummaries


class Conversation(
    BlockingBranches, BlockingSummaries, BlockingSearch, BlockingContexts, BlockingCode, BlockingArchive
):
    """`AsyncConversation` for code that does not await; made by a `ConversationAgent`."""
