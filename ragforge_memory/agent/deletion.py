"""Deleting a conversation: out of the graph, and out of every file of ours."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from ragforge_memory.agent.outages.recovery import fold_orphans
from ragforge_memory.errors import ConversationNotFound

if TYPE_CHECKING:
    from ragforge_memory.agent.background import Background
    from ragforge_memory.agent.services import Services

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
