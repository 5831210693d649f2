"""The loop of a chat: texts become turns, slash commands are run."""

from __future__ import annotations

import asyncio
import sys
import traceback
from typing import TYPE_CHECKING, Any

import typer

from ragforge_memory.cli.changes import Changes
from ragforge_memory.cli.references import tied_to
from ragforge_memory.cli.render import TurnView
from ragforge_memory.cli.shown import echo, printable
from ragforge_memory.cli.terminal import hint_of, note, typing_ahead
from ragforge_memory.cli.turns import run_turn
from ragforge_memory.errors import AgentClosed, GraphUnavailable, RagforgeError, TurnCancelled
from ragforge_memory.home import ragforge_home
from ragforge_memory.models.text import counted, unescaped

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.cli.session import Session
    from ragforge_memory.events import Event


class Talk:
    """The loop of a chat: reads a text, runs a command or a turn, until the user leaves.

    ``conversation`` is None until the first message: a chat without one leaves nothing in the graph. ``title`` is
    what the next new one is called; None: as its first message. ``changes``: what was remembered and forgotten here.
    ``failed``: the first turn's failure, of a chat that nobody types.
    """

    def __init__(self, session: Session, conversation: AsyncConversation | None) -> None:
        self.session = session
        self.conversation = conversation
        self.title: str | None = None
        self.changes = Changes()
        self.leaving = False
        self.failed: RagforgeError | None = None
        self._again = ""
        self._typed = sys.stdin.isatty() and session.terminal.rendered

    async def run(
        self, run_command: Callable[[Talk, str], Coroutine[Any, Any, bool]], commands: dict[str, str]
    ) -> None:
        """Runs until the user leaves. ``run_command`` says whether a text was a slash command, and runs it then;
        ``commands`` are their names, and what each does."""
        self.greet()
        await self.session.read_code()
        prompt: Any = _PipePrompt()
        if self._typed:
            from ragforge_memory.cli.prompt import LinePrompt  # its library is slow to import

            prompt = LinePrompt(commands, ragforge_home() / "chat_history", self.session.interrupts)
        with typing_ahead():
            while not self.leaving and (text := await prompt.ask(self._again)) is not None:
                self._again = ""
                text = text.strip()
                if text and not await self._stoppable(run_command(self, text)):
                    await self.turn(text)

    def greet(self) -> None:
        """The first lines: model and why, project, conversation."""
        session, models = self.session, self.session.services.models
        name, source = session.place.project.name, str(session.place.source)
        project = f"project {source}" if name == source else f"project {name} in {source}"
        self.say(f"model {models.model_name}: {models.model_why}")
        self.say(f"{project}, as {session.agent.user_id}" if session.agent.user_id else project)
        if self.conversation is not None:
            self.say(describe_conversation(self.conversation))
        if not self.session.keeps:
            self.say("memory is off: nothing of this chat is kept")
        elif not self.session.services.place.config.memory.persistence.auto_save:
            self.say("auto_save is off: what is said is gone at the end unless you type /save")
        if self.session.terminal.rendered:
            self.say("/help shows the commands; Meta-Enter begins a new line; Ctrl-C stops an answer")

    def say(self, text: str, *, margin: int | None = None) -> None:
        """A line beside the answers; one that is too long goes on at ``margin``."""
        terminal = self.session.terminal
        self.session.spinner.clear()
        echo(terminal.dim(terminal.wrap(text, margin=margin)))

    async def turn(self, text: str) -> None:
        """One turn. What goes wrong in it is said; the chat goes on, with a question that could not be kept."""
        from ragforge_memory.errors import RagforgeError

        session = self.session
        view = TurnView(session.terminal, session.spinner, known=("model",))  # its first line has said it
        print(flush=True)
        try:
            response = await run_turn(session, self._opened, text, lambda event: self._show(view, event))
            if tied := await tied_to(session, text, response):
                self.say(tied)
        except TurnCancelled as cancelled:
            view.finish()
            kept = f"; the {'answer so far' if view.spoke else 'question'} is kept" if session.keeps else ""
            self.say(f"interrupted{kept if cancelled.kept else ''}")
            if session.interrupts.leaving:
                raise typer.Exit(session.interrupts.exit_code) from None
        except AgentClosed:
            raise
        except RagforgeError as error:
            view.finish()
            told = f"{error}{hint_of(error)}"
            if not session.terminal.rendered:
                # What else is piped in is asked all the same; a script sees it by the code that the chat ends with.
                self.failed = self.failed or error
                if session.opening.settings.debug:
                    traceback.print_exception(error)
                note(f"ragforge: {told}")
                return
            note(told)
            if isinstance(error, GraphUnavailable):
                note("your question is in the input again: Enter asks it once more")
                self._again = text
        if self._typed:
            print(flush=True)

    def _show(self, view: TurnView, event: Event) -> None:
        self.changes.see(event)
        view.show(event)

    async def _stoppable(self, command: Coroutine[Any, Any, bool]) -> bool:
        """Whether it was a slash command; Ctrl-C ends that, and not the chat. A text is not sent then either."""
        interrupts = self.session.interrupts
        task = asyncio.ensure_future(command)
        with interrupts.during(task.cancel):
            await asyncio.wait((task,))
        ran = not task.cancelled() and task.result()
        if interrupts.leaving:
            raise typer.Exit(interrupts.exit_code)
        if interrupts.count and not ran:
            self.say("interrupted")
            return True
        return ran

    async def _opened(self) -> AsyncConversation:
        await self.session.read_changes()
        self.session.spinner.phase("asking")
        if self.conversation is None:
            self.conversation = await self.session.agent.create_conversation(title=self.title)
            self.title = None
        return self.conversation

    def say_how_to_resume(self) -> None:
        """The command that resumes this conversation."""
        if self.conversation is None or not self.session.keeps:
            return
        if self.session.services.stores.unsaved(self.conversation.uuid):
            self.say("not saved: agent.memory.persistence.auto_save is off, and /save was not typed; it is gone")
        else:
            self.say(f"resume with: {self.session.command('chat', self.conversation.uuid)}")


class _PipePrompt:
    """Every line of stdin is a text; it is printed, for nobody sees it typed, so that answers stand under theirs.

    ``ask`` gives one text at a time, None at the end.
    """

    async def ask(self, text: str = "") -> str | None:
        line: str = await asyncio.to_thread(sys.stdin.readline)
        if not line:
            print(flush=True)
            return None
        if asked := unescaped(line).strip():
            print(f"\nyou: {printable(asked)}", flush=True)
        return asked


def describe_conversation(conversation: AsyncConversation) -> str:
    """Which conversation goes on."""
    messages = counted(conversation.message_count, "message")
    return f"conversation {conversation.uuid[:8]}: {conversation.title or 'without a title'}, {messages}"
