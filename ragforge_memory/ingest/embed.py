"""Vectors of scopes: made beside everything else, most used scopes first, until none waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ragforge_memory.embeddings.pages import PAGE, answers, embed_page
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.graph.spaces import Space
from ragforge_memory.ingest.rows import embedding_text

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder, Vector


async def embed_waiting(
    store: ScopeStore,
    project: str,
    embedder: Embedder,
    *,
    limit: int | None = None,
    stop: Callable[[], bool] | None = None,
) -> int:
    """Embeds a project's scopes that wait (``:PendingEmbedding``): name, signature, documentation and source.

    What is not done stays labelled, so it can be broken off at any time and called again.

    Args:
        store: where they are; its space is where the vectors go.
        project: whose scopes.
        embedder: makes the vectors.
        limit: scopes at most; None for all.
        stop: asked between batches of 32.

    Returns:
        How many scopes have a new vector.

    Raises:
        EmbeddingError: the model failed. What it refuses although it answers otherwise has one more attempt noted, and
            waits no longer after the third.
        SpaceMoved: the project's vectors have moved to another space.
    """

    async def vectors(some: Sequence[dict[str, Any]]) -> Sequence[Vector]:
        return await embedder.embed_passages([embedding_text(scope) for scope in some])

    async def fail(some: Sequence[dict[str, Any]]) -> None:
        await store.fail_embeddings(project, [scope["uuid"] for scope in some])

    async def keep(space: Space, made: Sequence[tuple[dict[str, Any], Vector]]) -> int:
        return await store.store_embeddings(
            project, [(scope["uuid"], scope["hash"], vector) for scope, vector in made], space=space
        )

    done = 0
    ends = stop or (lambda: False)
    while (space := store.space) is not None and (limit is None or done < limit) and not ends():
        page = await store.pending(project, PAGE if limit is None else min(PAGE, limit - done))
        if not page:
            break
        stored = await embed_page(
            page, vectors=vectors, store=partial(keep, space), fail=fail, answers=partial(answers, embedder), stop=ends
        )
        done += stored
        if not stored:
            break
    return done
