"""The embedder of an agent, and going along when another process moves the project's vectors to another model."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from typing import TYPE_CHECKING

from ragforge_memory.embeddings.port import space_model
from ragforge_memory.errors import EmbeddingError, RagforgeError
from ragforge_memory.graph.spaces import Space, SpaceInUse, find_space, settings_of

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder, Vector
    from ragforge_memory.graph.client import GraphClient

log = logging.getLogger(__name__)

OtherEmbedder = Callable[[Space], "Embedder | None"]


class Failures:
    """How embedders failed last: what is tried again and again shows its traceback once."""

    def __init__(self) -> None:
        self._last = ""

    @contextmanager
    def told(self, embedder: Embedder, *, hint: str | None = None) -> Iterator[None]:
        """Whatever an embedder raises, one of a user's own above all, is an `EmbeddingError` for all who call it."""
        try:
            yield
        except RagforgeError:
            raise
        except Exception as error:
            why = f"{space_model(embedder)} failed: {type(error).__name__}: {error}"
            if why != self._last:
                log.warning("%s", why, exc_info=True)
                self._last = why
            raise EmbeddingError(why, hint=hint) from error


class FollowingEmbedder:
    """An embedder (see `ragforge_memory.embeddings.port`) in whose place another one can be put.

    Whatever it raises comes as an `EmbeddingError`; so does a list of another length than was asked for, and a vector
    of another than its dimension.

    Args:
        embedder: the first.
        opened: whether it was opened for this agent and is closed with it; one that was given stays its giver's.
    """

    def __init__(self, embedder: Embedder, *, opened: bool) -> None:
        self._now = embedder
        self._opened = [embedder] if opened else []
        self._failures = Failures()

    @property
    def now(self) -> Embedder:
        """The one in whose place it stands."""
        return self._now

    @property
    def provider(self) -> str:
        return self._now.provider

    @property
    def model(self) -> str:
        return self._now.model

    @property
    def dimension(self) -> int:
        return self._now.dimension

    @property
    def unrelated_cosine(self) -> float:
        return self._now.unrelated_cosine

    async def embed_query(self, text: str) -> Vector:
        with self._failures.told(self._now):
            return _whole(self._now, await self._now.embed_query(text))

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        with self._failures.told(self._now):
            made = await self._now.embed_passages(texts)
            if len(made) != len(texts):
                raise EmbeddingError(f"{space_model(self._now)} made {len(made)} vectors of {len(texts)} texts")
            return [_whole(self._now, vector) for vector in made]

    async def aclose(self) -> None:
        async with AsyncExitStack() as closing:  # one that cannot be closed keeps no other open
            for embedder in self._opened:
                closing.push_async_callback(embedder.aclose)

    def becomes(self, embedder: Embedder) -> None:
        """From now on it is this one; what the one before has in hand it still finishes."""
        self._now = embedder

    def owns(self, embedder: Embedder) -> None:
        """This one was opened for this agent as well: it is closed with it."""
        self._opened.append(embedder)


class Following:
    """Goes along with the project's vectors.

    Args:
        client: the graph.
        project: whose vectors.
        use: the space of all stores of this process.
        embedder: the embedder of this process.
        other: the embedder for a space, where one can be had; None: it was chosen by the caller, not by settings.
    """

    def __init__(
        self,
        client: GraphClient,
        project: str,
        use: SpaceInUse,
        embedder: FollowingEmbedder,
        other: OtherEmbedder | None,
    ) -> None:
        self._client = client
        self._project = project
        self._use = use
        self._embedder = embedder
        self._other = other
        self._at_it = asyncio.Lock()
        self._coming: Embedder | None = None
        use.follow = self.after

    def awaits(self, embedder: Embedder | None) -> None:
        """This process itself moves them to this embedder's space; None: it has ended."""
        self._coming = embedder

    def has(self, embedder: Embedder) -> bool:
        """Whether this embedder is the one in use."""
        return self._embedder.now is embedder

    def owns(self, embedder: Embedder) -> None:
        """An embedder that was opened for this agent: it is closed with it."""
        self._embedder.owns(embedder)

    def to(self, space: Space, embedder: Embedder) -> None:
        """This process itself has moved them."""
        self._embedder.becomes(embedder)
        self._use.space = space

    async def after(self, left: Space) -> None:
        """The project's vectors are in ``left`` no more: takes the model that they come from now, where it can be had;
        else search is by text alone, and what is new waits for a process that has that model. Says so once."""
        async with self._at_it:
            if self._use.space != left:
                return
            now = await find_space(self._client, self._project)
            if now == left:
                return
            if now is not None and self._coming is not None and _is_of(self._coming, now):
                self.to(now, self._coming)
                return
            embedder = self._for(now) if now is not None else None
            if now is not None and embedder is not None:
                self.owns(embedder)
                self.to(now, embedder)
                log.warning(
                    "the project's vectors come from %s now, and this process goes along: set %s",
                    now.model,
                    settings_of(now.model, now.dimension),
                )
                return
            self._use.space = None
            log.warning(
                "search is by text alone: the project's vectors come from %s now; %s",
                now.model if now is not None else "no model",
                f"set {settings_of(now.model, now.dimension)}, or give that embedder" if now else "open the agent anew",
            )

    def _for(self, space: Space) -> Embedder | None:
        if self._other is None:
            return None
        try:
            found = self._other(space)
        except RagforgeError:
            return None
        return found if found is not None and _is_of(found, space) else None


def _whole(embedder: Embedder, vector: Vector) -> Vector:
    if len(vector) != embedder.dimension:
        raise EmbeddingError(
            f"{space_model(embedder)} made a vector of {len(vector)} numbers, and says that its dimension is "
            f"{embedder.dimension}"
        )
    return vector


def _is_of(embedder: Embedder, space: Space) -> bool:
    return (space_model(embedder), embedder.dimension) == (space.model, space.dimension)
