"""Importing archives of our own: recognised by what they say they are, told of as every import is."""

from __future__ import annotations

import asyncio
import codecs
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ragforge_memory.archive.documents import archive_of, restore_document
from ragforge_memory.archive.groups import restore_lines
from ragforge_memory.archive.restored_places import Counts
from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.archive import FORMAT
from ragforge_memory.models.imports import MOST_NAMED, ImportFault, ImportProgress, ImportReport

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.importers.source import Source
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.models.imports import OnConflict

Report = Callable[[ImportProgress], None]

# An archive says at its beginning what it is, where no text that speaks of archives does: its quotes would be escaped.
# A document whose keys somebody has sorted says it behind its conversations.
_HEAD = 1 << 16
_SAYS_SO = re.compile(rb'(?<!\\)"format"\s*:\s*"' + re.escape(FORMAT.encode()) + rb'"')
_SORTED = re.compile(rb'\s*\{\s*"conversation"\s*:\s*"[^"]*"\s*,\s*"conversations"\s*:')
# A message with its tool calls is a line; the limits on results are far below.
_MAX_LINE = 256_000_000
_PORTION = 1_000_000


async def import_one(
    services: Services, data: Any, *, on_conflict: OnConflict, title: str | None = None
) -> ConversationInfo | None:
    """Stores an archive of one conversation; None where ``data`` is none of ours.

    Raises:
        InvalidInput: a value of it is wrong, or it is here already, or with ``skip`` here in files that this agent does
            not read; nothing was written.
    """
    found = await asyncio.to_thread(archive_of, data)
    if found is None:
        return None
    if "conversations" not in found:
        raise InvalidInput("these are lines of many conversations", hint="import_conversations takes them from a file")
    info, _ = await restore_document(services, found, on_conflict=on_conflict, title=title)
    services.place.check_readable(info)
    return info


async def import_all(
    services: Services, source: Source, *, on_conflict: OnConflict, progress: Report | None = None
) -> ImportReport | None:
    """Stores all conversations of a file of ours; None where it is none.

    Raises:
        InvalidInput: it is a document, and a value of it is wrong, or it is here already.
    """
    head = (await asyncio.to_thread(source.head, _HEAD)).removeprefix(codecs.BOM_UTF8)
    if not _are_lines(head):
        may_be = _SAYS_SO.search(head) or _SORTED.match(head)
        return await _document(services, source, on_conflict=on_conflict) if may_be else None
    start = time.monotonic()
    counts, skipped, failed = Counts(), 0, 0
    errors: list[ImportFault] = []
    imported: list[str] = []
    async for told in restore_lines(services, _portions(source), on_conflict=on_conflict):
        if told.error is not None:
            failed += 1
            fault = ImportFault(place=f"line {told.line}", message=told.error, hint=told.hint)
            errors += [fault][: MOST_NAMED - len(errors)]
        elif told.skipped:
            skipped += 1
        else:
            counts = told.counts
            imported += [told.uuid][: MOST_NAMED - len(imported)] if told.uuid else []
        if progress is not None:
            progress(ImportProgress(counts.conversations, counts.messages, source.taken, source.size))
    return ImportReport(
        **asdict(counts),
        skipped=skipped,
        failed=failed,
        errors=tuple(errors),
        imported=tuple(imported),
        seconds=time.monotonic() - start,
    )


async def _document(services: Services, source: Source, *, on_conflict: OnConflict) -> ImportReport | None:
    start = time.monotonic()
    text = await asyncio.to_thread(lambda: b"".join(source.chunks()))
    found = await asyncio.to_thread(archive_of, text)
    if found is None:
        source.give_back(text)
        return None
    info, counts = await restore_document(services, found, on_conflict=on_conflict)
    return ImportReport(
        **asdict(counts),
        skipped=int(not counts.conversations),
        imported=(info.uuid,) if counts.conversations else (),
        seconds=time.monotonic() - start,
    )


def _are_lines(head: bytes) -> bool:
    """Whether the first line is that of a file of lines, whoever has written it anew since."""
    try:
        first = json.loads(head.partition(b"\n")[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("record") == "archive"


async def _portions(source: Source) -> AsyncIterator[Sequence[bytes]]:
    """The lines, about a megabyte at a time, read beside the event loop."""
    found = _lines(source)

    def some() -> list[bytes]:
        portion: list[bytes] = []
        size = 0
        for line in found:
            portion.append(line)
            size += len(line)
            if size >= _PORTION:
                break
        return portion

    while portion := await asyncio.to_thread(some):
        yield portion


def _lines(source: Source) -> Iterator[bytes]:
    kept: list[bytes] = []
    size = 0
    for chunk in source.chunks():
        *whole, rest = chunk.split(b"\n")
        for piece in whole:
            yield b"".join([*kept, piece])
            kept, size = [], 0
        if rest:
            kept.append(rest)
            size += len(rest)
        if size > _MAX_LINE:
            raise InvalidInput(f"a line has more than {_MAX_LINE:,} bytes", hint="no archive of ours has such a line")
    if kept:
        yield b"".join(kept)
