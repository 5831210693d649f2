"""The tool `search_code`: code by what it is about, vector and full text fused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ragforge_memory.embeddings.calibration import similarity
from ragforge_memory.errors import EmbeddingError, EmbeddingMismatch, SpaceMoved, ToolError
from ragforge_memory.retrieval.fusion import fused_with_gaps
from ragforge_memory.retrieval.relevance import asks_for_aside
from ragforge_memory.text.names import stands_aside
from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.shown import code_of, shown, uuids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.models.code import Scope, ScopeCounts
    from ragforge_memory.tools.ports import ScopeReader

CANDIDATES = 100
"""Of each list before fusion, as retrieval was measured."""

MAX_RESULTS = 50


@tool
async def search_code(context: ToolContext, query: str, limit: int = 10) -> ToolOutput:
    """Searches the project's functions, methods and classes by what they are about, names and documentation alike.

    Finds by meaning and by words; where the definitions have no vectors yet, by words alone, and `embedded`
    says so. At least half of the results are no tests, examples or benchmarks, unless `query` asks for those.
    For a known name use `read_scope`.

    Args:
        query: what to look for, in plain words or names.
        limit: results at most, up to 50.
    """
    if not query.strip():
        raise ToolError("the query is empty", hint="say what to look for")
    code = code_of(context)
    by_text, by_vector, counts, failed = await _candidates(context, code, query)
    words = {scope.uuid: scope.score or 0.0 for scope in by_text}
    cosines = {scope.uuid: scope.score or 0.0 for scope in by_vector}
    # Which of those that are not near have no vector yet nobody says; how many have none is known.
    missing = 1 - counts.embedded / counts.scopes if counts.scopes else 0.0
    scores = fused_with_gaps(words, cosines, words, share=max(0.0, missing))
    found = {scope.uuid: scope for scope in (*by_vector, *by_text)}
    order = [(found[uuid], score) for uuid, score in sorted(scores.items(), key=lambda pair: -pair[1])]
    most = max(1, min(limit, MAX_RESULTS))
    best = order[:most] if asks_for_aside(query) else _half_own(order, most)
    return ToolOutput(
        {
            "query": query,
            "results": [
                {
                    **shown(scope),
                    "score": round(score, 4),
                    "similarity": _similarity(context, cosines.get(scope.uuid)),
                    "matched_by": [
                        *(["text"] if scope.uuid in words else []),
                        *(["vector"] if scope.uuid in cosines else []),
                    ],
                }
                for scope, score in best
            ],
            "embedded": {
                "scopes": counts.scopes,
                "with_vector": counts.embedded,
                "searched_by": "text and vector" if by_vector else "text",
                "why_no_vector": failed,
            },
        },
        scopes=uuids(scope for scope, _ in best[:5]),
    )


def _half_own(order: Sequence[tuple[Scope, float]], most: int) -> list[tuple[Scope, float]]:
    """The best, at least half of them no tests and the like, as far as there are such: the name of a test has all the
    words of what it tests, and often more of a question's than the code has."""
    own = [pair for pair in order if not stands_aside(pair[0].file, pair[0].modifiers)][: (most + 1) // 2]
    kept = {scope.uuid for scope, _ in own}
    rest = [pair for pair in order if pair[0].uuid not in kept][: most - len(own)]
    return sorted((*own, *rest), key=lambda pair: -pair[1])


async def _candidates(
    context: ToolContext, code: ScopeReader, query: str
) -> tuple[list[Scope], list[Scope], ScopeCounts, str | None]:
    """The two lists, read at the same time, how much is embedded, and why there is no vector list."""
    project = context.owner.project
    by_text: list[Scope] = []
    by_vector: list[Scope] = []
    failed: list[str] = []
    counts = await code.counts(project)

    async def read_text() -> None:
        by_text.extend(await code.search_text(project, query, limit=CANDIDATES))

    async def near(embedder: Embedder) -> list[Scope]:
        try:
            return await code.search_vector(project, await embedder.embed_query(query), limit=CANDIDATES)
        except SpaceMoved:
            # Made anew by another model since: by now the embedder is that one, where it can be had.
            return await code.search_vector(project, await embedder.embed_query(query), limit=CANDIDATES)

    async def read_vector() -> None:
        if context.embedder is None:
            failed.append("there is no embedding model")
        elif not counts.embedded:
            failed.append("no definition has a vector yet")
        else:
            try:
                by_vector.extend(await near(context.embedder))
            except (EmbeddingError, EmbeddingMismatch) as error:
                failed.append(str(error))

    # No task group: it would wrap what a search raises, and so hide what is the matter.
    await asyncio.gather(read_text(), read_vector())
    return by_text, by_vector, counts, failed[0] if failed else None


def _similarity(context: ToolContext, cosine: float | None) -> float | None:
    if cosine is None or context.embedder is None:
        return None
    return round(similarity(cosine, context.embedder.unrelated_cosine), 4)
