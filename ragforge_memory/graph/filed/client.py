"""The way to a graph whose texts are in files: every statement that writes or reads texts goes through here.

Above this room nobody sees a difference: what is written is parted into lines and parameters, and rows come back whole.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from uuid import uuid4

import neo4j

from ragforge_memory.errors import ConversationFileError, GraphTimeout, GraphUnavailable, RagforgeError
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.filed import searching, writing
from ragforge_memory.graph.filed.directory import LOCK_SECONDS, TURN_LOCK_SECONDS, Note, TextDirectory, unbroken
from ragforge_memory.graph.filed.reading import Want, file_lost, missing, serve, wants

log = logging.getLogger(__name__)

Rows = list[dict[str, Any]]

READS = frozenset(
    {"turn_context", "history", "tool_calls", "tool_result", "answered_message", "messages_at", "messages_between"}
    | {"found_messages", "branch_point", "messages_about", "told_messages", "stretch_messages"}
    | {"pending_message_embeddings", "pending_reembedding", "pending_conversation_embeddings", "archive_messages"}
    | {"decisions", "correctable_decisions", "near_messages", "pending_memories", "pending_tool_memories"}
    | {"erasable_texts", "claimed_extractions"}
)
"""The statements whose rows have texts of messages; those of `searching` and ``archive_sizes`` besides."""

WRITES = frozenset(
    {"append_message", "complete_turn", "merge_branch", "import_messages", "complete_imported"}
    | {"restore_messages", "restore_messages_with_vectors"}
)
"""The statements that are given texts of messages."""

_NAMES_THE_FILE = frozenset({"create_conversation", "open_conversation", "create_branch"})
_FAILS = {
    "pending_message_embeddings": "fail_message_embeddings",
    "pending_conversation_embeddings": "fail_conversation_embeddings",
}
_LOADS = frozenset({"get_conversation", "session_conversation", "find_conversations", "open_conversation"})
# Nodes that are looked for at once, the newest first: all before one that is there are there too.
_CHECKED_AT_ONCE = 100
# Seconds after which no server still works on a write whose client is gone: statements end within minutes.
_SETTLED = 3_600.0


class FiledClient(GraphClient):
    """A `GraphClient` that keeps the texts of messages in files.

    Under the lock of a conversation's file the line comes first, then the node. A line whose node is missing is taken
    up when its conversation is next loaded or written to.

    Args:
        driver: as `GraphClient` takes it, and likewise ``options``.
        texts: where the files are.
    """

    def __init__(self, driver: neo4j.AsyncDriver, *, texts: TextDirectory, **options: Any) -> None:
        super().__init__(driver, **options)
        self._texts = texts
        # Conversations that say where their file is, and whether they have had one.
        self._marked: dict[str, bool] = {}
        self._birth: str | None = None

    async def read(self, name: str, /, **parameters: Any) -> Rows:
        """As `GraphClient.read`; texts that rows lack come from the files.

        Raises:
            ConversationFileError: a message that the graph knows has no line, or its file cannot be read; a search
                leaves out what has no line, with a warning.
        """
        if "filed" in parameters:
            parameters["filed"] = True
        if name == "search_history_text":
            return await searching.in_history(self, self._texts, parameters)
        if name == "search_owner_text":
            return await searching.in_all(self, self._texts, parameters)
        ask = partial(super().read, name, **parameters)
        if name == "turn_context":
            words, parameters["words"], parameters["known"] = parameters["words"], None, []
            rows = await super().read(name, **parameters)
            await searching.before_the_recent(self, self._texts, rows, {**parameters, "words": words})
        else:
            rows = await ask()
        if name in READS:
            await self._fill(name, rows, parameters)
        elif name == "archive_sizes":
            await self._add_sizes(rows, parameters["conversation_id"])
        elif name == "unfinished_deletes":
            await self._sweep(older_than=_SETTLED)
        elif name in _LOADS and await self._look_after(rows, parameters):
            rows = await ask()
        return rows

    async def write(self, name: str, /, **parameters: Any) -> Rows:
        """As `GraphClient.write`; texts go to the files before anything goes to the graph.

        Raises:
            ConversationFileError: a file cannot be written; the graph was not asked then.
            GraphBusy: other processes held a file's lock for 30 s; 5 s where no ``timeout`` is given, as in a turn.
        """
        options: dict[str, Any] = {
            each: parameters.pop(each) for each in ("timeout", "names", "recover") if each in parameters
        }
        if "filed" in parameters:
            parameters["filed"] = True
        others = {"finish_delete": self._erase, "erase_texts": self._rewrite, "complete_imported": self._complete}
        if name in others:
            return await others[name](parameters, options)
        if name in WRITES:
            return await self._write_texts(name, self._parted(name, parameters), options)
        if name in _NAMES_THE_FILE:
            path = self._texts.file_path(parameters["uuid"])
            parameters["properties"] = {**parameters["properties"], "file_path": path}
        elif name == "finish_restore":
            parameters = writing.shown_again(parameters, self._texts.file_path)
        rows = await super().write(name, **options, **parameters)
        if name == "begin_delete" and not rows:
            await self._sweep(about=parameters["uuid"])
        if name in ("create_conversation", "create_branch") and rows:
            self._marked[parameters["uuid"]] = False
        if name in _LOADS and await self._look_after(rows, parameters):
            rows = await super().write(name, **options, **parameters)
        return rows

    def _parted(self, name: str, parameters: dict[str, Any]) -> writing.Parted:
        if name == "import_messages":
            return writing.imported(parameters, self._texts.file_path)
        if name in ("restore_messages", "restore_messages_with_vectors"):
            return writing.restored(parameters)
        return writing.appended(name, parameters)

    async def _write_texts(self, name: str, parted: writing.Parted, options: Mapping[str, Any]) -> Rows:
        """Lines, then nodes. Lines that the graph refuses are taken back; where its word is missing they stay."""
        texts, begun = self._texts, {}
        seconds = TURN_LOCK_SECONDS if options.get("timeout") is None else LOCK_SECONDS
        async with texts.held(parted.lines, seconds=seconds):
            if name in writing.APPENDS:
                uuid = parted.parameters["conversation_id"]
                if not await self._ready(uuid, parted.parameters, options):
                    await self._forget_lost(uuid, parted.parameters)
                    return []
            if not all([await self._ready(uuid, parted.parameters, options) for uuid in parted.joined]):
                return []
            note = await self._noted(parted.fresh) if parted.fresh else None
            for uuid, lines in parted.lines.items():
                begun[uuid] = await unbroken(partial(texts.file(uuid).append, lines, again=parted.again))
            try:
                rows = await super().write(name, **options, **parted.parameters)
            except GraphUnavailable:
                raise
            except RagforgeError:
                await self._take_back(begun)
                if note is not None:
                    note.drop()
                raise
            taken = _taken(name, rows, parted)
            await self._take_back({uuid: begin for uuid, begin in begun.items() if uuid not in taken})
            for uuid in taken:
                texts.file(uuid).confirm(line["uuid"] for line in parted.lines[uuid])
            if note is not None:
                note.drop()
            if name in writing.APPENDS and not rows:
                await self._forget_lost(parted.parameters["conversation_id"], parted.parameters)
            return rows

    async def _noted(self, fresh: Sequence[str]) -> Note:
        try:
            return await unbroken(partial(self._texts.begun.write, await self._born(), fresh))
        except OSError as error:
            raise ConversationFileError(
                f"{self._texts.path} cannot be used: {error.strerror or error}", hint="the disk, or who may write there"
            ) from error

    async def _born(self) -> str:
        """The database's own id: another's conversations may be in the folder, which this one does not know."""
        if self._birth is None:
            self._birth = str((await super().read("database_birth", timeout=PATIENT_TIMEOUT))[0]["id"])
        return self._birth

    async def _forget_lost(self, uuid: str, owner: Mapping[str, Any]) -> None:
        """Under the file's lock: the graph says that this conversation is no more, so lines without nodes go.

        They are of an attempt whose end the graph could not tell, or of a process that was killed.
        """
        self._marked.pop(uuid, None)
        file = self._texts.file(uuid)
        if not await asyncio.to_thread(file.exists):
            return
        owned = {name: owner[name] for name in ("user_id", "project")}
        left = await super().read("filed_messages", timeout=PATIENT_TIMEOUT, uuid=uuid, **owned)
        if left:
            await unbroken(partial(file.keep_only, left[0]["uuids"]))
        elif not await super().read("filed_anywhere", timeout=PATIENT_TIMEOUT, uuids=[uuid]):
            await unbroken(file.remove)

    async def _sweep(self, *, older_than: float = 0.0, about: str | None = None) -> None:
        """Erases the files of conversations that were begun and that the graph has never taken.

        A write holds its files' locks until the graph has answered: who has them knows that it is over.

        Args:
            older_than: seconds since the write began; a server that was cut off may still be ending it.
            about: only what one write began together with this one, which its writer gives up.
        """
        if not await asyncio.to_thread(self._texts.begun.exists):
            return
        for note in await asyncio.to_thread(self._texts.begun.found, await self._born()):
            if note.age < older_than or about not in (None, *note.conversations):
                continue
            unknown = await self._unknown(note.conversations)
            try:
                async with self._texts.held(unknown, seconds=0 if about is None else LOCK_SECONDS):
                    for uuid in await self._unknown(unknown):
                        await unbroken(self._texts.file(uuid).remove)
            except GraphTimeout:
                continue
            note.drop()

    async def _unknown(self, uuids: Sequence[str]) -> list[str]:
        """Those that are nobody's conversations."""
        rows = await super().read("filed_anywhere", timeout=PATIENT_TIMEOUT, uuids=list(uuids)) if uuids else []
        known = {row["uuid"] for row in rows}
        return [uuid for uuid in uuids if uuid not in known]

    def erases_texts(self, conversation_id: str, file_path: str, *, awaited: bool) -> bool:
        """As `GraphClient.erases_texts`: the file is in this folder, or it would be and there is none yet."""
        if self._texts.file(conversation_id).exists():
            return True
        return file_path == self._texts.file_path(conversation_id) and not awaited

    async def _ready(self, uuid: str, owner: Mapping[str, Any], options: Mapping[str, Any]) -> bool:
        """Whether a conversation may be appended to: earlier lines have their nodes, and it says where its file is.

        Raises:
            ConversationFileError: its file is missing, and so are the texts of what was said before.
        """
        file = self._texts.file(uuid)
        waiting, has_file = await asyncio.to_thread(lambda: (file.unchecked(), file.exists()))
        if waiting:
            await self._take_up(uuid, waiting, owner)
        # One whose file has gone was deleted by another process: its file must not be made anew.
        if uuid not in self._marked or (self._marked[uuid] and not has_file):
            path = self._texts.file_path(uuid)
            owned = {name: owner[name] for name in ("user_id", "project")}
            marked = await super().write(
                "mark_filed", **options, uuid=uuid, file_path=path, fresh=not has_file, **owned
            )
            if not marked:
                return False
            if marked[0]["lost"]:
                # A new file would have what is said from now on, and stand in the way of the one from a backup.
                raise file_lost(self._texts, uuid)
        self._marked[uuid] = True
        return True

    async def _look_after(self, rows: Rows, owner: Mapping[str, Any]) -> bool:
        """Takes up lines without nodes of conversations that are loaded; says whether there were any.

        Where another process writes just now, what has no node yet is its business.
        """
        found = False
        for row in rows:
            uuid = row["conversation"]["uuid"]
            if await asyncio.to_thread(self._texts.file(uuid).unchecked):
                try:
                    async with self._texts.held([uuid], seconds=0):
                        waiting = await asyncio.to_thread(self._texts.file(uuid).unchecked)
                        found |= await self._take_up(uuid, waiting, owner)
                except GraphTimeout:
                    continue
        return found

    async def _take_up(self, uuid: str, waiting: Sequence[str], owner: Mapping[str, Any]) -> bool:
        """Makes the nodes that lines of this conversation lack, in order; under the file's lock."""
        owned = {name: owner[name] for name in ("user_id", "project")}
        known: set[str] = set()
        for end in range(len(waiting), 0, -_CHECKED_AT_ONCE):
            some = waiting[max(end - _CHECKED_AT_ONCE, 0) : end]
            there = {row["uuid"] for row in await super().read("known_messages", uuids=list(some), **owned)}
            known |= there
            if len(there) == len(some):
                break
            first_missing = some.index(next(each for each in some if each not in there))
            if first_missing > 0:
                break
        else:
            end = 0
        lost = [each for each in waiting[max(end - _CHECKED_AT_ONCE, 0) :] if each not in known]
        file = self._texts.file(uuid)
        lines = await asyncio.to_thread(file.get, lost) if lost else {}
        for each in lost:
            append = writing.append_of(lines[each], owner) if each in lines else None
            if append is not None:
                await super().write(append[0], timeout=PATIENT_TIMEOUT, **append[1])
        file.confirm(waiting)
        return bool(lost)

    async def _take_back(self, begun: Mapping[str, int | None]) -> None:
        for uuid, begin in begun.items():
            if begin is not None:
                await unbroken(partial(self._texts.file(uuid).take_back, begin))

    async def _erase(self, parameters: dict[str, Any], options: Mapping[str, Any]) -> Rows:
        """The lines go before the conversation's node does: a crash in between leaves it to the next sweep."""
        uuid = parameters["uuid"]
        async with self._texts.held([uuid]):
            left = await super().read("filed_messages", timeout=PATIENT_TIMEOUT, **{**parameters, "uuid": uuid})
            if left:
                await unbroken(partial(self._texts.file(uuid).keep_only, left[0]["uuids"]))
                self._marked.pop(uuid, None)
            return await super().write("finish_delete", **options, **parameters)

    async def _rewrite(self, parameters: dict[str, Any], options: Mapping[str, Any]) -> Rows:
        """Other texts in the place of lines' own, before the nodes lose what was made of them."""
        uuid, rows = parameters["conversation_id"], parameters["rows"]
        async with self._texts.held([uuid]):
            lines = await self._replace(uuid, rows, writing.rewritten)
            rows = [writing.row_without_texts(row) if row["uuid"] in lines else row for row in rows]
            return await super().write("erase_texts", **options, **{**parameters, "rows": rows})

    async def _complete(self, parameters: dict[str, Any], options: Mapping[str, Any]) -> Rows:
        """The lines say more before the nodes do: who was killed in between completes both when he comes again."""
        rows, lines = parameters["rows"], set[str]()
        uuids = {row["conversation_id"] for row in rows}
        async with self._texts.held(uuids):
            for uuid in uuids:
                lines |= await self._replace(uuid, [r for r in rows if r["conversation_id"] == uuid], writing.completed)
            rows = [writing.completed_row(row) if row["uuid"] in lines else row for row in rows]
            return await super().write("complete_imported", **options, **{**parameters, "rows": rows})

    async def _replace(self, uuid: str, rows: Sequence[Any], line_of: Callable[[writing.Line, Any], Any]) -> set[str]:
        """Other lines for those of a conversation's rows that have one; returns whose these are."""
        file = self._texts.file(uuid)
        lines = await asyncio.to_thread(file.get, [row["uuid"] for row in rows])
        changed = {row["uuid"]: line_of(lines[row["uuid"]], row) for row in rows if row["uuid"] in lines}
        if changed:
            await unbroken(partial(file.replace, changed))
        return set(changed)

    async def _fill(self, name: str, rows: Rows, given: Mapping[str, Any]) -> None:
        wanted = wants(name, rows, given)
        if not wanted:
            return
        left = await asyncio.to_thread(serve, self._texts, wanted)
        if not left or name == "pending_reembedding":
            # What has lost its text must not keep the others waiting; and whose it is, that statement does not say.
            return
        # A branch gives its parent's messages as its own, and calls do not say whose they are.
        uuids = sorted({want.message_id for want in left})
        owned = {each: given[each] for each in ("user_id", "project")}
        found = await super().read("known_messages", timeout=PATIENT_TIMEOUT, uuids=uuids, **owned)
        where = {row["uuid"]: row["conversation_id"] for row in found}
        left = await asyncio.to_thread(serve, self._texts, left, where)
        if not left:
            return
        lost = {want.message_id for want in left}
        if name in _FAILS:
            # One that has no text must not keep the others waiting.
            failed = {row["uuid"] for row in rows if lost & {row["uuid"], *(part[2] for part in row.get("first", ()))}}
            rows[:] = [row for row in rows if row["uuid"] not in failed]
            await super().write(_FAILS[name], uuids=sorted(failed), attempt=uuid4().hex, **owned)
            return
        # What is found is shown as far as it can be; what is lost is told of, and a search is no place to end at.
        if name in ("found_messages", "near_messages"):
            rows[0]["found"] = [each for each in rows[0]["found"] if each["message"]["uuid"] not in lost]
        elif name == "erasable_texts":
            rows[0]["messages"] = [each for each in rows[0]["messages"] if each["uuid"] not in lost]
        elif name == "decisions":
            for row in rows:
                row["gone"] = row["gone"] or row["message"]["uuid"] in lost
        else:
            raise self._missing(left, where)
        log.warning("%s messages that were found are left out: %s", len(lost), self._missing(left, where).message)

    def _missing(self, left: Sequence[Want], where: Mapping[str, str]) -> ConversationFileError:
        return missing(self._texts, left[0], where.get(left[0].message_id) or left[0].conversation_id)

    async def _add_sizes(self, rows: Rows, conversation_id: str) -> None:
        sizes = await asyncio.to_thread(self._texts.file(conversation_id).sizes, [row["uuid"] for row in rows])
        for row in rows:
            row["characters"] += sizes.get(row["uuid"], 0)


def _taken(name: str, rows: Rows, parted: writing.Parted) -> set[str]:
    """The conversations of which the graph has taken what it was given."""
    if name == "import_messages":
        return {row["uuid"] for row in rows if row["stored"] or row["first_seq"]} & parted.lines.keys()
    if name.startswith("restore_messages"):
        return {row["uuid"] for row in rows if row["mine"]} & parted.lines.keys()
    if name == "merge_branch" and rows and rows[0]["seq"] is None:
        return set()  # it was brought in already
    return set(parted.lines) if rows else set()
