"""What an agent is made with, and what all agents of a project can have in common: graph, model, embedder."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.context.room import check_instructions
from ragforge_memory.agent.name_change import GoesOn
from ragforge_memory.agent.projects import resolve_project
from ragforge_memory.agent.upkeep.following import Following, FollowingEmbedder
from ragforge_memory.config import ConversationConfig, RagforgeConfig
from ragforge_memory.embeddings.port import space_model
from ragforge_memory.embeddings.resolve import named_embedder, resolve_embedder
from ragforge_memory.errors import EmbeddingMismatch
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.filed.directory import TextDirectory
from ragforge_memory.graph.spaces import Space, SpaceInUse, open_space
from ragforge_memory.llm.resolve import resolve_model
from ragforge_memory.llm.timeouts import LimitedProvider, Timeouts

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Services
    from ragforge_memory.downloads.progress import Reporter
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.models.owner import Owner
    from ragforge_memory.project import ProjectIdentity
    from ragforge_memory.tools.registry import ToolRegistry

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an agent was made with; see `AsyncConversationAgent`."""

    target: Any
    model: str | ModelProvider | None
    embedder: Embedder | None
    tools: Sequence[Callable[..., Any]] | None
    config: ConversationConfig | None
    settings: RagforgeConfig | None
    owner: Owner
    root: Path
    today: Callable[[], date]
    progress: Reporter | None = None
    brief: bool = False
    open_here: Callable[[], set[str]] = set
    lender: Callable[[], Awaitable[Services]] | None = None
    """Opens the agent whose graph, model and embedder are used, and which closes them; None: this one opens its own."""
    identity: ProjectIdentity | None = None
    """The folder that named the project; None: whoever made the agent did."""
    goes_on: GoesOn | None = None
    """Is asked where the folder had another name; None: nobody is."""

    @property
    def configuration(self) -> RagforgeConfig:
        """All settings, the agent's own ones in place."""
        agent = (self.config or ConversationConfig()).to_agent()
        return (self.settings or RagforgeConfig()).model_copy(update={"agent": agent})

    @property
    def texts(self) -> TextDirectory | None:
        """The files of the conversations' texts, where they are kept in files."""
        memory = self.configuration.agent.memory
        kept = memory.persistence
        return TextDirectory(self.root, kept.directory) if memory.enabled and kept.type == "files" else None


@dataclass(frozen=True, slots=True)
class Parts:
    """What all agents of a project can have in common; ``project`` is what its nodes say."""

    graph: GraphClient
    project: str
    provider: ModelProvider
    model_why: str
    embedder: FollowingEmbedder | None
    use: SpaceInUse
    following: Following | None
    degraded: tuple[str, ...]


async def open_parts(wanted: Wanted, opened: contextlib.AsyncExitStack, place: Place, registry: ToolRegistry) -> Parts:
    """Opens model, graph and embedder; ``opened`` closes them. What was given stays its giver's, who may share it."""
    settings = wanted.configuration
    limit = settings.agent.model_timeout_seconds
    timeouts = Timeouts(first_chunk=limit, idle=limit)
    resolution = await resolve_model(wanted.model, config=settings.llm, timeouts=timeouts)
    provider = resolution.provider
    if provider is wanted.model:
        provider = LimitedProvider(provider, timeouts)
    else:
        opened.push_async_callback(provider.aclose)
    check_instructions(settings.agent, provider, registry, place.today())
    texts = wanted.texts
    if texts is not None:
        await asyncio.to_thread(texts.prepare)
    graph = await connect(wanted.target, progress=wanted.progress, texts=texts)
    opened.push_async_callback(graph.aclose)
    project = await resolve_project(
        graph, wanted.owner.project, wanted.identity, wanted.goes_on, remembers=place.remembers
    )
    embedder, use = await _embedding(graph, project, wanted, settings)
    if embedder is not None:
        opened.push_async_callback(embedder.aclose)
    degraded = (
        *(("model",) if resolution.instead else ()),
        *(("embeddings",) if embedder is None and settings.agent.memory.embeddings.enabled else ()),
    )
    following = _following(graph, project, wanted, settings, embedder, use)
    return Parts(graph, project, provider, resolution.why, embedder, use, following, degraded)


async def lent_parts(lender: Callable[[], Awaitable[Services]]) -> Parts:
    """The parts of another agent, which closes them."""
    services = await lender()
    stores, models = services.stores, services.models
    following = services.background.following
    return Parts(
        graph=stores.graph,
        project=services.place.owner.project,
        provider=models.provider,
        model_why=models.model_why,
        embedder=models.embedder,
        use=stores.use,
        following=following,
        degraded=models.degraded,
    )


async def _embedding(
    graph: GraphClient, project: str, wanted: Wanted, settings: RagforgeConfig
) -> tuple[FollowingEmbedder | None, SpaceInUse]:
    """The embedder and the space of the project's vectors; neither where nothing embeds.

    An embedder that nobody chose gives way to the vectors that are there; one that was chosen is an error then.
    """
    embedder = wanted.embedder or resolve_embedder(settings, os.environ, progress=wanted.progress).embedder
    if embedder is None:
        return None, SpaceInUse(None)
    async with contextlib.AsyncExitStack() as unused:
        if wanted.embedder is None:
            unused.push_async_callback(embedder.aclose)
        try:
            space = await open_space(graph, project, space_model(embedder), embedder.dimension)
        except EmbeddingMismatch as error:
            if wanted.embedder is not None or settings.agent.memory.embeddings.chosen:
                raise
            log.warning("search is by text alone: %s (%s)", error.message, error.hint)
            return None, SpaceInUse(None)
        unused.pop_all()
    return FollowingEmbedder(embedder, opened=wanted.embedder is None), SpaceInUse(space)


def _following(
    graph: GraphClient,
    project: str,
    wanted: Wanted,
    settings: RagforgeConfig,
    embedder: FollowingEmbedder | None,
    use: SpaceInUse,
) -> Following | None:
    if embedder is None:
        return None

    def other(space: Space) -> Embedder | None:
        return named_embedder(
            space.model, settings, os.environ, dimension=space.dimension, progress=wanted.progress
        ).embedder

    return Following(graph, project, use, embedder, other if wanted.embedder is None else None)
