"""The store of conversations: one method a statement, and models for answers."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import ConversationNotFound, InvalidInput
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import conversation_info, next_cursor, read_cursor, to_json, utc_text
from ragforge_memory.graph.retries import passes, repeat
from ragforge_memory.graph.text_files import file_elsewhere, not_erasable
from ragforge_memory.models.conversation import (
    EVERY_CONVERSATION,
    ConversationFilters,
    ConversationInfo,
    ConversationPage,
    Page,
)
from ragforge_memory.models.owner import Owner

log = logging.getLogger(__name__)

# Anchors that one transaction looks at.
_LOOSE = 500
# Batches of a delete meet the locks of turns that are tied to the same code.
_ATTEMPTS = 20


class ConversationStore(OwnerStore):
    """Conversations of one owner.

    Args:
        redacted: takes secrets out of titles, tags and metadata before they are stored; None: they stay as given.
    """

    def __init__(self, client: GraphClient, owner: Owner, *, redacted: Callable[[Any], Any] | None = None) -> None:
        super().__init__(client, owner)
        self._redacted = redacted or (lambda value: value)
        self._told_of_files = False

    async def create(
        self,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
        uuid: str | None = None,
        created_at: str | None = None,
        recover: bool = True,
    ) -> ConversationInfo:
        """Makes a new conversation; with a ``uuid`` that one, once, however often it is asked for.

        Args:
            title, tags, metadata: its labels.
            uuid: None: a new one.
            created_at: when it was begun (ISO 8601), where that was before it is stored.
            recover: whether to wait for a managed server that has gone.

        Raises:
            ConversationNotFound: the uuid is taken.
        """
        uuid = uuid or uuid4().hex
        rows = await self._write(
            "create_conversation",
            uuid=uuid,
            properties={**self._fresh(title, tags, metadata), "created_at": created_at},
            recover=recover,
        )
        return self._one(rows, uuid)

    async def open(
        self,
        session_id: str,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
        metadata: Mapping[str, Any] | None = None,
    ) -> ConversationInfo:
        """Gets the conversation of a session, which writes nothing, or makes it; safe when many come at once."""
        rows = await self._read("session_conversation", session_id=session_id)
        rows = rows or await self._write(
            "open_conversation", uuid=uuid4().hex, session_id=session_id, properties=self._fresh(title, tags, metadata)
        )
        return conversation_info(rows[0]["conversation"])

    async def keep(self, info: ConversationInfo) -> None:
        """Stores a conversation that is known already, without its messages; a repeated write changes nothing.

        Raises:
            InvalidInput: the owner has another conversation of its session.
        """
        given: dict[str, Any] = {
            "uuid": info.uuid,
            "properties": {**self._fresh(info.title, info.tags, info.metadata), "status": info.status},
        }
        if info.session_id is None:
            await self._write("create_conversation", **given)
            return
        rows = await self._write("open_conversation", session_id=info.session_id, **given)
        if rows[0]["conversation"]["uuid"] != info.uuid:
            raise InvalidInput(
                f"somebody else has saved a conversation of the session {info.session_id!r} meanwhile",
                hint="open the session again, and say there what is missing",
            )

    async def get(self, uuid: str) -> ConversationInfo:
        """One conversation.

        Raises:
            ConversationNotFound: this owner has none of that uuid.
        """
        return self._one(await self._read("get_conversation", uuid=uuid), uuid)

    async def several(self, uuids: Sequence[str]) -> list[ConversationInfo]:
        """Those of these conversations that are there, in this order."""
        rows = await self._read("found_conversations", uuids=list(uuids), vector=None, property="")
        found = {row["conversation"]["uuid"]: conversation_info(row["conversation"]) for row in rows}
        return [found[uuid] for uuid in uuids if uuid in found]

    async def find(self, reference: str) -> ConversationInfo:
        """One conversation by its uuid, the start of its uuid, its session or its whole title.

        A title in another case is taken where nothing else fits.

        Raises:
            ConversationNotFound: nothing fits.
            InvalidInput: the reference fits several and none exactly.
        """
        # A whole uuid is looked up; everything else is looked for among all of the owner's.
        rows = await self._read("get_conversation", uuid=reference)
        rows = rows or await self._read("find_conversations", reference=reference)
        found = [conversation_info(row["conversation"]) for row in rows]
        if not found:
            raise _not_found(reference)
        exact = [info for info in found if reference in (info.uuid, info.session_id)]
        found = [info for info in found if info.uuid.startswith(reference) or info.title == reference] or found
        if len(found) > 1 and not exact:
            raise fits_several(reference, found)
        return (exact or found)[0]

    async def page(
        self, filters: ConversationFilters = EVERY_CONVERSATION, *, limit: int = 50, cursor: str | None = None
    ) -> Page[ConversationInfo]:
        """Conversations, newest first."""
        before_time, before_uuid = read_cursor("conversations", cursor)
        rows = await self._read(
            "list_conversations",
            before_time=before_time,
            before_uuid=before_uuid,
            status=filters.status,
            tags=list(filters.tags) or None,
            limit=limit + 1,
            since=utc_text(filters.since),
            until=utc_text(filters.until),
        )
        kept = [row["conversation"] for row in rows]
        last = next_cursor("conversations", kept, limit, "updated_at")
        return ConversationPage(items=tuple(map(conversation_info, kept[:limit])), next_cursor=last)

    async def update(self, uuid: str, **changes: Any) -> ConversationInfo:
        """Sets properties (title, tags, status, metadata) of a conversation and returns it.

        With another title it waits for another vector, where anything was said in it.
        """
        changes = {name: self._redacted(value) for name, value in changes.items()}
        if "title" in changes:
            # Somebody's own: no generated one comes in its place.
            changes["title_source"] = None
        if "metadata" in changes:
            changes["metadata"] = to_json(changes["metadata"])
        rows = await self._write("update_conversation", uuid=uuid, changes=changes)
        return self._one(rows, uuid)

    async def delete(self, uuid: str) -> None:
        """Deletes a conversation with its messages, tool calls, results, summaries and insights.

        It is hidden at once and removed in batches; what a crash leaves, `sweep` finishes. Messages that branches of
        it share stay, unlisted, until the last of these branches goes; where they share none, its uuid, by which they
        are one family. Anchors on code and shared texts of prompts go with the last conversation that uses them.

        Raises:
            ConversationNotFound: there is none such (any more).
            ConversationFileError: its texts are in a file that is not in this client's folder; nothing was deleted.
        """
        path = await file_elsewhere(self._client, uuid, self._owner)
        if path is not None:
            raise not_erasable(uuid, path)
        if not await self._write("begin_delete", timeout=10, uuid=uuid, token=uuid4().hex):
            raise _not_found(uuid)
        await self.take_away(uuid)

    async def take_away(self, uuid: str) -> None:
        """Removes a conversation that is hidden for its deletion, and what of its ancestors waited for that."""
        for ancestor in await self._finish_delete(uuid):
            await self._finish_delete(ancestor)
        await self.forget_unused()

    async def discard(self, uuid: str, *, import_token: str | None = None) -> None:
        """Removes what was written of an import that failed: it is hidden already, or there is nothing.

        Args:
            import_token: of that import. An import of any other is left alone until its lease is over.
        """
        await self._finish_delete(uuid, import_token)
        await self.forget_unused()

    async def sweep(self) -> int:
        """Finishes deletes, and takes away imports, that a crash cut off; returns how many."""
        rows = await self._read("unfinished_deletes")
        for row in rows:
            await self._finish_delete(row["uuid"])
        await self.forget_unused()
        return len(rows)

    async def forget_unused(self) -> None:
        """Removes what no conversation uses any more: anchors on the project's code, and texts that prompts share."""
        settled = _LOOSE
        while settled == _LOOSE:
            rows = await self._write("forget_anchors", timeout=PATIENT_TIMEOUT, limit=_LOOSE)
            settled = rows[0]["settled"]
        await self._write("forget_prompts", timeout=PATIENT_TIMEOUT)

    async def _finish_delete(self, uuid: str, import_token: str | None = None) -> list[str]:
        """Removes what nobody shares any more of a deleted conversation; returns what that was branched from,
        nearest first.

        One whose texts are in a file that is out of reach waits for an agent that has it.
        """
        path = await file_elsewhere(self._client, uuid, self._owner)
        if path is not None:
            if not self._told_of_files:
                self._told_of_files = True
                log.warning("deletes wait for an agent that has the files with the texts, such as %s", path)
            return []
        kept = await self._write("keep_shared", timeout=PATIENT_TIMEOUT, uuid=uuid, import_token=import_token)
        if not kept:
            return []
        await self._delete_messages(uuid)
        await self._write("finish_delete", timeout=PATIENT_TIMEOUT, uuid=uuid)
        return list(kept[0]["ancestors"])

    async def _delete_messages(self, uuid: str) -> None:
        """In batches, which the driver does not repeat: one that met another writer's lock is done again here."""

        async def once() -> None:
            await self._client.autocommit("delete_messages", timeout=600, uuid=uuid, **self._owner)

        await repeat(once, on=lambda error: passes(error.__cause__), attempts=_ATTEMPTS)

    def _fresh(self, title: str | None, tags: Sequence[str], metadata: Mapping[str, Any] | None) -> dict[str, Any]:
        clean = self._redacted
        return fresh_properties(clean(title), clean(list(tags)), clean(dict(metadata)) if metadata else None)

    @staticmethod
    def _one(rows: list[dict[str, Any]], uuid: str) -> ConversationInfo:
        if not rows:
            raise _not_found(uuid)
        return conversation_info(rows[0]["conversation"])


def fits_several(reference: str, found: Sequence[ConversationInfo]) -> InvalidInput:
    """The error for a reference that several conversations have, none of them as its own name."""
    names = ", ".join(f"{info.uuid[:8]} ({info.title or 'untitled'})" for info in found[:5])
    return InvalidInput(f"{reference!r} fits several conversations: {names}", hint="give more of the uuid")


def _not_found(reference: str) -> ConversationNotFound:
    return ConversationNotFound(f"there is no conversation {reference!r} here")


def fresh_properties(title: str | None, tags: Sequence[str], metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a conversation has before anything was said."""
    return {
        "title": title,
        "tags": list(tags),
        "status": "active",
        "message_count": 0,
        "head_seq": 0,
        "summarized_seq": 0,
        "extracted_seq": 0,
        "metadata": to_json(dict(metadata)) if metadata else None,
    }
