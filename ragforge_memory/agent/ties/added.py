"""Ties what was added to memory outside of any conversation to the code that it names."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ragforge_memory.agent.ties.named import Question
from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.added_memories import AddedMemoryStore
from ragforge_memory.graph.ties import TieStore

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Stores

log = logging.getLogger(__name__)


async def tie_added(stores: Stores, place: Place, memory_id: str, text: str) -> None:
    """Ties a memory to what its text names; where that fails it is a memory all the same."""
    asks = Question(text)
    if not place.owner.project or not asks.names:
        return
    try:
        found = await TieStore(stores.graph, place.owner).meant([(each, asks.files) for each in asks.names])
        scopes = {uuid for each in found for uuid in each}
        if scopes:
            await AddedMemoryStore(stores.graph, place.owner).tie(memory_id, scopes)
    except RagforgeError as error:
        log.warning("a memory is not tied to its code: %s", error)
