"""`ragforge conversations import`: taking in what was said elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragforge_memory.cli.import_report import as_option, print_report
from ragforge_memory.cli.options import JsonOption, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.models.imports import ImportProgress


async def import_(
    settings: Settings,
    file: Annotated[
        Path | None,
        typer.Argument(metavar="FILE", help="What export or another program wrote, a zip, a folder; - reads a pipe."),
    ] = None,
    program: Annotated[
        Literal["claude-code", "codex", "gemini", "opencode"] | None,
        typer.Option("--from", help="Find this project's sessions of a program by itself."),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Take what was found without a question.")] = False,
    watch: Annotated[
        bool, typer.Option("--watch", help="With --from: go on taking what is new, until Ctrl-C.")
    ] = False,
    on_conflict: Annotated[
        Literal["extend", "skip", "copy", "fail"],
        typer.Option("--on-conflict", help="Where messages are here already: add what is new, or leave, copy, refuse."),
    ] = "extend",
    title: Annotated[
        str | None, typer.Option("--title", metavar="TITLE", help="What lists show, of one conversation.")
    ] = None,
    json: JsonOption = False,
) -> None:
    """Import conversations that were exported, or held elsewhere.

    With --from the sessions of this project are found where the program keeps them. What `export` wrote comes back with
    all that it had. Lists of role and content are recognised, messages of OpenAI, Anthropic and LangChain, sessions of
    Claude Code, Codex, Gemini CLI, opencode and aider, and the exports of ChatGPT and claude.ai. A record that is bad
    is passed over and named; what is not a message is counted by its type.
    """
    from ragforge_memory.agent.inputs import clean_labels
    from ragforge_memory.api.doctor import EMBEDS
    from ragforge_memory.cli.conversations_from import import_from
    from ragforge_memory.cli.session import open_graph
    from ragforge_memory.errors import InvalidInput

    clean_labels(title, ())
    if (file is None) is (program is None):
        raise typer.BadParameter("give FILE or --from, and not both")
    if program is not None:
        if title is not None:
            raise typer.BadParameter("--title is of one conversation")
        await import_from(settings, program, on_conflict, yes=yes, watch=watch, json=json)
        return
    if watch:
        raise typer.BadParameter("--watch follows what --from finds")
    assert file is not None
    if str(file) != "-" and not file.exists():  # a shell's <(…) is a pipe that has a name
        why = "there is no such file"
        raise InvalidInput(f"{file} cannot be read: {why}", hint="give the path of a file, or - for a pipe")
    spinner = Spinner(Terminal.of_this_process())
    async with open_graph(settings, quiet=json) as agent:
        source = sys.stdin.buffer if str(file) == "-" else file
        async with spinner.running("reading"):
            try:
                report = await agent.import_conversations(
                    source, on_conflict=on_conflict, progress=lambda progress: spinner.phase(_phase(progress))
                )
            except InvalidInput as error:
                error.hint = as_option(error.hint)
                raise
        if title is not None and len(report.imported) == 1:
            await (await agent.load_conversation(report.imported[0])).set_title(title)
        waiting = (await agent.drain(0)).get("messages", 0)
    if json:
        print_json(report)
    else:
        print_report(report)
        if waiting:
            note(f"{counted(waiting, 'message waits', 'messages wait')} for a vector: {EMBEDS}")
    if report.failed:
        raise typer.Exit(1)


def _phase(progress: ImportProgress) -> str:

    share = f", {100 * progress.read // progress.size} %" if progress.size else ""
    conversations, messages = counted(progress.conversations, "conversation"), counted(progress.messages, "message")
    return f"importing, {conversations}, {messages}{share}"
