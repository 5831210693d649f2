"""Conversations with ``auto_save: false``: what is said stays in memory until `save` stores all of it."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from ragforge_memory.agent.ephemeral import EphemeralConversations, EphemeralMessages, cursor_of, place_in_list
from ragforge_memory.agent.outages.remembered import CONVERSATIONS
from ragforge_memory.errors import ConversationNotFound, GraphUnavailable, MessageNotFound
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import CodeTies, MessageStore, NewMessage
from ragforge_memory.graph.receipts import Receipt, TurnContext
from ragforge_memory.models.conversation import ConversationInfo, Message, Page, ToolCall
from ragforge_memory.models.owner import Owner


@dataclass(frozen=True, slots=True)
class _Step:
    """One message as the store will be given it; ``ties`` where it is an answer."""

    new: NewMessage
    title: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    ties: CodeTies | None = None
    receipt: Receipt | None = None


class UnsavedConversations(EphemeralConversations):
    """The conversations of an agent: new ones in memory, the others in the graph, with what is new of them in memory.

    Args:
        owner: whose.
        stored: those in the graph. Labels of these (title, tags, status) are changed there at once.
    """

    def __init__(self, owner: Owner, stored: ConversationStore) -> None:
        super().__init__(owner)
        self.stored = stored
        self.steps: dict[str, list[_Step]] = {}
        self.in_graph: set[str] = set()
        self._titles: dict[str, str | None] = {}
        # As they were when this process last saw them: they go on in memory also while the graph is away.
        self._seen: OrderedDict[str, ConversationInfo] = OrderedDict()
        self._saving = asyncio.Lock()

    async def open(
        self,
        session_id: str,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> ConversationInfo:
        """Gets the conversation of a session, from memory or from the graph, or makes it in memory."""
        if all(info.session_id != session_id for info in self.infos.values()):
            try:
                known = await self.stored.find(session_id)
            except ConversationNotFound:
                pass
            else:
                if known.session_id == session_id:
                    return self._saw(known)
        return await super().open(session_id, title=title, tags=tags, metadata=metadata)

    async def get(self, uuid: str) -> ConversationInfo:
        """One conversation.

        Raises:
            ConversationNotFound: this owner has none of that uuid, saved or not.
        """
        return self.infos[uuid] if uuid in self.infos else self._saw(await self.stored.get(uuid))

    async def several(self, uuids: Sequence[str]) -> list[ConversationInfo]:
        """Those of these conversations that are there, in this order."""
        stored = {info.uuid: info for info in await self.stored.several([u for u in uuids if u not in self.infos])}
        found = stored | self.infos
        return [found[uuid] for uuid in uuids if uuid in found]

    async def find(self, reference: str) -> ConversationInfo:
        """One conversation by its uuid, session or title; a saved one by the start of its uuid too."""
        for info in self.infos.values():
            if reference in (info.uuid, info.session_id, info.title):
                return info
        return self._saw(await self.stored.find(reference))

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
        """Those in the graph and new ones that are not saved, newest first."""
        wanted: dict[str, Any] = {"status": status, "tags": tags, "since": since, "until": until}
        new = [info for info in self.listed(**wanted, cursor=cursor) if info.uuid not in self.in_graph]
        stored = await self.stored.page(limit=limit, **wanted, cursor=cursor)
        found = sorted([*new, *stored.items], key=place_in_list, reverse=True)
        if len(found) <= limit:
            return Page(items=tuple(found), next_cursor=stored.next_cursor)
        last = found[limit - 1]
        there = {info.uuid for info in stored.items}
        if last.uuid not in there:
            end = cursor_of(last)
        else:
            # The graph's clock is finer than ours: it says itself where it is to go on.
            kept = sum(info.uuid in there for info in found[:limit])
            shorter = await self.stored.page(limit=kept, **wanted, cursor=cursor)
            end = shorter.next_cursor or cursor_of(last)
        return Page(items=tuple(found[:limit]), next_cursor=end)

    async def update(self, uuid: str, **changes: Any) -> ConversationInfo:
        """Sets properties of a conversation: in memory where it is new, else in the graph."""
        if uuid not in self.infos:
            return await self.stored.update(uuid, **changes)
        if uuid in self.in_graph:
            await self.stored.update(uuid, **changes)
        if "title" in changes:
            self._titles[uuid] = changes["title"]
        return await super().update(uuid, **changes)

    async def delete(self, uuid: str) -> None:
        """Forgets what is not saved of a conversation, and deletes what is."""
        saved = uuid not in self.infos or uuid in self.in_graph
        self._drop(uuid)
        self._seen.pop(uuid, None)
        if saved:
            await self.stored.delete(uuid)

    async def discard(self, uuid: str, *, import_token: str | None = None) -> None:
        """Removes what was written of an import that failed."""
        await self.stored.discard(uuid, import_token=import_token)

    async def take_away(self, uuid: str) -> None:
        """Removes what retention has hidden in the graph."""
        await self.stored.take_away(uuid)

    async def hold(self, uuid: str) -> None:
        """Has memory know a conversation, so that it may go on there.

        Raises:
            ConversationNotFound: there is none.
        """
        if uuid not in self.infos:
            try:
                info = self._saw(await self.stored.get(uuid))
            except GraphUnavailable:
                if uuid not in self._seen:
                    raise
                info = self._seen[uuid]
            self.infos.setdefault(uuid, info)
            self.messages.setdefault(uuid, [])
            self.in_graph.add(uuid)
        self.steps.setdefault(uuid, [])

    async def save(self, uuid: str, messages: MessageStore) -> ConversationInfo:
        """Stores all that memory has of a conversation, in order; broken off, it goes on where it was when repeated.

        Raises:
            ConversationNotFound: there is none; or it was deleted meanwhile by somebody else.
            InvalidInput: somebody else has saved a conversation of the same session.
            GraphUnavailable: some of it may be stored; the rest is in memory still.
        """
        async with self._saving:
            if uuid not in self.infos:
                return self._saw(await self.stored.get(uuid))
            if uuid not in self.in_graph:
                info = self.infos[uuid]
                await self.stored.keep(info.model_copy(update={"title": self._titles.get(uuid)}))
                self.in_graph.add(uuid)
            steps = self.steps.setdefault(uuid, [])
            while steps:
                await _store(messages, uuid, steps[0])
                del steps[0], self.messages[uuid][0]
            self._drop(uuid)
            return self._saw(await self.stored.get(uuid))

    def unsaved(self, uuid: str) -> bool:
        """Whether something of a conversation is in memory alone."""
        return uuid in self.infos and (uuid not in self.in_graph or bool(self.steps.get(uuid)))

    def _new(
        self,
        title: str | None,
        tags: Sequence[str],
        metadata: Mapping[str, Any] | None,
        session_id: str | None,
        uuid: str | None = None,
    ) -> ConversationInfo:
        info = super()._new(title, tags, metadata, session_id, uuid)
        self._titles[info.uuid] = title
        self.steps[info.uuid] = []
        return info

    def _saw(self, info: ConversationInfo) -> ConversationInfo:
        self._seen[info.uuid] = info
        self._seen.move_to_end(info.uuid)
        while len(self._seen) > CONVERSATIONS:
            self._seen.popitem(last=False)
        return info

    def _drop(self, uuid: str) -> None:
        for kept in (self.infos, self.messages, self.steps, self._titles):
            kept.pop(uuid, None)
        self.in_graph.discard(uuid)


class UnsavedMessages(EphemeralMessages):
    """The messages of `UnsavedConversations`: what the graph has, and behind it what memory has.

    Args:
        conversations: whose.
        stored: those in the graph.
    """

    def __init__(self, conversations: UnsavedConversations, stored: MessageStore) -> None:
        super().__init__(conversations)
        self._unsaved = conversations
        self._stored = stored

    async def save(self, conversation_id: str) -> ConversationInfo:
        """See `UnsavedConversations.save`."""
        return await self._unsaved.save(conversation_id, self._stored)

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
        seq = await super().append(conversation_id, new, title=title)
        self._note(conversation_id, _Step(new, title))
        return seq

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
        """Appends an answer in memory, with all that will be stored with it."""
        seq = await super().complete_turn(conversation_id, new, tool_calls, ties)
        self._note(conversation_id, _Step(new, None, tuple(tool_calls), ties, receipt))
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
        """What a turn is given: of the graph as much as there is room for beside what memory has."""
        new = await super().turn_context(conversation_id, before_seq=before_seq, limit=limit)
        if conversation_id not in self._unsaved.in_graph:
            return replace(new, missing=frozenset(prompts))
        first = min([before_seq, *(message.seq for message in await self._of(conversation_id))])
        saved = await self._stored.turn_context(
            conversation_id,
            before_seq=first,
            limit=max(limit - len(new.messages), 0),
            question=question,
            relevant=relevant,
            important=important,
            prompts=prompts,
            recover=recover,
        )
        return replace(saved, messages=(*saved.messages, *new.messages))

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
            MessageNotFound: ``before`` is no message of this conversation.
        """
        included = {"include_tool_calls": include_tool_calls, "include_reasoning": include_reasoning}
        new: list[Message] = []
        if conversation_id in self._unsaved.infos:
            try:
                new = await super().history(conversation_id, limit=limit, before=before, **included)
                before = None
            except MessageNotFound:
                if conversation_id not in self._unsaved.in_graph:
                    raise
        if conversation_id in self._unsaved.infos and conversation_id not in self._unsaved.in_graph:
            return new
        if len(new) >= limit:
            return new
        saved = await self._stored.history(conversation_id, limit=limit - len(new), before=before, **included)
        return [*saved, *new]

    async def tool_calls(
        self, conversation_id: str, *, tool_name: str | None = None, success: bool | None = None, limit: int = 50
    ) -> list[ToolCall]:
        """The newest ``limit`` tool calls that fit, oldest first."""
        new: list[ToolCall] = []
        if conversation_id in self._unsaved.infos:
            new = await super().tool_calls(conversation_id, tool_name=tool_name, success=success, limit=limit)
            if conversation_id not in self._unsaved.in_graph:
                return new
        saved = await self._stored.tool_calls(conversation_id, tool_name=tool_name, success=success, limit=limit)
        return [*saved, *new][-limit:]

    async def known(self, uuids: Sequence[str]) -> dict[str, str]:
        """Which of these uuids are messages here or in the graph: uuid → conversation."""
        return await self._stored.known(uuids) | await super().known(uuids)

    async def settle(self, conversation_id: str) -> int:
        """Marks questions in the graph that died with their process."""
        return 0 if self._is_new(conversation_id) else await self._stored.settle(conversation_id)

    async def tool_result(self, tool_call_id: str) -> ToolCall | None:
        """A tool call with its result."""
        return await super().tool_result(tool_call_id) or await self._stored.tool_result(tool_call_id)

    async def mark_unanswered(self, uuid: str, *, recover: bool = True) -> bool:
        """Says of a question that no answer will follow; returns whether it is there, and none did."""
        for steps in self._unsaved.steps.values():
            for place, step in enumerate(steps):
                if step.new.uuid == uuid:
                    steps[place] = replace(step, new=replace(step.new, state="unanswered"))
                    return await super().mark_unanswered(uuid)
        return await self._stored.mark_unanswered(uuid, recover=recover)

    def _is_new(self, conversation_id: str) -> bool:
        return conversation_id in self._unsaved.infos and conversation_id not in self._unsaved.in_graph

    def _note(self, conversation_id: str, step: _Step) -> None:
        said = self._unsaved.messages[conversation_id][-1].timestamp
        self._unsaved.steps[conversation_id].append(replace(step, new=replace(step.new, timestamp=said)))

    async def _of(self, conversation_id: str) -> list[Message]:
        await self._unsaved.hold(conversation_id)
        return await super()._of(conversation_id)


async def _store(messages: MessageStore, conversation_id: str, step: _Step) -> None:
    if step.ties is None:
        await messages.append(conversation_id, step.new, title=step.title)
    else:
        await messages.complete_turn(conversation_id, step.new, step.tool_calls, step.ties, receipt=step.receipt)
