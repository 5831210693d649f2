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
        unrelated = self._embedder.unrelated_cosine if self._embedder is not None else 0.0
        near_to = {each.chunk["uuid"]: similarity(each.score, unrelated) for each in lists.get(MEANING, ())}
        if near_to and not lists.get(TEXT):  # words cannot speak for what is no nearer than unrelated texts are
            lists[MEANING] = [each for each in lists[MEANING] if near_to[each.chunk["uuid"]]]
        ranked = fused_by_ranks([(1.0, [each.chunk["uuid"] for each in found]) for found in lists.values()])
        first: dict[str, tuple[str, float]] = {}  # what stands in several places is shown once, as the best of them
        for uuid, score in ranked:
            first.setdefault(chunks[uuid]["content"], (uuid, score))
        return SearchResults(
            (_hit(chunks[uuid], score, near_to.get(uuid)) for uuid, score in [*first.values()][:limit]),
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


def _hit(chunk: dict[str, str], score: float, near: float | None) -> KnowledgeHit:
    shown = {name: chunk[name] for name in ("content", "source", "title", "heading", "position", "document_id")}
    return KnowledgeHit(**shown, chunk_id=chunk["uuid"], score=score, similarity=near)


async def _or_error(work: Awaitable[list[FoundChunk]]) -> list[FoundChunk] | RagforgeError:
    try:
        return await work
    except RagforgeError as error:
        return error
