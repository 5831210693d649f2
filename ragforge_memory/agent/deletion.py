"""Deleting a conversation: out of the graph, and out of every file of ours."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services

log = logging.getLogger(__name__)


async def delete_conversation(services: Services, uuid: str) -> None:
    """Deletes a conversation of this owner with all that hangs on it.

    What processes that have died left of it in their journals is folded in before, so that it goes too. A process that
    lives drops its own lines of it as soon as the graph tells it that the conversation is gone.

    Raises:
        ConversationNotFound: there is none such (any more).
    """
    await services.take_up()
    await services.conversations.delete(uuid)
    await forget_in_files(services, uuid)


async def forget_in_files(services: Services, uuid: str) -> None:
    """Drops what this process has on disk and in memory of a conversation that was deleted."""
    services.unasked.pop(uuid, None)
    try:
        await asyncio.to_thread(services.journal.forget, uuid)
    except OSError as error:
        log.warning("the journal still has lines of the deleted conversation %s: %s", uuid, error)
