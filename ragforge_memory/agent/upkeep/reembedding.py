"""Having another model make all vectors of a project anew, while it is searched and written.

The vectors go into a space of their own. What lacks one there is labelled in the graph: all that has a vector when it
begins, and from then on whatever is stored in the old space. When nothing is labelled any more the project has the new
space, in one write; then the old vectors are removed. Killed anywhere, the next run goes on; of two the second waits.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING

from ragforge_memory.agent.projects import resolve_project
from ragforge_memory.agent.search.similar import topic_vectors
from ragforge_memory.agent.upkeep.following import Failures
from ragforge_memory.agent.upkeep.leases import LeaseLost, meanwhile
from ragforge_memory.embeddings.pages import answers, embed_batch
from ragforge_memory.embeddings.port import space_model
from ragforge_memory.embeddings.resolve import named_embedder, resolve_embedder
from ragforge_memory.errors import ConfigError, InvalidInput, RagforgeError
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.reembedding import Claim, Lacking, ReembeddingStore
from ragforge_memory.graph.spaces import Space, find_space, open_space, prepare_space
from ragforge_memory.ingest.rows import embedding_text
from ragforge_memory.models.embedding import ReembedReport

if TYPE_CHECKING:
    from ragforge_memory.agent.parts import Wanted
    from ragforge_memory.agent.services import Services
    from ragforge_memory.embeddings.port import Embedder, Vector
    from ragforge_memory.graph.client import GraphClient

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]

# One look at what is missing serves several writes; each of those is one call of the embedder.
_PAGE = 1_024
_BATCH = 128
# What another process has is looked at again after this long.
_POLL_SECONDS = 0.5
# What changes whenever it is read, or cannot be stored, is given up after so many attempts of one run.
_ATTEMPTS = 5

_MEND_IT = "mend the embedder and run `ragforge reembed` (agent.reembed()) again; what was done stays"

_KINDS = {
    "Message": "messages",
    "Summary": "summaries",
    "Conversation": "conversations",
    "Memory": "memories",
    "Chunk": "chunks",
    "Scope": "scopes",
}


async def reembed_project(
    wanted: Wanted,
    services: Services | None,
    embedder: Embedder | str | None,
    *,
    dimension: int | None,
    progress: Progress | None,
) -> ReembedReport:
    """See `AgentVectors.reembed`; on the graph of an agent that is open, else on one of its own."""
    target, ours = _target(wanted, embedder, dimension)
    following = services.background.following if services is not None else None
    graph = (
        services.stores.graph
        if services is not None
        else await connect(wanted.target, progress=wanted.progress, texts=wanted.texts)
    )
    try:
        if services is not None:
            project = services.place.owner.project
        else:
            project = await resolve_project(graph, wanted.owner.project, None, None)
        if following is not None:
            following.awaits(target)
        report = await reembed(graph, project, target, progress=progress)
        space = await find_space(graph, project)
        if services is not None and following is not None and space is not None:
            following.to(space, target)
            services.background.work.wake()
        return report
    finally:
        taken = False
        if following is not None:
            following.awaits(None)
            taken = following.has(target)
            if ours and taken:
                following.owns(target)
        if services is None:
            await graph.aclose()
        if ours and not taken:
            await target.aclose()


def _target(wanted: Wanted, embedder: Embedder | str | None, dimension: int | None) -> tuple[Embedder, bool]:
    """The new embedder, and whether it was made here."""
    if dimension is not None and not isinstance(embedder, str):
        raise InvalidInput("a dimension goes with the name of a model", hint="give the embedder as 'provider:model'")
    if embedder is not None and not isinstance(embedder, str):
        return embedder, False
    if embedder is None and wanted.embedder is not None:
        return wanted.embedder, False
    if embedder is not None:
        found = named_embedder(
            embedder, wanted.configuration, os.environ, dimension=dimension, progress=wanted.progress
        )
    else:
        found = resolve_embedder(wanted.configuration, os.environ, progress=wanted.progress)
    if found.embedder is None:
        raise ConfigError(
            f"there is no model to embed with: {found.why}", hint=found.hint, key="agent.memory.embeddings"
        )
    return found.embedder, True


async def reembed(
    client: GraphClient, project: str, embedder: Embedder, *, progress: Progress | None = None
) -> ReembedReport:
    """Moves a project's vectors to an embedder's space; see `AgentVectors.reembed`.

    Raises:
        InvalidInput: another process moves them to a third model.
        EmbeddingError: the model fails; what was done stays, and the next run goes on.
        GraphUnavailable: the graph cannot be asked; likewise.
    """
    start = monotonic()
    model, dimension = space_model(embedder), embedder.dimension
    store = ReembeddingStore(client, project)
    before = await find_space(client, project)
    move = _Move(client, project, store, embedder, progress)
    if before is None:
        await open_space(client, project, model, dimension)
    else:
        while not await _arrived(client, project, store, (model, dimension)):
            claim = await store.claim(model, dimension)
            if claim is None:
                await _wait(store, (model, dimension), progress)
                continue
            with suppress(LeaseLost):
                await meanwhile(move.run(claim), seconds=claim.seconds, renew=lambda held=claim: store.renew(held))  # type: ignore[misc]
    return ReembedReport(
        model=model,
        dimension=dimension,
        previous=before.model if before is not None else None,
        switched=move.switched,
        failed=move.failed,
        seconds=round(monotonic() - start, 3),
        **{kind: move.done[label] for label, kind in _KINDS.items()},
    )


async def _arrived(client: GraphClient, project: str, store: ReembeddingStore, wanted: tuple[str, int]) -> bool:
    space = await find_space(client, project)
    state = await store.state()
    return space is not None and (space.model, space.dimension) == wanted and state.model is None and not state.clearing


async def _wait(store: ReembeddingStore, wanted: tuple[str, int], progress: Progress | None) -> None:
    """Lets another process go on with the same for a moment.

    Raises:
        InvalidInput: it is not the same.
    """
    state = await store.state()
    if state.model is not None and (state.model, state.dimension) != wanted:
        raise InvalidInput(
            f"another process moves the project's vectors to {state.model} ({state.dimension} dimensions)",
            hint="end that process first, or wait for it and try again",
        )
    if progress is not None and state.total is not None:
        progress(max(0, state.total - state.left), state.total)
    await asyncio.sleep(_POLL_SECONDS)


@dataclass(eq=False)
class _Move:
    """The work of one run, over all claims that it takes."""

    client: GraphClient
    project: str
    store: ReembeddingStore
    embedder: Embedder
    progress: Progress | None
    _failures: Failures = field(default_factory=Failures, init=False)
    _total: int = field(default=0, init=False)
    _tried: Counter[str] = field(default_factory=Counter, init=False)
    done: Counter[str] = field(default_factory=Counter, init=False)
    failed: int = field(default=0, init=False)
    switched: bool = field(default=False, init=False)

    async def run(self, claim: Claim) -> None:
        """Does all that is left; the claim has ended then, however it ended."""
        try:
            for space in await self.store.to_clear():
                await self.store.clear(claim, space)
            if claim.target is not None:
                await self._fill(claim)
                for space in await self.store.to_clear():
                    await self.store.clear(claim, space)
        finally:
            with suppress(RagforgeError):
                await self.store.release(claim)

    async def _fill(self, claim: Claim) -> None:
        old = await find_space(self.client, self.project)
        assert old is not None
        new = await prepare_space(self.client, space_model(self.embedder), self.embedder.dimension)
        self._total = await self.store.total() if claim.listed else await self.store.label(claim, old, new)
        while True:
            page = await self.store.lacking(_PAGE)
            if page:
                await self._embed(claim, new, page)
            elif await self.store.switch(claim, new):
                self.switched = True
                return
            elif not await self.store.renew(claim):
                raise LeaseLost

    async def _embed(self, claim: Claim, space: Space, page: Sequence[Lacking]) -> None:
        """Vectors for a page; one batch is stored while the next is embedded."""
        page = await self._without_hopeless(page)
        storing: asyncio.Task[None] | None = None
        try:
            for start in range(0, len(page), _BATCH):
                vectors = await self._embedded(page[start : start + _BATCH])
                if storing is not None:
                    await storing
                storing = asyncio.create_task(self._stored(claim, space, vectors))
            if storing is not None:
                await storing
        finally:
            if storing is not None and not storing.done():
                storing.cancel()
                await asyncio.wait((storing,))

    async def _stored(self, claim: Claim, space: Space, vectors: Sequence[tuple[Lacking, Vector]]) -> None:
        stored = await self.store.store(claim, space, vectors) if vectors else 0
        if stored is None:
            raise LeaseLost
        self.done.update(each.label for each, _ in vectors[:stored])
        if self.progress is not None:
            done = sum(self.done.values())
            self.progress(min(done, self._total), self._total)

    async def _without_hopeless(self, page: Sequence[Lacking]) -> list[Lacking]:
        unreadable = [each for each in page if not each.readable]
        if unreadable:
            log.warning("%s texts cannot be read here: they are in files that are not in this folder", len(unreadable))
            await self._give_up(unreadable)
            page = [each for each in page if each.readable]
        self._tried.update(each.uuid for each in page)
        hopeless = [each for each in page if self._tried[each.uuid] > _ATTEMPTS]
        if hopeless:
            await self._give_up(hopeless)
        return [each for each in page if self._tried[each.uuid] <= _ATTEMPTS]

    async def _embedded(self, batch: Sequence[Lacking]) -> list[tuple[Lacking, Vector]]:
        """The vectors of a batch; what the model refuses alone, although it answers, is given up.

        Raises:
            EmbeddingError: it does not answer.
        """
        taken, refused = await embed_batch(batch, vectors=self._vectors, answers=self._answers)
        if refused:
            log.warning("%s texts were refused by the embedding model: %s", len(refused), refused[-1][1])
            await self._give_up([each for each, _ in refused])
        return taken

    async def _give_up(self, refused: Sequence[Lacking]) -> None:
        await self.store.fail(refused)
        self.failed += len(refused)

    async def _answers(self) -> None:
        with self._failures.told(self.embedder, hint=_MEND_IT):
            await answers(self.embedder)

    async def _vectors(self, batch: Sequence[Lacking]) -> list[Vector]:
        with self._failures.told(self.embedder, hint=_MEND_IT):
            topics = [each for each in batch if each.label == "Conversation"]
            texts = [each for each in batch if each.label != "Conversation"]
            passages = [embedding_text(each.scope) if each.label == "Scope" else each.text for each in texts]
            vectors = list(zip(texts, await self.embedder.embed_passages(passages), strict=True)) if texts else []
            if topics:
                means = await topic_vectors([each.topic for each in topics], self.embedder)
                vectors += zip(topics, means, strict=True)
        made = {(each.label, each.uuid): vector for each, vector in vectors}
        return [made[each.label, each.uuid] for each in batch]
