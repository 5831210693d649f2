"""Deleting conversations: one, or those that are too old or too many; out of the graph and out of every file."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from ragforge_memory.agent.outages.recovery import fold_orphans
from ragforge_memory.errors import ConversationNotFound
from ragforge_memory.graph.text_files import old_ones_stay

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Background, Place, Services, Stores
    from ragforge_memory.errors import ConversationFileError
    from ragforge_memory.graph.retention import Expired, RetentionStore
    from ragforge_memory.models.conversation import ConversationInfo

log = logging.getLogger(__name__)


async def delete_conversation(services: Services, uuid: str) -> None:
    """Deletes a conversation of this owner with all that hangs on it.

    What processes that have died left of it in their journals is folded in before, so that it goes too. A process that
    lives drops its own lines of it as soon as the graph tells it that the conversation is gone.

    Raises:
        ConversationNotFound: there is none such (any more).
    """
    await fold_orphans(services)
    async with services.background.outage.replaying:
        try:
            await services.stores.conversations.delete(uuid)
        except ConversationNotFound:
            if not await forget_in_files(services.background, uuid):
                raise
        else:
            await forget_in_files(services.background, uuid)


async def forget_in_files(background: Background, uuid: str) -> bool:
    """Drops what this process has on disk and in memory of a conversation that was deleted.

    Returns:
        Whether the journal alone knew it; of a journal that cannot be written nothing is said.
    """
    background.remembered.forget(uuid)
    try:
        return await asyncio.to_thread(background.journal.forget, uuid)
    except OSError as error:
        log.warning("the journal still has lines of the deleted conversation %s: %s", uuid, error)
        return False


DAY = 86_400
_PAGE = 100
# Conversations that a list shows at most; a delete goes on page by page.
MOST_LISTED = 1_000


async def expired(services: Services, *, older_than_days: int | None, keep: int | None) -> list[ConversationInfo]:
    """What `delete_expired` would delete now, the oldest first, 1,000 at most."""
    store = _store(services.stores, services.place)
    if store is None:
        return []
    found = await _found(services.background, store, older_than_days, keep, MOST_LISTED)
    return [each.info for each in found if await store.file_elsewhere(each) is None]


async def out_of_reach(
    services: Services, *, older_than_days: int | None, keep: int | None
) -> ConversationFileError | None:
    """What to tell of conversations that are old and stay all the same, since this agent does not have their files."""
    store = _store(services.stores, services.place)
    if store is None:
        return None
    found = await _found(services.background, store, older_than_days, keep, MOST_LISTED)
    paths = [path for each in found if (path := await store.file_elsewhere(each)) is not None]
    return old_ones_stay(paths) if paths else None


async def delete_expired(
    services: Services, *, older_than_days: int | None, keep: int | None
) -> list[ConversationInfo]:
    """Deletes what is older than so many days, and what is behind the newest ``keep``; the oldest first.

    Each is looked at again as it is deleted: one that was written to meanwhile stays. So does one whose texts are in a
    file that this agent does not have, which a warning in the log says once.

    Returns:
        What was deleted.
    """
    from ragforge_memory.graph.conversations import ConversationStore

    store = _store(services.stores, services.place)
    deleted: list[ConversationInfo] = []
    if store is None:
        return deleted
    await fold_orphans(services)
    conversations = ConversationStore(services.stores.graph, services.place.owner)
    stay: set[str] = set()
    elsewhere: list[str] = []
    while True:
        page = await _found(services.background, store, older_than_days, keep, _PAGE, but=stay)
        if not page:
            if elsewhere:
                log.warning(
                    "retention leaves %s conversations whose files this agent does not have, such as %s",
                    len(elsewhere),
                    elsewhere[0],
                )
            return deleted
        for each in page:
            path = await store.file_elsewhere(each)
            if path is not None:
                elsewhere.append(path)
                stay.add(each.info.uuid)
                continue
            if each.info.uuid in services.background.open_here() or not await store.begin(each):
                stay.add(each.info.uuid)
                continue
            await conversations.take_away(each.info.uuid)
            await forget_in_files(services.background, each.info.uuid)
            deleted.append(each.info)


def _store(stores: Stores, place: Place) -> RetentionStore | None:
    from ragforge_memory.graph.retention import RetentionStore

    return RetentionStore(stores.graph, place.owner) if place.config.memory.enabled else None


async def _found(
    background: Background,
    store: RetentionStore,
    older_than_days: int | None,
    keep: int | None,
    limit: int,
    *,
    but: set[str] | None = None,
) -> list[Expired]:
    age = None if older_than_days is None else older_than_days * DAY
    stay = background.open_here() | (but or set())
    return await store.expired(age=age, keep=keep, open_here=stay, limit=limit)
