"""Conversations in memory: until `save` stores them (``auto_save: false``), or for good (``memory.enabled: false``)."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from ragforge_memory.agent.outages.remembered import CONVERSATIONS
from ragforge_memory.errors import ConversationNotFound, GraphUnavailable, InvalidInput
from ragforge_memory.graph.conversations import ConversationStore, fits_several
from ragforge_memory.graph.messages import Answer, MessageStore, NewMessage
from ragforge_memory.graph.records import make_cursor, read_cursor
from ragforge_memory.models.conversation import (
    EVERY_CONVERSATION,
    ConversationFilters,
    ConversationInfo,
    ConversationPage,
    Message,
    MessageState,
    Page,
)
from ragforge_memory.models.owner import Owner


@dataclass(frozen=True, slots=True)
class Said:
    """One message as it is read here, and as the store will be given it: ``answer`` where it is one."""

    message: Message
    new: NewMessage
    title: str | None = None
    answer: Answer | None = None

    def became(self, state: MessageState) -> Said:
        """The same in another state."""
        message = self.message.model_copy(update={"state": state})
        return replace(self, message=message, new=replace(self.new, state=state))


class HeldConversations:
    """What `ConversationStore` offers turns and lists: new conversations are in memory, those of the graph go on there.

    Args:
        owner: whose.
        stored: those in the graph, whose labels (title, tags, status) are changed there at once; None: without memory
            there are none.

    Attributes:
        infos: the conversations that memory has something of.
        said: what memory has of each, in order.
        in_graph: those of them that began in the graph, or are there by now.
    """

    def __init__(self, owner: Owner, stored: ConversationStore | None) -> None:
        self._owner = owner
        self._stored = stored
        self.infos: dict[str, ConversationInfo] = {}
        self.said: dict[str, list[Said]] = {}
        self.in_graph: set[str] = set()
        self._titles: dict[str, str | None] = {}
        # As they were when this process last saw them: they go on in memory also while the graph is away.
        self._seen: OrderedDict[str, ConversationInfo] = OrderedDict()
        self._saving = asyncio.Lock()

    async def create(
        self,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        uuid: str | None = None,
        recover: bool = True,
    ) -> ConversationInfo:
        """Makes a new conversation, in memory."""
        return self._new(title, tags, metadata, None, uuid)

    async def open(
        self,
        session_id: str,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> ConversationInfo:
        """Gets the conversation of a session, from memory or from the graph, or makes it in memory."""
        if held := self._of_session(session_id):
            return held
        # Several may have that title, or a uuid that begins so: none of them is the session.
        with suppress(ConversationNotFound, InvalidInput):
            known = await self._elsewhere(session_id).find(session_id)
            if known.session_id == session_id:
                return self._saw(known)
        # Of many who come at once, the first to hear that there is none makes it.
        return self._of_session(session_id) or self._new(title, tags, metadata, session_id)

    async def get(self, uuid: str) -> ConversationInfo:
        """One conversation.

        Raises:
            ConversationNotFound: this owner has none of that uuid, saved or not.
        """
        return self.infos[uuid] if uuid in self.infos else self._saw(await self._elsewhere(uuid).get(uuid))

    async def several(self, uuids: Sequence[str]) -> list[ConversationInfo]:
        """Those of these conversations that are there, in this order."""
        others = [uuid for uuid in uuids if uuid not in self.infos]
        stored = await self._stored.several(others) if self._stored is not None else []
        found = {info.uuid: info for info in stored} | self.infos
        return [found[uuid] for uuid in uuids if uuid in found]

    async def find(self, reference: str) -> ConversationInfo:
        """One conversation by its uuid, session or title; a saved one by the start of its uuid too.

        Raises:
            ConversationNotFound: nothing fits.
            InvalidInput: the reference is the title of several.
        """
        exact = [info for info in self.infos.values() if reference in (info.uuid, info.session_id)]
        titled = [info for info in self.infos.values() if info.title == reference]
        if len(titled) > 1 and not exact:
            raise fits_several(reference, titled)
        if exact or titled:
            return (exact or titled)[0]
        return self._saw(await self._elsewhere(reference).find(reference))

    async def page(
        self, filters: ConversationFilters = EVERY_CONVERSATION, *, limit: int = 50, cursor: str | None = None
    ) -> Page[ConversationInfo]:
        """Those in the graph and new ones that are not saved, newest first."""
        new = [info for info in self._listed(filters, cursor) if info.uuid not in self.in_graph]
        stored: Page[ConversationInfo] = ConversationPage()
        if self._stored is not None:
            stored = await self._stored.page(filters, limit=limit, cursor=cursor)
        found = sorted([*new, *stored.items], key=_place, reverse=True)
        if len(found) <= limit:
            return ConversationPage(items=tuple(found), next_cursor=stored.next_cursor)
        last = found[limit - 1]
        end = make_cursor("conversations", last.updated_at.isoformat(), last.uuid)
        there = {info.uuid for info in stored.items}
        if self._stored is not None and last.uuid in there:
            # The graph's clock is finer than ours: it says itself where it is to go on.
            kept = sum(info.uuid in there for info in found[:limit])
            end = (await self._stored.page(filters, limit=kept, cursor=cursor)).next_cursor or end
        return ConversationPage(items=tuple(found[:limit]), next_cursor=end)

    async def update(self, uuid: str, **changes: Any) -> ConversationInfo:
        """Sets properties of a conversation: in memory where it is new, else in the graph.

        One in memory keeps its place in the list, and gets no vector.
        """
        if uuid not in self.infos:
            return await self._elsewhere(uuid).update(uuid, **changes)
        if uuid in self.in_graph:
            await self._elsewhere(uuid).update(uuid, **changes)
        if "title" in changes:
            self._titles[uuid] = changes["title"]
        if "tags" in changes:
            changes["tags"] = tuple(changes["tags"])
        self.infos[uuid] = self.infos[uuid].model_copy(update=changes)
        return self.infos[uuid]

    async def delete(self, uuid: str) -> None:
        """Forgets what is not saved of a conversation, and deletes what is."""
        saved = uuid not in self.infos or uuid in self.in_graph
        self._drop(uuid)
        self._seen.pop(uuid, None)
        if saved:
            await self._elsewhere(uuid).delete(uuid)

    async def hold(self, uuid: str) -> None:
        """Has memory know a conversation, so that it may go on there.

        Raises:
            ConversationNotFound: there is none.
        """
        if uuid in self.infos:
            return
        try:
            info = self._saw(await self._elsewhere(uuid).get(uuid))
        except GraphUnavailable:
            if uuid not in self._seen:
                raise
            info = self._seen[uuid]
        self.infos.setdefault(uuid, info)
        self.said.setdefault(uuid, [])
        self.in_graph.add(uuid)

    async def save(self, uuid: str, messages: MessageStore | None) -> ConversationInfo:
        """Stores all that memory has of a conversation, in order; broken off, it goes on where it was when repeated.

        Raises:
            ConversationNotFound: there is none; or it was deleted meanwhile by somebody else.
            InvalidInput: somebody else has saved a conversation of the same session.
            GraphUnavailable: some of it may be stored; the rest is in memory still.
        """
        async with self._saving:
            if uuid in self.infos and self._stored is not None and messages is not None:
                if uuid not in self.in_graph:
                    await self._stored.keep(self.infos[uuid].model_copy(update={"title": self._titles.get(uuid)}))
                    self.in_graph.add(uuid)
                said = self.said[uuid]
                while said:
                    await _store(messages, uuid, said[0])
                    del said[0]
                self._drop(uuid)
            return await self.get(uuid)

    def unsaved(self, uuid: str) -> bool:
        """Whether something of a conversation is in memory alone, and can be saved."""
        if self._stored is None or uuid not in self.infos:
            return False
        return uuid not in self.in_graph or bool(self.said[uuid])

    def _of_session(self, session_id: str) -> ConversationInfo | None:
        return next((info for info in self.infos.values() if info.session_id == session_id), None)

    def _listed(self, filters: ConversationFilters, cursor: str | None) -> list[ConversationInfo]:
        """All in memory behind a cursor, newest first; with times those that went on then."""
        found = [
            info
            for info in sorted(self.infos.values(), key=_place, reverse=True)
            if filters.status in (None, info.status)
            and (not filters.tags or set(filters.tags) & set(info.tags))
            and (filters.since is None or info.updated_at >= filters.since)
            and (filters.until is None or info.created_at <= filters.until)
        ]
        if cursor is None:
            return found
        time, uuid = read_cursor("conversations", cursor)
        before = (datetime.fromisoformat(time), uuid)
        return [info for info in found if _place(info) < before]

    def _elsewhere(self, reference: str) -> ConversationStore:
        """Where a conversation is that memory does not have.

        Raises:
            ConversationNotFound: nowhere.
        """
        if self._stored is None:
            raise ConversationNotFound(
                f"there is no conversation {reference!r} here", hint="memory is off: only this agent's own are known"
            )
        return self._stored

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
        self.said[info.uuid] = []
        self._titles[info.uuid] = title
        return info

    def _saw(self, info: ConversationInfo) -> ConversationInfo:
        self._seen[info.uuid] = info
        self._seen.move_to_end(info.uuid)
        while len(self._seen) > CONVERSATIONS:
            self._seen.popitem(last=False)
        return info

    def _drop(self, uuid: str) -> None:
        for kept in (self.infos, self.said, self._titles):
            kept.pop(uuid, None)
        self.in_graph.discard(uuid)


async def _store(messages: MessageStore, conversation_id: str, said: Said) -> None:
    if said.answer is None:
        await messages.append(conversation_id, said.new, title=said.title)
    else:
        await messages.complete_turn(conversation_id, replace(said.answer, message=said.new))


def _place(info: ConversationInfo) -> tuple[datetime, str]:
    """What lists are ordered by, newest first."""
    return info.updated_at, info.uuid
