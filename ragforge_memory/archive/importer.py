"""Writes conversations from elsewhere: small ones together, large ones hidden until they are whole."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, get_args
from uuid import uuid4

from ragforge_memory.archive.extending import OLDER, Extension
from ragforge_memory.archive.identity import Name
from ragforge_memory.archive.tally import Tally
from ragforge_memory.archive.transcript_messages import Batch, ImportedTies, ahead, batches, groups
from ragforge_memory.archive.writing import Writing
from ragforge_memory.errors import InvalidInput, NotFound, RagforgeError, memory_is_off
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.imports import ImportBatch, ImportStore, Known, NewConversation, UuidTaken, renamed
from ragforge_memory.models.imports import ImportProgress, OnConflict
from ragforge_memory.text.titles import title_of

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.importers.source import Source
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.models.transcript import Transcript

ON_CONFLICT: tuple[OnConflict, ...] = get_args(OnConflict)

Report = Callable[[ImportProgress], None]

_TITLE_CHARACTERS = 500
# Seconds between two looks at an import of another process that has the same messages.
_LOOK = 0.5
# Two processes may import the same at once: the second one finds the first one's uuids when it looks again.
_ATTEMPTS = 3


class Importer:
    """Writes batches as they come: small conversations together, large ones hidden until they are whole.

    Args:
        on_conflict: what to do where a message is here already.
        title: the one conversation's.
        alone: there shall be one conversation, and what is wrong with it is raised.
        source: what is read, for progress.
        progress: is told after everything that was written.
    """

    def __init__(
        self,
        services: Services,
        *,
        on_conflict: OnConflict,
        title: str | None = None,
        alone: bool = False,
        source: Source | None = None,
        progress: Report | None = None,
    ) -> None:
        if services.stores.imports is None:
            raise memory_is_off("nothing can be imported")
        self._services = services
        self._store: ImportStore = services.stores.imports
        self._conversations = ConversationStore(services.stores.graph, services.place.owner)
        self._ties = ImportedTies(services.stores, services.place)
        self._on_conflict = on_conflict
        self._title = title
        self._alone = alone
        self._source = source
        self._progress = progress
        self._long: Writing | None = None
        self._only: Transcript | None = None
        self._tried: list[str] = []
        self._looks = False
        self.existing: ConversationInfo | None = None
        self.tally = Tally()

    async def run(self, found: Iterator[Transcript]) -> None:
        """Writes all; the next ones are read while some are written."""
        import anyio

        try:
            waits = self._source is not None and self._source.may_wait
            await self._ties.begin()
            batched = batches(found, self._services.place.redacted, ties=self._ties.wanted)
            async with ahead(groups(batched), waits=waits) as coming:
                following: list[Batch] | None = None
                while (group := following or await coming()) is not None:
                    following = None
                    if self._alone:
                        following = await coming() if group[-1].last else None
                        self._check_alone([*group, *(following or ())])
                    await self._take(group)
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._undo()
            raise
        finally:
            if self.tally.wrote:
                self._services.background.work.wake(due=True)

    def _check_alone(self, group: list[Batch]) -> None:
        for each in group:
            self._only = self._only or each.transcript
            if each.transcript is not self._only and each.transcript.of is not self._only:
                raise InvalidInput(
                    "there are several conversations in it",
                    hint="import_conversations (`ragforge conversations import`) takes them all",
                )

    async def _take(self, group: list[Batch]) -> None:
        batch = group[0]
        if batch.whole:
            # A branch comes behind what it is a branch of.
            await self._write_whole([each for each in group if each.transcript.of is None])
            for each in group:
                if each.transcript.of is not None:
                    await self._write_whole([each])
        else:
            long = self._long = self._long or Writing(batch.transcript)
            if not long.over:
                await self._write_part(long, batch)
            if batch.last:
                self._long = None
        self._tell()

    async def _write_whole(self, group: list[Batch], attempt: int = 1) -> None:
        known = await self._known(group)
        kept: list[tuple[Writing, Batch]] = []
        for batch in group:
            writing = Writing(batch.transcript)
            if self._is_left_out(writing):
                continue
            if await self._goes_on(writing, batch, known):
                continue
            if await self._may(writing, batch, known):
                kept.append((writing, batch))
        if not kept:
            return
        self._tried = [writing.uuid for writing, _ in kept]
        written = [self._batch(*each, known) for each in kept]
        try:
            await self._store.write(written)
        except UuidTaken:
            # Nothing of them was written. Two of these may have the same message, or another process has it by now.
            self._tried = []
            self._looks = True
            if len(kept) == 1 and attempt == _ATTEMPTS:
                raise
            for _, batch in kept:
                await self._write_whole([batch], attempt + 1 if len(kept) == 1 else attempt)
            return
        self._tried = []
        await self._ties.write({uuid: ties for each in written for uuid, ties in each.ties.items()})
        for writing, batch in kept:
            self._count(writing, batch)
            self._done(writing)

    async def _write_part(self, long: Writing, batch: Batch) -> None:
        """Writes the next messages of a conversation that is larger than a transaction shall be."""
        if batch.fault is not None:
            if long.transcript.of is None:
                await self._refuse(long, batch.fault)
            return
        if self._is_left_out(long):
            return
        token = long.token or uuid4().hex
        long.token = None if long.extension else token
        for attempt in range(1, _ATTEMPTS + 1):
            known = await self._known([batch], long)
            if await self._goes_on(long, batch, known):
                return
            if not await self._may(long, batch, known):
                return
            try:
                written = self._batch(long, batch, known)
                await self._store.write([written])
                break
            except UuidTaken:
                self._looks = True
                if attempt == _ATTEMPTS:
                    raise
        await self._ties.write(written.ties)
        self._count(long, batch)
        if batch.last:
            await self._store.finish(long.uuid, token, self._about(long))
            self._done(long)

    def _is_left_out(self, writing: Writing) -> bool:
        """Whether it is a branch of a conversation that was not taken, or was copied: its messages are elsewhere."""
        whose = writing.transcript.of
        writing.over = whose is not None and (not whose.taken or self._on_conflict == "copy")
        return writing.over

    async def _goes_on(self, writing: Writing, batch: Batch, known: Mapping[str, Known]) -> bool:
        """Adds what is new of a conversation that is here; False where nothing of it is, or that is not wanted."""
        begins = batch.after == 0 or writing.extension is not None
        wanted = self._on_conflict == "extend" or writing.transcript.of is not None
        if not wanted or batch.fault is not None or not begins:
            return False
        extension = writing.extension or Extension(self._services, self._store)
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                ties = await extension.take(batch, known)
                break
            except UuidTaken:
                if attempt == _ATTEMPTS:
                    raise
                self._looks = True
                await extension.again()
                known = await self._known([batch])
        if ties is None:
            return False
        if writing.extension is None:
            await self._give_up(writing)  # what was begun of it, before its messages were found to be here
            writing.extension, writing.token, writing.over = extension, None, False
        await self._ties.write(ties)
        if batch.after == 0:
            writing.begin(batch.rows)
        if batch.last:
            await self._extended(writing, extension)
        return True

    async def _extended(self, writing: Writing, extension: Extension) -> None:
        """A conversation that is here has what is new of it."""
        assert extension.place is not None
        uuid, titled = extension.place.conversation_id, self._about(writing)
        if titled.given_title and extension.root == (uuid, self._title_without_one(writing)):
            await self._services.stores.conversations.update(uuid, title=titled.title)
        if self._alone and writing.transcript.of is None:
            self.existing = await self._services.stores.conversations.get(uuid)
        transcript = writing.transcript
        if extension.missing:
            transcript.left_out[OLDER] += extension.missing
        if not extension.messages and not extension.completed:
            self.tally.unchanged(transcript)
            return
        count = self.tally.new if extension.branched else self.tally.extended
        count(uuid, transcript, messages=extension.messages, tool_calls=extension.tool_calls)

    def _batch(self, writing: Writing, batch: Batch, known: Mapping[str, Known]) -> ImportBatch:
        if batch.after == 0:
            writing.begin(batch.rows)
        names = {uuid: self._other_uuid(name, known[uuid]) for uuid, name in batch.names.items() if uuid in known}
        rows = renamed(batch.rows, writing.names | names)
        moved = (writing.names | names).get(batch.question or "")
        writing.following = {batch.question: moved} if batch.question and moved else {}
        return ImportBatch(
            conversation_id=writing.uuid,
            rows=rows,
            after=batch.after,
            begins=self._about(writing) if batch.after == 0 else None,
            token=writing.token,
            ties={names.get(uuid, uuid): ties for uuid, ties in batch.ties.items()},
        )

    def _other_uuid(self, name: Name, known: Known) -> str:
        return self._store.other_uuid(name.uuid) if known.conversation_id is None else uuid4().hex

    async def _known(self, group: list[Batch], long: Writing | None = None) -> dict[str, Known]:
        """What of these is there already; waits for an import that has the same messages and still runs.

        It is only looked for from the first conflict on, which the graph's constraint finds: most files are new. Where
        a conversation's first message may have had another uuid, there would be none.
        """
        branches = any(batch.transcript.of is not None for batch in group)
        extends = branches or self._on_conflict == "extend"
        looks = self._looks or branches
        if not looks and not (extends and any(batch.begins_under_others for batch in group)):
            return {}
        given = [uuid for batch in group for uuid in batch.uuids(others=extends)]
        while True:
            known = await self._store.known(given)
            hidden = [
                each for each in known.values() if each.hidden and not (long and each.conversation_id == long.uuid)
            ]
            if not hidden:
                return known
            if any(each.running for each in hidden):
                await asyncio.sleep(_LOOK)
            else:
                for uuid in dict.fromkeys(each.conversation_id for each in hidden if each.conversation_id):
                    await self._conversations.discard(uuid)
                return await self._store.known(given)

    async def _may(self, writing: Writing, batch: Batch, known: Mapping[str, Known]) -> bool:
        """Whether it may be written: none of it is here already, or that is wanted. Else it is over."""
        if not known:
            return True
        mine = {
            uuid: str(known[uuid].conversation_id)
            for uuid, name in batch.names.items()
            if name.known_again and uuid in known and known[uuid].conversation_id is not None and not known[uuid].hidden
        }
        if not mine or self._on_conflict in ("copy", "extend"):
            return True
        if self._on_conflict == "fail":
            uuid = next(iter(mine))
            refused = InvalidInput(
                f"{batch.names[uuid].place}: message {uuid} is in conversation {mine[uuid]} already",
                hint="on_conflict='extend' adds what is new, 'skip' leaves what is there, 'copy' imports it anew",
            )
            await self._refuse(writing, refused)
            return False
        for conversation_id in dict.fromkeys(mine.values()):
            try:
                existing = await self._services.stores.conversations.get(conversation_id)
            except NotFound:
                continue  # it was deleted since
            self.existing = self.existing or existing
            self.tally.skipped()
            await self._give_up(writing)
            return False
        return True

    async def _refuse(self, writing: Writing, error: InvalidInput) -> None:
        await self._give_up(writing)
        if self._alone:
            raise error
        self.tally.refused(writing.transcript, error)

    async def _give_up(self, writing: Writing) -> None:
        """Takes away what is written of a conversation; what the graph is not there for, the next sweep does."""
        writing.over = True
        if writing.token is not None:
            with suppress(RagforgeError):
                await self._conversations.discard(writing.uuid, import_token=writing.token)

    async def _undo(self) -> None:
        """After a failure: nothing is left of what is not known to be whole."""
        if self._long is not None and not self._long.over:
            await self._give_up(self._long)
        for uuid in self._tried:
            try:
                await self._services.stores.conversations.delete(uuid)
            except NotFound:
                continue
            except RagforgeError:
                return

    def _about(self, writing: Writing) -> NewConversation:
        """What the conversation is, as far as it is known by now."""
        transcript = writing.transcript
        given = self._title or " ".join((transcript.title or "").split())[:_TITLE_CHARACTERS]
        about = {"format": transcript.format, "session": transcript.session_id, **transcript.metadata}
        if transcript.flaws:
            about["passed_over"] = len(transcript.flaws)
        clean = self._services.place.redacted
        return NewConversation(
            title=clean(given or self._title_without_one(writing)),
            given_title=bool(given),
            asked=writing.asked,
            created_at=transcript.created_at,
            metadata={"source": clean({name: value for name, value in about.items() if value is not None})},
        )

    @staticmethod
    def _title_without_one(writing: Writing) -> str:
        """What lists show where nobody has given a title."""
        return title_of(writing.first) or writing.transcript.format

    @staticmethod
    def _count(writing: Writing, batch: Batch) -> None:
        writing.names = writing.following
        writing.messages += len(batch.rows)
        writing.tool_calls += sum(len(row["tool_calls"]) for row in batch.rows)

    def _done(self, writing: Writing) -> None:
        self.tally.new(writing.uuid, writing.transcript, messages=writing.messages, tool_calls=writing.tool_calls)

    def _tell(self) -> None:
        if self._progress is None:
            return
        half = 0 if self._long is None or self._long.over else self._long.messages
        self._progress(
            ImportProgress(
                conversations=self.tally.conversations,
                messages=self.tally.messages + half,
                read=self._source.taken if self._source else 0,
                size=self._source.size if self._source else None,
            )
        )
