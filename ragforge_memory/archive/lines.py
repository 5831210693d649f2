"""Taking the lines of an archive in, one after the other: each conversation by itself, whole or not at all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from ragforge_memory.archive.documents import BATCH_CHARACTERS, BATCH_RECORDS, check_version, checked
from ragforge_memory.archive.restored_messages import Repeated
from ragforge_memory.archive.restored_places import Counts, Misplaced
from ragforge_memory.archive.restoring import Restoring
from ragforge_memory.collection import paused_collection
from ragforge_memory.errors import GraphError, HereAlready, InvalidInput
from ragforge_memory.graph.imports import UuidTaken
from ragforge_memory.json_line import json_of
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.models.imports import OnConflict

_BATCH_MEMORIES = 200


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of one conversation of a file of lines.

    ``uuid`` is its uuid here; None where there is none, as of memories. ``error`` says what was wrong in which line,
    ``hint`` what to do about it; nothing of that conversation is left. ``counts`` are of all until then.
    """

    uuid: str | None
    counts: Counts = field(default_factory=Counts)
    skipped: bool = False
    error: str | None = None
    hint: str | None = None
    line: int = 0


class Line(NamedTuple):
    """A line that was read: its record, or why it is none."""

    kind: str
    record: archive.Record | None
    error: str | None
    size: int


class Reader:
    """Where the reading stands: between two conversations, in one, or in one that is passed over: here already, or
    refused."""

    def __init__(self, services: Services, head: archive.Head, on_conflict: OnConflict) -> None:
        self.restoring = Restoring(services, head, on_conflict)
        self._state: Literal["between", "in", "here", "refused"] = "between"
        self._done = False
        self._uuid = ""
        self._batch: list[Any] = []
        self._kind = ""
        self._first = 0
        self._characters = 0
        self._messages = self._summaries = 0
        self._memories: list[archive.Memory] = []

    async def take(self, line: Line, number: int) -> list[Restored]:
        """One line; what became of conversations that end with it."""
        told = await self.break_off(number) if line.kind in ("conversation", "memory") else []
        try:
            if line.record is None:
                raise InvalidInput(line.error or "this is not a record of an archive")
            told += await self._taken(line, line.record, number)
        except Misplaced as error:
            told += await self._refuse(error.why, self._first + error.index)
        except Repeated as error:
            told += await self._refuse(error.message, error.place, error.hint)
        except UuidTaken:
            told += await self._refuse("a uuid of it was there before", number)
        except GraphError as error:  # a vector of another dimension, or what nobody has thought of
            told += await self._refuse(error.message, number, error.hint)
        except HereAlready as error:
            told += await self._in_the_way(error, number if error.place is None else error.place)
        except InvalidInput as error:
            told += await self._refuse(error.message, number, error.hint)
        if line.kind == "end":
            self._state = "between"
        return told

    async def break_off(self, number: int) -> list[Restored]:
        """Another conversation begins in this line; what is wrong with that."""
        told = [] if self._state != "in" else await self._refuse(f"conversation {self._uuid} has no end", number)
        self._state = "between"
        return told

    async def ended(self, number: int) -> list[Restored]:
        """The file is at its end; what is wrong with that."""
        if self._state == "in":
            return await self._refuse("the file ends in the middle of a conversation", number)
        if not self._done:
            return [*await self._remember(), refused("the file was cut: its last line is missing", number)]
        return []

    async def _taken(self, line: Line, record: archive.Record, number: int) -> list[Restored]:
        if isinstance(record, archive.ConversationHead):
            return await self._begin(record, number)
        if isinstance(record, archive.End):
            return await self._end(record, number)
        if isinstance(record, archive.Memory):
            self._memories.append(record)
            return await self._remember() if len(self._memories) == _BATCH_MEMORIES else []
        if isinstance(record, archive.Done):
            self._done = True
            return await self._remember()
        elif self._state == "in":
            await self._add(line.kind, record, line.size, number)
        elif self._state == "here" and isinstance(record, archive.Message):
            self.restoring.passed(record)
        elif self._state == "between":
            raise InvalidInput(f"this {line.kind} belongs to no conversation")
        return []

    async def _begin(self, head: archive.ConversationHead, number: int) -> list[Restored]:
        self._uuid, self._messages, self._batch, self._kind, self._characters = head.uuid, 0, [], "", 0
        self._summaries = 0
        wanted = await self.restoring.decide([head], head.uuid)
        self._state = "in" if wanted else "here"
        if wanted:
            await self.restoring.begin([head])
            return []
        return [Restored(head.uuid, replace(self.restoring.counts), skipped=True, line=number)]

    async def _end(self, end: archive.End, number: int) -> list[Restored]:
        state = self._state
        if state == "in" and end.uuid != self._uuid:
            raise InvalidInput(f"uuid: this is the end of {end.uuid!r}, not of {self._uuid!r}")
        if state == "in" and not end.dropped:
            await self._flush()
            if end.messages != self._messages:
                raise InvalidInput(f"{self._messages} messages came before the end of what has {end.messages}")
            if "summaries" in end.model_fields_set and end.summaries != self._summaries:
                raise InvalidInput(f"{self._summaries} summaries came before the end of what has {end.summaries}")
            await self.restoring.commit()
        if state != "in":
            return []
        if end.dropped:
            self._batch = []
            await self.restoring.roll_back()
            return []
        return [Restored(self.restoring.now(self._uuid), replace(self.restoring.counts), line=number)]

    async def _in_the_way(self, error: HereAlready, number: int) -> list[Restored]:
        """Something of the conversation is here already: it is skipped, if that is wanted."""
        if await self.restoring.held(error) is None:
            return await self._refuse(error.message, number, error.hint)
        self._state, self._batch = "here", []
        await self.restoring.roll_back()
        return [Restored(error.uuid, replace(self.restoring.counts), skipped=True, line=number)]

    async def _refuse(self, why: str, number: int, hint: str | None = None) -> list[Restored]:
        """Gives up the conversation that this line is of; of one that was passed over already nothing is told."""
        if self._state in ("here", "refused"):
            return []
        self._state, self._batch = "refused", []
        await self.restoring.roll_back()
        return [refused(why, number, hint)]

    async def _add(self, kind: str, record: archive.Record, size: int, number: int) -> None:
        if kind != self._kind or len(self._batch) >= BATCH_RECORDS or self._characters + size > BATCH_CHARACTERS:
            await self._flush()
            self._kind, self._first = kind, number
        self._batch.append(record)
        self._characters += size

    async def _remember(self) -> list[Restored]:
        """Writes the memories that have come, once the conversations before them are here."""
        some, self._memories = self._memories, []
        if some:
            await self.restoring.memories(some)
        return [Restored(None, replace(self.restoring.counts))] if some else []

    async def _flush(self) -> None:
        batch, self._batch, self._characters = self._batch, [], 0
        restoring = self.restoring
        if not batch:
            return
        if self._kind == "message":
            self._messages += len(batch)
            await restoring.messages({self._uuid: batch}, place=self._first)
        elif self._kind == "anchor":
            await restoring.anchors({self._uuid: batch})
        elif self._kind == "prompt":
            await restoring.prompts({self._uuid: batch})
        elif self._kind == "summary":
            self._summaries += len(batch)
            await restoring.summaries({self._uuid: batch})
        else:
            await restoring.insights({self._uuid: batch})


async def parsed(lines: AsyncIterator[Sequence[bytes]]) -> AsyncIterator[list[Line]]:
    """Some lines at a time, read in a thread while those before are written."""
    reading: asyncio.Task[list[Line]] | None = None
    try:
        async for some in lines:
            before, reading = reading, asyncio.create_task(asyncio.to_thread(_read, some))
            if before is not None:
                yield await before
        if reading is not None:
            yield await reading
    finally:
        if reading is not None and not reading.done():
            await asyncio.wait((reading,))  # a thread cannot be stopped


def _read(lines: Sequence[bytes]) -> list[Line]:
    with paused_collection():
        return [_line(line) for line in lines]


def _line(line: bytes) -> Line:
    kind = ""
    try:
        data = json_of(line)
        kind = data.pop("record")
        if kind not in archive.LINES:
            raise InvalidInput(f"there is no record {kind!r}")
        if kind == "archive":
            check_version(data)
        whole = line.isascii() and b"\\u" not in line
        return Line(kind, checked(archive.LINES[kind], data, whole=whole), None, len(line))
    except InvalidInput as error:
        return Line(kind, None, error.message, len(line))
    except (ValueError, RecursionError) as error:
        return Line(kind, None, f"this is not JSON: {error}", len(line))
    except (AttributeError, TypeError, KeyError):
        return Line("", None, "this is not a record of an archive", len(line))


def refused(why: str, number: int, hint: str | None = None) -> Restored:
    """What is told of what is wrong in a line."""
    return Restored(None, error=f"line {number}: {why}", hint=hint, line=number)
