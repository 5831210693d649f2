"""Opening what an agent needs, and closing it again."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.claiming import claim_conversations
from ragforge_memory.agent.deletion import delete_expired
from ragforge_memory.agent.erasure import finish_deletes
from ragforge_memory.agent.held.conversations import HeldConversations
from ragforge_memory.agent.held.messages import HeldMessages
from ragforge_memory.agent.memory_parts import TOOL_DEADLINE_MS, open_memory, registries
from ragforge_memory.agent.outages.outage import Outage
from ragforge_memory.agent.outages.recovery import fold_orphans, replay_own
from ragforge_memory.agent.outages.remembered import Remembered
from ragforge_memory.agent.parts import Wanted, lent_parts, open_parts
from ragforge_memory.agent.search.similar import topic_vectors
from ragforge_memory.agent.services import Background, Models, Place, Services, Stores
from ragforge_memory.agent.summaries import condensing
from ragforge_memory.agent.upkeep.summaries import Summaries
from ragforge_memory.agent.upkeep.summary_text import Summarizer
from ragforge_memory.agent.upkeep.vectors import (
    LEFT_BY_BRIEF,
    VectorTask,
    Waiting,
    WaitingNodes,
    WaitingScopes,
    text_vectors,
)
from ragforge_memory.agent.upkeep.work import BackgroundWork, RetentionTask, SummaryTask
from ragforge_memory.code.roots import refused_root
from ragforge_memory.config import AgentConfig, RagforgeConfig
from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.connect import configured, place_of
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.filed.directory import TextDirectory
from ragforge_memory.graph.health import database_birth
from ragforge_memory.graph.imports import ImportStore
from ragforge_memory.graph.insights import InsightStore
from ragforge_memory.graph.journal import Journal, NoJournal
from ragforge_memory.graph.knowledge import KnowledgeStore
from ragforge_memory.graph.memory_vectors import MemoryVectors
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.receipts import ReceiptStore
from ragforge_memory.graph.scopes import ScopeStore
from ragforge_memory.graph.search import SearchStore
from ragforge_memory.graph.similar import SimilarStore
from ragforge_memory.graph.spaces import SpaceInUse
from ragforge_memory.graph.summaries import SummaryStore
from ragforge_memory.graph.text_files import UnreadTexts
from ragforge_memory.graph.waiting import WaitingText
from ragforge_memory.home import ragforge_home
from ragforge_memory.llm.port import answers
from ragforge_memory.models.owner import Owner

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.llm.port import ModelProvider

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _GraphStores:
    """What reads and writes the graph for one owner, in use or not; ``use`` is the space of their vectors."""

    use: SpaceInUse
    conversations: ConversationStore
    messages: MessageStore
    summaries: SummaryStore
    imports: ImportStore
    searches: SearchStore
    similar: SimilarStore
    memory_vectors: MemoryVectors
    knowledge: KnowledgeStore
    scopes: ScopeStore


async def open_services(wanted: Wanted) -> Services:
    """Opens model, graph and embedder, takes up what dead processes left.

    Raises:
        GraphUnavailable: there is no server to be had.
        ConfigError: the model or the embedder cannot be used, or the instructions leave no question room.
        EmbeddingMismatch: the project's vectors are another model's.
        ConversationFileError: the folder of the conversations' files cannot be made, or is another's.
    """
    settings = wanted.configuration
    agent_config = settings.agent
    registry, bare = registries(wanted.tools, agent_config)
    place = Place(
        owner=wanted.owner,
        config=agent_config,
        root=wanted.root,
        files=wanted.root if refused_root(wanted.root, wanted.settings) is None else None,
        today=wanted.today,
    )
    home = ragforge_home()
    # Closed with the agent, or at once where opening fails.
    opened = contextlib.AsyncExitStack()
    try:
        parts = await (
            open_parts(wanted, opened, place, registry) if wanted.lender is None else lent_parts(wanted.lender)
        )
        graph, provider, embedder, use = parts.graph, parts.provider, parts.embedder, parts.use
        place = replace(place, owner=replace(place.owner, project=parts.project))
        remembers = place.remembers
        if remembers:
            titles = _generates_titles(place, provider)
            await claim_conversations(graph, place, generate_titles=titles, everybodys=wanted.lender is None)
        at_hand = _graph_stores(graph, place, provider, use, lambda: services)
        opened.push_async_callback(at_hand.searches.aclose)
        summarizer = Summarizer(
            provider,
            embedder,
            redacted=place.redacted,
            today=place.today,
            timeout=agent_config.model_timeout_seconds,
        )
        summaries = Summaries(at_hand.summaries, summarizer)
        messages, vectors = _vectors(wanted, settings, embedder, at_hand, place.owner.project)
        held, held_messages, journal = _held(place.owner, agent_config, at_hand, home)
        opened.callback(journal.close)
        memory = None
        if remembers:
            memory = open_memory(
                graph,
                place,
                provider,
                at_hand.summaries,
                condensing(summarizer, asks=place.summarize_every is not None),
                brief=wanted.brief,
                written=lambda: vectors.wake_soon(("memories",)),
                recall=lambda query, limit: services.recall(query, limit=limit, deadline_ms=TOOL_DEADLINE_MS),
                queued=lambda: services.background.work.operations_wait(),
            )
        stores = Stores(
            graph=graph,
            graph_name=_graph_name(wanted.target, wanted.texts),
            graph_birth=await database_birth(graph),
            use=use,
            conversations=held,
            messages=held_messages,
            scopes=at_hand.scopes,
            searches=at_hand.searches if remembers else None,
            imports=at_hand.imports if remembers else None,
            similar=at_hand.similar if remembers else None,
            receipts=ReceiptStore(graph, wanted.owner) if remembers else None,
            insights=InsightStore(graph, wanted.owner) if remembers else None,
            memories=memory.store if memory else None,
            memory_vectors=at_hand.memory_vectors if remembers else None,
            tool_memories=memory.tool_memories if memory else None,
            knowledge=at_hand.knowledge if remembers else None,
            unread=UnreadTexts(graph, wanted.owner) if remembers and wanted.texts is None else None,
        )
        models = Models(
            provider=provider,
            model_why=parts.model_why,
            registry=registry,
            bare=bare,
            summarizer=summarizer,
            embedder=embedder,
            generates_titles=_generates_titles(place, provider),
            searches_meaning=(
                remembers and agent_config.memory.embeddings.enabled and embedder is not None and not wanted.brief
            ),
            degraded=parts.degraded,
        )
        background = Background(
            journal=journal,
            outage=Outage(graph, journal, lambda: replay_own(services)),
            remembered=Remembered(agent_config.memory.max_context_messages),
            work=BackgroundWork(
                vectors,
                SummaryTask(
                    summaries,
                    lambda: vectors.wake(("summary_vectors", "conversation_vectors")),
                    brief=wanted.brief,
                )
                if place.summarize_every
                else None,
                (lambda: finish_deletes(services, at_hand.conversations)) if remembers else None,
                _retention(agent_config, lambda: services) if remembers and not wanted.brief else None,
                messages=messages,
                **(memory.works if memory else {}),
                leaves=wanted.brief and memory is not None and memory.asks_model,
            ),
            operations=memory.operations if memory else None,
            summaries=summaries if remembers else None,
            opened=opened,
            following=parts.following,
            extraction=memory.extraction if memory else None,
            open_here=wanted.open_here,
        )
        services = Services(stores, models, place, background)
        await fold_orphans(services)
        if remembers and await at_hand.knowledge.exists():
            services.offer_knowledge()
        services.background.work.begin()
        return services
    except BaseException:
        await opened.aclose()
        raise


async def close_services(background: Background, *, drain: float) -> None:
    """Drains for at most ``drain`` seconds, then closes all that was opened, whatever fails meanwhile."""

    async def drained() -> None:
        with contextlib.suppress(RagforgeError):
            left = {} if background.outage.is_on else await background.work.finish(drain)
            if left:
                log.info("left for the next process: %s", left)

    # The last is closed first.
    for close in (background.work.aclose, drained, background.outage.aclose):
        background.opened.push_async_callback(close)
    try:
        await background.opened.aclose()
    except Exception:
        log.warning("closing failed", exc_info=True)


def _graph_stores(
    graph: GraphClient, place: Place, provider: ModelProvider, use: SpaceInUse, services: Callable[[], Services]
) -> _GraphStores:
    owner, every = place.owner, place.summarize_every
    generate_titles = _generates_titles(place, provider)
    return _GraphStores(
        use=use,
        conversations=ConversationStore(graph, owner, redacted=place.redacted),
        messages=MessageStore(
            graph,
            owner,
            summarize_every=every,
            generate_titles=generate_titles,
            due=lambda: services().background.work.due(),
            topic=lambda: services().background.work.topic(),
        ),
        summaries=SummaryStore(graph, owner, every=place.config.memory.summarization.every_n_messages),
        imports=ImportStore(graph, owner, summarize_every=every, generate_titles=generate_titles),
        searches=SearchStore(graph, owner, use),
        similar=SimilarStore(graph, owner, use),
        memory_vectors=MemoryVectors(graph, owner, use),
        knowledge=KnowledgeStore(graph, owner, use),
        scopes=ScopeStore(graph, use),
    )


def _generates_titles(place: Place, provider: ModelProvider) -> bool:
    return place.summarize_every is not None and answers(provider, "title")


def _vectors(
    wanted: Wanted, settings: RagforgeConfig, embedder: Embedder | None, stores: _GraphStores, project: str
) -> tuple[WaitingNodes[WaitingText] | None, VectorTask]:
    """What takes messages that were said just now, and the task that embeds them and all else that waits."""
    if embedder is None or not settings.agent.memory.embeddings.enabled:
        return None, VectorTask(None, ())
    at_least = LEFT_BY_BRIEF + 1 if wanted.brief else 1
    messages = WaitingNodes("messages", stores.messages, text_vectors, stores.use, at_least=at_least)
    waiting: list[Waiting] = [
        messages,
        WaitingNodes("memories", stores.memory_vectors, text_vectors, stores.use, at_least=at_least),
        WaitingNodes("summary_vectors", stores.summaries, text_vectors, stores.use, at_least=at_least),
    ]
    if not wanted.brief:
        waiting.append(WaitingNodes("conversation_vectors", stores.similar, topic_vectors, stores.use))
        waiting.append(WaitingNodes("chunks", stores.knowledge, text_vectors, stores.use))
        if wanted.lender is None:  # code is the project's, and one agent of a process is enough
            waiting.append(WaitingScopes(stores.scopes, project))
    return messages, VectorTask(embedder, waiting, looks=not wanted.brief)


def _retention(config: AgentConfig, services: Callable[[], Services]) -> RetentionTask | None:
    age, keep = config.memory.retention.max_age_days, config.memory.retention.max_conversations
    if age is None and keep is None:
        return None
    return RetentionTask(lambda: delete_expired(services(), older_than_days=age, keep=keep))


def _held(
    owner: Owner, config: AgentConfig, stores: _GraphStores, home: Path
) -> tuple[ConversationStore | HeldConversations, MessageStore | HeldMessages, Journal]:
    """Where turns find and leave conversations: in the graph, or in memory until they are saved, or for good there.

    What is in memory alone is promised to nobody, so no journal keeps it either.
    """
    memory = config.memory
    if memory.enabled and memory.persistence.auto_save:
        return stores.conversations, stores.messages, Journal(home / "journal")
    held = HeldConversations(owner, stores.conversations if memory.enabled else None)
    return held, HeldMessages(held, stores.messages if memory.enabled else None), NoJournal()


def _graph_name(target: Any, texts: TextDirectory | None) -> str:
    """Which database, and which files, a journal line belongs to: the managed server's port may change, an address
    says itself."""
    config = configured(target) if target is None or not callable(target) else None
    name = place_of(config) if config is not None else "managed" if target is None else "driver"
    return name if texts is None else f"{name} {texts.path}"
