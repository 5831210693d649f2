"""What is open while an agent lives, in four parts: stores, models, its place, and its background."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from ragforge_memory.agent.context.importance import touches_code
from ragforge_memory.agent.seen_secrets import OpenRedactor, SeenRedactor
from ragforge_memory.embeddings.question import QuestionVector
from ragforge_memory.errors import EmbeddingError, InvalidInput, memory_is_off
from ragforge_memory.graph.waiting import WaitingText
from ragforge_memory.llm.port import model_key
from ragforge_memory.memory.controller import is_answer_due
from ragforge_memory.memory.meaning import Meaning
from ragforge_memory.memory.tool_memory import ToolMemory
from ragforge_memory.redaction import redact_value

if TYPE_CHECKING:
    from ragforge_memory.agent.held.conversations import HeldConversations
    from ragforge_memory.agent.held.messages import HeldMessages
    from ragforge_memory.agent.outages.outage import Outage
    from ragforge_memory.agent.outages.remembered import Remembered
    from ragforge_memory.agent.upkeep.following import Following, FollowingEmbedder
    from ragforge_memory.agent.upkeep.summaries import Summaries
    from ragforge_memory.agent.upkeep.summary_text import Summarizer
    from ragforge_memory.agent.upkeep.work import BackgroundWork
    from ragforge_memory.config import AgentConfig
    from ragforge_memory.graph.added_memories import AddedMemoryStore
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.graph.conversations import ConversationStore
    from ragforge_memory.graph.imports import ImportStore
    from ragforge_memory.graph.insights import InsightStore
    from ragforge_memory.graph.journal import Journal
    from ragforge_memory.graph.knowledge import KnowledgeStore
    from ragforge_memory.graph.memory_vectors import MemoryVectors
    from ragforge_memory.graph.messages import Answer, MessageStore, NewMessage
    from ragforge_memory.graph.receipts import ReceiptStore
    from ragforge_memory.graph.scopes import ScopeStore
    from ragforge_memory.graph.search import SearchStore
    from ragforge_memory.graph.similar import SimilarStore
    from ragforge_memory.graph.spaces import SpaceInUse
    from ragforge_memory.graph.text_files import UnreadTexts
    from ragforge_memory.graph.tool_memories import ToolMemoryStore
    from ragforge_memory.knowledge.search import KnowledgeSearch
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.memory.extraction import Extraction
    from ragforge_memory.memory.memories import Memories
    from ragforge_memory.memory.operations import Operations
    from ragforge_memory.memory.recall import Recall
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.models.memory import RecallResult
    from ragforge_memory.models.owner import Owner
    from ragforge_memory.models.summary import Summary
    from ragforge_memory.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a turn needs, in four parts; what needs one or two of them takes those."""

    stores: Stores
    models: Models
    place: Place
    background: Background

    @property
    def embeds_messages(self) -> bool:
        """Whether what waits for a vector gets one here."""
        return self.models.embedder is not None and self.place.remembers and self.place.config.memory.embeddings.enabled

    @property
    def memories(self) -> Memories | None:
        """What is remembered; None without memory."""
        operations = self.background.operations
        return None if operations is None else operations.memories

    async def recall(self, query: str, *, limit: int, deadline_ms: float) -> RecallResult:
        """What is remembered that bears on a question.

        Raises:
            InvalidInput: memory is off.
        """
        recall = self.begin_recall(query, self.models.question_vector(query), limit=limit, deadline_ms=deadline_ms)
        if recall is None:
            raise memory_is_off("nothing is remembered")
        return await recall.result()

    def begin_recall(
        self,
        question: str,
        vector: QuestionVector | None,
        *,
        limit: int,
        deadline_ms: float,
        conversation_id: str = "",
        tools: Sequence[str] = (),
    ) -> Recall | None:
        """A recall that runs from now on; None without memory. What this process is just remembering goes first.

        Args:
            question: what is asked.
            vector: of the question; None: nothing is embedded here.
            limit: memories at most, beside those that always stand.
            deadline_ms: milliseconds that it may take.
            conversation_id: the conversation that asks.
            tools: those that are offered there.
        """
        from ragforge_memory.agent.ties.named import Question
        from ragforge_memory.memory.recall import Recall

        if self.stores.memories is None:
            return None
        asks, remembering = Question(question), self.background.work.memories
        return Recall(
            self.stores.memories,
            question,
            names=asks.names,
            files=asks.files,
            meaning=self.stores.meaning(vector, conversation_id),
            settled=remembering.quiet if remembering is not None else None,
            tools=tools,
            limit=limit,
            deadline_ms=deadline_ms,
        )

    @property
    def tool_memory(self) -> ToolMemory | None:
        """What is remembered of tool calls; None without memory."""
        store = self.stores.tool_memories
        return None if store is None else ToolMemory(store, self.place.redacted)

    def knowledge_search(self) -> KnowledgeSearch:
        """What searches the documents.

        Raises:
            InvalidInput: memory is off.
        """
        from ragforge_memory.knowledge.search import KnowledgeSearch

        if self.stores.knowledge is None:
            raise memory_is_off("there are no documents")
        return KnowledgeSearch(self.stores.knowledge, self.models.embedder if self.embeds_messages else None)

    def offer_knowledge(self) -> None:
        """Offers models the tool that looks into documents, since there are some."""
        from ragforge_memory.tools.knowledge import search_knowledge_base

        for registry in (self.models.registry, self.models.bare):
            registry.offer(search_knowledge_base.__name__)

    async def settled(self, conversation: ConversationInfo) -> ConversationInfo:
        """A conversation that is loaded: questions that died with their process, here or elsewhere, are marked.

        Raises:
            InvalidInput: its texts are in a file, and this agent keeps texts in the graph.
        """
        self.place.check_readable(conversation)
        if conversation.head_seq:
            await self.stores.messages.settle(conversation.uuid)
        return conversation


@dataclass(frozen=True, slots=True)
class Stores:
    """The graph and what is kept there. What has None as its default is None without memory.

    ``graph_name`` says which database the journal's lines belong to; ``graph_birth`` is that database's own id.
    ``use`` is the space of the project's vectors.
    """

    graph: GraphClient
    graph_name: str
    graph_birth: str
    conversations: ConversationStore | HeldConversations
    messages: MessageStore | HeldMessages
    scopes: ScopeStore
    use: SpaceInUse
    searches: SearchStore | None = None
    imports: ImportStore | None = None
    similar: SimilarStore | None = None
    receipts: ReceiptStore | None = None
    insights: InsightStore | None = None
    memories: AddedMemoryStore | None = None
    memory_vectors: MemoryVectors | None = None
    tool_memories: ToolMemoryStore | None = None
    knowledge: KnowledgeStore | None = None
    unread: UnreadTexts | None = None
    """Conversations in files, where texts are kept in the graph."""

    def meaning(self, question: QuestionVector | None, conversation_id: str = "") -> Meaning | None:
        """What finds memories by a question's meaning; None where nothing is embedded."""
        store = self.memory_vectors
        if question is None or store is None or not store.has_vectors:
            return None
        return Meaning(store, question, conversation_id=conversation_id)

    @property
    def in_memory(self) -> bool:
        """Whether turns are held in memory alone: there is no memory, or nothing is stored before `save`."""
        from ragforge_memory.agent.held.messages import HeldMessages

        return isinstance(self.messages, HeldMessages)

    def unsaved(self, conversation_id: str) -> bool:
        """Whether something of a conversation is in memory alone, as it is without ``auto_save``."""
        from ragforge_memory.agent.held.conversations import HeldConversations

        held = self.conversations
        return isinstance(held, HeldConversations) and held.unsaved(conversation_id)

    def check_saved(self, conversation_id: str) -> None:
        """Refuses a conversation of which something is in memory alone.

        Raises:
            InvalidInput: without ``auto_save``, what was said is not saved yet.
        """
        if self.unsaved(conversation_id):
            raise InvalidInput(
                "something of this conversation is not saved yet", hint="call save() first: auto_save is off"
            )


@dataclass(frozen=True, slots=True)
class Models:
    """What answers, what it may call, and what embeds.

    ``model_why`` says in one sentence why this model answers. ``bare`` are the tools of a conversation that has none of
    memory (see `memory.rollout`). ``searches_meaning``: whether turns look for their
    question's meaning; a process that ends after one answer loads no model for it. ``degraded``: what was missing at
    opening, which each turn says.
    """

    provider: ModelProvider
    model_why: str
    registry: ToolRegistry
    bare: ToolRegistry
    summarizer: Summarizer
    embedder: FollowingEmbedder | None
    generates_titles: bool = False
    """Whether a title that comes from the first message is replaced by a better one."""
    searches_meaning: bool = False
    degraded: tuple[str, ...] = ()

    def question_vector(
        self, question: str, *, failed: Callable[[EmbeddingError], None] = lambda _: None
    ) -> QuestionVector | None:
        """The vector of a question, made when it is asked for; None where nothing is looked for by meaning."""
        if self.embedder is None or not self.searches_meaning:
            return None
        return QuestionVector(self.embedder, question, failed=failed)

    @property
    def model_name(self) -> str:
        """``provider:model``, as messages keep it."""
        return model_key(self.provider)


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """What stays as it is while an agent lives; it needs nothing that is open."""

    owner: Owner
    config: AgentConfig
    root: Path | None
    files: Path | None
    """Where tools may look for files; None where that would be the whole disk."""
    today: Callable[[], date]

    @property
    def remembers(self) -> bool:
        """Whether conversations are kept."""
        return self.config.memory.enabled

    @property
    def summarize_every(self) -> int | None:
        """The number of messages after which a summary is due; None: there are none but on demand."""
        return self.config.memory.summarize_every

    def redacted(self, value: T) -> T:
        """A text, or a JSON value with all texts in it, as it may be stored: without secrets, unless told otherwise."""
        return redact_value(value) if self.config.memory.redact_secrets else value

    def redactor(self, *seen: Any) -> SeenRedactor:
        """What takes out secrets, and by their mere value those that were ``seen``; nothing, where told so."""
        return SeenRedactor(*seen) if self.config.memory.redact_secrets else OpenRedactor()

    def check_readable(self, conversation: ConversationInfo) -> None:
        """Refuses a conversation whose texts this agent cannot read.

        Raises:
            InvalidInput: they are in a file, and this agent keeps texts in the graph.
        """
        if conversation.file_path is not None and self.config.memory.persistence.type != "files":
            raise InvalidInput(
                f"the texts of conversation {conversation.uuid} are in files ({conversation.file_path})",
                hint="set agent.memory.persistence.type to files; an export made there moves it into Neo4j",
            )


@dataclass(frozen=True, slots=True)
class Background:
    """What no answer waits for.

    ``remembered`` is what this process knows of its conversations while the graph is away. ``summaries`` and
    ``operations``, what is done and queued of memory, are None without memory. ``following`` keeps embedder and stores
    with the project's vectors, wherever those are moved to; None: nothing is embedded here. ``extraction`` looks at
    what was said; None: it is off. ``open_here``: the conversations that somebody in this process holds, which
    retention leaves alone. ``condensing``: what turns of one conversation at once share, by its uuid. ``opened``
    closes what was opened for this agent.
    """

    journal: Journal
    outage: Outage
    remembered: Remembered
    work: BackgroundWork
    summaries: Summaries | None
    operations: Operations | None
    opened: AsyncExitStack
    following: Following | None = None
    extraction: Extraction | None = None
    open_here: Callable[[], set[str]] = set
    condensing: WeakValueDictionary[str, Condensing] = field(default_factory=WeakValueDictionary)

    def due(self, question: NewMessage) -> NewMessage:
        """A user's message with the word whether it may say something to be remembered; one that is ordered to be
        remembered is so without it."""
        if self.extraction is None or question.kind is not None or question.how is not None:
            return question
        return replace(question, extract=self.extraction.is_due(question.content))

    def due_answer(self, answer: Answer) -> Answer:
        """An answer with the word whether it tells how something was mended, or went wrong."""
        said, touched = answer.message, touches_code(answer.tool_calls)
        if self.extraction is None or not is_answer_due(said.content, touched=touched, echo=said.echo):
            return answer
        return replace(answer, message=replace(said, extract=True))

    def said(self, messages: Sequence[NewMessage]) -> None:
        """These messages were stored just now: they wait for their vectors, and maybe to be looked at."""
        self.work.said([WaitingText(each.uuid, each.content) for each in messages])
        if self.extraction is None:
            return
        if maintains := self.extraction.maintenance_due:
            self.work.close_topics()
        if maintains or any(each.extract for each in messages):
            self.work.extract()


@dataclass(slots=True, weakref_slot=True)
class Condensing:
    """What the turns of one conversation share while they are prepared: one condenses at a time, and those that have
    read before it was stored go on with what it kept."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    kept: Summary | None = None
