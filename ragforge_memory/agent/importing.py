"""Conversations from elsewhere: read in a thread, checked, and written so that nobody sees a half of one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from copy import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from ragforge_memory.agent.imported_messages import Batch, Placing, batches
from ragforge_memory.agent.inputs import title_of
from ragforge_memory.errors import InvalidInput, NotFound, RagforgeError
from ragforge_memory.graph.imports import ImportStore, Known, NewConversation, UuidTaken
from ragforge_memory.importers.recognition import transcripts
from ragforge_memory.models.imports import MOST_NAMED, ImportFault, ImportProgress, ImportReport

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.importers.source import Source
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.models.transcript import Transcript, TranscriptMessage

OnConflict = Literal["fail", "skip", "copy"]
ON_CONFLICT: tuple[OnConflict, ...] = ("fail", "skip", "copy")

Report = Callable[[ImportProgress], None]

_TITLE_CHARACTERS = 500
# Seconds between two looks at an import of another process that has the same messages.
_LOOK = 0.5
# Two processes may import the same at once: the second one finds the first one's uuids when it looks again.
_ATTEMPTS = 3


async def import_one(
    services: Services, data: Any, *, on_conflict: OnConflict, title: str | None = None
) -> ConversationInfo:
    """Stores the one conversation that ``data`` is; see `AgentSearch.import_conversation`.

    Raises:
        InvalidInput: it is none, or several, or a part of it is bad, or it is here already and ``on_conflict`` is
            ``fail``; or memory is off.
    """
    importer = _Importer(services, on_conflict=on_conflict, title=title, alone=True)
    await importer.run(await asyncio.to_thread(transcripts, data))
    if importer.existing is not None:
        return importer.existing
    [uuid] = importer.imported
    return await services.conversations.get(uuid)


async def import_all(
    services: Services, source: Source, *, on_conflict: OnConflict, progress: Report | None = None
) -> ImportReport:
    """Stores all conversations of a source; see `AgentSearch.import_conversations`.

    Raises:
        InvalidInput: the source is of no known format; or memory is off.
        GraphUnavailable: it could not go on; the conversations before are there.
    """
    start = time.monotonic()
    importer = _Importer(services, on_conflict=on_conflict, source=source, progress=progress)
    await importer.run(await asyncio.to_thread(transcripts, source))
    return ImportReport(
        conversations=importer.conversations,
        messages=importer.messages,
        tool_calls=importer.tool_calls,
        skipped=importer.skipped,
        failed=importer.failed,
        errors=tuple(importer.errors),
        imported=tuple(importer.imported),
        seconds=time.monotonic() - start,
    )


@dataclass(slots=True)
class _Current:
    """The conversation that is being written. ``tried``: something of it may be in the graph; ``over``: it was refused
    or skipped, the rest of it is read past."""

    transcript: Transcript
    uuid: str = field(default_factory=lambda: uuid4().hex)
    token: str | None = None
    written: int = 0
    placing: Placing = field(default_factory=Placing)
    tried: bool = False
    first: TranscriptMessage | None = None
    over: bool = False


class _Importer:
    """Writes batches as they come.

    Args:
        services: what is open.
        on_conflict: what to do where a message is here already.
        title: the one conversation's.
        alone: there shall be one conversation, and what is wrong with it is raised.
        source: what is read, for progress.
        progress: is told after every batch.
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
        if services.imports is None:
            raise InvalidInput("memory is off: nothing can be imported", hint="set agent.memory.enabled")
        self._services = services
        self._store: ImportStore = services.imports
        self._on_conflict = on_conflict
        self._title = title
        self._alone = alone
        self._source = source
        self._progress = progress
        self._current: _Current | None = None
        self.existing: ConversationInfo | None = None
        self.conversations = self.messages = self.tool_calls = self.skipped = self.failed = 0
        self.errors: list[ImportFault] = []
        self.imported: list[str] = []

    async def run(self, found: Iterator[Transcript]) -> None:
        """Writes all; the next batch is read while one is written."""
        import anyio

        try:
            async with _ahead(batches(found, self._services.redacted)) as coming:
                batch = await coming()
                while batch is not None:
                    following = await coming() if self._alone else None
                    if self._alone and following is not None and following.transcript is not batch.transcript:
                        raise InvalidInput(
                            "there are several conversations in it",
                            hint="import_conversations (`ragforge conversations import`) takes them all",
                        )
                    await self._take(batch)
                    batch = following if self._alone else await coming()
        except BaseException:
            with anyio.CancelScope(shield=True):
                await self._undo()
            raise
        finally:
            if self.conversations:
                self._services.background.wake(due=True)

    async def _take(self, batch: Batch) -> None:
        current = self._current
        if current is None:
            current = self._current = _Current(batch.transcript)
        if not current.over:
            try:
                if batch.fault is not None:
                    raise batch.fault
                await self._write(current, batch)
            except InvalidInput as error:
                await self._undo()
                if self._alone:
                    raise
                current.over = True
                self.failed += 1
                if len(self.errors) < MOST_NAMED:
                    self.errors.append(ImportFault(place=batch.transcript.place, message=error.message))
        if batch.last:
            self._current = None
        self._tell(current)

    async def _write(self, current: _Current, batch: Batch) -> None:
        if current.first is None or current.first.role != "user":
            user = next((each for each in batch.messages if each.role == "user"), None)
            current.first = user or current.first or batch.messages[0]
        if current.token is None and not batch.last:
            current.token = uuid4().hex
        for attempt in range(1, _ATTEMPTS + 1):
            known = await self._known(batch, current)
            if await self._conflicts(known, batch, current):
                return
            placing = copy(current.placing)
            try:
                current.tried = True
                await self._store.write(
                    current.uuid,
                    await asyncio.to_thread(placing.placed, batch.messages, known),
                    after=current.written,
                    begins=self._about(current) if current.written == 0 else None,
                    token=current.token,
                    embed=self._services.embeds_messages,
                )
                break
            except UuidTaken:
                if attempt == _ATTEMPTS:
                    raise
        current.placing = placing
        current.written += len(batch.messages)
        if batch.last:
            if current.token is not None:
                await self._store.finish(current.uuid, current.token, self._about(current))
            self.conversations += 1
            self.messages += current.written
            self.tool_calls += current.placing.tool_calls
            if len(self.imported) < MOST_NAMED:
                self.imported.append(current.uuid)

    async def _known(self, batch: Batch, current: _Current) -> dict[str, Known]:
        """What of a batch is there already; waits for an import that has the same messages and still runs."""
        given = [each.uuid for each in batch.messages if each.uuid is not None]
        while True:
            known = await self._store.known(given)
            hidden = [each for each in known.values() if each.hidden and each.conversation_id != current.uuid]
            if not hidden:
                return known
            if any(each.running for each in hidden):
                await asyncio.sleep(_LOOK)
            else:
                for uuid in dict.fromkeys(each.conversation_id for each in hidden if each.conversation_id):
                    await self._services.conversations.discard(uuid)
                return await self._store.known(given)

    async def _conflicts(self, known: dict[str, Known], batch: Batch, current: _Current) -> bool:
        """Whether the conversation is skipped.

        Raises:
            InvalidInput: a message is here already, and that is not wanted.
        """
        mine = {uuid: each for uuid, each in known.items() if each.conversation_id is not None and not each.hidden}
        if not mine or self._on_conflict == "copy":
            return False
        if self._on_conflict == "fail":
            message = next(each for each in batch.messages if each.uuid in mine)
            raise InvalidInput(
                f"{message.place}: message {message.uuid} is in conversation "
                f"{mine[str(message.uuid)].conversation_id} already",
                hint="on_conflict='skip' leaves what is there, 'copy' imports it under new uuids",
            )
        for conversation_id in dict.fromkeys(each.conversation_id for each in mine.values()):
            try:
                existing = await self._services.conversations.get(str(conversation_id))
            except NotFound:
                continue  # it was deleted since
            await self._undo()
            self.existing = self.existing or existing
            current.over = True
            self.skipped += 1
            return True
        return False

    def _about(self, current: _Current) -> NewConversation:
        """What the conversation is, as far as it is known by now."""
        transcript, first = current.transcript, current.first
        given = self._title or " ".join((transcript.title or "").split())[:_TITLE_CHARACTERS]
        shown = given or title_of(first.content if first else "") or transcript.format
        about = {"format": transcript.format, "session": transcript.session_id, **transcript.metadata}
        clean = self._services.redacted
        source = {name: value for name, value in about.items() if value is not None}
        return NewConversation(
            title=clean(shown),
            given_title=bool(given),
            created_at=transcript.created_at or (first.timestamp if first else None),
            metadata={"source": clean(source)},
        )

    async def _undo(self) -> None:
        """Takes away what was written of the conversation that is not whole; what the graph is not there for, the
        next sweep does."""
        current = self._current
        if current is None or current.over:
            return
        current.over = True
        if not current.tried:
            return
        try:
            if current.token is not None:
                await self._services.conversations.discard(current.uuid)
            else:
                await self._services.conversations.delete(current.uuid)
        except RagforgeError:
            return

    def _tell(self, current: _Current) -> None:
        if self._progress is not None:
            written = 0 if self._current is None or current.over else current.written
            self._progress(
                ImportProgress(
                    conversations=self.conversations,
                    messages=self.messages + written,
                    read=self._source.taken if self._source else 0,
                    size=self._source.size if self._source else None,
                )
            )


@asynccontextmanager
async def _ahead(found: Iterator[Batch]) -> AsyncIterator[Callable[[], Awaitable[Batch | None]]]:
    """Gives the batches one by one; the next is read in a thread meanwhile."""
    from anyio import to_thread

    def begin() -> asyncio.Task[Batch | None]:
        # Whoever gives up waits for no stream that gives nothing.
        return asyncio.create_task(to_thread.run_sync(lambda: next(found, None), abandon_on_cancel=True))

    task = begin()

    async def coming() -> Batch | None:
        nonlocal task
        batch = await task
        if batch is not None:
            task = begin()
        return batch

    try:
        yield coming
    finally:
        task.cancel()
        await asyncio.wait((task,))
        if not task.cancelled():
            task.exception()
