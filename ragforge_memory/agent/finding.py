"""Beginning, finding and deleting a conversation, with Neo4j there or away."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ragforge_memory.agent.inputs import MAX_NAME, check_no_nul, check_text
from ragforge_memory.errors import ConversationNotFound, GraphUnavailable, InvalidInput

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Background, Place, Services
    from ragforge_memory.models.conversation import ConversationInfo

log = logging.getLogger(__name__)


def check_session_id(session_id: object) -> None:
    """Refuses what no session can be called.

    Raises:
        InvalidInput: it is blank, no text of at most 500 characters, or has a NUL.
    """
    if not isinstance(session_id, str) or not session_id.strip() or len(session_id) > MAX_NAME:
        raise InvalidInput(f"a session id is a text of 1 to {MAX_NAME} characters")
    check_text(session_id, "a session id")
    check_no_nul(session_id, "a session id")


async def create(
    services: Services, *, title: str | None, tags: Sequence[str], metadata: Mapping[str, Any] | None
) -> ConversationInfo:
    """Begins a conversation; while the graph is away it waits in the journal, and its turns with it.

    One that is held in memory needs neither.

    Raises:
        GraphUnavailable: the graph is away and the journal cannot be written.
    """
    uuid = uuid4().hex
    if services.background.outage.is_on and not services.stores.in_memory:
        return await _create_in_journal(services, uuid, title, tags, metadata, None)
    try:
        return await services.stores.conversations.create(
            title=title, tags=tags, metadata=metadata, uuid=uuid, recover=not services.place.remembers
        )
    except GraphUnavailable as error:
        # The graph may have taken it all the same: it is the same uuid.
        services.background.outage.begin(error)
        return await _create_in_journal(services, uuid, title, tags, metadata, error)


async def open_session(
    services: Services,
    session_id: str,
    *,
    title: str | None,
    tags: Sequence[str],
    metadata: Mapping[str, Any] | None,
) -> ConversationInfo:
    """The conversation of a session, found or begun; while the graph is away, found here alone.

    Raises:
        GraphUnavailable: the graph is away and this process has not used the session: it may be there or not.
    """

    async def work() -> ConversationInfo:
        opened = await services.stores.conversations.open(session_id, title=title, tags=tags, metadata=metadata)
        return await services.settled(opened)

    return await _or_remembered(services.place, services.background, session_id, work)


async def load(services: Services, reference: str) -> ConversationInfo:
    """An existing conversation; while the graph is away, one that this process has used.

    Raises:
        ConversationNotFound: this owner has none such.
        GraphUnavailable: the graph is away and this process does not know it.
    """
    from ragforge_memory.agent.outages.recovery import fold_orphans

    async def work() -> ConversationInfo:
        await fold_orphans(services)
        try:
            found = await services.stores.conversations.find(reference)
        except ConversationNotFound:
            # A uuid as others write it: 550E8400-E29B-… A session may be called so, which goes first.
            plain = reference.replace("-", "").lower()
            if plain == reference or not re.fullmatch("[0-9a-f]{32}", plain):
                raise
            found = await services.stores.conversations.find(plain)
        return await services.settled(found)

    return await _or_remembered(services.place, services.background, reference, work)


async def exact(services: Services, uuid: str) -> ConversationInfo:
    """The conversation of exactly this uuid; while the graph is away, one that this process has used.

    Raises:
        ConversationNotFound: this owner has none such.
        GraphUnavailable: the graph is away and this process does not know it.
    """

    async def work() -> ConversationInfo:
        return await services.settled(await services.stores.conversations.get(uuid))

    return await _or_remembered(services.place, services.background, uuid, work)


async def _or_remembered(
    place: Place, background: Background, reference: str, work: Callable[[], Awaitable[ConversationInfo]]
) -> ConversationInfo:
    known = background.remembered.info(reference) if place.remembers else None
    if known is not None and (background.outage.is_on or known.uuid in background.outage.held_up):
        return known
    try:
        return await work()
    except GraphUnavailable as error:
        if known is None:
            raise
        background.outage.begin(error)
        return known


async def _create_in_journal(
    services: Services,
    uuid: str,
    title: str | None,
    tags: Sequence[str],
    metadata: Mapping[str, Any] | None,
    cause: GraphUnavailable | None,
) -> ConversationInfo:
    from ragforge_memory.graph.journal_lines import JournalCreation
    from ragforge_memory.models.conversation import ConversationInfo

    now = datetime.now(UTC)
    creation = JournalCreation(
        graph=services.stores.graph_name,
        birth=services.stores.graph_birth,
        user_id=services.place.owner.user_id,
        project=services.place.owner.project,
        conversation_id=uuid,
        title=services.place.redacted(title),
        tags=tuple(services.place.redacted(list(tags))),
        metadata=services.place.redacted(dict(metadata)) if metadata else None,
        begun=now.isoformat(timespec="seconds"),
    )
    try:
        await asyncio.to_thread(services.background.journal.created, creation)
    except OSError as error:
        raise GraphUnavailable(
            f"Neo4j is away, and a conversation cannot be begun on disk: {error}", hint="make room on the disk"
        ) from (cause or error)
    services.background.outage.waits(uuid)
    return ConversationInfo(
        uuid=uuid,
        title=creation.title,
        tags=creation.tags,
        metadata=dict(creation.metadata or {}),
        created_at=now,
        updated_at=now,
        user_id=services.place.owner.user_id or None,
        project=services.place.owner.project or None,
    )
