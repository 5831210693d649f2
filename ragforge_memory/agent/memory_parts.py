"""What an agent's long-term memory is made of, and which tools it has."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.upkeep.woken import WokenWork
from ragforge_memory.graph.added_memories import AddedMemoryStore
from ragforge_memory.graph.episodes import EpisodeStore
from ragforge_memory.graph.extraction import ExtractionStore
from ragforge_memory.graph.operations import OperationStore
from ragforge_memory.graph.tool_memories import ToolMemoryStore
from ragforge_memory.graph.users import UserStore
from ragforge_memory.memory.controller import Controller
from ragforge_memory.memory.extraction import Extraction
from ragforge_memory.memory.memories import Memories
from ragforge_memory.memory.operations import Operations
from ragforge_memory.memory.short_term import ShortTerm
from ragforge_memory.memory.tool_memory import ToolMemory
from ragforge_memory.memory.topics import Topics
from ragforge_memory.tools.earlier_results import read_tool_result
from ragforge_memory.tools.knowledge import KNOWLEDGE_TOOLS
from ragforge_memory.tools.registry import ToolRegistry

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place
    from ragforge_memory.config.sections import AgentConfig, MemoryConfig
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.graph.summaries import SummaryStore
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.models.conversation import Message
    from ragforge_memory.models.memory import RecallResult
    from ragforge_memory.models.user import UserContext

TOOL_DEADLINE_MS = 5_000
"""Milliseconds after which a model that asks for what is remembered has what there is."""


@dataclass(frozen=True, slots=True)
class MemoryParts:
    """The stores and the work of one owner's long-term memory; ``extraction`` is None where it is off."""

    store: AddedMemoryStore
    tool_memories: ToolMemoryStore
    operations: Operations
    extraction: Extraction | None
    works: dict[str, WokenWork]

    @property
    def asks_model(self) -> bool:
        """Whether a model is asked for facts."""
        return self.extraction is not None and self.extraction.asks


def open_memory(
    graph: GraphClient,
    place: Place,
    provider: ModelProvider,
    talks: SummaryStore,
    condense: Callable[[Sequence[Message]], Awaitable[str]],
    *,
    brief: bool,
    written: Callable[[], None],
    recall: Callable[[str, int], Awaitable[RecallResult]],
    queued: Callable[[], None],
) -> MemoryParts:
    """Makes the parts; nothing is asked of the graph yet.

    Args:
        graph: where it is kept.
        place: whose memory, and its configuration.
        provider: asked for facts.
        talks: what was said in conversations.
        condense: says what messages were about.
        brief: whether the process ends after one answer.
        written: called when a memory was written that waits for a vector.
        recall: gives what bears on a question, and how many of it at most.
        queued: called when an operation waits.
    """
    config, owner = place.config.memory, place.owner
    store = AddedMemoryStore(graph, owner, written=written)
    episodes = EpisodeStore(graph, owner, written=written)
    memories = Memories(store, episodes, config, place.redacted)
    users = UserStore(graph, owner)

    async def user() -> UserContext:
        return await users.context(place.today())

    queue = OperationStore(graph, owner)
    operations = Operations(memories, queue, config.tools, recall=recall, user=user, queued=queued)
    tool_memories = ToolMemoryStore(graph, owner)
    extraction = None
    if config.extraction.enabled:
        ttl = config.short_term.ttl_minutes
        extraction = Extraction(
            ExtractionStore(graph, owner, ttl_minutes=ttl),
            memories,
            Controller(owner, ShortTerm(config.short_term.capacity, ttl)),
            provider=provider,
            max_facts=config.extraction.max_facts,
            timeout=place.config.model_timeout_seconds,
            falls_back=config.tools.automated_fallback,
            maintains=not brief,
        )
    planned = brief

    async def remember() -> None:
        nonlocal planned
        await store.remember_messages()
        if not planned:
            # A server that has just started plans it for a second or more: longer than a question waits for it.
            planned = True
            await store.recall("", names=(), files=(), standing=1, limit=1)

    works = {
        "memories": WokenWork("memories", remember),
        "tool_memories": WokenWork("tool memories", ToolMemory(tool_memories, place.redacted).remember),
        "operations": WokenWork("operations", operations.work),
    }
    if extraction is not None:
        works["extraction"] = WokenWork("extraction", extraction.run)
        if not brief:  # a process that ends after one answer leaves talks to the next
            works["topics"] = WokenWork("episodes", Topics(episodes, talks, condense).run)
    return MemoryParts(store, tool_memories, operations, extraction, works)


def _tools(tools: Sequence[Callable[..., Any]] | None, config: MemoryConfig) -> Sequence[Callable[..., Any]]:
    """What was given, else our own: without memory those that look at code alone, for nothing said is found again."""
    if tools is not None:
        return tools
    from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS, MEMORY_TOOLS

    if not config.enabled:
        return [each for each in CODE_SEARCH_TOOLS if each not in MEMORY_TOOLS]
    if not config.tools.enabled:
        return CODE_SEARCH_TOOLS
    from ragforge_memory.memory.tools import MEMORY_ALL, MEMORY_CORE

    return (*CODE_SEARCH_TOOLS, *(MEMORY_ALL if config.tools.profile == "all" else MEMORY_CORE))


def registries(tools: Sequence[Callable[..., Any]] | None, config: AgentConfig) -> tuple[ToolRegistry, ToolRegistry]:
    """The tools, and those of conversations without the tools of memory."""
    from ragforge_memory.memory.tools import MEMORY_ALL

    # Documents are looked into as soon as there are any, unless somebody chose the tools.
    later = (read_tool_result, *(KNOWLEDGE_TOOLS if tools is None and config.memory.enabled else ()))

    def registry(offered: Sequence[Callable[..., Any]]) -> ToolRegistry:
        return ToolRegistry(offered, on_demand=later, timeout=config.tool_timeout_seconds)

    given = _tools(tools, config.memory)
    return registry(given), registry([each for each in given if each not in MEMORY_ALL])
