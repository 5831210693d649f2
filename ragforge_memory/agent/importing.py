"""Conversations from elsewhere: recognised by their content, checked whole, then written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal
from uuid import uuid4

from ragforge_memory.agent.importance import importance_of
from ragforge_memory.agent.inputs import title_of
from ragforge_memory.errors import InvalidInput, NotFound, RagforgeError
from ragforge_memory.graph.imports import PlacedMessage
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.importers import plain
from ragforge_memory.models.conversation import ConversationInfo
from ragforge_memory.models.transcript import Transcript

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services

OnConflict = Literal["fail", "skip", "copy"]
ON_CONFLICT: tuple[OnConflict, ...] = ("fail", "skip", "copy")


def recognised(data: Any) -> Transcript:
    """What ``data`` is, by its content.

    Args:
        data: a list of records, or JSON text of one.

    Raises:
        InvalidInput: it is of no known format, or a record of it is bad.
    """
    if isinstance(data, (str, bytes, bytearray)):
        try:
            data = json.loads(data)
        except ValueError as error:
            raise InvalidInput(f"this is no JSON: {error}") from error
    if isinstance(data, Sequence) and not data:
        raise InvalidInput("there is nothing to import: the list is empty")
    if plain.recognises(data):
        return plain.read(data)
    raise InvalidInput(
        "this is no conversation of a known format",
        hint='a list of {"role": "user", "content": "…"} with "timestamp" and "uuid" where they are known',
    )


async def write(
    services: Services, transcript: Transcript, *, on_conflict: OnConflict, title: str | None = None
) -> ConversationInfo:
    """Stores a transcript as a new conversation.

    Args:
        services: what is open.
        transcript: the messages.
        on_conflict: what to do where a message is here already, see `AgentSearch.import_conversation`.
        title: what lists show; None: the beginning of the first message.

    Raises:
        InvalidInput: a message is here already, and ``on_conflict`` is ``fail``; or memory is off.
    """
    store = services.imports
    if store is None:
        raise InvalidInput("memory is off: nothing can be imported", hint="set agent.memory.enabled")
    given = [each.uuid for each in transcript.messages if each.uuid is not None]
    mine = await services.messages.known(given) if given else {}
    if mine and on_conflict == "fail":
        index = next(number for number, each in enumerate(transcript.messages) if each.uuid in mine)
        uuid = transcript.messages[index].uuid
        raise InvalidInput(
            f"record {index}: message {uuid} is in conversation {mine[str(uuid)]} already",
            hint="on_conflict='skip' leaves what is there, 'copy' imports it under new uuids",
        )
    if mine and on_conflict == "skip":
        for conversation_id in dict.fromkeys(mine.values()):
            try:
                return await services.conversations.get(conversation_id)
            except NotFound:
                continue  # it is being deleted; what is left of it is no reason to skip
    taken = await store.taken(given)
    uuid = uuid4().hex
    messages = _placed(services, transcript, taken)
    first = next((each.content for each in transcript.messages if each.role == "user"), None)
    shown = services.redacted(title or transcript.title or title_of(first or transcript.messages[0].content))
    try:
        await store.write(
            uuid,
            messages,
            title=shown,
            given_title=bool(title or transcript.title),
            embed=services.embeds_messages,
        )
    except RagforgeError:
        await _undo(services, uuid)
        raise
    services.background.wake(due=True)
    return await services.conversations.get(uuid)


async def _undo(services: Services, uuid: str) -> None:
    """Takes away what a failed import has written of a long conversation, where the graph is there to do it."""
    try:
        await services.conversations.delete(uuid)
    except RagforgeError:
        return


def _placed(services: Services, transcript: Transcript, taken: set[str]) -> list[PlacedMessage]:
    """The messages with uuids that nobody has; an answer knows the question before it."""
    placed = []
    question: str | None = None
    for each in transcript.messages:
        moved = each.uuid is not None and each.uuid in taken
        uuid = uuid4().hex if each.uuid is None or moved else each.uuid
        new = NewMessage(
            uuid=uuid,
            role=each.role,
            content=services.redacted(each.content),
            in_reply_to=question if each.role == "assistant" else None,
            metadata=services.redacted(dict(each.metadata)) or None,
            importance=importance_of(each.content),
        )
        if each.role == "user":
            question = uuid
        placed.append(PlacedMessage(new, each.timestamp, each.uuid if moved else None))
    return placed
