"""The agent for code that does not await."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ragforge_memory.agent.agent import AsyncConversationAgent
from ragforge_memory.agent.blocking.agent_insights import BlockingAgentInsights
from ragforge_memory.agent.blocking.agent_retention import BlockingAgentRetention
from ragforge_memory.agent.blocking.agent_search import BlockingAgentSearch
from ragforge_memory.agent.blocking.agent_vectors import BlockingAgentVectors
from ragforge_memory.agent.blocking.archive import BlockingAgentArchive
from ragforge_memory.agent.blocking.code import BlockingAgentCode
from ragforge_memory.agent.blocking.conversation import Conversation
from ragforge_memory.agent.blocking.imports import BlockingAgentImports
from ragforge_memory.agent.turns.state import Messages
from ragforge_memory.errors import InvalidInput

if TYPE_CHECKING:
    import neo4j

    from ragforge_memory.code.ingest import IngestProgress
    from ragforge_memory.config import ConversationConfig, Neo4jConfig, RagforgeConfig
    from ragforge_memory.downloads.progress import Reporter
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.models.code import IngestReport
    from ragforge_memory.models.conversation import ConversationInfo, Page

    Neo4jTarget = str | Neo4jConfig | Callable[[], neo4j.AsyncDriver] | None

T = TypeVar("T")


class ConversationAgent(
    BlockingAgentSearch,
    BlockingAgentImports,
    BlockingAgentCode,
    BlockingAgentArchive,
    BlockingAgentInsights,
    BlockingAgentVectors,
    BlockingAgentRetention,
):
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
        _refuse_driver(neo4j)
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

    def open(self) -> None:
        """See `AsyncConversationAgent.open`."""
        self._do(self._agent.open)

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
        self,
        limit: int = 50,
        status: str | None = None,
        tags: Sequence[str] | None = None,
        cursor: str | None = None,
    ) -> Page[ConversationInfo]:
        """See `AsyncConversationAgent.list_conversations`."""
        return self._do(lambda: self._agent.list_conversations(limit, status=status, tags=tags, cursor=cursor))

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

    def invoke(self, state: Mapping[str, Any]) -> Messages:
        """See `AsyncConversationAgent.invoke`."""
        return self._do(lambda: self._agent.invoke(state))

    def drain(self, timeout: float | None = None) -> dict[str, int]:
        """See `AsyncConversationAgent.drain`."""
        return self._do(lambda: self._agent.drain(timeout))

    def abandon(self) -> None:
        """See `AsyncConversationAgent.abandon`; raises nothing, for the loop is its own."""
        self._end(self._agent.abandon)

    def close(self) -> None:
        """See `AsyncConversationAgent.aclose`; raises nothing, for the loop is its own."""
        self._end(self._agent.aclose)


def _refuse_driver(target: object) -> None:
    """Refuses an open driver: its connections belong to the loop that it is used on, which is not this class's.

    Raises:
        InvalidInput: it is one.
    """
    driver = getattr(sys.modules.get("neo4j"), "AsyncDriver", None)
    if driver is not None and isinstance(target, driver):
        raise InvalidInput(
            "an open AsyncDriver cannot be used by a ConversationAgent, which has an event loop of its own",
            hint="give neo4j= a function that returns a driver, or an address, or use AsyncConversationAgent",
        )
