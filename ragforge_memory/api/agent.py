"""The agent, awaited: conversations of one owner, on one graph, with one model."""

from __future__ import annotations

import asyncio
import copy
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from functools import partial
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any

from ragforge_memory.agent import finding
from ragforge_memory.agent.inputs import (
    bare_name,
    check_embedder,
    check_flag,
    check_limit,
    check_made_with,
    check_metadata,
    check_progress,
    check_seconds,
    check_text,
    clean_labels,
    code_name,
    path_of,
    root_of,
)
from ragforge_memory.agent.project import project_of
from ragforge_memory.agent.search.inputs import check_query, check_threshold, checked_filters
from ragforge_memory.agent.turns.loop import check_loop, check_process
from ragforge_memory.agent.turns.tasks import Handle, TurnTasks
from ragforge_memory.agent.upkeep.work import countdown
from ragforge_memory.api.knowledge import AsyncAgentKnowledge
from ragforge_memory.api.memory import AsyncAgentMemory
from ragforge_memory.api.state import Messages, run_state
from ragforge_memory.api.user import AsyncAgentUser
from ragforge_memory.errors import ConversationNotFound, InvalidInput
from ragforge_memory.models.conversation import ConversationFilters
from ragforge_memory.models.owner import Owner

if TYPE_CHECKING:
    import neo4j
    from pydantic import BaseModel

    from ragforge_memory.agent.name_change import GoesOn
    from ragforge_memory.agent.parts import Wanted
    from ragforge_memory.agent.services import Services
    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.config import ConversationConfig, Neo4jConfig, RagforgeConfig
    from ragforge_memory.downloads.progress import Reporter
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.importers.source import Source
    from ragforge_memory.ingest.run import IngestProgress
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.models.code import IngestReport
    from ragforge_memory.models.conversation import ConversationInfo, ExportReport, Page, Role, ScoredMessage
    from ragforge_memory.models.decisions import Decision
    from ragforge_memory.models.embedding import ReembedReport
    from ragforge_memory.models.erasure import Erasure
    from ragforge_memory.models.imports import ImportProgress, ImportReport, OnConflict
    from ragforge_memory.models.insight import Insight, Insights
    from ragforge_memory.models.memory import RecallResult
    from ragforge_memory.models.search import SearchResults
    from ragforge_memory.project import ProjectIdentity

    Neo4jTarget = str | Neo4jConfig | neo4j.AsyncDriver | Callable[[], neo4j.AsyncDriver] | None
    AConversation = str | ConversationInfo | Handle
    TheConversations = AConversation | Iterable[AConversation] | Mapping[str, Any] | None

_DRAIN_ON_CLOSE = 2.0
# More days than the database's calendar goes back.
_MOST_DAYS = 1_000_000


class AsyncConversationAgent:
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
        InvalidInput: a tool, a provider or an embedder cannot be one, or the root is not a directory.
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

        project, self._root, self._settings, self._identity = project_of(project, root)
        check_made_with(user_id, project, config=config, embedder=embedder, model=llm_provider)
        self._target = neo4j
        self._model = llm_provider
        self._embedder = embedder
        self._tools = checked_tools(tools)
        self._config = config
        self._owner = Owner.of(user_id, project)
        self._progress: Reporter | None = None
        self._brief = False
        self._goes_on: GoesOn | None = None
        self._today: Callable[[], date] = date.today
        self._pid = os.getpid()
        self._services: Services | None = None
        self._opening = asyncio.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self.turns = TurnTasks()
        self._closed = False
        self._lender: AsyncConversationAgent | None = None

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
        from ragforge_memory.config.load import find_place

        place = find_place(path)
        return cls.from_settings(
            place.loaded.config,
            llm_provider=llm_provider,
            embedder=embedder,
            tools=tools,
            user_id=user_id,
            project=place.project.name if project is None else project,
            root=place.source,
            identity=place.project if project is None else None,
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
        identity: ProjectIdentity | None = None,
        goes_on: GoesOn | None = None,
    ) -> AsyncConversationAgent:
        """An agent for a configuration that was read already.

        Args:
            settings: the whole configuration.
            brief: the process ends after one answer: it leaves the vectors of code to those that live longer, and
                those of messages too until more than 64 wait.
            progress: is told what a first start fetches and starts.
            project: the project's name; None: that of the settings, else as in the constructor.
            identity: the folder that the name was read from, which may have had another one.
            goes_on: is asked then whether to go on with what was said under that; None: it begins anew, with a warning
                in the log.
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
        agent._identity, agent._goes_on = identity or agent._identity, goes_on
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

    @property
    def memory(self) -> AsyncAgentMemory:
        """What is remembered of all conversations: to look at, to add to, to forget."""
        return AsyncAgentMemory(self.open, self.recall)

    @property
    def user(self) -> AsyncAgentUser:
        """Whose agent this is: plan, preferences and usage."""
        return AsyncAgentUser(self.open)

    @property
    def knowledge(self) -> AsyncAgentKnowledge:
        """Documents that are searched beside what is remembered: to take in, to search, to remove."""
        return AsyncAgentKnowledge(self.open)

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

    def for_user(self, user_id: str | None) -> AsyncConversationAgent:
        """An agent of another user of this project, for programs that serve many users.

        It uses this agent's connection to the graph, its model and its embedder. Those are closed with this agent, so
        close the others first.

        Args:
            user_id: whose conversations; None: nobody's.

        Raises:
            InvalidInput: no user can be called so.
            AgentClosed: this agent is closed.
        """
        self._check_open()
        check_made_with(user_id, self._owner.project, config=self._config, embedder=None, model=None)
        agent = copy.copy(self)
        agent._owner = Owner.of(user_id, self._owner.project)
        agent._services, agent._opening, agent.turns = None, asyncio.Lock(), TurnTasks()
        agent._lender = self if self._lender is None else self._lender
        return agent

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

    async def exact_conversation(self, uuid: str) -> AsyncConversation | None:
        """The conversation of exactly this uuid, or None; no prefix, session or title is tried.

        For callers that await and keep uuids of their own.

        Raises:
            GraphUnavailable: the graph cannot be asked.
        """
        services = await self.open()
        try:
            return self._conversation(await finding.exact(services, uuid))
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
        return await services.stores.conversations.page(filters, limit=limit, cursor=cursor)

    async def invoke(self, state: Mapping[str, Any]) -> Messages:
        """Runs a turn on a whole message list and returns the whole list: what came in and what is new, once.

        Args:
            state: ``{"messages": […]}``, each ``{"role", "content", "id"?}``; the last is the user's, asked again where
                its turn failed. With a ``session_id`` that session goes on; a branch by its uuid, or its own messages.

        Returns:
            ``{"messages": […], "session_id": …}``, each message with its ``id``: with a new one it is the next state.

        Raises:
            InvalidInput: the last message is not the user's, was answered or is being answered; something is not a
                message, or differs from what is stored of it; or they are another session's, or several conversations'.
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

            await close_services(services.background, drain=_DRAIN_ON_CLOSE)

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
        from ragforge_memory.agent.parts import Wanted

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
            lender=None if self._lender is None else self._lender.open,
            identity=self._identity,
            goes_on=self._goes_on,
        )

    def _conversation(self, info: ConversationInfo) -> AsyncConversation:
        from ragforge_memory.api.conversation import AsyncConversation

        if self._services:
            self._services.background.remembered.opened(info)
        return AsyncConversation(self, info)

    async def search_messages(
        self,
        query: str,
        limit: int = 10,
        role: Role | None = None,
        since: date | str | None = None,
        until: date | str | None = None,
        tags: Sequence[str] | None = None,
        tool: str | None = None,
    ) -> SearchResults[ScoredMessage]:
        """Messages of every conversation of this owner, never of another, that bear on a question, best first.

        Args:
            query: the question, in any words.
            limit: messages at most, 1 to 1,000.
            role: only what the ``user``, the ``assistant`` or the ``system`` said.
            since: only what was said then or later: a datetime, a date or ISO text, local time without a zone.
            until: only what was said then or earlier.
            tags: only of conversations that have any of these.
            tool: only messages that called this tool.

        Returns:
            As `AsyncConversation.search_history`.

        Raises:
            InvalidInput: something asked for is none.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.search.messages import search

        check_query(query)
        check_limit(limit)
        filters = checked_filters(role=role, since=since, until=until, tool=tool, tags=tags)
        return await search(await self.open(), query, limit=limit, filters=filters)

    async def find_similar_conversations(
        self, query: str, limit: int = 5, min_score: float | None = None
    ) -> SearchResults[ConversationInfo]:
        """Conversations of this owner that are about what a text says, the likest first.

        By what they are about (the summary with the title; before the first summary the title and the first messages)
        and by the words of titles and summaries.

        Args:
            query: the text, in any words.
            limit: conversations at most, 1 to 1,000.
            min_score: the least ``similarity``, 0 (unrelated) to 1 (identical), on the same scale for every embedding
                model; a conversation without a vector must have this share of the text's words. None: no threshold.

        Returns:
            A list, each with its ``similarity`` (None where there is no vector yet), which is not the order: words
            count too, and what is near to everything counts less. ``answered`` and ``missed`` as in `search_messages`.

        Raises:
            InvalidInput: something asked for is none.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.search.similar import find_similar

        check_query(query)
        check_limit(limit)
        check_threshold(min_score)
        return await find_similar(await self.open(), query, limit=limit, min_score=min_score)

    async def decisions(
        self,
        about: str | None = None,
        *,
        doubtful: bool = False,
        since: date | str | None = None,
        until: date | str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Decision]:
        """The notes, decisions, rules and to-dos of this owner, the newest first, and whether they still hold.

        They are the messages that say so (``note: …``, "we decided that …"), see docs/search.md. Each comes with what
        was said against it later, and with what has become of the code that it is about, as of the last `ingest`.

        Args:
            about: only those that have these words, or are about code or a file of this name, of then or of now; of a
                folder those about what is in it.
            doubtful: only those that were corrected, or of whose code something has changed or is gone.
            since: only what was said then or later: a datetime, a date or ISO text, local time without a zone.
            until: only what was said then or earlier; what corrects it may be later.
            limit: decisions at most, 1 to 1,000.
            cursor: ``next_cursor`` of the page before.

        Returns:
            A page; ``next_cursor`` is None on the last.

        Raises:
            InvalidInput: something asked for is none.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.decisions import decisions

        if about is not None:
            check_text(about, "what decisions are about")
        check_flag(doubtful, "doubtful")
        check_limit(limit)
        times = checked_filters(since=since, until=until)
        services = await self.open()
        return await decisions(
            services.stores,
            services.place,
            about=about,
            doubtful=doubtful,
            since=times.since,
            until=times.until,
            limit=limit,
            cursor=cursor,
        )

    async def recall(self, query: str, *, limit: int = 5, deadline_ms: int = 50) -> RecallResult:
        """What is remembered that bears on a question, as each turn recalls it; for an agent loop of your own.

        Args:
            query: the question, or what is about to be done; code that it names brings what was decided about that.
            limit: memories at most, beside the rules that always hold; 1 to 1,000.
            deadline_ms: milliseconds after which it gives what it has; ``tiers_missed`` says what was late.

        Raises:
            InvalidInput: something asked for is none, or memory is off.
            GraphUnavailable: there is no server to be had.
        """
        check_query(query)
        check_limit(limit)
        if not isinstance(deadline_ms, (int, float)) or deadline_ms <= 0:
            raise InvalidInput(f"deadline_ms is a number of milliseconds above 0, not {deadline_ms!r}")
        return await (await self.open()).recall(query, limit=limit, deadline_ms=deadline_ms)

    async def erase_user(self) -> Erasure:
        """Deletes all that this agent's user has in every project of this graph, and gives a certificate of it.

        Conversations with their branches, messages, tool calls, results and summaries, insights, memories with their
        versions, API keys, usage, and the user's own node: hidden first, then deleted in batches. An erasure that is
        cut off is ended by whoever opens an agent on this graph next. What is nobody's and what other users have stays
        as it is, and so does what this user begins after the call. The certificate stays in the graph; it names the
        user and has no text of what was erased. `docs/deletion.md` says what a server's own files keep.

        Raises:
            InvalidInput: memory is off, or this agent is nobody's.
            ConversationFileError: texts are in files that this agent does not have; they go, and all that is left with
                them, when an agent that has them is opened.
            GraphUnavailable: Neo4j is away; likewise.
        """
        from ragforge_memory.agent.erasure import erase_user

        return await erase_user(await self.open())

    async def ingest(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        adopt: bool = False,
        full: bool = False,
        progress: Callable[[IngestProgress], None] | None = None,
    ) -> IngestReport:
        """Reads code into the graph; only what has changed since the last time is read again.

        Where another tool had taken code away, what was said meanwhile is tied to it.

        Args:
            path: a directory; None: the agent's root.
            adopt: take the project over from another root that was ingested under its name.
            full: read everything again.
            progress: is told how far it is.

        Raises:
            InvalidInput: there is no such directory, or it is the user's home or what is above it, and neither a
                repository nor a configuration says that this is a project.
            ProjectConflict: another root has this project's name.
        """
        from ragforge_memory.agent.ties.late_ties import tie_late
        from ragforge_memory.code.roots import check_root
        from ragforge_memory.config import SourceConfig
        from ragforge_memory.ingest.run import ingest

        check_flag(adopt, "adopt")
        check_flag(full, "full")
        check_progress(progress)
        root = root_of(path) if path is not None else self._root
        check_root(root, self._settings)
        services = await self.open()
        source = self._settings.source if self._settings is not None else SourceConfig()
        report = await ingest(
            services.stores.graph,
            root,
            project=services.place.owner.project,
            include=source.include,
            exclude=source.exclude,
            max_bytes=source.max_file_bytes,
            adopt=adopt,
            full=full,
            progress=progress,
        )
        await tie_late(services.stores, services.place)
        if report.added or report.updated:
            services.background.work.wake()
        return report

    async def conversations_about(self, scope: str, *, limit: int = 20) -> list[ConversationInfo]:
        """Conversations that talked about a definition or a file, under its name of then or of now.

        Args:
            scope: a name, a qualified name (``name()``, a signature, ``Outer::name`` and a macro's ``name!`` will do
                as well), ``FILE:NAME`` with a qualified name, a definition's uuid, or a file's path in the project.
            limit: conversations at most, 1 to 1,000.

        Returns:
            The one that mentioned it last comes first; ``references`` are its ties to that code, with their status.

        Raises:
            InvalidInput: ``scope`` is empty.
        """
        from ragforge_memory.agent.ties.references import about
        from ragforge_memory.code.languages import LANGUAGES, language_of
        from ragforge_memory.code.mentions import dotted

        check_text(scope, "a definition's name")
        check_limit(limit)
        name = scope.strip()
        bare = bare_name(name)
        if not bare:
            raise InvalidInput("which code? the name is empty", hint="a name, a qualified name, a uuid or a file")
        services = await self.open()
        # Only then without its brackets: `operator()` is a name, too. Only then with dots: a path may have `#`.
        for way in dict.fromkeys((name, bare, dotted(bare), dotted(code_name(name)))):
            if way and (found := await about(services.stores, services.place, way, limit=limit)):
                return found
        macro = dotted(bare[:-1]) if bare.endswith("!") else ""
        found = await about(services.stores, services.place, macro, limit=limit) if macro else []
        # In Rust `bail!` is the macro `bail`; in Ruby `save!` is another name than `save`.
        rust = LANGUAGES["rust"]
        return [info for info in found if all(language_of(each.file) is rust for each in info.references)]

    async def import_conversation(
        self, data: Any, on_conflict: OnConflict = "fail", *, title: str | None = None
    ) -> AsyncConversation:
        """Stores a conversation that was held elsewhere, as a new one with its times, tool calls and reasoning.

        What it is is recognised by its content: what `AsyncConversation.export` gave (all of it comes back, branches,
        summaries and references too), a list of ``{"role", "content", "timestamp"?, "uuid"?, "metadata"?}``,
        OpenAI chat messages with their tool calls, a Claude Code session, one conversation of ChatGPT's export,
        one session of aider's chat history, LangChain's ``messages_to_dict``.

        Args:
            data: the records themselves, or the text or the bytes of a file. A timestamp is ISO text, a datetime or
                seconds since 1970 (without a zone: UTC); without any the message is of now. Order is the source's,
                never the clock's.
            on_conflict: where a message's uuid is one that this owner has already: ``fail`` refuses, ``skip`` gives the
                conversation that has it and writes nothing, ``copy`` imports the message under a new uuid, ``extend``
                adds what is new behind what is stored, or in a branch where both part (docs/archive.md). A uuid that
                another owner has is replaced without a word, always by the same one, so that what was imported before
                is known again. ``source_uuid`` keeps one that was replaced.
            title: what lists show; None: the source's own, else the beginning of the first message.

        Raises:
            InvalidInput: the format is not known, there is more than one conversation, a record is bad (its line or its
                index is named) or, with ``fail``, here already; nothing is left of it.
            GraphUnavailable: it could not be stored; nobody sees a half of it, and a sweep takes that away.
        """
        from ragforge_memory.archive import importing, transcripts

        _check_conflict(on_conflict)
        clean_labels(title, ())
        services = await self.open()
        info = await importing.import_one(services, data, on_conflict=on_conflict, title=title)
        if info is None:
            info = await transcripts.import_one(services, data, on_conflict=on_conflict, title=title)
        return self._conversation(info)

    async def import_conversations(
        self,
        source: str | os.PathLike[str] | IO[bytes] | IO[str],
        on_conflict: OnConflict = "fail",
        *,
        progress: Callable[[ImportProgress], None] | None = None,
    ) -> ImportReport:
        """Stores all conversations of a file, each whole or not at all, in one pass with little memory.

        What `export_all` wrote brings memories too, vouched for as the file says: take in no such file of a stranger.
        What is here already stays, unless it was changed later there (docs/archive.md).

        Args:
            source: a path (of a zip or a folder too), or an open stream, which is read to its end and not closed. Its
                format is recognised as by `import_conversation`; a file may hold many conversations: what `export_all`
                wrote, ChatGPT's ``conversations.json``, aider's history, JSON lines of ``{"messages": […]}``. One
                record (a line, an item of a list, a conversation of ChatGPT's) has at most 32 million bytes, in an
                archive of ours 256.
            on_conflict: as in `import_conversation`, for each conversation by itself.
            progress: is told how far it is, after every batch.

        Returns:
            What was written and skipped. A conversation with a bad record is in ``errors``, with its line; nothing of
            it is left, and those after it are imported.

        Raises:
            InvalidInput: the file cannot be read or is of no known format.
            GraphUnavailable: it could not go on. What was imported before is there: ``on_conflict="extend"`` goes on.
        """
        from ragforge_memory.archive import bundles
        from ragforge_memory.archive.private_file import beside
        from ragforge_memory.importers.source import Source

        _check_conflict(on_conflict)
        check_progress(progress)
        if not isinstance(source, (str, os.PathLike)):
            if not callable(getattr(source, "read", None)):
                raise InvalidInput(f"a source is a path or an open stream, not {type(source).__name__}")
            return await self._import_all(Source(source), on_conflict, progress)
        source = path_of(source)
        with bundles.parts(source) as found:
            if found is not None:
                return await bundles.import_parts(found, lambda part: self._import_all(part, on_conflict, progress))
        try:
            file = await beside(partial(open, source, "rb"))  # a pipe waits for who writes to it
        except OSError as error:
            raise InvalidInput(f"{os.fspath(source)} cannot be read: {error.strerror}") from error
        with file:
            size = os.fstat(file.fileno()).st_size
            return await self._import_all(Source(file, size=size), on_conflict, progress)

    async def _import_all(
        self, source: Source, on_conflict: OnConflict, progress: Callable[[ImportProgress], None] | None
    ) -> ImportReport:
        from ragforge_memory.archive import importing, transcripts

        services = await self.open()
        report = await importing.import_all(services, source, on_conflict=on_conflict, progress=progress)
        if report is None:
            report = await transcripts.import_all(services, source, on_conflict=on_conflict, progress=progress)
        return report

    async def export_all(self, path: str | os.PathLike[str], *, embeddings: bool = False) -> ExportReport:
        """All conversations and memories of this owner in a file of JSON lines (docs/archive.md) to import anew.

        Args:
            path: the file; written beside it first, then put in its place, readable by its owner alone. However large
                it becomes, no more than some megabytes are in memory.
            embeddings: whether vectors come along.

        Returns:
            What was written. Where texts are in files that are lost, or that this agent does not read, all others are
            written, and ``failed`` and ``errors`` say which conversations are not.

        Raises:
            InvalidInput: the file cannot be written, or memory is off.
            GraphUnavailable: the graph cannot be read; no file is left.
        """
        from ragforge_memory.archive.exporting import export_all

        check_flag(embeddings, "embeddings")
        return await export_all(await self.open(), path, embeddings=embeddings)

    async def batch_analyze(
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
        """Asks the model the same of each conversation and keeps each answer as an `Insight`, once it fits the schema.

        What is done is not asked again: run with the same task and schema, it goes on where it was stopped or killed.
        Two that run at once share the work. A conversation that does not fit the model's window is shown by its
        summaries and its newest messages.

        Args:
            conversations: which: uuids, `ConversationInfo` objects or conversations, one or many; a filter,
                ``{"status": "active" or "archived", "tags": [any of these]}``; None: all of this owner.
            task: what to find, in words.
            output_schema: how to answer: a pydantic class; a JSON Schema; or, in short, an object's fields with a
                schema each, all of them required: ``{"main_topic": {"type": "string"}}``.
            concurrency: requests at a time, 1 to 64.
            max_cost_usd: US dollars that this run may take, by the model's list price. A request is begun only where
                it fits with all that was taken and all that runs; what an answer will take is guessed by the longest.
            max_tokens: tokens that this run may take, given and said, likewise.
            attempts: requests for one conversation, at most, 1 to 10: an answer that is not JSON or does not fit goes
                back to the model with what is wrong.
            refresh: make those anew whose conversations have gone on since.
            progress: is called with how many conversations are settled, of how many.

        Returns:
            The insights that there are now, in the order of the conversations (of a filter or None, the newest first):
            a list, with ``made``, ``failed`` (each with a reason), ``left`` and ``stopped`` (where a limit ended the
            run, or the model failed on three conversations in a row), and ``usage``.

        Raises:
            InvalidInput: something asked for is none, or ``max_cost_usd`` of a model without a known price.
            ConfigError: there is no model to ask.
            ConversationNotFound: this owner has no such conversation.
            ModelError: the model failed, and there is no insight at all.
            GraphUnavailable: the graph cannot be asked; what was stored by then stays.
        """
        from ragforge_memory.insights import inputs
        from ragforge_memory.insights.analysis import analyse
        from ragforge_memory.insights.schema import checked_schema

        check_flag(refresh, "refresh")
        check_progress(progress)
        choice = inputs.checked_choice(conversations)
        task = inputs.checked_task(task)
        form = checked_schema(output_schema)
        limits = inputs.checked_limits(
            concurrency=concurrency, attempts=attempts, max_cost_usd=max_cost_usd, max_tokens=max_tokens
        )
        return await analyse(await self.open(), choice, task, form, limits, refresh=refresh, progress=progress)

    async def list_insights(
        self,
        conversation: AConversation | None = None,
        *,
        task: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Insight]:
        """The insights that there are, the newest first; no model is asked.

        Args:
            conversation: only of this one; None: of all of this owner.
            task: only of this task.
            limit: most items on the page, 1 to 1,000.
            cursor: ``next_cursor`` of the page before.

        Raises:
            InvalidInput: something asked for is none.
            ConversationNotFound: this owner has no such conversation.
        """
        from ragforge_memory.insights import inputs
        from ragforge_memory.insights.analysis import listed

        check_limit(limit)
        if cursor is not None:
            check_text(cursor, "a cursor")
        wanted = inputs.checked_task(task) if task is not None else None
        only = inputs.named(conversation) if conversation is not None else None
        services = await self.open()
        return await listed(services.stores, services.place, only, task=wanted, limit=limit, cursor=cursor)

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
        turns = await services.background.outage.drain(remaining())
        if turns and services.background.outage.is_on:
            return {"turns": turns}
        left = await services.background.work.drain(remaining())
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

    async def expired_conversations(
        self, *, older_than_days: int | None = None, keep: int | None = None
    ) -> list[ConversationInfo]:
        """What `delete_expired_conversations` would delete now, the oldest first, 1,000 at most; nothing is changed.

        Args:
            older_than_days: those in which nothing was said for more days than this, by the database's clock.
            keep: those behind the newest so many.

        Raises:
            InvalidInput: neither is given, or one is no such number.
        """
        from ragforge_memory.agent.deletion import expired

        _check_expiry(older_than_days, keep)
        return await expired(await self.open(), older_than_days=older_than_days, keep=keep)

    async def delete_expired_conversations(
        self, *, older_than_days: int | None = None, keep: int | None = None
    ) -> list[ConversationInfo]:
        """Deletes this owner's old conversations, archived ones too, as `AsyncConversation.delete` does.

        Conversations that this agent has open, in which a turn runs or in which something was said meanwhile stay;
        so do those whose texts are in files that this agent does not have.

        Args:
            older_than_days: those in which nothing was said for more days than this, by the database's clock.
            keep: those behind the newest so many; 0: all.

        Returns:
            What was deleted, the oldest first.

        Raises:
            InvalidInput: neither is given, or one is no such number.
            GraphUnavailable: the graph went away; what was deleted until then is.
        """
        from ragforge_memory.agent.deletion import delete_expired

        _check_expiry(older_than_days, keep)
        return await delete_expired(await self.open(), older_than_days=older_than_days, keep=keep)


def _check_conflict(on_conflict: object) -> None:
    from ragforge_memory.archive.importer import ON_CONFLICT

    if on_conflict not in ON_CONFLICT:
        raise InvalidInput(f"there is no on_conflict {on_conflict!r}", hint=", ".join(ON_CONFLICT))


def _check_expiry(older_than_days: int | None, keep: int | None) -> None:
    if older_than_days is None and keep is None:
        raise InvalidInput("say what is to go", hint="older_than_days=… or keep=…")
    for name, value in (("older_than_days", older_than_days), ("keep", keep)):
        if value is None:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= _MOST_DAYS:
            raise InvalidInput(f"{name} is a whole number from 0 to {_MOST_DAYS:,}, not {value!r}")
