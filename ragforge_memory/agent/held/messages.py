"""The messages of conversations in memory: what the graph has, where there is one, and behind it what memory has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from ragforge_memory.agent.held.conversations import HeldConversations, Said
from ragforge_memory.errors import MessageNotFound
from ragforge_memory.graph.messages import Answer, MessageStore, NewMessage
from ragforge_memory.graph.receipts import ContextQuery, TurnContext
from ragforge_memory.models.conversation import ConversationInfo, Message, MessageState, ToolCall


class HeldMessages:
    """What `MessageStore` offers turns, for `HeldConversations`.

    Args:
        conversations: whose.
        stored: those in the graph; None: without memory there are none, and ties and receipts are kept of no answer.
    """

    def __init__(self, conversations: HeldConversations, stored: MessageStore | None) -> None:
        self._conversations = conversations
        self._stored = stored

    async def save(self, conversation_id: str) -> ConversationInfo:
        """See `HeldConversations.save`."""
        return await self._conversations.save(conversation_id, self._stored)

    async def append(
        self,
        conversation_id: str,
        new: NewMessage,
        *,
        title: str | None = None,
        once: bool = False,
        recover: bool = True,
    ) -> int:
        """Appends a message in memory and returns the seq that it has unless others write meanwhile."""
        return await self._add(conversation_id, new, title=title)

    async def complete_turn(self, conversation_id: str, answer: Answer, *, recover: bool = True) -> int:
        """Appends an answer in memory, with all that will be stored with it."""
        seq = await self._add(conversation_id, answer.message, answer=answer)
        _became(self._conversations.said[conversation_id], answer.message.in_reply_to, "complete")
        return seq

    async def turn_context(self, conversation_id: str, query: ContextQuery, *, recover: bool = True) -> TurnContext:
        """What a turn is given: of the graph as much as there is room for beside what memory has."""
        held, place = await self._of(conversation_id), query.before_seq
        assert place is not None  # what is in memory has its place at once
        earlier = [said.message for said in held if said.message.seq < place]
        new = tuple(earlier[-query.limit :] if query.limit else ())
        stored = self._store_of(conversation_id)
        if stored is None:
            return TurnContext(None, new, missing=frozenset(query.prompts))
        first = min([place, *(said.message.seq for said in held)])
        older = replace(query, before_seq=first, limit=max(query.limit - len(new), 0))
        saved = await stored.turn_context(conversation_id, older, recover=recover)
        return replace(saved, messages=(*saved.messages, *new), top=place)

    async def history(
        self,
        conversation_id: str,
        *,
        limit: int = 50,
        before: str | None = None,
        include_tool_calls: bool = True,
        include_reasoning: bool = True,
    ) -> list[Message]:
        """The newest ``limit`` messages, oldest first.

        Raises:
            MessageNotFound: ``before`` is not a message of this conversation.
        """
        stored, found = self._store_of(conversation_id), await self._known_of(conversation_id)
        if before is not None:
            places = [place for place, message in enumerate(found) if message.uuid == before]
            if not places and stored is None:
                raise MessageNotFound(f"there is no message {before!r} in this conversation")
            found = found[: places[0]] if places else []
            before = None if places else before
        without: dict[str, Any] = {} if include_tool_calls else {"tool_calls": ()}
        without |= {} if include_reasoning else {"reasoning": None}
        new = [message.model_copy(update=without) for message in found[-limit:]]
        if stored is None or len(new) >= limit:
            return new
        saved = await stored.history(
            conversation_id,
            limit=limit - len(new),
            before=before,
            include_tool_calls=include_tool_calls,
            include_reasoning=include_reasoning,
        )
        return [*saved, *new]

    async def tool_calls(
        self, conversation_id: str, *, tool_name: str | None = None, success: bool | None = None, limit: int = 50
    ) -> list[ToolCall]:
        """The newest ``limit`` tool calls that fit, oldest first."""
        stored, messages = self._store_of(conversation_id), await self._known_of(conversation_id)
        calls = [call for message in messages for call in message.tool_calls]
        found = [call for call in calls if tool_name in (None, call.tool_name) and success in (None, call.success)]
        if stored is not None:
            saved = await stored.tool_calls(conversation_id, tool_name=tool_name, success=success, limit=limit)
            found = [*saved, *found]
        return found[-limit:]

    async def known(self, uuids: Sequence[str]) -> dict[str, str]:
        """Which of these uuids are messages here or in the graph: uuid → conversation."""
        stored = await self._stored.known(uuids) if self._stored is not None else {}
        wanted = set(uuids)
        return stored | {each.uuid: each.conversation_id for each in self._messages() if each.uuid in wanted}

    async def settle(self, conversation_id: str) -> int:
        """Marks questions in the graph that died with their process; what is in memory outlives none."""
        stored = self._store_of(conversation_id)
        return await stored.settle(conversation_id) if stored is not None else 0

    async def tool_result(self, tool_call_id: str) -> ToolCall | None:
        """A tool call with its result."""
        for call in (call for message in self._messages() for call in message.tool_calls):
            if call.uuid == tool_call_id:
                return call
        return await self._stored.tool_result(tool_call_id) if self._stored is not None else None

    async def mark_unanswered(self, uuid: str, *, recover: bool = True) -> bool:
        """Says of a question that no answer will follow; returns whether it is there, and none did."""
        if any(_became(held, uuid, "unanswered") for held in self._conversations.said.values()):
            return True
        return self._stored is not None and await self._stored.mark_unanswered(uuid, recover=recover)

    async def claim_question(
        self, conversation_id: str, uuid: str, seq: int, *, answer: str, recover: bool = True
    ) -> None:
        """Claims a question in the graph that is asked again; what is in memory is asked by this process alone."""
        if (stored := self._store_of(conversation_id)) is not None:
            await stored.claim_question(conversation_id, uuid, seq, answer=answer, recover=recover)

    async def release_question(self, conversation_id: str, *, answer: str, recover: bool = True) -> None:
        """Gives such a question back."""
        if (stored := self._store_of(conversation_id)) is not None:
            await stored.release_question(conversation_id, answer=answer, recover=recover)

    def _store_of(self, conversation_id: str) -> MessageStore | None:
        """The store, where it may have something of a conversation."""
        held = self._conversations
        return self._stored if conversation_id not in held.infos or conversation_id in held.in_graph else None

    def _messages(self) -> list[Message]:
        return [said.message for held in self._conversations.said.values() for said in held]

    async def _known_of(self, conversation_id: str) -> list[Message]:
        """What memory has of a conversation.

        Raises:
            ConversationNotFound: it is not there, and there is no graph that may have it.
        """
        if self._stored is None:
            await self._conversations.get(conversation_id)
        return [said.message for said in self._conversations.said.get(conversation_id, ())]

    async def _of(self, conversation_id: str) -> list[Said]:
        await self._conversations.hold(conversation_id)
        return self._conversations.said[conversation_id]

    async def _add(
        self, conversation_id: str, new: NewMessage, *, title: str | None = None, answer: Answer | None = None
    ) -> int:
        held = await self._of(conversation_id)
        info = self._conversations.infos[conversation_id]
        now = datetime.now(UTC)
        message = new.placed(
            conversation_id,
            info.head_seq + 1,
            timestamp=now,
            reasoning=new.reasoning or None,
            usage=new.usage,
            metadata=dict(new.metadata or {}),
            user_id=info.user_id,
            project=info.project,
            tool_calls=answer.tool_calls if answer is not None else (),
        )
        kept = answer if self._stored is not None else None
        held.append(Said(message, replace(new, timestamp=now), title, kept))
        changes = {"title": info.title or title, "message_count": info.message_count + 1, "head_seq": message.seq}
        self._conversations.infos[conversation_id] = info.model_copy(update={**changes, "updated_at": now})
        return message.seq


def _became(held: list[Said], uuid: str | None, state: MessageState) -> bool:
    """Gives a message another state; returns whether it is there."""
    for place, said in enumerate(held):
        if said.message.uuid == uuid:
            held[place] = said.became(state)
            return True
    return False
