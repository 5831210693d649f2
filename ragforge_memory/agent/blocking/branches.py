"""Other courses of a conversation, for code that does not await."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.blocking.turns import BlockingTurns
from ragforge_memory.agent.blocking.waiting import wait

if TYPE_CHECKING:
    from ragforge_memory.agent.blocking.conversation import Conversation
    from ragforge_memory.agent.conversation import AsyncConversation
    from ragforge_memory.models.conversation import BranchTree, Comparison, Message


class BlockingBranches(BlockingTurns):
    """See `ConversationBranches`."""

    def branch(self, from_message_id: str | None = None, title: str | None = None) -> Conversation:
        """See `AsyncConversation.branch`."""
        return self._twin(wait(lambda: self._conversation.branch(from_message_id, title=title)))

    def regenerate(self, message_id: str) -> Conversation:
        """See `AsyncConversation.regenerate`; Ctrl-C cancels the turn and waits for its partial answer."""
        return self._twin(wait(lambda: self._conversation.regenerate(message_id), stop=self._conversation.cancel))

    def edit(self, message_id: str, text: str, *, metadata: Mapping[str, Any] | None = None) -> Conversation:
        """See `AsyncConversation.edit`; Ctrl-C cancels the turn and waits for its partial answer."""
        edit = partial(self._conversation.edit, message_id, text, metadata=metadata)
        return self._twin(wait(edit, stop=self._conversation.cancel))

    def branches(self) -> BranchTree:
        """See `AsyncConversation.branches`."""
        return wait(self._conversation.branches)

    def compare(self, other: Conversation | str) -> Comparison:
        """See `AsyncConversation.compare`."""
        return wait(lambda: self._conversation.compare(_awaited(other)))

    def merge(self, other: Conversation | str) -> Message:
        """See `AsyncConversation.merge`."""
        return wait(lambda: self._conversation.merge(_awaited(other)))

    @staticmethod
    def _twin(conversation: AsyncConversation) -> Conversation:
        from ragforge_memory.agent.blocking.conversation import Conversation

        return Conversation(conversation)


def _awaited(other: Conversation | str) -> AsyncConversation | str:
    # What is neither is refused where it is used.
    found: AsyncConversation | str = getattr(other, "_conversation", other)  # type: ignore[arg-type]
    return found
