"""The code that was talked about, what has become of it since, and what a diff touches of it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.agent.branches import store
from ragforge_memory.agent.inputs import code_name
from ragforge_memory.anchors.impact import impact as impact_of_code
from ragforge_memory.code.mentions import dotted
from ragforge_memory.errors import InvalidInput, memory_is_off
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.code import CodeStore
from ragforge_memory.models.code import CodeReference, ReferenceKind
from ragforge_memory.models.conversation import ConversationInfo
from ragforge_memory.models.impact import Impact

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Stores


async def referenced(stores: Stores, place: Place, conversation_id: str) -> list[CodeReference]:
    """What a conversation is tied to, in the messages' order, with labels.

    Raises:
        ConversationNotFound: it is not there (any more).
    """
    await stores.conversations.get(conversation_id)
    return await ReferenceStore(stores.graph, place.owner).of_conversation(conversation_id)


async def refer(
    stores: Stores, place: Place, conversation_id: str, message_id: str, scopes: Sequence[str], kind: ReferenceKind
) -> list[CodeReference]:
    """Ties a message to code; returns all ties of that message.

    Raises:
        MessageNotFound: the message is none of this conversation's.
        InvalidInput: memory is off, or one of the names does not mean one definition; nothing was written.
    """
    if not place.config.memory.enabled:
        raise memory_is_off("no message is tied to code")
    await store(stores, place).point(conversation_id, message_id)
    references = ReferenceStore(stores.graph, place.owner)
    given = {dotted(code_name(scope)): scope for scope in scopes}
    if unclear := await references.add(message_id, list(given), kind):
        told = (f"{given[name]!r} ({', '.join(places) or 'none is found'})" for name, places in unclear.items())
        raise InvalidInput(
            f"no single definition of this project is meant by {', '.join(told)}",
            hint="nothing was written: give FILE:NAME, qualified names or uuids, after an ingest",
        )
    return (await references.of_messages([message_id]))[message_id]


async def last_ingest(stores: Stores, place: Place) -> tuple[str | None, datetime] | None:
    """The commit and the time of the last ingest, which all labels are as of; None where there was none."""
    return await ReferenceStore(stores.graph, place.owner).as_of()


async def about(stores: Stores, place: Place, scope: str, *, limit: int) -> list[ConversationInfo]:
    """Conversations that talked about code, the newest mention first, each with its ties to it."""
    if not place.config.memory.enabled:
        return []
    ties = await ReferenceStore(stores.graph, place.owner).about(_in_project(place.root, scope), limit=limit)
    found: dict[str, list[CodeReference]] = {}
    for tie in ties:
        found.setdefault(tie.message.conversation_id, []).append(tie.reference)
    infos = await stores.conversations.several(list(found))
    return [info.model_copy(update={"references": tuple(found[info.uuid])}) for info in infos]


def _in_project(root: Path | None, scope: str) -> str:
    """A file's path as the graph has it, also where it was given from the root of the disk or with dots in it."""
    if root is None or "/" not in scope:
        return scope
    path = Path(os.path.normpath(root / scope))
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else scope


async def impact(stores: Stores, place: Place, root: Path, revision: str | None = None) -> Impact:
    """What was said of the code that a diff changes, which of it was a decision, and what has corrected that since.

    Raises:
        InvalidInput: git does not know the revision, or there is no repository.
    """
    references, project = ReferenceStore(stores.graph, place.owner), place.owner.project
    ingested = (await CodeStore(stores.graph, project).state()).commit if project else None
    return await impact_of_code(root, references, revision, ingested=ingested)
