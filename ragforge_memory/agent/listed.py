"""Which messages of a list that a caller keeps are stored already, and whether its question may still be asked."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.seen_secrets import SeenRedactor
from ragforge_memory.errors import InvalidInput, being_answered
from ragforge_memory.graph.branches import BranchStore

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Stores
    from ragforge_memory.models.conversation import ConversationInfo, Message


@dataclass(frozen=True, slots=True)
class Listed:
    """A caller's list beside what its conversation has of it.

    Args:
        conversation_id: the conversation.
        stored: what is stored, by the caller's id.
        later: all of the conversation from the first of those on, by uuid.
    """

    conversation_id: str
    stored: Mapping[str, Message] = field(default_factory=dict)
    later: Mapping[str, Message] = field(default_factory=dict)

    def uuid_of(self, message: Mapping[str, Any]) -> str:
        """Our uuid for a message: of what is stored its own, else one that means this id in this conversation."""
        stored = self.stored.get(message["id"])
        return stored.uuid if stored is not None else _uuid_in(self.conversation_id, message["id"])

    def check_texts(self, messages: Sequence[Mapping[str, Any]]) -> None:
        """Refuses a list that says something else under an id than what was said: the model would not see it.

        Raises:
            InvalidInput: a message differs from what is stored.
        """
        # As they may be stored, whether or not secrets are taken out by now, or were then.
        redactor = SeenRedactor(*(message["content"] for message in messages))

        def kept(text: str) -> str:
            return redactor.text(text.replace("\0", ""))

        for message in messages:
            stored = self.stored.get(message["id"])
            if stored is None:
                continue
            if (message["role"], kept(message["content"])) != (stored.role, kept(stored.content)):
                raise InvalidInput(
                    f"the message {message['id']!r} differs from what is stored of it",
                    hint=f"edit({stored.uuid!r}, text) of the conversation makes a branch in which another question "
                    "was asked; something new to say needs a new id",
                )

    def answer_to(self, question: Mapping[str, Any]) -> Message | None:
        """The whole answer that a question has had; None where there is none, or the question is not stored."""
        return next((each for each in self._answers_to(question) if each.state == "complete"), None)

    def asked_seq(self, question: Mapping[str, Any]) -> int | None:
        """The place of a question that is stored and has no whole answer; None where it is not stored.

        Raises:
            InvalidInput: it was answered, or is being answered.
        """
        stored = self.stored.get(question["id"])
        if stored is None:
            return None
        answers = self._answers_to(question)
        if any(answer.state == "complete" for answer in answers):
            raise InvalidInput("the last message has been answered already", hint="append a new message to the state")
        # A turn that ended says so, by a partial answer or on its question; in a branch no turn of it has begun.
        if not answers and stored.state != "unanswered" and stored.conversation_id == self.conversation_id:
            raise being_answered()
        return stored.seq

    def _answers_to(self, question: Mapping[str, Any]) -> list[Message]:
        stored = self.stored.get(question["id"])
        # One that names no question, as imported ones may, answers all before it.
        return [
            message
            for message in self.later.values()
            if stored is not None
            and message.role == "assistant"
            and message.seq > stored.seq
            and message.in_reply_to in (stored.uuid, None)
        ]


async def listed(
    stores: Stores, place: Place, conversation: ConversationInfo, messages: Sequence[Mapping[str, Any]]
) -> Listed:
    """What a conversation, with what it shares where it is a branch, has of a list.

    Raises:
        InvalidInput: some of the list is another conversation's.
    """
    parts = [conversation.uuid]
    if conversation.branch_of is not None:
        point = await BranchStore(stores.graph, place.owner).point(conversation.uuid)
        parts = [part.conversation_id for part in reversed(point.lineage)]
    names = {message["id"]: [message["id"], *(_uuid_in(part, message["id"]) for part in parts)] for message in messages}
    known = await stores.messages.known([uuid for uuids in names.values() for uuid in uuids])
    later: dict[str, Message] = {}
    before = None
    # The list is most often the whole of the newest: one page has it.
    while known.keys() - later.keys():
        page = await stores.messages.history(
            conversation.uuid, limit=len(known) + 1, before=before, include_tool_calls=False, include_reasoning=False
        )
        if not page:
            break
        later |= {message.uuid: message for message in page}
        before = page[0].uuid
    if any(message["id"] in known and message["id"] not in later for message in messages):
        raise InvalidInput("these messages belong to several conversations", hint="give them new ids")
    stored = {name: next((later[uuid] for uuid in uuids if uuid in later), None) for name, uuids in names.items()}
    return Listed(conversation.uuid, {name: each for name, each in stored.items() if each is not None}, later)


def _uuid_in(conversation_id: str, name: str) -> str:
    return hashlib.sha256(f"{conversation_id}\0{name}".encode()).hexdigest()[:32]
