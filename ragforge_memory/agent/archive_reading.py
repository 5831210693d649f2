"""Reading archives: a document, checked whole before anything is written, and files of lines, record by record."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

from pydantic import ValidationError

from ragforge_memory.agent.restoring import Counts, HereAlready, Misplaced, Restoring
from ragforge_memory.errors import InvalidInput
from ragforge_memory.models import archive
from ragforge_memory.models.conversation import ConversationInfo

if TYPE_CHECKING:
    from ragforge_memory.agent.importing import OnConflict
    from ragforge_memory.agent.services import Services

R = TypeVar("R", bound=archive.Record)

# A transaction that a server with a heap of 512 MB holds with all its indexes: whichever is reached first.
_BATCH_RECORDS = 1_000
_BATCH_CHARACTERS = 4_000_000


def archive_of(data: Any) -> Mapping[str, Any] | None:
    """``data`` as an archive of ours (a document or JSON text of one), whatever is wrong with it; None: it is none."""
    if isinstance(data, (bytes, bytearray)):
        data = data.decode("utf-8", "replace") if archive.FORMAT.encode() in data else None
    if isinstance(data, str):
        if archive.FORMAT not in data:
            return None
        try:
            data = json.loads(data)
        except (ValueError, RecursionError):
            return None
    return data if isinstance(data, Mapping) and data.get("format") == archive.FORMAT else None


def checked_document(data: Mapping[str, Any]) -> archive.Document:
    """The document of an archive of any version.

    Raises:
        InvalidInput: a value of it is wrong; its path is named.
    """
    _check_version(data)
    document = _checked(archive.Document, dict(data))
    heads = {each.uuid: index for index, each in enumerate(document.conversations)}
    if document.conversation not in heads:
        raise _refused("conversation", f"{document.conversation!r} is none of the archive's conversations")
    if len(heads) < len(document.conversations):
        raise _refused("conversations", "two of them have the same uuid")
    for index, each in enumerate(document.conversations):
        _check_conversation(each, f"conversations[{index}]", heads, index)
    return document


async def restore_document(
    services: Services, data: Mapping[str, Any], *, on_conflict: OnConflict, title: str | None = None
) -> tuple[ConversationInfo, Counts]:
    """Stores all conversations of a document, or none; returns the one that the archive is of, and what is new.

    Args:
        services: what is open.
        data: what `archive_of` gave.
        on_conflict: where that conversation is here already; see `AsyncConversationAgent.import_conversation`.
        title: instead of its own.

    Raises:
        InvalidInput: a value is wrong, or it is here already and ``on_conflict`` is ``fail``; nothing was written.
    """
    if services.receipts is None:
        raise InvalidInput("memory is off: nothing can be imported", hint="set agent.memory.enabled")
    document = checked_document(data)
    restoring = Restoring(services, document, on_conflict)
    try:
        wanted = await restoring.decide(document.conversations, document.conversation)
    except HereAlready as error:
        if on_conflict != "skip":
            raise
        return await services.conversations.get(error.uuid), Counts()
    try:
        for index, each in enumerate(document.conversations):
            if each.uuid in wanted:
                await _restore(restoring, each, f"conversations[{index}]")
        await restoring.commit(title=services.redacted(title), named=document.conversation)
    except BaseException:
        await asyncio.shield(restoring.roll_back())
        raise
    await restoring.close()
    return await services.conversations.get(restoring.now(document.conversation)), restoring.counts


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of one conversation of a file of lines.

    ``uuid`` is its uuid here; None where there is none. ``error`` says what was wrong in which line; nothing of that
    conversation is left. ``counts`` are of all until then.
    """

    uuid: str | None
    counts: Counts = field(default_factory=Counts)
    skipped: bool = False
    error: str | None = None
    line: int = 0


async def restore_lines(
    services: Services, lines: AsyncIterator[Sequence[bytes]], *, on_conflict: OnConflict
) -> AsyncIterator[Restored]:
    """Stores the conversations of a file of lines, each in turn and by itself; holds no more than a batch of one.

    Args:
        services: what is open.
        lines: the file's lines, some at a time.
        on_conflict: for each conversation that is here already.

    Raises:
        InvalidInput: the first line is not that of an archive.
        GraphUnavailable: the graph went away; what had been told of is stored, the rest is not.
    """
    if services.receipts is None:
        raise InvalidInput("memory is off: nothing can be imported", hint="set agent.memory.enabled")
    reader: _LineReader | None = None
    number = 0
    try:
        async for some in lines:
            for line in some:
                number += 1
                if reader is None:
                    reader = _LineReader(services, _head(line), on_conflict)
                    continue
                try:
                    told = await reader.take(line, number)
                except Misplaced as error:
                    told = await reader.fail(error.why, reader.first + error.index)
                except InvalidInput as error:
                    told = await reader.fail(error.message, number)
                if told is not None:
                    yield told
        if reader is None:
            raise InvalidInput("there is nothing to import: the file is empty")
        if reader.open or not reader.done:
            what = "the file ends in the middle of a conversation" if reader.open else "the file's last line is missing"
            yield await reader.fail(what, number) or Restored(None, error=f"line {number}: {what}", line=number)
        await reader.restoring.close()
    except BaseException:
        if reader is not None:
            await asyncio.shield(reader.restoring.roll_back())
        raise


class _LineReader:
    """Where the reading of a file of lines stands."""

    def __init__(self, services: Services, head: archive.Head, on_conflict: OnConflict) -> None:
        self.restoring = Restoring(services, head, on_conflict)
        self.done = False
        self._on_conflict = on_conflict
        self._conversation: archive.ConversationHead | None = None
        self._writing = False
        self._here = False
        self._batch: list[Any] = []
        self._kind = ""
        self._characters = 0
        self._messages = 0
        self.first = 0

    @property
    def open(self) -> bool:
        """Whether a conversation has begun that has not ended."""
        return self._conversation is not None

    async def take(self, line: bytes, number: int) -> Restored | None:
        """One line; what became of its conversation where that ends with it.

        Raises:
            InvalidInput: something is wrong with it.
        """
        kind = _kind(line)
        if kind == "conversation":
            if self._conversation is not None:
                raise InvalidInput(f"conversation {self._conversation.uuid} has no end")
            try:
                await self._begin(_record(line, kind))
            except HereAlready as error:
                return await self._not_begun(error, number)
            return None
        if kind == "done":
            self.done = True
            return None
        if self._conversation is None or not self._writing:
            if kind == "message" and self._here and b'"merged_from"' in line:
                self.restoring.passed(cast(archive.Message, _record(line, kind)))
            if self._conversation is None or kind != "end":
                return None  # of a conversation that was refused, or is here
        record = _record(line, kind)
        if isinstance(record, archive.End):
            return await self._end(record)
        await self._add(kind, record, len(line), number)
        return None

    async def fail(self, why: str, number: int) -> Restored | None:
        """Gives the conversation up that has begun; None where there is none."""
        conversation, self._conversation = self._conversation, None
        self._batch = []
        await self.restoring.roll_back()
        return None if conversation is None else Restored(None, error=f"line {number}: {why}", line=number)

    async def _begin(self, head: archive.Record) -> None:
        assert isinstance(head, archive.ConversationHead)
        self._conversation, self._messages, self._batch, self._kind = head, 0, [], ""
        self._here = False
        self._writing = head.uuid in await self.restoring.decide([head], head.uuid)
        self._here = not self._writing
        if self._writing:
            await self.restoring.begin(head)

    async def _not_begun(self, error: HereAlready, number: int) -> Restored:
        self._conversation = None
        if self._on_conflict == "skip":
            self._here = True
            return Restored(error.uuid, skipped=True, line=number)
        return Restored(None, error=f"line {number}: {error.message}", line=number)

    async def _add(self, kind: str, record: archive.Record, size: int, number: int) -> None:
        if kind != self._kind or len(self._batch) >= _BATCH_RECORDS or self._characters + size > _BATCH_CHARACTERS:
            await self._flush()
            self._kind, self.first = kind, number
        self._batch.append(record)
        self._characters += size

    async def _flush(self) -> None:
        batch, self._batch, self._characters = self._batch, [], 0
        if batch:
            self._messages += len(batch) if self._kind == "message" else 0
            await _take(self.restoring, self._kind, batch)

    async def _end(self, end: archive.End) -> Restored | None:
        conversation = self._conversation
        assert conversation is not None
        if end.dropped:
            await self.fail("", 0)
            return None
        await self._flush()
        if self._writing and end.messages != self._messages:
            raise InvalidInput(f"{self._messages} messages came before the end of what has {end.messages}")
        if self._writing:
            await self.restoring.commit()
        self._conversation = None
        counts = replace(self.restoring.counts)
        return Restored(self.restoring.now(conversation.uuid), counts, skipped=not self._writing)


async def _restore(restoring: Restoring, each: archive.Conversation, path: str) -> None:
    try:
        await restoring.begin(each)
        await restoring.anchors(each.anchors)
        await restoring.prompts(each.prompts)
        for start, batch in _batches(each.messages):
            try:
                await restoring.messages(batch)
            except Misplaced as error:
                raise _refused(f"messages[{start + error.index}]", error.why) from error
        await restoring.summaries(each.summaries)
        await restoring.insights(each.insights)
    except HereAlready:
        raise
    except InvalidInput as error:
        raise InvalidInput(f"{path}.{error.message}", hint=error.hint) from error


async def _take(restoring: Restoring, kind: str, batch: Sequence[Any]) -> None:
    if kind == "anchor":
        await restoring.anchors(batch)
    elif kind == "prompt":
        await restoring.prompts(batch)
    elif kind == "message":
        await restoring.messages(batch)
    elif kind == "summary":
        await restoring.summaries(batch)
    else:
        await restoring.insights(batch)


def _batches(messages: Sequence[archive.Message]) -> Iterable[tuple[int, Sequence[archive.Message]]]:
    """How many came before, and the next ones."""
    start = characters = 0
    for index, each in enumerate(messages):
        results = (len(json.dumps(call.result.result)) for call in each.tool_calls if call.result is not None)
        size = len(each.content) + sum(results)
        if index > start and (index - start >= _BATCH_RECORDS or characters + size > _BATCH_CHARACTERS):
            yield start, messages[start:index]
            start, characters = index, 0
        characters += size
    yield start, messages[start:]


def _check_conversation(each: archive.Conversation, path: str, places: Mapping[str, int], index: int) -> None:
    """What no single value says: order, places, and what names what."""
    for number, part in enumerate(each.lineage):
        if places.get(part.conversation_id, -1) >= index:
            raise _refused(f"{path}.lineage[{number}].conversation_id", "it begins with a conversation behind it")
    last = each.lineage[-1].top if each.lineage else 0
    most = each.kept_to or 0 if each.status == "shared" else each.head_seq
    seen: set[str] = set()
    for number, message in enumerate(each.messages):
        if not last < message.seq <= most:
            raise _refused(f"{path}.messages[{number}].seq", f"{message.seq} is not behind {last} and up to {most}")
        if message.uuid in seen:
            raise _refused(f"{path}.messages[{number}].uuid", f"{message.uuid!r} is that of another message")
        last = message.seq
        seen.add(message.uuid)
    anchors = {anchor.uuid for anchor in each.anchors}
    for number, message in enumerate(each.messages):
        for place, tie in enumerate(message.anchored):
            if tie.anchor not in anchors:
                raise _refused(f"{path}.messages[{number}].anchored[{place}].anchor", "there is no such anchor")


def _head(line: bytes) -> archive.Head:
    try:
        kind = _kind(line)
    except InvalidInput as error:
        raise InvalidInput(f"line 1: {error.message}") from error
    if kind != "archive":
        raise InvalidInput("line 1: this is no archive of ours", hint="ragforge conversations export --all writes one")
    data = json.loads(line)
    _check_version(data)
    data.pop("record")
    return _checked(archive.Head, data)


def _kind(line: bytes) -> str:
    try:
        kind = (
            json.loads(line)["record"] if not line.startswith(b'{"record":"') else line[11:40].split(b'"')[0].decode()
        )
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise InvalidInput("this is no record of an archive") from error
    if kind not in archive.LINES:
        raise InvalidInput(f"there is no record {kind!r}")
    return str(kind)


def _record(line: bytes, kind: str) -> archive.Record:
    try:
        data = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"this is no JSON: {error}") from error
    del data["record"]
    return _checked(archive.LINES[kind], data)


def _check_version(data: Mapping[str, Any]) -> None:
    version = data.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > archive.VERSION:
        raise InvalidInput(
            f"version: the archive has version {version}, this release reads up to {archive.VERSION}",
            hint="upgrade ragforge-memory: pip install --upgrade ragforge-memory",
        )


def _checked(model: type[R], data: dict[str, Any]) -> R:
    try:
        return model.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False)[0]
        why = first["msg"].removeprefix("Value error, ")
        raise _refused(_path(data, first["loc"], first["type"]), why) from error


def _path(data: Any, places: Sequence[int | str], kind: str) -> str:
    """Where a wrong value stands, as ``conversations[0].messages[3].role``."""
    path = ""
    for place in places:
        if isinstance(place, int) and isinstance(data, list) and place < len(data):
            path, data = f"{path}[{place}]", data[place]
        elif isinstance(data, Mapping) and (place in data or kind == "missing"):
            path, data = (f"{path}.{place}" if path else str(place)), data.get(place)
        else:
            break  # which of several types was tried
    return path


def _refused(path: str, why: str) -> InvalidInput:
    return InvalidInput(f"{path}: {why}" if path else why, hint="nothing was written; mend it and try again")
