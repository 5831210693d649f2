"""Searching documents: by words and by meaning at the same time, fused by rank."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable
from typing import TYPE_CHECKING

from ragforge_memory.embeddings.calibration import similarity
from ragforge_memory.errors import EmbeddingError, RagforgeError, SpaceMoved
from ragforge_memory.graph.search import words_of
from ragforge_memory.models.knowledge import KnowledgeHit
from ragforge_memory.models.search import SearchResults
from ragforge_memory.retrieval.fusion import fused_by_ranks
from ragforge_memory.text.words import content_words

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.graph.knowledge import FoundChunk, KnowledgeStore

log = logging.getLogger(__name__)

TEXT, MEANING = "text", "meaning"
# Of each list; a longer one adds what only one of both knows, far down.
_CANDIDATES = 50
# Seconds that a question's vector is waited for, where its model may have to be loaded first.
_PATIENCE = 5.0


class KnowledgeSearch:
    """Searches what one owner reads.

    Args:
        store: where it is.
        embedder: makes the question's vector; None: words alone.
    """

    def __init__(self, store: KnowledgeStore, embedder: Embedder | None) -> None:
        self._store = store
        self._embedder = embedder

    async def search(self, query: str, *, limit: int) -> SearchResults[KnowledgeHit]:
        """The chunks that bear on a question, best first.

        Raises:
            RagforgeError: neither words nor meaning could be searched.
        """
        most = max(_CANDIDATES, limit)
        words = words_of(" ".join(content_words(query)))
        text, near = await asyncio.gather(
            _or_error(self._store.by_words(words, limit=most)), _or_error(self._near(query, most))
        )
        if isinstance(text, RagforgeError):
            log.warning("documents are searched without words: %s", text)
            if isinstance(near, RagforgeError):
                raise text
        lists = {tier: found for tier, found in ((TEXT, text), (MEANING, near)) if not isinstance(found, RagforgeError)}
        chunks = {each.chunk["uuid"]: each.chunk for found in lists.values() for each in found}
        cosines = {each.chunk["uuid"]: each.score for each in lists.get(MEANING, ())}
        ranked = fused_by_ranks([(1.0, [each.chunk["uuid"] for each in found]) for found in lists.values()])
        return SearchResults(
            (self._hit(chunks[uuid], score, cosines.get(uuid)) for uuid, score in ranked[:limit]),
            answered=tuple(lists),
            missed=tuple(tier for tier in (TEXT, MEANING) if tier not in lists),
        )

    async def _near(self, query: str, limit: int, *, again: bool = True) -> list[FoundChunk]:
        space = self._store.space
        if self._embedder is None or space is None:
            raise EmbeddingError("nothing is embedded here", hint="`ragforge doctor` says why")
        try:
            async with asyncio.timeout(_PATIENCE):
                vector = await self._embedder.embed_query(query)
        except TimeoutError as error:
            raise EmbeddingError(f"the question's vector was not there within {_PATIENCE:g} s") from error
        try:
            return await self._store.near(vector, space=space, limit=limit)
        except SpaceMoved:
            if not again:
                raise
            return await self._near(query, limit, again=False)  # the store and the embedder have gone along

    def _hit(self, chunk: dict[str, str], score: float, cosine: float | None) -> KnowledgeHit:
        near = None
        if cosine is not None and self._embedder is not None:
            near = similarity(cosine, self._embedder.unrelated_cosine)
        shown = {name: chunk[name] for name in ("content", "source", "title", "heading", "position", "document_id")}
        return KnowledgeHit(**shown, chunk_id=chunk["uuid"], score=score, similarity=near)


async def _or_error(work: Awaitable[list[FoundChunk]]) -> list[FoundChunk] | RagforgeError:
    try:
        return await work
    except RagforgeError as error:
        return error
