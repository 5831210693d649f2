"""What is open while an agent lives, for those at the top, who need nearly all of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.agent.background import Background
    from ragforge_memory.agent.models import Models
    from ragforge_memory.agent.place import Place
    from ragforge_memory.agent.stores import Stores
    from ragforge_memory.models.conversation import ConversationInfo


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a turn needs, in four parts; what needs one or two of them takes those."""

    stores: Stores
    models: Models
    place: Place
    background: Background

    @property
    def embeds_messages(self) -> bool:
        """Whether what waits for a vector gets one here."""
        return self.models.embedder is not None and self.place.remembers and self.place.config.memory.embeddings.enabled

    async def settled(self, conversation: ConversationInfo) -> ConversationInfo:
        """A conversation that is loaded: questions that died with their process, here or elsewhere, are marked.

        Raises:
            InvalidInput: its texts are in a file, and this agent keeps texts in the graph.
        """
        self.place.check_readable(conversation)
        if conversation.head_seq:
            await self.stores.messages.settle(conversation.uuid)
        return conversation
