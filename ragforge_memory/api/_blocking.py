"""The agent and its conversations for code that does not await.

Made by scripts/generate_blocking.py from agent.py, conversation.py, memory.py, user.py and knowledge.py: change
those, and run it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, overload

from ragforge_memory.api.agent import AsyncConversationAgent
from ragforge_memory.api.waiting import (
    BlockingAgent,
    BlockingConversation,
    BlockingKnowledge,
    BlockingMemory,
    BlockingUser,
    MessageStream,
    awaited,
    refuse_driver,
    wait,
)

if TYPE_CHECKING:
    import builtins
    import os
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date
    from types import TracebackType
    from typing import IO, Any, Literal

    import neo4j
    from pydantic import BaseModel

    from ragforge_memory.agent.name_change import GoesOn
    from ragforge_memory.api.agent import AConversation, TheConversations
    from ragforge_memory.api.conversation import ExportFormat
    from ragforge_memory.api.state import Messages
    from ragforge_memory.config import ConversationConfig, Neo4jConfig, RagforgeConfig
    from ragforge_memory.downloads.progress import Reporter
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.ingest.run import IngestProgress
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.models.code import CodeReference, IngestReport, ReferenceKind
    from ragforge_memory.models.context import ContextReceipt, Snapshot
    from ragforge_memory.models.conversation import (
        AgentState,
        AssistantResponse,
        BranchTree,
        Comparison,
        ContextStrategy,
        ConversationContext,
        ConversationInfo,
        ConversationStatus,
        ExportReport,
        Message,
        Page,
        Role,
        ScoredMessage,
        ToolCall,
    )
    from ragforge_memory.models.decisions import Decision
    from ragforge_memory.models.embedding import ReembedReport
    from ragforge_memory.models.erasure import Erasure
    from ragforge_memory.models.imports import ImportProgress, ImportReport, OnConflict
    from ragforge_memory.models.insight import Insight, Insights
    from ragforge_memory.models.knowledge import DocumentInfo, KnowledgeHit, KnowledgeReport
    from ragforge_memory.models.memory import (
        Episode,
        Fact,
        FactVersion,
        Memory,
        MemoryKind,
        RecalledMemory,
        RecallResult,
        VersionReason,
    )
    from ragforge_memory.models.metrics import MemoryMetrics
    from ragforge_memory.models.search import SearchResults
    from ragforge_memory.models.user import UserContext
    from ragforge_memory.project import ProjectIdentity

    Neo4jTarget = str | Neo4jConfig | Callable[[], neo4j.AsyncDriver] | None


class Conversation(BlockingConversation):
    """`AsyncConversation` for code that does not await; made by a `ConversationAgent`."""

    @property
    def uuid(self) -> str:
        """Its uuid."""
        return self._conversation.uuid

    @property
    def session_id(self) -> str | None:
        """The session that it was opened by, if any."""
        return self._conversation.session_id

    @property
    def title(self) -> str | None:
        """What lists show."""
        return self._conversation.title

    @property
    def summary(self) -> str | None:
        """What was said so far, in short, once there is a summary."""
        return self._conversation.summary

    @property
    def tags(self) -> tuple[str, ...]:
        """Words to find it by."""
        return self._conversation.tags

    @property
    def status(self) -> ConversationStatus:
        """``active`` or ``archived``."""
        return self._conversation.status

    @property
    def metadata(self) -> dict[str, Any]:
        """What was kept with it."""
        return self._conversation.metadata

    @property
    def message_count(self) -> int:
        """How many messages it had when last read, or after the latest turn of this object; `refresh` reads again."""
        return self._conversation.message_count

    @property
    def info(self) -> ConversationInfo:
        """All of the above as one value, as last read."""
        return self._conversation.info

    @property
    def state(self) -> AgentState:
        """The state of the latest turn of this object."""
        return self._conversation.state

    def refresh(self) -> ConversationInfo:
        """See `AsyncConversation.refresh`."""
        return wait(self._conversation.refresh)

    def set_title(self, title: str) -> None:
        """See `AsyncConversation.set_title`."""
        wait(lambda: self._conversation.set_title(title))

    def set_tags(self, tags: Sequence[str]) -> None:
        """See `AsyncConversation.set_tags`."""
        wait(lambda: self._conversation.set_tags(tags))

    def archive(self) -> None:
        """See `AsyncConversation.archive`."""
        wait(self._conversation.archive)

    def unarchive(self) -> None:
        """See `AsyncConversation.unarchive`."""
        wait(self._conversation.unarchive)

    def save(self) -> None:
        """See `AsyncConversation.save`."""
        wait(self._conversation.save)

    def delete(self) -> None:
        """See `AsyncConversation.delete`."""
        wait(self._conversation.delete)

    def send_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> AssistantResponse:
        """See `AsyncConversation.send_message`."""
        return wait(lambda: self._conversation.send_message(text, metadata=metadata), stop=self._conversation.cancel)

    def stream_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> MessageStream:
        """See `AsyncConversation.stream_message`."""
        return MessageStream(self._conversation.stream_message(text, metadata=metadata))

    def add_messages(self, messages: Sequence[Mapping[str, Any]]) -> list[Message]:
        """See `AsyncConversation.add_messages`."""
        return wait(lambda: self._conversation.add_messages(messages))

    def cancel(self) -> bool:
        """See `AsyncConversation.cancel`."""
        return wait(self._conversation.cancel)

    def get_history(
        self,
        limit: int = 50,
        before_message_id: str | None = None,
        include_tool_calls: bool = True,
        include_reasoning: bool = True,
    ) -> list[Message]:
        """See `AsyncConversation.get_history`."""
        return wait(
            lambda: self._conversation.get_history(
                limit,
                before_message_id=before_message_id,
                include_tool_calls=include_tool_calls,
                include_reasoning=include_reasoning,
            )
        )

    def get_tool_calls(
        self, tool_name: str | None = None, success: bool | None = None, limit: int = 50
    ) -> list[ToolCall]:
        """See `AsyncConversation.get_tool_calls`."""
        return wait(lambda: self._conversation.get_tool_calls(tool_name, success=success, limit=limit))

    def branch(self, from_message_id: str | None = None, title: str | None = None) -> Conversation:
        """See `AsyncConversation.branch`."""
        return Conversation(wait(lambda: self._conversation.branch(from_message_id, title=title)))

    def regenerate(self, message_id: str) -> Conversation:
        """See `AsyncConversation.regenerate`."""
        return Conversation(wait(lambda: self._conversation.regenerate(message_id), stop=self._conversation.cancel))

    def edit(self, message_id: str, text: str, *, metadata: Mapping[str, Any] | None = None) -> Conversation:
        """See `AsyncConversation.edit`."""
        return Conversation(
            wait(
                lambda: self._conversation.edit(message_id, text=text, metadata=metadata),
                stop=self._conversation.cancel,
            )
        )

    def branches(self) -> BranchTree:
        """See `AsyncConversation.branches`."""
        return wait(self._conversation.branches)

    def compare(self, other: Conversation | str) -> Comparison:
        """See `AsyncConversation.compare`."""
        return wait(lambda: self._conversation.compare(awaited(other)))

    def merge(self, other: Conversation | str) -> Message:
        """See `AsyncConversation.merge`."""
        return wait(lambda: self._conversation.merge(awaited(other)))

    def summarize(self) -> str:
        """See `AsyncConversation.summarize`."""
        return wait(self._conversation.summarize)

    def search_history(
        self,
        query: str,
        limit: int = 10,
        min_score: float | None = None,
        role: Role | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """See `AsyncConversation.search_history`."""
        return wait(
            lambda: self._conversation.search_history(
                query, limit=limit, min_score=min_score, role=role, since=since, until=until, tool=tool
            )
        )

    def build_context(
        self,
        strategy: ContextStrategy = "hybrid",
        recent_messages: int = 5,
        relevant_messages: int = 10,
        include_summary: bool = True,
        query: str | None = None,
        max_tokens: int | None = None,
    ) -> ConversationContext:
        """See `AsyncConversation.build_context`."""
        return wait(
            lambda: self._conversation.build_context(
                strategy,
                recent_messages=recent_messages,
                relevant_messages=relevant_messages,
                include_summary=include_summary,
                query=query,
                max_tokens=max_tokens,
            )
        )

    def receipt(self, message_id: str | None = None) -> ContextReceipt:
        """See `AsyncConversation.receipt`."""
        return wait(lambda: self._conversation.receipt(message_id))

    def as_of(self, message_id: str) -> Snapshot:
        """See `AsyncConversation.as_of`."""
        return wait(lambda: self._conversation.as_of(message_id))

    def reference_code(
        self, message_id: str, scopes: Sequence[str], kind: ReferenceKind = "discussed"
    ) -> list[CodeReference]:
        """See `AsyncConversation.reference_code`."""
        return wait(lambda: self._conversation.reference_code(message_id, scopes=scopes, kind=kind))

    def referenced_code(self) -> list[CodeReference]:
        """See `AsyncConversation.referenced_code`."""
        return wait(self._conversation.referenced_code)

    @overload
    def export(
        self, path: str | os.PathLike[str] | None = None, format: Literal["json"] = "json", embeddings: bool = False
    ) -> dict[str, Any]: ...

    @overload
    def export(
        self, path: str | os.PathLike[str] | None, format: Literal["markdown"], embeddings: bool = False
    ) -> str: ...

    @overload
    def export(
        self, path: str | os.PathLike[str] | None = None, *, format: Literal["markdown"], embeddings: bool = False
    ) -> str: ...

    @overload
    def export(
        self, path: str | os.PathLike[str] | None = None, format: ExportFormat = "json", embeddings: bool = False
    ) -> dict[str, Any] | str: ...

    def export(
        self, path: str | os.PathLike[str] | None = None, format: ExportFormat = "json", embeddings: bool = False
    ) -> dict[str, Any] | str:
        """See `AsyncConversation.export`."""
        return wait(lambda: self._conversation.export(path, format=format, embeddings=embeddings))


class AgentMemory(BlockingMemory):
    """`AsyncAgentMemory` for code that does not await; `ConversationAgent.memory`."""

    def remember_fact(self, type: str, key: str, value: str, confidence: float = 1.0) -> Fact:
        """See `AsyncAgentMemory.remember_fact`."""
        return self._do(lambda: self._memory.remember_fact(type, key=key, value=value, confidence=confidence))

    def recall_facts(
        self,
        query: str | None = None,
        types: Sequence[str] | None = None,
        min_confidence: float | None = None,
        limit: int = 10,
        include_inactive: bool = False,
    ) -> builtins.list[Fact]:
        """See `AsyncAgentMemory.recall_facts`."""
        return self._do(
            lambda: self._memory.recall_facts(
                query, types=types, min_confidence=min_confidence, limit=limit, include_inactive=include_inactive
            )
        )

    def update_fact(self, fact_id: str, new_value: str, reason: VersionReason = "update") -> Fact:
        """See `AsyncAgentMemory.update_fact`."""
        return self._do(lambda: self._memory.update_fact(fact_id, new_value=new_value, reason=reason))

    def forget_fact(self, fact_id: str, reason: str = "") -> Fact:
        """See `AsyncAgentMemory.forget_fact`."""
        return self._do(lambda: self._memory.forget_fact(fact_id, reason=reason))

    def merge_facts(self, fact_ids: Sequence[str], value: str) -> Fact:
        """See `AsyncAgentMemory.merge_facts`."""
        return self._do(lambda: self._memory.merge_facts(fact_ids, value=value))

    def create_episode(
        self,
        topic: str,
        summary: str,
        importance: float = 0.5,
        emotional_valence: str | None = None,
        tags: Sequence[str] = (),
        message_ids: Sequence[str] | None = None,
    ) -> Episode:
        """See `AsyncAgentMemory.create_episode`."""
        return self._do(
            lambda: self._memory.create_episode(
                topic,
                summary=summary,
                importance=importance,
                emotional_valence=emotional_valence,
                tags=tags,
                message_ids=message_ids,
            )
        )

    def update_episode(
        self,
        episode_id: str,
        topic: str | None = None,
        summary: str | None = None,
        importance: float | None = None,
        emotional_valence: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Episode:
        """See `AsyncAgentMemory.update_episode`."""
        return self._do(
            lambda: self._memory.update_episode(
                episode_id,
                topic=topic,
                summary=summary,
                importance=importance,
                emotional_valence=emotional_valence,
                tags=tags,
            )
        )

    def archive_episode(self, episode_id: str) -> Episode:
        """See `AsyncAgentMemory.archive_episode`."""
        return self._do(lambda: self._memory.archive_episode(episode_id))

    def mark_important(self, message_ids: Sequence[str], importance: float = 1.0) -> int:
        """See `AsyncAgentMemory.mark_important`."""
        return self._do(lambda: self._memory.mark_important(message_ids, importance=importance))

    def store_memory(self, content: str) -> Memory:
        """See `AsyncAgentMemory.store_memory`."""
        return self._do(lambda: self._memory.store_memory(content))

    def recall_memory(self, query: str, limit: int = 5) -> builtins.list[RecalledMemory]:
        """See `AsyncAgentMemory.recall_memory`."""
        return self._do(lambda: self._memory.recall_memory(query, limit=limit))

    def add(self, text: str, kind: MemoryKind = "note") -> Memory:
        """See `AsyncAgentMemory.add`."""
        return self._do(lambda: self._memory.add(text, kind=kind))

    def search(self, query: str, limit: int = 10) -> builtins.list[RecalledMemory]:
        """See `AsyncAgentMemory.search`."""
        return self._do(lambda: self._memory.search(query, limit=limit))

    def get(self, memory_id: str) -> Memory:
        """See `AsyncAgentMemory.get`."""
        return self._do(lambda: self._memory.get(memory_id))

    def history(self, memory_id: str) -> builtins.list[FactVersion]:
        """See `AsyncAgentMemory.history`."""
        return self._do(lambda: self._memory.history(memory_id))

    def forget(self, memory_id: str, reason: str = "") -> Memory:
        """See `AsyncAgentMemory.forget`."""
        return self._do(lambda: self._memory.forget(memory_id, reason=reason))

    def erase(self, memory_id: str) -> Erasure:
        """See `AsyncAgentMemory.erase`."""
        return self._do(lambda: self._memory.erase(memory_id))

    def metrics(self) -> MemoryMetrics:
        """See `AsyncAgentMemory.metrics`."""
        return self._do(self._memory.metrics)

    def restore(self, memory_id: str) -> Memory:
        """See `AsyncAgentMemory.restore`."""
        return self._do(lambda: self._memory.restore(memory_id))

    def list(
        self,
        limit: int = 50,
        kinds: Sequence[MemoryKind] | None = None,
        include_inactive: bool = False,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """See `AsyncAgentMemory.list`."""
        return self._do(lambda: self._memory.list(limit, kinds=kinds, include_inactive=include_inactive, cursor=cursor))


class AgentUser(BlockingUser):
    """`AsyncAgentUser` for code that does not await; `ConversationAgent.user`."""

    def get(self) -> UserContext:
        """See `AsyncAgentUser.get`."""
        return self._do(self._user.get)

    def set(self, plan: str | None = None, preferences: Mapping[str, Any] | None = None) -> UserContext:
        """See `AsyncAgentUser.set`."""
        return self._do(lambda: self._user.set(plan, preferences=preferences))


class AgentKnowledge(BlockingKnowledge):
    """`AsyncAgentKnowledge` for code that does not await; `ConversationAgent.knowledge`."""

    def ingest(
        self,
        path: str | os.PathLike[str],
        *,
        shared: bool = False,
        full: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> KnowledgeReport:
        """See `AsyncAgentKnowledge.ingest`."""
        return self._do(lambda: self._knowledge.ingest(path, shared=shared, full=full, progress=progress))

    def add(self, name: str, content: str | bytes, *, shared: bool = False) -> KnowledgeReport:
        """See `AsyncAgentKnowledge.add`."""
        return self._do(lambda: self._knowledge.add(name, content=content, shared=shared))

    def search(self, query: str, limit: int = 5) -> SearchResults[KnowledgeHit]:
        """See `AsyncAgentKnowledge.search`."""
        return self._do(lambda: self._knowledge.search(query, limit=limit))

    def list(self, limit: int = 50, cursor: str | None = None) -> Page[DocumentInfo]:
        """See `AsyncAgentKnowledge.list`."""
        return self._do(lambda: self._knowledge.list(limit, cursor=cursor))

    def remove(self, source: str, *, shared: bool = True) -> int:
        """See `AsyncAgentKnowledge.remove`."""
        return self._do(lambda: self._knowledge.remove(source, shared=shared))


class ConversationAgent(BlockingAgent):
    """`AsyncConversationAgent` for code that does not await: same names, same arguments, same errors.

    It works inside a running event loop too (a notebook): its own is in another thread. One that was not closed is
    closed at exit, within 2 s. Ctrl-C cancels the turn and waits until its partial answer is stored.
    """

    def __init__(
        self,
        neo4j: Neo4jTarget = None,
        *,
        llm_provider: str | ModelProvider | None = None,
        embedder: Embedder | None = None,
        tools: Sequence[Callable[..., Any]] | None = None,
        config: ConversationConfig | None = None,
        user_id: str | None = None,
        project: str | None = None,
        root: str | os.PathLike[str] | None = None,
    ) -> None:
        refuse_driver(neo4j)
        self._adopt(
            AsyncConversationAgent(
                neo4j,
                llm_provider=llm_provider,
                embedder=embedder,
                tools=tools,
                config=config,
                user_id=user_id,
                project=project,
                root=root,
            )
        )

    @classmethod
    def from_config(
        cls,
        path: str | os.PathLike[str] | None = None,
        *,
        user_id: str | None = None,
        project: str | None = None,
        llm_provider: str | ModelProvider | None = None,
        embedder: Embedder | None = None,
        tools: Sequence[Callable[..., Any]] | None = None,
    ) -> ConversationAgent:
        """See `AsyncConversationAgent.from_config`."""
        agent = cls.__new__(cls)
        agent._adopt(
            AsyncConversationAgent.from_config(
                path, user_id=user_id, project=project, llm_provider=llm_provider, embedder=embedder, tools=tools
            )
        )
        return agent

    @classmethod
    def from_settings(
        cls,
        settings: RagforgeConfig,
        *,
        user_id: str | None = None,
        project: str | None = None,
        root: str | os.PathLike[str] | None = None,
        llm_provider: str | ModelProvider | None = None,
        embedder: Embedder | None = None,
        tools: Sequence[Callable[..., Any]] | None = None,
        progress: Reporter | None = None,
        brief: bool = False,
        identity: ProjectIdentity | None = None,
        goes_on: GoesOn | None = None,
    ) -> ConversationAgent:
        """See `AsyncConversationAgent.from_settings`."""
        agent = cls.__new__(cls)
        agent._adopt(
            AsyncConversationAgent.from_settings(
                settings,
                user_id=user_id,
                project=project,
                root=root,
                llm_provider=llm_provider,
                embedder=embedder,
                tools=tools,
                progress=progress,
                brief=brief,
                identity=identity,
                goes_on=goes_on,
            )
        )
        return agent

    def __enter__(self) -> ConversationAgent:
        self.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def user_id(self) -> str | None:
        """Whose conversations these are."""
        return self._agent.user_id

    @property
    def project(self) -> str | None:
        """The project's name."""
        return self._agent.project

    @property
    def memory(self) -> AgentMemory:
        """What is remembered of all conversations: to look at, to add to, to forget."""
        return AgentMemory(self._agent.memory, self._do)

    @property
    def user(self) -> AgentUser:
        """Whose agent this is: plan, preferences and usage."""
        return AgentUser(self._agent.user, self._do)

    @property
    def knowledge(self) -> AgentKnowledge:
        """Documents that are searched beside what is remembered: to take in, to search, to remove."""
        return AgentKnowledge(self._agent.knowledge, self._do)

    def open(self) -> None:
        """See `AsyncConversationAgent.open`."""
        self._do(self._agent.open)

    def for_user(self, user_id: str | None) -> ConversationAgent:
        """See `AsyncConversationAgent.for_user`."""
        return self._another(self._agent.for_user(user_id))

    def create_conversation(
        self, title: str | None = None, tags: Sequence[str] = (), *, metadata: Mapping[str, Any] | None = None
    ) -> Conversation:
        """See `AsyncConversationAgent.create_conversation`."""
        return Conversation(self._do(lambda: self._agent.create_conversation(title, tags=tags, metadata=metadata)))

    def open_conversation(
        self,
        session_id: str,
        title: str | None = None,
        tags: Sequence[str] = (),
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """See `AsyncConversationAgent.open_conversation`."""
        return Conversation(
            self._do(lambda: self._agent.open_conversation(session_id, title=title, tags=tags, metadata=metadata))
        )

    def load_conversation(self, uuid: str) -> Conversation:
        """See `AsyncConversationAgent.load_conversation`."""
        return Conversation(self._do(lambda: self._agent.load_conversation(uuid)))

    def list_conversations(
        self, limit: int = 50, status: str | None = None, tags: Sequence[str] | None = None, cursor: str | None = None
    ) -> Page[ConversationInfo]:
        """See `AsyncConversationAgent.list_conversations`."""
        return self._do(lambda: self._agent.list_conversations(limit, status=status, tags=tags, cursor=cursor))

    def invoke(self, state: Mapping[str, Any]) -> Messages:
        """See `AsyncConversationAgent.invoke`."""
        return self._do(lambda: self._agent.invoke(state))

    def close(self) -> None:
        """See `AsyncConversationAgent.aclose`; raises nothing, for the loop is its own."""
        self._end(self._agent.aclose)

    def abandon(self) -> None:
        """See `AsyncConversationAgent.abandon`; raises nothing, for the loop is its own."""
        self._end(self._agent.abandon)

    def search_messages(
        self,
        query: str,
        limit: int = 10,
        role: Role | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        tags: Sequence[str] | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """See `AsyncConversationAgent.search_messages`."""
        return self._do(
            lambda: self._agent.search_messages(
                query, limit=limit, role=role, since=since, until=until, tags=tags, tool=tool
            )
        )

    def find_similar_conversations(
        self, query: str, limit: int = 5, min_score: float | None = None
    ) -> SearchResults[ConversationInfo]:
        """See `AsyncConversationAgent.find_similar_conversations`."""
        return self._do(lambda: self._agent.find_similar_conversations(query, limit=limit, min_score=min_score))

    def decisions(
        self,
        about: str | None = None,
        *,
        doubtful: bool = False,
        since: date | str | None = None,
        until: date | str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Decision]:
        """See `AsyncConversationAgent.decisions`."""
        return self._do(
            lambda: self._agent.decisions(
                about, doubtful=doubtful, since=since, until=until, limit=limit, cursor=cursor
            )
        )

    def recall(self, query: str, *, limit: int = 5, deadline_ms: int = 50) -> RecallResult:
        """See `AsyncConversationAgent.recall`."""
        return self._do(lambda: self._agent.recall(query, limit=limit, deadline_ms=deadline_ms))

    def erase_user(self) -> Erasure:
        """See `AsyncConversationAgent.erase_user`."""
        return self._do(self._agent.erase_user)

    def ingest(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        adopt: bool = False,
        full: bool = False,
        progress: Callable[[IngestProgress], None] | None = None,
    ) -> IngestReport:
        """See `AsyncConversationAgent.ingest`."""
        return self._do(lambda: self._agent.ingest(path, adopt=adopt, full=full, progress=progress))

    def conversations_about(self, scope: str, *, limit: int = 20) -> list[ConversationInfo]:
        """See `AsyncConversationAgent.conversations_about`."""
        return self._do(lambda: self._agent.conversations_about(scope, limit=limit))

    def import_conversation(
        self, data: Any, on_conflict: OnConflict = "fail", *, title: str | None = None
    ) -> Conversation:
        """See `AsyncConversationAgent.import_conversation`."""
        return Conversation(
            self._do(lambda: self._agent.import_conversation(data, on_conflict=on_conflict, title=title))
        )

    def import_conversations(
        self,
        source: str | os.PathLike[str] | IO[bytes] | IO[str],
        on_conflict: OnConflict = "fail",
        *,
        progress: Callable[[ImportProgress], None] | None = None,
    ) -> ImportReport:
        """See `AsyncConversationAgent.import_conversations`."""
        return self._do(lambda: self._agent.import_conversations(source, on_conflict=on_conflict, progress=progress))

    def export_all(self, path: str | os.PathLike[str], *, embeddings: bool = False) -> ExportReport:
        """See `AsyncConversationAgent.export_all`."""
        return self._do(lambda: self._agent.export_all(path, embeddings=embeddings))

    def batch_analyze(
        self,
        conversations: TheConversations,
        task: str,
        output_schema: type[BaseModel] | Mapping[str, Any],
        *,
        concurrency: int = 4,
        max_cost_usd: float | None = None,
        max_tokens: int | None = None,
        attempts: int = 3,
        refresh: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Insights:
        """See `AsyncConversationAgent.batch_analyze`."""
        return self._do(
            lambda: self._agent.batch_analyze(
                conversations,
                task=task,
                output_schema=output_schema,
                concurrency=concurrency,
                max_cost_usd=max_cost_usd,
                max_tokens=max_tokens,
                attempts=attempts,
                refresh=refresh,
                progress=progress,
            )
        )

    def list_insights(
        self,
        conversation: AConversation | None = None,
        *,
        task: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Insight]:
        """See `AsyncConversationAgent.list_insights`."""
        return self._do(lambda: self._agent.list_insights(conversation, task=task, limit=limit, cursor=cursor))

    def drain(self, timeout: float | None = None) -> dict[str, int]:
        """See `AsyncConversationAgent.drain`."""
        return self._do(lambda: self._agent.drain(timeout))

    def reembed(
        self,
        embedder: Embedder | str | None = None,
        *,
        dimension: int | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> ReembedReport:
        """See `AsyncConversationAgent.reembed`."""
        return self._do(lambda: self._agent.reembed(embedder, dimension=dimension, progress=progress))

    def expired_conversations(
        self, *, older_than_days: int | None = None, keep: int | None = None
    ) -> list[ConversationInfo]:
        """See `AsyncConversationAgent.expired_conversations`."""
        return self._do(lambda: self._agent.expired_conversations(older_than_days=older_than_days, keep=keep))

    def delete_expired_conversations(
        self, *, older_than_days: int | None = None, keep: int | None = None
    ) -> list[ConversationInfo]:
        """See `AsyncConversationAgent.delete_expired_conversations`."""
        return self._do(lambda: self._agent.delete_expired_conversations(older_than_days=older_than_days, keep=keep))
