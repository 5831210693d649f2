"""What a command works with: the project, its agent, the terminal; opened with a spinner, closed at the end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shlex
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import typer

from ragforge_memory.agent.turns.patience import RESTART_PATIENCE
from ragforge_memory.api.agent import AsyncConversationAgent
from ragforge_memory.cli.interrupts import Interrupts
from ragforge_memory.cli.options import Settings
from ragforge_memory.cli.preparation import shown_preparation
from ragforge_memory.cli.reading import bring_up_to_date
from ragforge_memory.cli.renamed_folder import FolderQuestion
from ragforge_memory.cli.shown import printable
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.code.roots import HINT, refused_root
from ragforge_memory.config.allowed import check_allowed
from ragforge_memory.config.load import Place, find_place
from ragforge_memory.errors import GraphUnavailable, ProjectConflict, RagforgeError

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.downloads.progress import Progress, Reporter

MEMORY_OFF = "memory is off (agent.memory.enabled)"

log = logging.getLogger(__name__)

_LOOK = 0.2
"""Seconds between two looks whether Ctrl-C has ended a wait."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What a chat or a question was started with.

    ``quiet``: stdout and stderr are read by a program. ``brief``: the process ends after one answer, so it leaves
    vectors to those that live longer.
    """

    settings: Settings
    model: str | None = None
    memory: bool = True
    ingest: bool = True
    quiet: bool = False
    brief: bool = False


def locate(settings: Settings) -> Place:
    """Finds the project that the settings mean.

    Raises:
        ConfigError: the configuration cannot be used, or reaches what its user has not allowed.
    """
    place = find_place(settings.config, settings.project)
    if settings.config is None:
        check_allowed(place.loaded)
    return place


def make_agent(
    place: Place,
    settings: Settings,
    *,
    model: str | None = None,
    memory: bool | None = None,
    progress: Reporter | None = None,
    brief: bool = False,
    spinner: Spinner | None = None,
) -> AsyncConversationAgent:
    """The agent for a place; ``memory`` turns its memory on or off, None leaves that to the configuration.

    Where the place had another name, the user is asked, while the ``spinner`` rests.
    """
    config = place.loaded.config
    if memory is not None:
        told = config.agent.memory.model_copy(update={"enabled": memory})
        config = config.model_copy(update={"agent": config.agent.model_copy(update={"memory": told})})
    return AsyncConversationAgent.from_settings(
        config,
        user_id=settings.user,
        project=place.project.name,
        root=place.source,
        llm_provider=model,
        progress=progress,
        brief=brief,
        identity=place.project,
        goes_on=FolderQuestion(settings, spinner),
    )


@dataclass(slots=True)
class Session:
    """An open agent at a terminal."""

    agent: AsyncConversationAgent
    services: Services
    place: Place
    opening: Opening
    terminal: Terminal
    spinner: Spinner
    interrupts: Interrupts

    @property
    def keeps(self) -> bool:
        """Whether what is said is kept."""
        return self.services.place.config.memory.enabled

    @property
    def refused(self) -> str | None:
        """Why this place is not read as a project; None where it is."""
        return refused_root(self.place.source, self.place.loaded.config)

    async def conversation(self, *, continue_: bool = False, resume: str | None = None) -> AsyncConversation | None:
        """The conversation that goes on; None where none was asked for, or there is none yet.

        Raises:
            ConversationNotFound: nothing has this reference.
            InvalidInput: several conversations have it.
        """
        if resume is not None:
            return await self.agent.load_conversation(resume)
        if continue_:
            page = await self.agent.list_conversations(limit=1, status="active")
            if page.items:
                return await self.agent.load_conversation(page.items[0].uuid)
            note("there is no conversation to continue; this is a new one")
        return None

    def command(self, name: str, uuid: str) -> str:
        """The command that goes on with a conversation, with the options that this run was given."""
        given = self.opening.settings
        options = (("--config", given.config), ("--user", given.user), ("--project", given.project))
        told = [part for option, value in options if value is not None for part in (option, str(value))]
        return shlex.join(["ragforge", name, "-r", uuid[:8], *told])

    async def read_code(self) -> None:
        """Brings the project's code up to date, unless that was not wanted; says where there is none.

        Where another folder (a colleague's clone) has the project's name, its code is what answers go by: said, and no
        reason to refuse a question or a note.
        """
        if not self.opening.ingest:
            return
        if (why := self.refused) is not None:
            if not self.opening.quiet:
                note(f"no code is read: {why} ({HINT})")
            return
        try:
            async with self.spinner.running("looking at the project's files"):
                report = await bring_up_to_date(self.agent, self.place, self.spinner, quiet=self.opening.quiet)
        except ProjectConflict as conflict:
            note(f"answers go by the code as it was read there: {conflict} ({conflict.hint})")
            self.opening = replace(self.opening, ingest=False)
            return
        if not report.files and not self.opening.quiet:
            note(f"no code was read: {self._why_there_is_none()}")

    def _why_there_is_none(self) -> str:
        source = self.place.loaded.config.source
        chosen = ["source.include"] * (source.include not in ((), ("**/*",))) + ["source.exclude"] * bool(
            source.exclude
        )
        if not chosen:
            return f"there is none in {self.place.source}"
        leave = "leave" if len(chosen) > 1 else "leaves"
        return f"{' and '.join(chosen)} of the configuration {leave} none in {self.place.source}"

    async def read_changes(self) -> None:
        """The same before a question of a chat, which goes on without where that cannot be done."""
        if not self.opening.ingest or self.refused is not None or not await self._graph_is_there():
            return
        try:
            await bring_up_to_date(self.agent, self.place, self.spinner, quiet=self.opening.quiet)
        except RagforgeError as error:
            log.warning("what has changed in the code could not be read: %s", error)

    async def _graph_is_there(self) -> bool:
        """Whether Neo4j answers. A managed one that has gone is waited for, for a short time or until Ctrl-C, since
        without it nothing can be told of code; whether another is away the turn itself finds out."""
        graph, outage = self.services.stores.graph, self.services.background.outage
        if outage.is_on:
            return False
        try:
            await graph.contact()
        except GraphUnavailable as error:
            if not graph.comes_back(error):
                return False
            outage.begin(error)
            self.spinner.clear()
            note(f"Neo4j went away and is being started again; waiting up to {RESTART_PATIENCE:.0f} s …")
            self.spinner.phase("waiting for Neo4j")
            begun = time.monotonic()
            while outage.is_on and not self.interrupts.count and time.monotonic() - begun < RESTART_PATIENCE:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(_LOOK):
                        await outage.over()
        return not outage.is_on


@contextlib.asynccontextmanager
async def open_session(opening: Opening) -> AsyncIterator[Session]:
    """Opens the agent and takes Ctrl-C, SIGTERM and SIGHUP.

    Raises:
        typer.Exit: a signal ended the command.
    """
    terminal = Terminal.of_this_process()
    spinner = Spinner(terminal)
    interrupts = Interrupts()
    _configure_logs(opening.settings.debug)
    place = locate(opening.settings)
    for notice in place.loaded.notices:
        note(notice)
    preparation = _Preparation(terminal, spinner, quiet=opening.quiet)
    with interrupts.taken():
        agent = make_agent(
            place,
            opening.settings,
            model=opening.model,
            memory=None if opening.memory else False,
            progress=preparation,
            brief=opening.brief,
            spinner=spinner,
        )
        try:
            async with spinner.running("opening the graph"):
                with preparation.shown():
                    services = await agent.open()
            if opening.memory and not services.place.config.memory.enabled and not opening.quiet:
                note(f"{MEMORY_OFF}: nothing of this is kept, and nothing that was said before is known")
            yield Session(agent, services, place, opening, terminal, spinner, interrupts)
        except asyncio.CancelledError:
            raise typer.Exit(interrupts.exit_code) from None
        finally:
            async with spinner.running("finishing"):
                await agent.aclose()


@contextlib.asynccontextmanager
async def open_graph(
    settings: Settings, *, quiet: bool = False, brief: bool = True, opens: bool = True
) -> AsyncIterator[AsyncConversationAgent]:
    """The agent for commands that only read and change what is stored; no model is looked for.

    ``brief``: the command leaves vectors to processes that live longer. ``opens``: whether it is opened already.
    """
    terminal = Terminal.of_this_process()
    spinner = Spinner(terminal)
    _configure_logs(settings.debug)
    preparation = _Preparation(terminal, spinner, quiet=quiet)
    place = locate(settings)
    for notice in place.loaded.notices:
        note(notice)
    agent = make_agent(
        place, settings, model="extractive", memory=True, progress=preparation, brief=brief, spinner=spinner
    )
    try:
        if opens:
            async with spinner.running("opening the graph"):
                with preparation.shown():
                    await agent.open()
        yield agent
    finally:
        await agent.aclose()


class _Preparation:
    """Shows what the first start has to fetch, while the spinner rests; later only that a server is waited for.

    An embedding model is fetched beside the conversation: its progress must not draw over a prompt.
    """

    def __init__(self, terminal: Terminal, spinner: Spinner, *, quiet: bool) -> None:
        self._terminal = terminal
        self._spinner = spinner
        self._silent = quiet and not terminal.progress
        self._stopped = False
        self._open: contextlib.ExitStack | None = None
        self._report: Reporter | None = None

    @contextlib.contextmanager
    def shown(self) -> Iterator[None]:
        """Reports show inside; the first one imports what shows them."""
        with contextlib.ExitStack() as self._open:
            try:
                yield
            except BaseException:
                self._stopped = True
                raise
            finally:
                self._open = self._report = None

    def __call__(self, progress: Progress) -> None:
        if self._stopped:
            raise _Stopped
        if self._silent:
            return
        if self._open is None:
            if progress.phase == "wait" and self._spinner.waiters:
                self._spinner.clear()
                note(f"{progress.what} …")
            return
        if self._report is None:
            self._report = self._open.enter_context(shown_preparation(self._terminal))
        self._spinner.phase("")
        self._spinner.clear()
        self._report(progress)


class _Stopped(BaseException):
    """Ends, from inside its report, a preparation that nobody waits for any more: Ctrl-C cannot end a thread."""


class _Warnings(logging.Handler):
    """Shows warnings as notes on stderr, each once."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self._said: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        """Takes one."""
        text = record.getMessage()
        if text not in self._said:
            self._said.add(text)
            note(printable(text))


def _configure_logs(debug: bool) -> None:
    """Logs go to stderr with ``--debug``; otherwise nowhere: what matters is said in the answer's notes.

    But that texts are missing, which were in files or still are, no result has a place for.
    """
    if debug:
        logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s %(levelname)s %(message)s")
        logging.getLogger("ragforge_memory").setLevel(logging.DEBUG)
    elif not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())
        for module in ("filed", "text_files"):
            logging.getLogger(f"ragforge_memory.graph.{module}").addHandler(_Warnings(logging.WARNING))
