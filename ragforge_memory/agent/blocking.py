"""The blocking classes: each method runs its awaited twin on the background loop."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from ragforge_memory.agent.agent import AsyncConversationAgent
from ragforge_memory.agent.loop import background_loop
from ragforge_memory.agent.state import Messages

if TYPE_CHECKING:
    import neo4j

    from ragforge_memory import events
    from ragforge_memory.agent.conversation import AsyncConversation
    from ragforge_memory.agent.stream import AsyncMessageStream
    from ragforge_memory.code.ingest import IngestProgress
    from ragforge_memory.config import ConversationConfig, Neo4jConfig, RagforgeConfig
    from ragforge_memory.downloads.progress import Reporter
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.models.code import IngestReport
    from ragforge_memory.models.conversation import (
        AgentState,
        AssistantResponse,
        ConversationInfo,
        ConversationStatus,
        Message,
        Page,
        ToolCall,
    )

    Neo4jTarget = str | Neo4jConfig | Callable[[], neo4j.AsyncDriver] | None

T = TypeVar("T")


def _wait(function: Callable[[], Awaitable[T]], *, stop: Callable[[], Awaitable[Any]] | None = None) -> T:
    """Runs ``function`` on the background loop; Ctrl-C stops it (with ``stop``, which is waited for) and goes on."""
    loop = background_loop()
    future = loop.start(function)
    try:
        return future.result()
    except KeyboardInterrupt:
        if stop is not None:
            loop.start(stop).result()
        future.cancel()
        raise


class ConversationAgent:
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
        embed_code: bool = True,
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
                embed_code=embed_code,
            )
        )
        return agent

    def _adopt(self, agent: AsyncConversationAgent) -> None:
        self._agent = agent
        self._forget: Callable[[], None] | None = None

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
        """Opens graph, model and embedder; every other method does it when needed."""
        self._do(self._agent.open)

    def create_conversation(
        self, title: str | None = None, *, tags: Sequence[str] = (), metadata: Mapping[str, Any] | None = None
    ) -> Conversation:
        """See `AsyncConversationAgent.create_conversation`."""
        return Conversation(self._do(lambda: self._agent.create_conversation(title, tags=tags, metadata=metadata)))

    def open_conversation(
        self,
        session_id: str,
        *,
        title: str | None = None,
        tags: Sequence[str] = (),
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
        *,
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
        """`close` without waiting for turns: those that run are cancelled, their partial answers stored."""
        if self._forget is not None:
            self._forget()
            self._forget = None
            _wait(self._agent.abandon)

    def close(self) -> None:
        """Waits for running turns, drains for at most 2 s, and closes what this agent opened."""
        if self._forget is not None:
            self._forget()
            self._forget = None
            _wait(self._agent.aclose)

    def _do(self, function: Callable[[], Awaitable[T]]) -> T:
        if self._forget is None:
            self._forget = background_loop().at_exit(self._agent.abandon)
        return _wait(function)


class Conversation:
    """`AsyncConversation` for code that does not await; made by a `ConversationAgent`."""

    def __init__(self, conversation: AsyncConversation) -> None:
        self._conversation = conversation

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
        """How many messages it had when last read; `refresh` reads again."""
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
        return _wait(self._conversation.refresh)

    def send_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> AssistantResponse:
        """See `AsyncConversation.send_message`; Ctrl-C cancels the turn and waits for its partial answer."""
        return _wait(lambda: self._conversation.send_message(text, metadata=metadata), stop=self._conversation.cancel)

    def stream_message(self, text: str, *, metadata: Mapping[str, Any] | None = None) -> MessageStream:
        """See `AsyncConversation.stream_message`."""
        return MessageStream(self._conversation.stream_message(text, metadata=metadata))

    def cancel(self) -> bool:
        """See `AsyncConversation.cancel`; may be called from any thread."""
        return _wait(self._conversation.cancel)

    def get_history(
        self,
        limit: int = 50,
        *,
        before_message_id: str | None = None,
        include_tool_calls: bool = True,
        include_reasoning: bool = True,
    ) -> list[Message]:
        """See `AsyncConversation.get_history`."""
        return _wait(
            lambda: self._conversation.get_history(
                limit,
                before_message_id=before_message_id,
                include_tool_calls=include_tool_calls,
                include_reasoning=include_reasoning,
            )
        )

    def get_tool_calls(
        self, tool_name: str | None = None, *, success: bool | None = None, limit: int = 50
    ) -> list[ToolCall]:
        """See `AsyncConversation.get_tool_calls`."""
        return _wait(lambda: self._conversation.get_tool_calls(tool_name, success=success, limit=limit))

    def set_title(self, title: str) -> None:
        """Gives it another title."""
        _wait(lambda: self._conversation.set_title(title))

    def set_tags(self, tags: Sequence[str]) -> None:
        """Gives it other tags."""
        _wait(lambda: self._conversation.set_tags(tags))

    def archive(self) -> None:
        """Takes it out of the lists of active conversations; nothing is lost."""
        _wait(self._conversation.archive)

    def unarchive(self) -> None:
        """Makes it active again."""
        _wait(self._conversation.unarchive)

    def save(self) -> None:
        """See `AsyncConversation.save`."""
        _wait(self._conversation.save)

    def delete(self) -> None:
        """See `AsyncConversation.delete`."""
        _wait(self._conversation.delete)


class MessageStream:
    """The events of a turn: a context manager and an iterator.

    Leaving the block early, `close` and losing the stream cancel the turn; what it had said is stored as a partial
    answer.
    """

    def __init__(self, stream: AsyncMessageStream) -> None:
        self._stream = stream

    @property
    def response(self) -> AssistantResponse:
        """The whole answer, once the stream has ended.

        Raises:
            RagforgeError: the turn has not ended, or what it failed with.
        """
        return self._stream.response

    def __enter__(self) -> MessageStream:
        _wait(self._stream.__aenter__)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[events.Event]:
        return self

    def __next__(self) -> events.Event:
        async def following() -> events.Event | None:
            return await anext(self._stream, None)

        event = _wait(following, stop=self._stream.aclose)
        if event is None:
            raise StopIteration
        return event

    def close(self) -> None:
        """Cancels the turn if it still runs, and waits until what it had said is stored."""
        _wait(self._stream.aclose)
