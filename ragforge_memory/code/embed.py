"""Vectors of scopes: made beside everything else, most used scopes first, until none waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ragforge_memory.code.rows import embedding_text
from ragforge_memory.embeddings.pages import PAGE, answers, embed_page
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.graph.spaces import Space, open_space

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder, Vector
    from ragforge_memory.graph.client import GraphClient


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
        EmbeddingError: the model failed. What it refuses although it answers otherwise has one more attempt noted, and
            waits no longer after the third.
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

    async def vectors(some: Sequence[dict[str, Any]]) -> Sequence[Vector]:
        return await embedder.embed_passages([embedding_text(scope) for scope in some])

    async def fail(some: Sequence[dict[str, Any]]) -> None:
        await store.fail_embeddings(project, [scope["uuid"] for scope in some])

    done = 0
    ends = stop or (lambda: False)
    while (space := store.space) is not None and (limit is None or done < limit) and not ends():
        keep = partial(_keep, store, project, space)
        page = await store.pending(project, PAGE if limit is None else min(PAGE, limit - done))
        if not page:
            break
        stored = await embed_page(
            page, vectors=vectors, store=keep, fail=fail, answers=partial(answers, embedder), stop=ends
        )
        done += stored
        if not stored:
            break
    return done


async def _keep(store: ScopeStore, project: str, space: Space, made: Sequence[tuple[dict[str, Any], Vector]]) -> int:
    vectors = [(scope["uuid"], scope["hash"], vector) for scope, vector in made]
    return await store.store_embeddings(project, vectors, space=space)
