"""Reading archives that are lines: a record a line, small conversations many at once, each whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.turns.patience import abandoned
from ragforge_memory.archive.documents import BATCH_CHARACTERS, BATCH_RECORDS
from ragforge_memory.archive.lines import Line, Reader, Restored, parsed, refused
from ragforge_memory.errors import EmbeddingMismatch, GraphUnavailable, InvalidInput, RagforgeError, memory_is_off
from ragforge_memory.models import archive
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.archive.restored_messages import Part
    from ragforge_memory.models.imports import OnConflict


async def restore_lines(
    services: Services, lines: AsyncIterator[Sequence[bytes]], *, on_conflict: OnConflict
) -> AsyncIterator[Restored]:
    """Stores the conversations of a file of lines; holds no more than two batches of them.

    Args:
        lines: the file's lines, some at a time.
        on_conflict: for each conversation that is here already.

    Raises:
        InvalidInput: the first line is not that of an archive, or memory is off.
        GraphUnavailable: the graph went away; what had been told of is stored, the rest is not.
    """
    if services.stores.receipts is None:
        raise memory_is_off("nothing can be imported")
    groups: Groups | None = None
    number = 0
    try:
        async for some in parsed(lines):
            for line in some:
                number += 1
                if groups is None:
                    groups = Groups(services, _head(line), on_conflict)
                    continue
                for told in await groups.take(line, number):
                    yield told
        if groups is None:
            raise InvalidInput("there is nothing to import: the file is empty")
        for told in await groups.ended(number):
            yield told
        await groups.close()
    except BaseException:
        if groups is not None:
            await asyncio.shield(groups.roll_back())
        raise


_KINDS = frozenset({"anchor", "prompt", "message", "summary", "insight", "end"})


@dataclass(slots=True)
class _Held:
    """A conversation that is not begun before it is read whole; ``lines`` are its lines with their numbers."""

    head: archive.ConversationHead
    lines: list[tuple[Line, int]]
    size: int
    records: dict[str, list[Any]] = field(default_factory=dict)

    def add(self, line: Line, number: int) -> None:
        """The next line."""
        self.lines.append((line, number))
        self.size += line.size
        self.records.setdefault(line.kind, []).append(line.record)

    @property
    def sound(self) -> bool:
        """Whether it can be taken for whole, so far as its lines tell; else it is read line by line."""
        end = self.lines[-1][0].record
        if not isinstance(end, archive.End) or end.dropped or end.uuid != self.head.uuid:
            return False
        summaries = end.summaries if "summaries" in end.model_fields_set else len(self.of("summary"))
        whole = (end.messages, summaries) == (len(self.of("message")), len(self.of("summary")))
        return whole and self.records.keys() <= _KINDS

    def of(self, kind: str) -> list[Any]:
        """Its records of a kind."""
        return self.records.get(kind, [])


@dataclass(slots=True)
class _Count:
    """How many conversations and memories came, beside what the last line says of it."""

    came: int = 0
    said: int | None = None
    memories: int = 0
    lost: int = 0
    unreadable: int = 0
    begun: bool = False

    def take(self, line: Line) -> None:
        """The next line."""
        record = line.record
        if line.kind == "conversation":
            self.came, self.begun = self.came + 1, True
        elif isinstance(record, archive.End):
            self.came, self.begun = self.came - (record.dropped and self.begun), False
        elif isinstance(record, archive.Done):
            self.said, self.lost = record.conversations, record.memories - self.memories
        elif line.kind == "memory":
            self.memories += 1
        elif not line.kind:
            self.unreadable += 1  # it may have begun a conversation, and was told of

    def ended(self, number: int) -> list[Restored]:
        """What is wrong at the end of the file."""
        if self.lost > self.unreadable:
            return [refused(f"memories: {counted(self.lost, 'line')} of the file did not come", number)]
        if self.said is None or self.came <= self.said <= self.came + self.unreadable:
            return []
        why = f"conversations: the file had {self.said} when it was written, and {self.came} came"
        return [refused(why, number)]


class Groups:
    """Writes many small conversations at once, each while the next ones are read; what is large, or in which something
    is wrong, goes line by line through a `Reader`.
    """

    def __init__(self, services: Services, head: archive.Head, on_conflict: OnConflict) -> None:
        self._reader = Reader(services, head, on_conflict)
        self._restoring = self._reader.restoring
        self._held: _Held | None = None
        self._by_itself = False
        self._group: dict[str, _Held] = {}
        self._writing: asyncio.Task[list[Restored]] | None = None
        self._count = _Count()
        self._looks = False

    async def take(self, line: Line, number: int) -> list[Restored]:
        """One line; what became of conversations, some time after they have ended."""
        self._count.take(line)
        told: list[Restored] = []
        if line.kind == "conversation":
            told += await self._settled()
            if self._by_itself:
                told += await self._reader.break_off(number)
                self._by_itself = False
            if isinstance(line.record, archive.ConversationHead):
                self._held = _Held(line.record, [(line, number)], line.size)
                return told
        held = self._held
        if held is None:
            told += await self._written()
            self._by_itself = True
            return told + await self._reader.take(line, number)
        held.add(line, number)
        if line.record is None or len(held.lines) > BATCH_RECORDS or held.size > BATCH_CHARACTERS:
            return told + await self._settled()
        if line.kind == "end":
            told += await self._gather(held) if held.sound else await self._settled()
        return told

    async def ended(self, number: int) -> list[Restored]:
        """The file is at its end."""
        told = [*await self._settled(), *await self._written()]
        return told + (await self._reader.ended(number) or self._count.ended(number))

    async def close(self) -> None:
        """Everything is written; see `Restoring.close`."""
        await self._restoring.close()

    async def roll_back(self) -> None:
        """Takes away what was begun and is not whole."""
        writing, self._writing = self._writing, None
        if writing is not None:
            await abandoned(writing)
        await self._restoring.roll_back()

    async def _gather(self, held: _Held) -> list[Restored]:
        """A conversation is whole: it is written with others, as many as a transaction holds."""
        self._held = None
        group = self._group
        lines = sum(len(each.lines) for each in group.values())
        size = sum(each.size for each in group.values())
        full = lines + len(held.lines) > BATCH_RECORDS or size + held.size > BATCH_CHARACTERS
        told = await self._begin_writing() if group and (full or held.head.uuid in group) else []
        self._group[held.head.uuid] = held
        return told

    async def _settled(self) -> list[Restored]:
        """What is held of a conversation goes on line by line."""
        held, self._held = self._held, None
        if held is None:
            return []
        self._by_itself = True
        return [*await self._written(), *await self._line_by_line(held)]

    async def _line_by_line(self, held: _Held) -> list[Restored]:
        return [told for line, number in held.lines for told in await self._reader.take(line, number)]

    async def _written(self) -> list[Restored]:
        """Writes what was gathered, and waits until that and what was before is written."""
        told = await self._begin_writing() if self._group else []
        return told + await self._before()

    async def _begin_writing(self) -> list[Restored]:
        """Begins to write what was gathered as soon as what was before is written; what became of that."""
        group, self._group = list(self._group.values()), {}
        prompts = [prompt for each in group for prompt in each.of("prompt")]
        parts: list[Part] | None = None
        names = self._restoring.renamed
        with suppress(EmbeddingMismatch):  # of one of them: which, is found out line by line
            parts = await self._restoring.parts({each.head.uuid: each.of("message") for each in group}, prompts)
        told = await self._before()
        if parts is None:
            return told + [one for each in group for one in await self._line_by_line(each)]
        self._writing = asyncio.create_task(self._write(group, parts, names), name="ragforge-restore-group")
        return told

    async def _before(self) -> list[Restored]:
        writing = self._writing
        if writing is None:
            return []
        told = await asyncio.shield(writing)
        self._writing = None
        return told

    async def _write(self, group: Sequence[_Held], parts: Sequence[Part], names: int) -> list[Restored]:
        """A group; its ``parts`` were made when so many uuids had new names, which answers to others need too.

        Most archives are of conversations that are not here: they are only looked for from the first conflict on, which
        beginning them finds.
        """
        told: list[Restored] = []
        restoring = self._restoring
        if not self._looks and all(_may_be_new(each.head) for each in group):
            if await self._together(group, parts if restoring.renamed == names else None, new=True):
                return [self._told(each) for each in group]
            self._looks = True
        new, here = await restoring.apart([each.head for each in group])
        new -= await restoring.crowded({each.head.uuid: each.of("message") for each in group if each.head.uuid in new})
        for run in _runs(group, new):
            heads = {each.head.uuid for each in run}
            if here & heads:
                told += [self._passed(each) for each in run]
                continue
            made = [part for part in parts if part.head in heads] if restoring.renamed == names else None
            if new & heads and await self._together(run, made):
                told += [self._told(each) for each in run]
                continue
            for each in run:
                told += await self._line_by_line(each)
        return told

    async def _together(self, run: Sequence[_Held], parts: Sequence[Part] | None, *, new: bool = False) -> bool:
        """Stores all or none; none where something is wrong with one: which, is found out line by line. With ``new``
        none either where something is here of one, which was not looked for."""
        restoring = self._restoring

        def every(kind: str) -> dict[str, list[Any]]:
            return {each.head.uuid: found for each in run if (found := each.of(kind))}

        try:
            heads = [each.head for each in run]
            await (restoring.begin_new(every("message"), heads) if new else restoring.begin(heads))
            await restoring.anchors(every("anchor"))
            await restoring.prompts(every("prompt"))
            await restoring.messages(every("message"), parts=parts)
            await restoring.summaries(every("summary"))
            await restoring.insights(every("insight"))
            await restoring.commit()
        except GraphUnavailable:
            raise
        except RagforgeError:
            await restoring.roll_back()
            return False
        return True

    def _told(self, held: _Held) -> Restored:
        uuid, (_, number) = self._restoring.now(held.head.uuid), held.lines[-1]
        return Restored(uuid, replace(self._restoring.counts), line=number)

    def _passed(self, held: _Held) -> Restored:
        for each in held.of("message"):
            self._restoring.passed(each)
        return Restored(held.head.uuid, replace(self._restoring.counts), skipped=True, line=held.lines[0][1])


def _runs(group: Sequence[_Held], new: Set[str]) -> Iterator[list[_Held]]:
    """What can be written together, in order: a branch only after what it was branched from, and what is not ``new`` by
    itself."""
    run: dict[str, _Held] = {}
    for each in group:
        alone = each.head.uuid not in new
        if run and (alone or any(part.conversation_id in run for part in each.head.lineage)):
            yield list(run.values())
            run = {}
        if alone:
            yield [each]
        else:
            run[each.head.uuid] = each
    if run:
        yield list(run.values())


def _may_be_new(head: archive.ConversationHead) -> bool:
    """Whether a conversation stands by itself, and is not a remainder of a deleted one."""
    return head.status != "shared" and not head.lineage and head.branch is None


def _head(line: Line) -> archive.Head:
    if line.error is not None:
        raise InvalidInput(f"line 1: {line.error}")
    if not isinstance(line.record, archive.Head):
        raise InvalidInput(
            "line 1: this is not an archive of ours",
            hint="export_all() (`ragforge conversations export --all`) writes one",
        )
    return line.record
