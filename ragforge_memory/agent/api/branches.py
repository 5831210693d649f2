"""Other courses of a conversation: branches, and what becomes of them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.api.turns import ConversationTurns
from ragforge_memory.agent.inputs import check_metadata, check_text, checked_text, clean_labels
from ragforge_memory.agent.turns.patience import outcome
from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.conversation import AssistantResponse, BranchTree, Comparison, Message

if TYPE_CHECKING:
    from ragforge_memory.agent.branches import Sibling
    from ragforge_memory.agent.conversation import AsyncConversation
    from ragforge_memory.agent.services import Services


class ConversationBranches(ConversationTurns):
    """Branching off, going another way, and bringing both together."""

    async def branch(self, from_message_id: str | None = None, title: str | None = None) -> AsyncConversation:
        """Another conversation that goes on from here; nothing is copied, and both go their own ways.

        What both share is summarised once, but for a stretch that ends behind it: that is summarised for each side.

        Args:
            from_message_id: the last message that both share; None: the newest one.
            title: what lists show; None: this one's, marked as a branch, and from then on what is asked there first.

        Raises:
            MessageNotFound: the message is none of this conversation's.
            ConversationNotFound: the conversation was deleted.
            InvalidInput: memory is off, or it would be a branch of a branch of more than 500 conversations.
        """
        from ragforge_memory.agent import branches

        if from_message_id is not None:
            check_text(from_message_id, "a message's uuid")
        clean_labels(title, ())
        services = await self._saved()
        return self._sibling(
            await branches.branch(services, self.uuid, from_message_id=from_message_id, title=services.redacted(title))
        )

    async def regenerate(self, message_id: str) -> AsyncConversation:
        """Asks again what an answer answered; the new answer is in a branch beside it, the old one stays.

        Args:
            message_id: an assistant's message.

        Returns:
            The branch; its newest message is the new answer.

        Raises:
            MessageNotFound: the message is none of this conversation's.
            InvalidInput: it is no answer, or as in `branch`.
            ModelError: the model failed; of what it had said the branch stays, with nothing said there is none.
        """
        from ragforge_memory.agent import branches

        check_text(message_id, "a message's uuid")
        services = await self._saved()
        return await self._beside(services, partial(branches.sibling_for_answer, services, self.uuid, message_id))

    async def edit(self, message_id: str, text: str, *, metadata: Mapping[str, Any] | None = None) -> AsyncConversation:
        """Says something else instead of an earlier message, in a branch that goes on from there; answered at once.

        Args:
            message_id: a user's message.
            text: what is said instead; 1 to 400,000 characters.
            metadata: kept on the message; JSON-able.

        Returns:
            The branch, with the new question and its answer.

        Raises:
            MessageNotFound: the message is none of this conversation's.
            InvalidInput: it is not a user's, the text cannot be a message, or as in `branch`.
            ModelError: the model failed; of what it had said the branch stays, with nothing said there is none.
        """
        from ragforge_memory.agent import branches

        check_text(message_id, "a message's uuid")
        checked_text(text)
        check_metadata(metadata)
        services = await self._saved()
        creation = partial(branches.sibling_for_question, services, self.uuid, message_id, text)
        return await self._beside(services, creation, metadata)

    async def branches(self) -> BranchTree:
        """The whole family of this conversation, from its root down.

        Raises:
            ConversationNotFound: it was deleted.
            InvalidInput: memory is off, or something of it is not saved yet.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent import branches

        return await branches.tree(await self._saved(), self.uuid)

    async def compare(self, other: AsyncConversation | str) -> Comparison:
        """What this conversation and another have alone since they parted.

        Args:
            other: a conversation, or its uuid.

        Raises:
            ConversationNotFound: one of them was deleted.
            InvalidInput: both are the same.
        """
        from ragforge_memory.agent import branches

        return await branches.compare(await self._saved(), self.uuid, _uuid(other))

    async def merge(self, other: AsyncConversation | str) -> Message:
        """Brings another conversation of the family in: one message here, with what both sides did since they parted.

        The message refers to the code that either has talked about. The other conversation stays as it is.

        Args:
            other: a conversation, or its uuid.

        Returns:
            The message.

        Raises:
            ConversationNotFound: one of them was deleted.
            InvalidInput: both are the same, or the other one has nothing of its own.
        """
        from ragforge_memory.agent import merging

        services = await self._saved()
        message = await merging.merge(services, self.uuid, _uuid(other))
        await self.refresh()
        return message

    async def _beside(
        self, services: Services, creation: Callable[[], Awaitable[Sibling]], metadata: Mapping[str, Any] | None = None
    ) -> AsyncConversation:
        """Asks in a branch, as a turn of this conversation's too: what cancels it waits until all of it is over."""
        from ragforge_memory.agent import branches

        found: list[AsyncConversation] = []

        async def run() -> AssistantResponse:
            async with branches.removed_unanswered(services, creation()) as made:
                sibling = self._sibling(made.info)
                found.append(sibling)
                turn = sibling._start(made.question, metadata, None, made.question_id, made.asked_seq)
                try:
                    return await outcome(turn)
                except asyncio.CancelledError:
                    if not turn.cancelled() and (error := turn.exception()) is not None:
                        raise error from None  # it knows what was kept
                    raise

        await outcome(self._agent.turns.start(self.uuid, run, None))
        return found[0]

    def _sibling(self, info: Any) -> AsyncConversation:
        return self._agent._conversation(info)


def _uuid(other: Any) -> str:
    uuid = getattr(other, "uuid", other)
    if not isinstance(uuid, str):
        raise InvalidInput(f"a conversation or its uuid, not {type(other).__name__}")
    check_text(uuid, "a conversation's uuid")
    return uuid
