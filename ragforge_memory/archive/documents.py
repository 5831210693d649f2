"""Reading an archive that is one document: checked whole, then stored, all of it or nothing."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic import ValidationError

from ragforge_memory.archive.restored_places import (
    Begun,
    Counts,
    Misplaced,
    check_branch,
    check_insights,
    check_summaries,
    last_seq,
    unknown_anchor,
)
from ragforge_memory.archive.restoring import Restoring
from ragforge_memory.errors import HereAlready, InvalidInput, memory_is_off
from ragforge_memory.models import archive
from ragforge_memory.models.archive_values import half_surrogate
from ragforge_memory.models.conversation import ConversationInfo
from ragforge_memory.models.lineage import Part

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.models.imports import OnConflict

R = TypeVar("R", bound=archive.Record)

# A transaction that a server with a heap of 512 MB holds with all its indexes: whichever is reached first.
BATCH_RECORDS = 1_000
BATCH_CHARACTERS = 4_000_000


def archive_of(data: Any) -> Mapping[str, Any] | None:
    """``data`` as an archive of ours (a document or JSON text of one), whatever is wrong with it; None: it is none.

    Raises:
        InvalidInput: it is one, and not UTF-8.
    """
    if isinstance(data, (str, bytes, bytearray)):
        named = archive.FORMAT in data if isinstance(data, str) else archive.FORMAT.encode() in data
        if not named:
            return None
        try:
            data = json.loads(data)
        except UnicodeDecodeError as error:
            if not isinstance(data, str) and archive_of(data.decode(errors="replace")) is not None:
                why = f"the archive is not UTF-8: {error.reason} at byte {error.start}"
                raise InvalidInput(why, hint="export it anew") from error
            return None
        except (ValueError, RecursionError):
            return None
    return data if isinstance(data, Mapping) and data.get("format") == archive.FORMAT else None


def checked_document(data: Mapping[str, Any]) -> archive.Document:
    """The document of an archive of any version.

    Raises:
        InvalidInput: a value of it is wrong; its path is named.
    """
    check_version(data)
    document = checked(archive.Document, dict(data))
    heads = {each.uuid: index for index, each in enumerate(document.conversations)}
    if document.conversation not in heads:
        raise _refused("conversation", f"{document.conversation!r} is none of the archive's conversations")
    if len(heads) < len(document.conversations):
        raise _refused("conversations", "two of them have the same uuid")
    seen: set[tuple[str, str]] = set()
    for index, each in enumerate(document.conversations):
        path = f"conversations[{index}]"
        try:
            _check_beginning(each, document.conversations[:index], heads)
            begun = Begun(each)
            check_summaries(begun, each.summaries)
            check_insights(begun, each.insights)
        except InvalidInput as error:
            raise InvalidInput(f"{path}.{error.message}", hint=error.hint) from error
        _check_messages(each, path)
        for path, kind, uuid in _nodes(each):
            if (kind, uuid) in seen:
                raise _refused(f"conversations[{index}].{path}.uuid", f"{uuid!r} is that of another {kind}")
            seen.add((kind, uuid))
    return document


def _nodes(each: archive.Conversation) -> Iterator[tuple[str, str, str]]:
    """The nodes of a conversation that have a uuid of their own: path, kind, uuid."""
    for number, message in enumerate(each.messages):
        path = f"messages[{number}]"
        yield path, "message", message.uuid
        for place, call in enumerate(message.tool_calls):
            yield f"{path}.tool_calls[{place}]", "tool call", call.uuid
            if call.result is not None:
                yield f"{path}.tool_calls[{place}].result", "result", call.result.uuid
    for number, summary in enumerate(each.summaries):
        yield f"summaries[{number}]", "summary", summary.uuid
    for number, insight in enumerate(each.insights):
        yield f"insights[{number}]", "insight", insight.uuid


async def restore_document(
    services: Services, data: Mapping[str, Any], *, on_conflict: OnConflict, title: str | None = None
) -> tuple[ConversationInfo, Counts]:
    """Stores all conversations of a document, or none; returns the one that the archive is of, and what is new.

    Args:
        data: what `archive_of` gave.
        on_conflict: where that conversation is here already; see `AsyncConversationAgent.import_conversation`.
        title: instead of its own.

    Raises:
        InvalidInput: a value is wrong, or it is here already and ``on_conflict`` is ``fail``; nothing was written.
    """
    if services.stores.receipts is None:
        raise memory_is_off("nothing can be imported")
    document = checked_document(data)
    restoring = Restoring(services, document, on_conflict)
    try:
        wanted = await restoring.decide(document.conversations, document.conversation)
        for index, each in enumerate(document.conversations):
            if each.uuid in wanted:
                await _restore(restoring, each, f"conversations[{index}]")
        await restoring.commit(title=services.place.redacted(title), named=document.conversation)
    except BaseException as error:
        await asyncio.shield(restoring.roll_back())
        held = await restoring.held(error) if isinstance(error, HereAlready) else None
        if held is None:
            raise
        return held, Counts()
    await restoring.close()
    return await services.stores.conversations.get(restoring.now(document.conversation)), restoring.counts


async def _restore(restoring: Restoring, each: archive.Conversation, path: str) -> None:
    try:
        await restoring.begin([each])
        await restoring.anchors({each.uuid: each.anchors})
        await restoring.prompts({each.uuid: each.prompts})
        for start, batch in _batches(each.messages):
            try:
                await restoring.messages({each.uuid: batch})
            except Misplaced as error:
                raise _refused(f"messages[{start + error.index}]", error.why) from error
        await restoring.summaries({each.uuid: each.summaries})
        await restoring.insights({each.uuid: each.insights})
    except HereAlready:
        raise
    except InvalidInput as error:
        raise InvalidInput(f"{path}.{error.message}", hint=error.hint) from error


def _batches(messages: Sequence[archive.Message]) -> Iterable[tuple[int, Sequence[archive.Message]]]:
    """How many came before, and the next ones."""
    start = characters = 0
    for index, each in enumerate(messages):
        results = (len(json.dumps(call.result.result)) for call in each.tool_calls if call.result is not None)
        size = len(each.content) + sum(results)
        if index > start and (index - start >= BATCH_RECORDS or characters + size > BATCH_CHARACTERS):
            yield start, messages[start:index]
            start, characters = index, 0
        characters += size
    yield start, messages[start:]


def _check_beginning(
    each: archive.Conversation, before: Sequence[archive.Conversation], places: Mapping[str, int]
) -> None:
    """Whether a conversation begins with what stands before it, as far as that goes."""
    parents = {one.uuid: one for one in before}
    lineage = [Part(part.conversation_id, part.top) for part in each.lineage]
    for number, (uuid, top) in enumerate(lineage):
        if uuid in places and uuid not in parents:
            raise _refused(f"lineage[{number}].conversation_id", "it begins with a conversation behind it")
        if uuid in parents and top > last_seq(parents[uuid]):
            raise _refused(f"lineage[{number}].top", f"{top} is behind {last_seq(parents[uuid])}, where that ends")
    parent = parents.get(lineage[-1].conversation_id) if lineage else None
    begins = None if parent is None else tuple(Part(part.conversation_id, part.top) for part in parent.lineage)
    check_branch(each, tuple(lineage), begins)


def _check_messages(each: archive.Conversation, path: str) -> None:
    """What no single value of the messages says: order, places, and what names what."""
    last = each.lineage[-1].top if each.lineage else 0
    most = last_seq(each)
    for number, message in enumerate(each.messages):
        if not last < message.seq <= most:
            raise _refused(f"{path}.messages[{number}].seq", f"{message.seq} is not behind {last} and up to {most}")
        if message.seq != last + 1:  # whoever reads a stretch counts on all of it
            raise _refused(f"{path}.messages[{number}].seq", f"{message.seq} is not {last + 1}: a message is missing")
        last = message.seq
    if last < most:
        raise _refused(f"{path}.messages", f"those behind {last} are missing: there are {most}")
    anchors = {anchor.uuid for anchor in each.anchors}
    for number, message in enumerate(each.messages):
        unknown = unknown_anchor(message, anchors)
        if unknown is not None:
            raise _refused(f"{path}.messages[{number}].{unknown}", "there is no such anchor")


def check_version(data: Mapping[str, Any]) -> None:
    """Refuses an archive of a version that only newer releases know.

    Raises:
        InvalidInput: it is one.
    """
    version = data.get("version")
    if isinstance(version, int) and not isinstance(version, bool) and version > archive.VERSION:
        raise InvalidInput(
            f"version: the archive has version {version}, this release reads up to {archive.VERSION}",
            hint="upgrade ragforge-memory: pip install --upgrade ragforge-memory",
        )


def checked(model: type[R], data: dict[str, Any], *, whole: bool = False) -> R:
    """A record of what was read.

    Args:
        model: the record's.
        data: its values.
        whole: whether it is known that no text of it has half a surrogate pair.

    Raises:
        InvalidInput: a value is wrong; its path is named.
    """
    place = None if whole else half_surrogate(data)
    if place is not None:
        raise _refused(_path(data, place, ""), "half a surrogate pair is not text")
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
