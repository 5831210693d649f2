"""What is open while an agent lives: the graph's stores, the model, the tools, the journal."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

from ragforge_memory.config import AgentConfig
from ragforge_memory.errors import InvalidInput
from ragforge_memory.llm.port import answers, model_key
from ragforge_memory.models.owner import Owner
from ragforge_memory.redaction import OpenRedactor, Redactor, redact_value

if TYPE_CHECKING:
    from ragforge_memory.agent.held.conversations import HeldConversations
    from ragforge_memory.agent.held.messages import HeldMessages
    from ragforge_memory.agent.outages.outage import Outage
    from ragforge_memory.agent.outages.remembered import Remembered
    from ragforge_memory.agent.turns.preparation import Condensing
    from ragforge_memory.agent.upkeep.following import Following
    from ragforge_memory.agent.upkeep.summaries import Summaries
    from ragforge_memory.agent.upkeep.summary_text import Summarizer
    from ragforge_memory.agent.upkeep.work import BackgroundWork
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.graph.conversations import ConversationStore
    from ragforge_memory.graph.imports import ImportStore
    from ragforge_memory.graph.insights import InsightStore
    from ragforge_memory.graph.journal import Journal
    from ragforge_memory.graph.messages import MessageStore
    from ragforge_memory.graph.receipts import ReceiptStore
    from ragforge_memory.graph.scopes import ScopeStore
    from ragforge_memory.graph.search import SearchStore
    from ragforge_memory.graph.similar import SimilarStore
    from ragforge_memory.graph.text_files import UnreadTexts
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.models.conversation import ConversationInfo
    from ragforge_memory.tools.registry import ToolRegistry


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a turn needs. ``graph_name`` says which database the journal's lines belong to,
    ``model_why`` in one sentence why this model answers, ``summaries``, ``searches``, ``receipts`` and
    ``insights`` are None without memory.
    ``graph_birth`` is that database's own id. ``remembered`` is what this process knows of its conversations while the
    graph is away. ``searches_meaning``: whether turns look for their question's meaning; a process that ends after one
    answer loads no model for it. ``following`` keeps embedder and stores with the project's vectors, wherever those are
    moved to; None: nothing is embedded here. ``open_here``: the conversations that somebody in this process holds,
    which retention leaves alone. ``opened`` closes what was opened for this agent. ``condensing``: what turns of one
    conversation at once share, by its uuid."""

    owner: Owner
    config: AgentConfig
    graph: GraphClient
    graph_name: str
    conversations: ConversationStore | HeldConversations
    messages: MessageStore | HeldMessages
    scopes: ScopeStore
    provider: ModelProvider
    model_why: str
    registry: ToolRegistry
    graph_birth: str
    journal: Journal
    outage: Outage
    remembered: Remembered
    background: BackgroundWork
    summarizer: Summarizer
    summaries: Summaries | None
    searches: SearchStore | None
    imports: ImportStore | None
    similar: SimilarStore | None
    embedder: Embedder | None
    root: Path | None
    files: Path | None
    """Where tools may look for files; None where that would be the whole disk."""
    today: Callable[[], date]
    opened: AsyncExitStack
    receipts: ReceiptStore | None = None
    insights: InsightStore | None = None
    following: Following | None = None
    unread: UnreadTexts | None = None
    """Conversations in files, where texts are kept in the graph."""
    searches_meaning: bool = False
    degraded: tuple[str, ...] = ()
    open_here: Callable[[], set[str]] = set
    condensing: WeakValueDictionary[str, Condensing] = field(default_factory=WeakValueDictionary)

    async def take_up(self) -> None:
        """Folds in what processes that have died since left behind."""
        from ragforge_memory.agent.outages.recovery import fold_orphans

        await fold_orphans(self)

    async def settled(self, conversation: ConversationInfo) -> ConversationInfo:
        """A conversation that is loaded: questions that died with their process, here or elsewhere, are marked.

        Raises:
            InvalidInput: its texts are in a file, and this agent keeps texts in the graph.
        """
        self.check_readable(conversation)
        if conversation.head_seq:
            await self.messages.settle(conversation.uuid)
        return conversation

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

    @property
    def in_memory(self) -> bool:
        """Whether turns are held in memory alone: there is no memory, or nothing is stored before `save`."""
        from ragforge_memory.agent.held.messages import HeldMessages

        return isinstance(self.messages, HeldMessages)

    @property
    def remembers(self) -> bool:
        """Whether conversations are kept."""
        return self.config.memory.enabled

    @property
    def generates_titles(self) -> bool:
        """Whether a title that comes from the first message is replaced by a better one."""
        return self.summarize_every is not None and answers(self.provider, "title")

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

    @property
    def model_name(self) -> str:
        """``provider:model``, as messages keep it."""
        return model_key(self.provider)

    def redacted(self, value: T) -> T:
        """A text, or a JSON value with all texts in it, as it may be stored: without secrets, unless told otherwise."""
        return redact_value(value) if self.config.memory.redact_secrets else value

    def redactor(self, *seen: Any) -> Redactor:
        """What takes out secrets, and by their mere value those that were ``seen``; nothing, where told so."""
        return Redactor(*seen) if self.config.memory.redact_secrets else OpenRedactor()

    @property
    def summarize_every(self) -> int | None:
        """The number of messages after which a summary is due; None: there are none but on demand."""
        return self.config.memory.summarize_every

    @property
    def embeds_messages(self) -> bool:
        """Whether what waits for a vector gets one here."""
        return self.embedder is not None and self.config.memory.enabled and self.config.memory.embeddings.enabled
