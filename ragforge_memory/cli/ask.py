"""`ragforge ask`: one question, one answer."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import (
    ContinueOption,
    JsonOption,
    ModelOption,
    NoIngestOption,
    NoMemoryOption,
    ResumeOption,
    Settings,
    check_conversation,
    run_async,
)
from ragforge_memory.cli.output import print_json, print_json_line
from ragforge_memory.cli.references import tied_to
from ragforge_memory.cli.render import TurnView
from ragforge_memory.cli.terminal import note
from ragforge_memory.models.text import unescaped

if TYPE_CHECKING:
    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.cli.session import Opening

_PATIENCE = 2.0  # seconds without the end of stdin before that is said


def ask(
    settings: Settings,
    words: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT", help="The question; '-' or nothing reads it from stdin.")
    ] = None,
    continue_: ContinueOption = False,
    resume: ResumeOption = None,
    model: ModelOption = None,
    no_memory: NoMemoryOption = False,
    no_ingest: NoIngestOption = False,
    json: JsonOption = False,
    jsonl: Annotated[bool, typer.Option("--jsonl", help="Print the turn's events, a line of JSON each.")] = False,
) -> None:
    """Ask one question and print the answer.

    What is piped in belongs to the question: git diff | ragforge ask "what changed?" Without a model the answer lists
    the code that it names: the definitions that a diff changes, the frames of a traceback.
    """
    check_conversation(continue_, resume, no_memory)
    if json and jsonl:
        raise typer.BadParameter("give --json or --jsonl, not both")
    question = _question(" ".join(words) if words else None)

    from ragforge_memory.cli.session import Opening

    opening = Opening(
        settings=settings, model=model, memory=not no_memory, ingest=not no_ingest, quiet=json or jsonl, brief=True
    )
    output = "jsonl" if jsonl else "json" if json else "text"
    run_async(_ask(opening, question, continue_, resume, output))


def _question(text: str | None) -> str:
    """The argument; what is piped in stands under it in a fenced block, or is the question where there is no other."""
    given = "" if text is None or text == "-" else unescaped(text).strip()
    piped = _stdin().strip("\n") if text == "-" or not sys.stdin.isatty() else ""
    if given and piped.strip():
        fence = "```"
        while fence in piped:
            fence += "`"
        return f"{given}\n\n{fence}\n{piped}\n{fence}"
    if not given and not piped.strip():
        why = ": nothing came through the pipe" if _is_pipe() else ""
        raise typer.BadParameter(f"there is no question{why}", param_hint="TEXT")
    if not piped.strip() and sys.stderr.isatty() and _is_pipe():
        note("nothing came through the pipe: the question is asked alone")
    return given or piped


def _is_pipe() -> bool:
    """Whether stdin is the end of a pipe, not a terminal, a file or nothing."""
    with suppress(OSError, ValueError):
        return stat.S_ISFIFO(os.fstat(sys.stdin.fileno()).st_mode)
    return False


def _stdin() -> str:
    """All of stdin; says that it waits when nothing comes, for a pipe may have been left open by mistake."""
    import threading

    waiting = threading.Timer(_PATIENCE, note, ["reading the question from stdin until it ends"])
    waiting.daemon = True
    waiting.start()
    try:
        return unescaped(sys.stdin.read())
    finally:
        waiting.cancel()


async def _ask(opening: Opening, question: str, continue_: bool, resume: str | None, output: str) -> None:
    from ragforge_memory.cli.session import open_session
    from ragforge_memory.cli.turns import run_turn
    from ragforge_memory.errors import TurnCancelled

    async with open_session(opening) as session:
        conversation = await session.conversation(continue_=continue_, resume=resume)
        await session.read_code()
        view = TurnView(session.terminal, session.spinner)
        show = {"text": view.show, "jsonl": print_json_line, "json": lambda event: None}[output]

        async def opened() -> AsyncConversation:
            nonlocal conversation
            conversation = conversation or await session.agent.create_conversation()
            return conversation

        def resuming() -> str:
            assert conversation is not None
            return f'go on with: {session.command("ask", conversation.uuid)} "..."'

        try:
            response = await run_turn(session, opened, question, show)
        except TurnCancelled as cancelled:
            view.finish()
            if not session.keeps:
                raise
            interrupted = TurnCancelled(
                "interrupted; what was said until then is kept", hint=resuming(), message_id=cancelled.message_id
            )
            interrupted.exit_code = session.interrupts.exit_code
            raise interrupted from cancelled
        if session.keeps and session.services.stores.unsaved(response.conversation_id):
            # One command is all there is: nobody could save it later.
            assert conversation is not None
            await conversation.save()
        if output == "text" and (tied := await tied_to(session, question, response)):
            note(tied)
        if output == "json":
            print_json(response)
        elif output == "text" and session.keeps and session.terminal.rendered and session.terminal.progress:
            note(f"\n{resuming()}", whole=True)
