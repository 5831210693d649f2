"""Conversations from elsewhere: read in a thread, checked, and written so that nobody sees a half of one."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from ragforge_memory.archive.importer import Importer, Report
from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers.recognition import FORMATS, transcripts
from ragforge_memory.models.imports import ImportReport, OnConflict

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.importers.source import Source
    from ragforge_memory.models.conversation import ConversationInfo


async def import_one(
    services: Services, data: Any, *, on_conflict: OnConflict, title: str | None = None
) -> ConversationInfo:
    """Stores the one conversation that ``data`` is; see `AgentImports.import_conversation`.

    Raises:
        InvalidInput: it is none, or several, or a part of it is bad, or it is here already and ``on_conflict`` is
            ``fail``; or memory is off.
    """
    importer = Importer(services, on_conflict=on_conflict, title=title, alone=True)
    await importer.run(await asyncio.to_thread(transcripts, data))
    if importer.existing is not None:
        services.place.check_readable(importer.existing)
        return importer.existing
    if not importer.tally.imported:
        raise InvalidInput("there is nothing to import: nothing was said in it", hint=FORMATS)
    return await services.stores.conversations.get(importer.tally.imported[0])


async def import_all(
    services: Services, source: Source, *, on_conflict: OnConflict, progress: Report | None = None
) -> ImportReport:
    """Stores all conversations of a source; see `AgentImports.import_conversations`.

    Raises:
        InvalidInput: the source is of no known format; or memory is off.
        GraphUnavailable: it could not go on; the conversations before are there.
    """
    start = time.monotonic()
    importer = Importer(services, on_conflict=on_conflict, source=source, progress=progress)
    await importer.run(await asyncio.to_thread(transcripts, source))
    return importer.tally.report(time.monotonic() - start)
