"""Exporting: conversations as archives, whole, in batches; a document of one, a file of lines of all."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import AsyncIterator, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from ragforge_memory.agent.outages.recovery import replay_own
from ragforge_memory.archive.private_file import beside, writing
from ragforge_memory.archive.restored_places import unknown_anchor
from ragforge_memory.errors import ConversationFileError, ConversationNotFound, memory_is_off
from ragforge_memory.graph.archive import ArchiveStore
from ragforge_memory.graph.spaces import Space
from ragforge_memory.models import archive
from ragforge_memory.models.conversation import ExportFault, ExportReport
from ragforge_memory.models.imports import MOST_NAMED

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Services, Stores

log = logging.getLogger(__name__)

# What is gathered before it is written to the file.
_WRITE_BYTES = 1_000_000


async def document(services: Services, uuid: str, *, embeddings: bool) -> dict[str, Any]:
    """A conversation, what it was branched from and its branches, as one document; see `archive.Document`.

    Raises:
        ConversationNotFound: it is gone.
        InvalidInput: memory is off.
    """
    store = _store(services.stores, services.place)
    await replay_own(services, uuid)
    space = await store.space() if embeddings else None
    lineage, branches = await store.family(uuid)
    made: dict[str, Any] = {**_dumped(_head(services.place, space)), "conversation": uuid, "conversations": []}
    wanted = [
        # Of what it shares no message with nothing may be left.
        *((part.conversation_id, part.top) for part in lineage if part.top),
        (uuid, None),
        *((each, None) for each in branches),
    ]
    for each, top in wanted:
        conversation: dict[str, Any] = {}
        async for line in _conversation(store, each, top=top, space=space):
            if isinstance(line.record, archive.ConversationHead):
                conversation = _dumped(line.record)
            elif line.kind != "end":
                conversation.setdefault(f"{line.kind}s" if line.kind != "summary" else "summaries", []).append(
                    _dumped(line.record)
                )
        made["conversations"].append(conversation)
    return made


async def export_all(services: Services, path: str | os.PathLike[str], *, embeddings: bool) -> ExportReport:
    """Every conversation and memory of the owner, as a file of lines; see `models.archive`.

    Memories come last: what a message said by then that it is remembered is among them, or was erased meanwhile.

    Raises:
        InvalidInput: the file cannot be written, or memory is off.
    """
    store = _store(services.stores, services.place)
    space = await store.space() if embeddings else None
    conversations = messages = memories = failed = 0
    errors: list[ExportFault] = []
    async with writing(path) as out:
        waiting: list[bytes] = [_line("archive", _head(services.place, space))]
        size = written = 0
        await replay_own(services)
        for uuid in await store.all():
            own = 0
            try:
                async for line in _conversation(store, uuid, space=space, memories=True):
                    waiting.append(_line(line.kind, line.record))
                    size += len(waiting[-1])
                    own += line.kind == "message"
                    if size > _WRITE_BYTES:
                        written += await beside(partial(_write, out, waiting))
                        waiting, size = [], 0
                conversations += 1
                messages += own
            except ConversationNotFound:  # deleted since the list was read
                waiting.append(_line("end", archive.End(uuid=uuid, dropped=True)))
            except ConversationFileError as error:
                waiting.append(_line("end", archive.End(uuid=uuid, dropped=True)))
                log.warning("conversation %s is not in the export: %s", uuid, error)
                failed += 1
                errors += [ExportFault(conversation_id=uuid, message=error.message)][: MOST_NAMED - len(errors)]
        async for batch in store.memories():
            waiting += [_line("memory", each) for each in batch]
            memories += len(batch)
            written += await beside(partial(_write, out, waiting))
            waiting = []
        waiting.append(_line("done", archive.Done(conversations=conversations, memories=memories)))
        written += await beside(partial(_write, out, waiting))
    return ExportReport(
        path=str(Path(path)),
        conversations=conversations,
        messages=messages,
        memories=memories,
        size_bytes=written,
        failed=failed,
        errors=tuple(errors),
    )


async def write_document(path: str | os.PathLike[str], made: dict[str, Any] | str) -> None:
    """Writes what `document` made, or a text, into a file.

    Raises:
        InvalidInput: it cannot be written there.
    """

    def write() -> None:
        text = made if isinstance(made, str) else json.dumps(made, ensure_ascii=False, indent=1) + "\n"
        out.write(text.encode())

    async with writing(path) as out:
        await beside(write)


@dataclass(frozen=True, slots=True)
class _Line:
    kind: str
    record: archive.Record


async def _conversation(
    store: ArchiveStore, uuid: str, *, top: int | None = None, space: Space | None, memories: bool = False
) -> AsyncIterator[_Line]:
    """The records of a conversation, the head first; what was appended since the head was read is left out."""
    head = await store.head(uuid, top=top, space=space)
    yield _Line("conversation", head)
    last = head.kept_to or 0 if head.status == "shared" else head.head_seq
    anchors = await store.anchors(uuid, last=last)
    known = {anchor.uuid for anchor in anchors}
    for anchor in anchors:
        yield _Line("anchor", anchor)
    for prompt in await store.prompts(uuid, last=last):
        yield _Line("prompt", prompt)
    messages = 0
    async for batch in store.messages(uuid, last=last, space=space, memories=memories):
        for message in batch:
            messages += 1
            yield _Line("message", _tied_to(message, known))
    summaries = await store.summaries(uuid, last=last, space=space)
    for summary in summaries:
        yield _Line("summary", summary)
    if head.status != "shared":
        for insight in await store.insights(uuid):
            yield _Line("insight", insight)
    yield _Line("end", archive.End(uuid=uuid, messages=messages, summaries=len(summaries)))


def _tied_to(message: archive.Message, anchors: Set[str]) -> archive.Message:
    """A message without its ties to anchors that were made since the anchors were read."""
    if unknown_anchor(message, anchors) is None:
        return message
    calls = [
        call.model_copy(update={"reads": tuple(read for read in call.reads if read.anchor in anchors)})
        for call in message.tool_calls
    ]
    anchored = tuple(tie for tie in message.anchored if tie.anchor in anchors)
    used = tuple(each for each in message.used if each.label != "anchor" or each.uuid in anchors)
    return message.model_copy(update={"tool_calls": tuple(calls), "anchored": anchored, "used": used})


def _head(place: Place, space: Space | None) -> archive.Head:
    owner = archive.Owner(user_id=place.owner.user_id, project=place.owner.project)
    vectors = {"embeddings": archive.Space(model=space.model, dimension=space.dimension)} if space else {}
    return archive.Head(
        format=archive.FORMAT,
        version=archive.VERSION,
        library=_library(),
        exported_at=datetime.now(UTC).isoformat(),
        owner=owner,
        **vectors,
    )


def _library() -> str:
    try:
        return version("ragforge-memory")
    except PackageNotFoundError:
        return ""


def _dumped(record: archive.Record) -> dict[str, Any]:
    return record.model_dump(mode="json", exclude_unset=True, by_alias=True)


def _write(out: BinaryIO, lines: Sequence[bytes]) -> int:
    """Writes lines; a pipe could not say afterwards how many bytes they were."""
    out.writelines(lines)
    return sum(map(len, lines))


def _line(kind: str, record: archive.Record) -> bytes:
    made = {"record": kind, **_dumped(record)}
    return json.dumps(made, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _store(stores: Stores, place: Place) -> ArchiveStore:
    if stores.receipts is None:
        raise memory_is_off("nothing is kept that could be exported")
    return ArchiveStore(stores.graph, place.owner)
