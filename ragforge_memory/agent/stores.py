"""The stores of one owner: what of conversations, code and vectors is read from the graph and written to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.agent.held.conversations import HeldConversations
    from ragforge_memory.agent.held.messages import HeldMessages
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.graph.conversations import ConversationStore
    from ragforge_memory.graph.imports import ImportStore
    from ragforge_memory.graph.insights import InsightStore
    from ragforge_memory.graph.messages import MessageStore
    from ragforge_memory.graph.receipts import ReceiptStore
    from ragforge_memory.graph.scopes import ScopeStore
    from ragforge_memory.graph.search import SearchStore
    from ragforge_memory.graph.similar import SimilarStore
    from ragforge_memory.graph.text_files import UnreadTexts


@dataclass(frozen=True, slots=True)
class Stores:
    """The graph and what is kept there. What has None as its default is None without memory.

    ``graph_name`` says which database the journal's lines belong to; ``graph_birth`` is that database's own id.
    """

    graph: GraphClient
    graph_name: str
    graph_birth: str
    conversations: ConversationStore | HeldConversations
    messages: MessageStore | HeldMessages
    scopes: ScopeStore
    searches: SearchStore | None = None
    imports: ImportStore | None = None
    similar: SimilarStore | None = None
    receipts: ReceiptStore | None = None
    insights: InsightStore | None = None
    unread: UnreadTexts | None = None
    """Conversations in files, where texts are kept in the graph."""

    @property
    def in_memory(self) -> bool:
        """Whether turns are held in memory alone: there is no memory, or nothing is stored before `save`."""
        from ragforge_memory.agent.held.messages import HeldMessages

        return isinstance(self.messages, HeldMessages)

    def unsaved(self, conversation_id: str) -> bool:
        """Whether something of a conversation is in memory alone, as it is without ``auto_save``."""
        from ragforge_memory.agent.held.conversations import HeldConversations

        held = self.conversations
        return isinstance(held, HeldConversations) and held.unsaved(conversation_id)

    def check_saved(self, conversation_id: str) -> None:
        """Refuses a conversation of which something is in memory alone.

        Raises:
            InvalidInput: without ``auto_save``, what was said is not saved yet.
        """
        if self.unsaved(conversation_id):
            raise InvalidInput(
                "something of this conversation is not saved yet", hint="call save() first: auto_save is off"
            )
