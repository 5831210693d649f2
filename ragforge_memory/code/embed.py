"""Vectors of scopes: made beside everything else, most used scopes first, until none waits."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ragforge_memory.code.rows import embedding_text
from ragforge_memory.errors import EmbeddingError
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.graph.spaces import open_space

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.graph.client import GraphClient

# One look at what waits (it orders by use) serves several calls of the embedder; each of those is short enough that
# a question of the user does not wait long behind it.
_PAGE = 256
_BATCH = 32


async def embed_scopes(
    client: GraphClient,
    project: str,
    embedder: Embedder,
    *,
    limit: int | None = None,
    stop: Callable[[], bool] | None = None,
) -> int:
    """Embeds the scopes that wait (``:PendingEmbedding``): name, signature and first line of documentation.

    What is not done stays labelled, so it can be broken off at any time and called again.

    Args:
        client: an open graph.
        project: whose scopes.
        embedder: makes the vectors; the project's space becomes, or must be, its.
        limit: scopes at most; None for all.
        stop: asked between batches of 32.

    Returns:
        How many scopes have a new vector.

    Raises:
        EmbeddingError: the model failed; the batch has one more attempt noted, after the third it waits no longer.
        EmbeddingMismatch: the project's vectors are of another model.
    """
    from ragforge_memory.embeddings.port import space_model

    space = await open_space(client, project, space_model(embedder), embedder.dimension)
    return await embed_waiting(ScopeStore(client, space), project, embedder, limit=limit, stop=stop)


async def embed_waiting(
    store: ScopeStore,
    project: str,
    embedder: Embedder,
    *,
    limit: int | None = None,
    stop: Callable[[], bool] | None = None,
) -> int:
    """`embed_scopes` for a store whose space is open already."""
    done = 0
    while (space := store.space) is not None and (limit is None or done < limit):
        page = await store.pending(project, _PAGE if limit is None else min(_PAGE, limit - done))
        if not page:
            break
        stored = 0
        for start in range(0, len(page), _BATCH):
            if stop is not None and stop():
                return done + stored
            batch = page[start : start + _BATCH]
            try:
                vectors = await embedder.embed_passages([embedding_text(scope) for scope in batch])
            except EmbeddingError:
                await store.fail_embeddings(project, [scope["uuid"] for scope in batch])
                raise
            stored += await store.store_embeddings(
                project,
                [(scope["uuid"], scope["hash"], vector) for scope, vector in zip(batch, vectors, strict=True)],
                space=space,
            )
        done += stored
        if not stored:
            break
    return done
