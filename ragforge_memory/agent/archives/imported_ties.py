"""Ties of what is imported: to the code that it names, as that is at the import."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ragforge_memory.agent.references import last_ingest
from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.messages import CodeTies, Mention
from ragforge_memory.graph.ties import TieStore

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services

log = logging.getLogger(__name__)

# Transcripts name the same again and again.
_REMEMBERED = 16_384


class ImportedTies:
    """Ties the messages of an import, batch by batch, after they are written. That failing fails no import.

    Args:
        services: what is open.
    """

    def __init__(self, services: Services) -> None:
        self._services = services
        self._store = TieStore(services.graph, services.owner)
        self._known: dict[tuple[Mention, tuple[str, ...]], tuple[str, ...]] = {}
        self.wanted = False

    async def begin(self) -> None:
        """Looks whether there is code: where nothing was ingested, there is nothing that messages could be about."""
        self.wanted = await last_ingest(self._services) is not None

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
        named = dict.fromkeys((mention, each.files) for each in ties.values() for mention in each.mentions)
        asked = [each for each in named if each not in self._known]
        self._known.update(zip(asked, await self._store.meant(asked), strict=True))
        scopes = {
            message: {uuid for mention in each.mentions for uuid in self._known[mention, each.files]}
            for message, each in ties.items()
        }
        await self._store.tie({message: found for message, found in scopes.items() if found})
