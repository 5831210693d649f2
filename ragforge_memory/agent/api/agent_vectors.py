"""The vectors of an agent's project: waiting for them, and having another model make them anew."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from ragforge_memory.agent.api.part import AgentPart
from ragforge_memory.agent.inputs import check_embedder, check_progress, check_seconds
from ragforge_memory.agent.upkeep.work import countdown

if TYPE_CHECKING:
    from ragforge_memory.agent.opening import Wanted
    from ragforge_memory.agent.services import Services
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.models.embedding import ReembedReport


class AgentVectors(AgentPart):
    """What is embedded in the background, and by which model."""

    _services: Services | None

    @abstractmethod
    def _check_open(self) -> None: ...

    @abstractmethod
    def _wanted(self) -> Wanted: ...

    async def drain(self, timeout: float | None = None) -> dict[str, int]:
        """Waits until what was said is in the graph and the background work that is due is done.

        Args:
            timeout: seconds; None: as long as it takes, or until the embedder has failed three times in a row.

        Returns:
            What is left, by kind (empty: nothing; ``turns`` wait on disk for Neo4j); the log says why.

        Raises:
            InvalidInput: the timeout is none.
            GraphUnavailable: what is left after it cannot be counted.
        """
        check_seconds(timeout)
        services = await self.open()
        remaining = countdown(timeout)
        turns = await services.outage.drain(remaining())
        if turns and services.outage.is_on:
            return {"turns": turns}
        left = await services.background.drain(remaining())
        return {"turns": turns, **left} if turns else left

    async def reembed(
        self,
        embedder: Embedder | str | None = None,
        *,
        dimension: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReembedReport:
        """Has another model make all vectors of the project anew: messages, summaries, conversations and code.

        Meanwhile everything goes on: searches find by the vectors that are there, what is new gets both. When nothing
        is missing any more the project has the new model, at once; the old vectors are removed then. Run again, it
        goes on where it was stopped or killed; of two that run at once the second waits for the first. Other open
        processes notice at their next search or vector, and go along where the model follows from their settings; else
        they search by text alone and say so once. An agent that is open uses the new model from then on; one that was
        not opened yet stays unopened.

        The vectors are the whole project's, so those of all its users are made anew.

        Args:
            embedder: the new one, or ``"provider:model"``; None: the one that this agent is configured with.
            dimension: floats in a vector, where ``embedder`` is a name; None: the model's own.
            progress: is called with how many are done, of how many.

        Raises:
            ConfigError: there is no such model, or it cannot be used here.
            InvalidInput: the embedder is none; or another process moves the vectors to a third model.
            EmbeddingError: the model failed; what is done stays done.
            GraphUnavailable: the graph cannot be asked; likewise.
        """
        from ragforge_memory.agent.upkeep.reembedding import reembed_project

        check_embedder(embedder, dimension)
        check_progress(progress)
        self._check_open()
        return await reembed_project(self._wanted(), self._services, embedder, dimension=dimension, progress=progress)
