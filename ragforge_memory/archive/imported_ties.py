"""Ties of what is imported: to the code that it names, as that is at the import."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragforge_memory.agent.ties.references import last_ingest
from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.messages import CodeTies
from ragforge_memory.graph.ties import Named, TieStore

if TYPE_CHECKING:
    from ragforge_memory.agent.place import Place
    from ragforge_memory.agent.stores import Stores

log = logging.getLogger(__name__)

# Transcripts name the same again and again.
_REMEMBERED = 16_384


class ImportedTies:
    """Ties the messages of an import, batch by batch, after they are written. That failing fails no import.

    Args:
        stores: where conversations and code are kept.
        place: whose memory it is, and how it is set up.
    """

    def __init__(self, stores: Stores, place: Place) -> None:
        self._stores, self._place = stores, place
        self._store = TieStore(stores.graph, place.owner)
        self._known: dict[Named, tuple[str, ...]] = {}
        self.wanted = False

    async def begin(self) -> None:
        """Looks whether there is code: where nothing was ingested, there is nothing that messages could be about."""
        self.wanted = await last_ingest(self._stores, self._place) is not None

    async def write(self, ties: Mapping[str, CodeTies]) -> None:
        """Ties messages, by their uuids, to what they mention."""
        if not self.wanted or not ties:
            return
        try:
            await self._write(ties)
        except RagforgeError as error:
            self.wanted = False
            log.warning("what is imported is not tied to code any further: %s", error)

    async def _write(self, ties: Mapping[str, CodeTies]) -> None:
        if len(self._known) > _REMEMBERED:
            self._known = {}
        await self._store.tie_mentioned(ties, self._known)
