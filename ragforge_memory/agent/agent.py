"""The agent, awaited: conversations of one owner, on one graph, with one model."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent import finding
from ragforge_memory.agent.api.agent_code import AgentCode
from ragforge_memory.agent.api.agent_insights import AgentInsights
from ragforge_memory.agent.api.agent_retention import AgentRetention
from ragforge_memory.agent.api.agent_search import AgentSearch
from ragforge_memory.agent.api.agent_vectors import AgentVectors
from ragforge_memory.agent.api.archive import AgentArchive
from ragforge_memory.agent.api.imports import AgentImports
from ragforge_memory.agent.inputs import check_limit, check_made_with, check_metadata, check_text, clean_labels
from ragforge_memory.agent.place import place_of
from ragforge_memory.agent.turns.loop import check_loop, check_process
from ragforge_memory.agent.turns.state import Messages, run_state
from ragforge_memory.agent.turns.tasks import TurnTasks
from ragforge_memory.errors import ConversationNotFound, InvalidInput
from ragforge_memory.models.conversation import ConversationFilters
from ragforge_memory.models.owner import Owner

if TYPE_CHECKING:
    import neo4j

    from ragforge_memory.agent.conversation import AsyncConversation
    from ragforge_memory.agent.opening import Wanted
    from ragforge_memory.agent.services import Services
    from ragforge_memory.config import ConversationConfig, Neo4jConfig, RagforgeConfig
    from ragforge_memory.downloads.progress import Reporter
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.models.conversation import ConversationInfo, Page

    Neo4jTarget = str | Neo4jConfig | neo4j.AsyncDriver | Callable[[], neo4j.AsyncDriver] | None

_DRAIN_ON_CLOSE = 2.0


class AsyncConversationAgent(
    AgentSearch, AgentImports, AgentCode, AgentArchive, AgentInsights, AgentVectors, AgentRetention
):
    """An agent whose conversations are kept in Neo4j.

    Nothing is opened before the first call that needs it; whichever it is may raise what `open` does. Used with
    ``async with``, or closed with `aclose`, which closes what the agent opened: a driver, a provider or an embedder
    that was given as an object stays open, and may serve several agents.

    Args:
        neo4j: address, `Neo4jConfig`, an open AsyncDriver, a function that returns one (closed with the agent), or
            None: ``NEO4J_URI`` if set, else the managed local server, which is fetched and started when needed.
        llm_provider: ``"gemini:gemini-3.8-flash"``, ``"openai:MODEL"``, ``"extractive"`` or a ModelProvider;
            None: resolved from configuration and environment (`ragforge doctor` says how).
        embedder: an Embedder; None: resolved likewise; without one search is by words alone.
        tools: functions the model may call; None: `CODE_SEARCH_TOOLS`.
        config: the agent's settings.
        user_id: whose conversations these are; None: nobody's.
        project: the project's name; None: that of the root's, as the command line names it; ``""``: none.
        root: the project's directory, for tools that read files; None: the current directory, and where no project is
            named either, that of the code of the project it is in.

    Raises:
        InvalidInput: a tool, a provider or an embedder cannot be one, or the root is no directory.
        ConfigError: a setting does not fit, also in the configuration file that would name the project.
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
        from ragforge_memory.tools.declare import checked_tools

        project, self._root, self._settings = place_of(project, root)
        check_made_with(user_id, project, config=config, embedder=embedder, model=llm_provider)
        self._target = neo4j
        self._model = llm_provider
        self._embedder = embedder
        self._tools = checked_tools(tools)
        self._config = config
        self._owner = Owner.of(user_id, project)
        self._progress: Reporter | None = None
        self._brief = False
        self._today: Callable[[], date] = date.today
        self._pid = os.getpid()
        self._services: Services | None = None
        self._opening = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.turns = TurnTasks()
        self._closed = False

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
    ) -> AsyncConversationAgent:
        """An agent as ``ragforge.config.yaml`` says.

        Args:
            path: the file; None: looked for from the current directory.
            user_id: as in the constructor.
            project: instead of the configuration's (else git's) name.
            llm_provider, embedder, tools: instead of the configured ones.

        Raises:
            ConfigError: with file, line and key.
        """
        from ragforge_memory.config.places import find_place

        place = find_place(path)
        return cls.from_settings(
            place.loaded.config,
            llm_provider=llm_provider,
            embedder=embedder,
            tools=tools,
            user_id=user_id,
            project=place.project.name if project is None else project,
            root=place.source,
        )

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
    ) -> AsyncConversationAgent:
        """An agent for a configuration that was read already.

        Args:
            settings: the whole configuration.
            brief: the process ends after one answer: it leaves the vectors of code to those that live longer, and
                those of messages too until more than 64 wait.
            progress: is told what a first start fetches and starts.
            project: the project's name; None: that of the settings, else as in the constructor.
            user_id, root, llm_provider, embedder, tools: as in the constructor.

        Raises:
            InvalidInput, ConfigError: as the constructor.
        """
        from ragforge_memory.config import ConversationConfig

        agent = cls(
            settings.neo4j,
            llm_provider=llm_provider,
            embedder=embedder,
            tools=tools,
            config=ConversationConfig.from_agent(settings.agent),
            user_id=user_id,
            project=(settings.name or "").strip() or None if project is None else project,
            root=root,
        )
        agent._settings = settings
        agent._progress = progress
        agent._brief = brief
        return agent

    async def __aenter__(self) -> AsyncConversationAgent:
        await self.open()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    @property
    def user_id(self) -> str | None:
        """Whose conversations these are."""
        return self._owner.user_id or None

    @property
    def project(self) -> str | None:
        """The project's name."""
        return self._owner.project or None

    async def open(self) -> Services:
        """Opens graph, model, embedder and journal, once; every other method does it when needed.

        Raises:
            GraphUnavailable: there is no server, or it does not answer.
            ConfigError: model, embedder or settings cannot be used.
            AgentClosed, ForkedProcess: the agent cannot be used here any more.
        """
        self._check_open()
        self._loop = check_loop(self._loop)
        if self._services is None:
            from ragforge_memory.agent.opening import open_services

            async with self._opening:
                self._check_open()
                if self._services is None:
                    self._services = await open_services(self._wanted())
            self._check_open()
        return self._services

    async def create_conversation(
        self, title: str | None = None, tags: Sequence[str] = (), *, metadata: Mapping[str, Any] | None = None
    ) -> AsyncConversation:
        """Begins a conversation.

        Args:
            title: what lists show; None: the beginning of the first message.
            tags: words to find it by.
            metadata: kept with it; JSON-able.

        Raises:
            InvalidInput: title, tags or metadata cannot be used.
            GraphUnavailable: Neo4j is away and it cannot be begun on disk either.
        """
        tags = clean_labels(title, tags)
        check_metadata(metadata)
        services = await self.open()
        return self._conversation(await finding.create(services, title=title, tags=tags, metadata=metadata))

    async def open_conversation(
        self,
        session_id: str,
        title: str | None = None,
        tags: Sequence[str] = (),
        *,
        metadata: Mapping[str, Any] | None = None,
    ) -> AsyncConversation:
        """The conversation of a session: found, or begun with these; one, however many ask at once.

        Args:
            session_id: 1 to 500 characters.
            title, tags, metadata: of a new one, as in `create_conversation`.

        Raises:
            InvalidInput: session id, title, tags or metadata cannot be used; or its texts are in a file, and this
                agent keeps texts in the graph.
            GraphUnavailable: Neo4j is away and this agent has not used the session before.
        """
        finding.check_session_id(session_id)
        tags = clean_labels(title, tags)
        check_metadata(metadata)
        services = await self.open()
        opened = await finding.open_session(services, session_id, title=title, tags=tags, metadata=metadata)
        return self._conversation(opened)

    async def load_conversation(self, uuid: str) -> AsyncConversation:
        """An existing conversation.

        Args:
            uuid: its uuid; the start of it, a session id or a whole title do as well where they fit one only.

        Raises:
            ConversationNotFound: this owner has none such.
            InvalidInput: several fit; or its texts are in a file, and this agent keeps texts in the graph.
            GraphUnavailable: Neo4j is away and this agent has not used it before.
        """
        if not isinstance(uuid, str) or not uuid.strip():
            raise InvalidInput("a conversation is named by its uuid, session id or title")
        check_text(uuid, "a conversation's name")
        return self._conversation(await finding.load(await self.open(), uuid))

    async def _exact_conversation(self, uuid: str) -> AsyncConversation | None:
        """The conversation of exactly this uuid, or None; no prefix, session or title is tried."""
        services = await self.open()
        try:
            return self._conversation(await services.settled(await services.conversations.get(uuid)))
        except ConversationNotFound:
            return None

    async def list_conversations(
        self,
        limit: int = 50,
        status: str | None = None,
        tags: Sequence[str] | None = None,
        cursor: str | None = None,
    ) -> Page[ConversationInfo]:
        """This owner's conversations, newest first.

        Args:
            limit: most items on the page, 1 to 1,000.
            status: ``active`` or ``archived``; None: both.
            tags: those that have any of these.
            cursor: ``next_cursor`` of the page before.

        Raises:
            InvalidInput: something asked for is none.
            GraphUnavailable: the graph cannot be asked.
        """
        check_limit(limit)
        if status not in (None, "active", "archived"):
            raise InvalidInput(f"there is no status {status!r}", hint="active or archived")
        filters = ConversationFilters(status, tuple(clean_labels(None, () if tags is None else tags)))
        if cursor is not None:
            check_text(cursor, "a cursor")
        services = await self.open()
        return await services.conversations.page(filters, limit=limit, cursor=cursor)

    async def invoke(self, state: Mapping[str, Any]) -> Messages:
        """Runs a turn on a whole message list and returns the whole list: what came in and what is new, once.

        Args:
            state: ``{"messages": […]}``, each ``{"role", "content", "id"?}``; the last is the user's, asked again where
                its turn failed. With a ``session_id`` that session goes on; a branch by its uuid, or its own messages.

        Returns:
            ``{"messages": […], "session_id": …}``, each message with its ``id``: with a new one it is the next state.

        Raises:
            InvalidInput: the last message is no user's, was answered or is being answered; something is no message, or
                differs from what is stored of it; or they are another session's, or several conversations'.
            ConversationNotFound: the conversation of these messages was deleted.
            GraphUnavailable: the graph cannot be asked which of the messages it has.
            ModelError: the model failed; what it had said is stored as a partial answer.
            TurnCancelled: somebody cancelled the turn.
        """
        return await run_state(self, state)

    async def aclose(self) -> None:
        """Waits for running turns (`abandon` cancels them), drains for at most 2 s, and closes what this agent opened.

        What fails meanwhile is in the log. In a forked child, or where all is closed already, nothing happens.

        Raises:
            AgentClosed: it was opened in another event loop, which runs still.
        """
        if os.getpid() != self._pid:
            # In a forked child everything that is open belongs to the parent.
            return
        if self._loop is not None and self._loop.is_closed():
            self._services, self._opening = None, asyncio.Lock()  # what was open went with it
        check_loop(None if self._services is None else self._loop)
        self._closed = True
        await self.turns.finish()
        async with self._opening:
            services, self._services = self._services, None
        if services is not None:
            from ragforge_memory.agent.opening import close_services

            await close_services(services, drain=_DRAIN_ON_CLOSE)

    async def abandon(self) -> None:
        """`aclose` without waiting for turns: those that run are cancelled, their partial answers stored.

        Raises:
            AgentClosed: as `aclose`.
        """
        if os.getpid() == self._pid:
            await self.turns.cancel()
            await self.aclose()

    def _check_open(self) -> None:
        check_process(self._pid, closed=self._closed)

    def _wanted(self) -> Wanted:
        from ragforge_memory.agent.opening import Wanted

        return Wanted(
            target=self._target,
            model=self._model,
            embedder=self._embedder,
            tools=self._tools,
            config=self._config,
            settings=self._settings,
            owner=self._owner,
            root=self._root,
            today=self._today,
            progress=self._progress,
            brief=self._brief,
            open_here=self.turns.held,
        )

    def _conversation(self, info: ConversationInfo) -> AsyncConversation:
        from ragforge_memory.agent.conversation import AsyncConversation

        if self._services:
            self._services.remembered.opened(info)
        return AsyncConversation(self, info)
