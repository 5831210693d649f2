"""Conversations without memory (``memory.enabled: false``, ``--no-memory``): never stored, gone with the agent."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import ConversationNotFound, MessageNotFound
from ragforge_memory.graph.cursors import make_cursor, read_cursor
from ragforge_memory.graph.journal import Journal
from ragforge_memory.graph.messages import CodeTies, NewMessage
from ragforge_memory.graph.receipts import Receipt, TurnContext
from ragforge_memory.models.conversation import ConversationInfo, Message, Page, ToolCall
from ragforge_memory.models.owner import Owner


def place_in_list(info: ConversationInfo) -> tuple[datetime, str]:
    """What lists are ordered by, newest first."""
    return info.updated_at, info.uuid


def cursor_of(info: ConversationInfo) -> str:
    """Where a list goes on behind this one."""
    return make_cursor(info.updated_at.isoformat(), info.uuid)


class EphemeralConversations:
    """The conversations of one agent, with the methods of `ConversationStore`."""

    def __init__(self, owner: Owner) -> None:
        self._owner = owner
        self.infos: dict[str, ConversationInfo] = {}
        self.messages: dict[str, list[Message]] = {}

    async def create(
        self,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        uuid: str | None = None,
        recover: bool = True,
    ) -> ConversationInfo:
        """Makes a new conversation."""
        return self._new(title, tags, metadata, None, uuid)

    async def open(
        self,
        session_id: str,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> ConversationInfo:
        """Gets the conversation of a session, or makes it."""
        known = [info for info in self.infos.values() if info.session_id == session_id]
        return known[0] if known else self._new(title, tags, metadata, session_id)

    async def get(self, uuid: str) -> ConversationInfo:
        """One conversation.

        Raises:
            ConversationNotFound: there is none of that uuid.
        """
        try:
            return self.infos[uuid]
        except KeyError:
            raise ConversationNotFound(
                f"there is no conversation {uuid!r} here", hint="memory is off: only this agent's own are known"
            ) from None

    async def several(self, uuids: Sequence[str]) -> list[ConversationInfo]:
        """Those of these conversations that are there, in this order."""
        return [self.infos[uuid] for uuid in uuids if uuid in self.infos]

    async def find(self, reference: str) -> ConversationInfo:
        """One conversation by its uuid, session or title."""
        for info in self.infos.values():
            if reference in (info.uuid, info.session_id, info.title):
                return info
        return await self.get(reference)

    async def page(
        self,
        *,
        limit: int = 50,
        status: str | None = None,
        tags: Sequence[str] | None = None,
        cursor: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> Page[ConversationInfo]:
        """Conversations, newest first; with ``tags`` those that have any of them."""
        found = self.listed(status=status, tags=tags, cursor=cursor, since=since, until=until)
        return Page(items=tuple(found[:limit]), next_cursor=cursor_of(found[limit - 1]) if len(found) > limit else None)

    def listed(
        self,
        *,
        status: str | None,
        tags: Sequence[str] | None,
        cursor: str | None,
        since: datetime | None,
        until: datetime | None,
    ) -> list[ConversationInfo]:
        """All of them behind a cursor, newest first; with times those that went on then."""
        found = [
            info
            for info in sorted(self.infos.values(), key=place_in_list, reverse=True)
            if status in (None, info.status)
            and (not tags or set(tags) & set(info.tags))
            and (since is None or info.updated_at >= since)
            and (until is None or info.created_at <= until)
        ]
        if cursor is None:
            return found
        time, uuid = read_cursor(cursor)
        before = (datetime.fromisoformat(time), uuid)
        return [info for info in found if place_in_list(info) < before]

    async def update(self, uuid: str, **changes: Any) -> ConversationInfo:
        """Sets properties of a conversation; it keeps its place in the list, and gets no vector."""
        if "tags" in changes:
            changes["tags"] = tuple(changes["tags"])
        self.infos[uuid] = (await self.get(uuid)).model_copy(update=changes)
        return self.infos[uuid]

    async def delete(self, uuid: str) -> None:
        """Forgets a conversation."""
        await self.get(uuid)
        del self.infos[uuid], self.messages[uuid]

    async def discard(self, uuid: str, *, import_token: str | None = None) -> None:
        """Nothing is half written here, so that there is nothing to take away."""

    async def take_away(self, uuid: str) -> None:
        """Nothing is hidden here: `delete` forgets at once."""

    async def forget_unused(self) -> None:
        """What is not kept is not shared either."""

    def _new(
        self,
        title: str | None,
        tags: Sequence[str],
        metadata: Mapping[str, Any] | None,
        session_id: str | None,
        uuid: str | None = None,
    ) -> ConversationInfo:
        now = datetime.now(UTC)
        info = ConversationInfo(
            uuid=uuid or uuid4().hex,
            session_id=session_id,
            title=title,
            tags=tuple(tags),
            metadata=dict(metadata or {}),
            created_at=now,
            updated_at=now,
            user_id=self._owner.user_id or None,
            project=self._owner.project or None,
        )
        self.infos[info.uuid] = info
        self.messages[info.uuid] = []
        return info


class NoJournal(Journal):
    """Writes nothing: what is not remembered needs no recovery."""

    def __init__(self) -> None:
        super().__init__(Path(os.devnull))

    def close(self) -> None:
        """There is no file."""

    def forget(self, conversation_id: str) -> bool:
        """Nothing of it is known here."""
        return False

    def _write(self, *lines: dict[str, Any], sync: bool = False) -> None:
        return


class EphemeralMessages:
    """The messages of `EphemeralConversations`, with the methods of `MessageStore`."""

    def __init__(self, conversations: EphemeralConversations) -> None:
        self._conversations = conversations

    async def append(
        self,
        conversation_id: str,
        new: NewMessage,
        *,
        title: str | None = None,
        once: bool = False,
        recover: bool = True,
    ) -> int:
        """Appends a message and returns its seq."""
        return await self._add(conversation_id, new, (), title)

    async def complete_turn(
        self,
        conversation_id: str,
        new: NewMessage,
        tool_calls: Sequence[ToolCall],
        ties: CodeTies,
        *,
        receipt: Receipt | None = None,
        timeout: float | None = None,
        recover: bool = True,
    ) -> int:
        """Appends an answer with its tool calls; ties to code and receipts are not kept."""
        seq = await self._add(conversation_id, new, tool_calls, None)
        messages = self._conversations.messages[conversation_id]
        for place, message in enumerate(messages):
            if message.uuid == new.in_reply_to and message.state == "unanswered":
                messages[place] = message.model_copy(update={"state": "complete"})
        return seq

    async def turn_context(
        self,
        conversation_id: str,
        *,
        before_seq: int,
        limit: int,
        question: str | None = None,
        relevant: int = 0,
        important: int = 0,
        prompts: Sequence[str] = (),
        recover: bool = True,
    ) -> TurnContext:
        """The ``limit`` messages before ``before_seq``; nothing older is recalled."""
        earlier = [message for message in await self._of(conversation_id) if message.seq < before_seq]
        return TurnContext(None, tuple(earlier[-limit:] if limit else ()))

    async def history(
        self,
        conversation_id: str,
        *,
        limit: int = 50,
        before: str | None = None,
        include_tool_calls: bool = True,
        include_reasoning: bool = True,
    ) -> list[Message]:
        """The newest ``limit`` messages, oldest first."""
        found = await self._of(conversation_id)
        if before is not None:
            places = [place for place, message in enumerate(found) if message.uuid == before]
            if not places:
                raise MessageNotFound(f"there is no message {before!r} in this conversation")
            found = found[: places[0]]
        without: dict[str, Any] = {} if include_tool_calls else {"tool_calls": ()}
        without |= {} if include_reasoning else {"reasoning": None}
        return [message.model_copy(update=without) for message in found[-limit:]]

    async def tool_calls(
        self, conversation_id: str, *, tool_name: str | None = None, success: bool | None = None, limit: int = 50
    ) -> list[ToolCall]:
        """The newest ``limit`` tool calls that fit, oldest first."""
        calls = [call for message in await self._of(conversation_id) for call in message.tool_calls]
        return [call for call in calls if tool_name in (None, call.tool_name) and success in (None, call.success)][
            -limit:
        ]

    async def known(self, uuids: Sequence[str]) -> dict[str, str]:
        """Which of these uuids are messages here: uuid → conversation."""
        wanted = set(uuids)
        return {
            message.uuid: conversation_id
            for conversation_id, messages in self._conversations.messages.items()
            for message in messages
            if message.uuid in wanted
        }

    async def settle(self, conversation_id: str) -> int:
        """Nothing: what is not stored outlives no process."""
        return 0

    async def tool_result(self, tool_call_id: str) -> ToolCall | None:
        """A tool call of this agent's with its result."""
        calls = (
            call for messages in self._conversations.messages.values() for each in messages for call in each.tool_calls
        )
        return next((call for call in calls if call.uuid == tool_call_id), None)

    async def mark_unanswered(self, uuid: str, *, recover: bool = True) -> bool:
        """Says of a question that no answer will follow; returns whether it is there."""
        for messages in self._conversations.messages.values():
            for place, message in enumerate(messages):
                if message.uuid == uuid:
                    messages[place] = message.model_copy(update={"state": "unanswered"})
                    return True
        return False

    async def _of(self, conversation_id: str) -> list[Message]:
        await self._conversations.get(conversation_id)
        return self._conversations.messages[conversation_id]

    async def _add(
        self, conversation_id: str, new: NewMessage, tool_calls: Sequence[ToolCall], title: str | None
    ) -> int:
        messages = await self._of(conversation_id)
        info = self._conversations.infos[conversation_id]
        now = datetime.now(UTC)
        message = Message(
            uuid=new.uuid,
            conversation_id=conversation_id,
            seq=info.head_seq + 1,
            role=new.role,
            content=new.content,
            reasoning=new.reasoning or None,
            timestamp=now,
            token_count=new.token_count,
            state=new.state,
            in_reply_to=new.in_reply_to,
            model=new.model,
            usage=new.usage,
            provider_parts=new.provider_parts,
            importance=new.importance,
            trust=new.trust,
            metadata=dict(new.metadata or {}),
            user_id=info.user_id,
            project=info.project,
            tool_calls=tuple(tool_calls),
        )
        messages.append(message)
        changes = {"title": info.title or title, "message_count": info.message_count + 1, "head_seq": message.seq}
        self._conversations.infos[conversation_id] = info.model_copy(update={**changes, "updated_at": now})
        return message.seq
