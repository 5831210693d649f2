"""The knowledge base of an agent's owner, awaited: documents that are searched beside what is remembered."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from ragforge_memory.agent.inputs import check_flag, check_limit, check_progress, check_text, path_of
from ragforge_memory.agent.search.inputs import check_query
from ragforge_memory.errors import InvalidInput, NotFound, memory_is_off

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.graph.knowledge import KnowledgeStore
    from ragforge_memory.knowledge.ingest import Documents
    from ragforge_memory.models.conversation import Page
    from ragforge_memory.models.knowledge import DocumentInfo, KnowledgeHit, KnowledgeReport
    from ragforge_memory.models.search import SearchResults

_LONGEST_NAME = 1_000


class AsyncAgentKnowledge:
    """The documents that an agent's owner reads; `AsyncConversationAgent.knowledge`.

    The owner reads what it has taken in itself, and what is shared in its project. Whatever asks the graph raises
    GraphUnavailable where that cannot be asked.
    """

    def __init__(self, open: Callable[[], Awaitable[Services]]) -> None:
        self._open_agent = open

    async def ingest(
        self,
        path: str | os.PathLike[str],
        *,
        shared: bool = False,
        full: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> KnowledgeReport:
        """Reads a document, or all documents below a folder: Markdown, HTML, PDF, Word (.docx), lines of JSON, text.

        Only what has changed since the last time is read again; a file that is gone from the folder goes from here
        too. What cannot be read is left out, and named; what there was of it before stays.

        Args:
            path: a file or a folder.
            shared: for everybody in the project; else for this owner alone.
            full: read everything again.
            progress: is told how many files of how many are done.

        Raises:
            InvalidInput: there is no such path, it is the user's home or what is above it, a library is missing, or
                memory is off.
        """
        check_flag(shared, "shared")
        check_flag(full, "full")
        check_progress(progress)
        place = path_of(path)
        return await self._written(shared, lambda documents: documents.ingest(place, full=full, progress=progress))

    async def add(self, name: str, content: str | bytes, *, shared: bool = False) -> KnowledgeReport:
        """Takes in a document that is no file here; one of the same name takes its place.

        Args:
            name: what it is called; its end says the format: ``terms.pdf``.
            content: its bytes, or its text.
            shared: for everybody in the project; else for this owner alone.

        Raises:
            InvalidInput: it cannot be read, has no name, a library is missing, or memory is off.
        """
        check_flag(shared, "shared")
        check_text(name, "a document's name")
        if not name.strip() or len(name) > _LONGEST_NAME or "\0" in name:
            raise InvalidInput(f"a document's name has 1 to {_LONGEST_NAME:,} characters, and no NUL")
        if isinstance(content, str):
            check_text(content, "a document")
            content = content.encode()
        if not isinstance(content, bytes):
            raise InvalidInput(f"a document is text or bytes, not {type(content).__name__}")
        data = content
        return await self._written(shared, lambda documents: documents.add(name.strip(), data))

    async def search(self, query: str, limit: int = 5) -> SearchResults[KnowledgeHit]:
        """The parts of documents that bear on a question, by words and by meaning, best first.

        Args:
            query: the question.
            limit: parts at most, 1 to 1,000.

        Raises:
            InvalidInput: something asked for is none, or memory is off.
        """
        check_query(query)
        check_limit(limit)
        services, _ = await self._open()
        return await services.knowledge_search().search(query, limit=limit)

    async def list(self, limit: int = 50, cursor: str | None = None) -> Page[DocumentInfo]:
        """The documents, by their source.

        Args:
            limit: most items on the page, 1 to 1,000.
            cursor: ``next_cursor`` of the page before.

        Raises:
            InvalidInput: something asked for is none, or memory is off.
        """
        check_limit(limit)
        if cursor is not None:
            check_text(cursor, "a cursor")
        _, store = await self._open()
        return await store.listed(limit=limit, cursor=cursor)

    async def remove(self, source: str, *, shared: bool = True) -> int:
        """Removes a document, or all below a folder, with what was found by them; the files stay.

        Args:
            source: as `list` shows it, a folder of sources, or a document's uuid or the start of it.
            shared: those of everybody in the project too.

        Returns:
            How many documents went.

        Raises:
            InvalidInput: it is not text, or memory is off.
            NotFound: there is none.
        """
        check_text(source, "a document's source")
        check_flag(shared, "shared")
        _, store = await self._open()
        found = await store.matching(source.strip(), shared=shared) if source.strip() else []
        if not found and not shared:
            raise NotFound(
                f"this user has no document {source!r} of their own",
                hint="what is shared takes a key of scope others or admin to remove",
            )
        if not found:
            raise NotFound(f"there is no document {source!r}", hint="`ragforge knowledge list` shows them all")
        return sum([await store.remove(uuid) for uuid, _ in found])

    async def _written(self, shared: bool, work: Callable[[Documents], Awaitable[KnowledgeReport]]) -> KnowledgeReport:
        """What a change of the documents reports; what is new gets its vectors in the background."""
        from ragforge_memory.knowledge.ingest import Documents

        services, store = await self._open()
        place = services.place
        root = await asyncio.to_thread(place.root.resolve) if place.root is not None else None
        try:
            return await work(Documents(store.shared if shared else store, root, place.redacted))
        finally:
            services.offer_knowledge()
            services.background.work.vectors.wake(("chunks",))

    async def _open(self) -> tuple[Services, KnowledgeStore]:
        services = await self._open_agent()
        if services.stores.knowledge is None:
            raise memory_is_off("there are no documents")
        return services, services.stores.knowledge
