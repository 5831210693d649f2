"""`ragforge conversations import`: taking in what was said elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragforge_memory.cli.options import JsonOption, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.models.imports import ImportProgress, ImportReport

_SHOWN = 10


async def import_(
    settings: Settings,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What export or another program wrote; - reads a pipe.")],
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

    What `export` wrote comes back with all that it had. Lists of role and content are recognised, messages of OpenAI,
    Anthropic and LangChain, sessions of Claude Code, Codex, Gemini CLI, opencode and aider, and the exports of ChatGPT
    and claude.ai. A record that is bad is passed over and named; what is not a message is counted by its type.
    """
    from ragforge_memory.agent.inputs import clean_labels
    from ragforge_memory.api.doctor import EMBEDS
    from ragforge_memory.cli.session import open_graph
    from ragforge_memory.errors import InvalidInput

    clean_labels(title, ())
    if str(file) != "-" and (file.is_dir() or not file.exists()):  # a shell's <(…) is a pipe that has a name
        why = "it is a folder" if file.is_dir() else "there is no such file"
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
                error.hint = _as_option(error.hint)
                raise
        if title is not None and len(report.imported) == 1:
            await (await agent.load_conversation(report.imported[0])).set_title(title)
        waiting = (await agent.drain(0)).get("messages", 0)
    if json:
        print_json(report)
    else:
        _print(report)
        if waiting:
            note(f"{counted(waiting, 'message waits', 'messages wait')} for a vector: {EMBEDS}")
    if report.failed:
        raise typer.Exit(1)


def _phase(progress: ImportProgress) -> str:

    share = f", {100 * progress.read // progress.size} %" if progress.size else ""
    conversations, messages = counted(progress.conversations, "conversation"), counted(progress.messages, "message")
    return f"importing, {conversations}, {messages}{share}"


def _print(report: ImportReport) -> None:

    # An export of one conversation brings those along that share messages with it; it is named for them all.
    family = " and its branches" if report.conversations > 1 else ""
    only = f"  {report.imported[0]}{family}" if len(report.imported) == 1 else ""
    calls = f", {counted(report.tool_calls, 'tool call')}" if report.tool_calls else ""
    went_on = f"; {counted(report.extended, 'conversation')} went on" if report.extended else ""
    unchanged = f"; {counted(report.unchanged, 'conversation')} unchanged" if report.unchanged else ""
    skipped = f"; {counted(report.skipped, 'was', 'were')} here already" if report.skipped else ""
    number = counted(report.conversations, "conversation")
    echo(f"imported: {number}{only}, {counted(report.messages, 'message')}{calls}{went_on}{unchanged}{skipped}")
    for flaw in report.passed_over[:_SHOWN]:
        note(f"passed over: {flaw.place}: {flaw.message}")
    if report.flawed > _SHOWN:
        note(f"passed over {report.flawed - _SHOWN:,} more; --json lists them")
    if report.left_out:
        note(f"left out: {', '.join(f'{number} x {kind}' for kind, number in report.left_out.items())}")
    for error in report.errors[:_SHOWN]:
        note(f"refused: {error.message}")
    for hint in dict.fromkeys(_as_option(error.hint) for error in report.errors[:_SHOWN] if error.hint):
        note(f"hint: {hint}")
    if report.failed > _SHOWN:
        note(f"refused {report.failed - _SHOWN:,} more; --json lists them")


def _as_option(hint: str | None) -> str | None:
    """A hint of the library's as one types it here."""
    if hint is None:
        return None
    hint = hint.replace("on_conflict=", "")
    for choice in ("extend", "skip", "copy"):
        hint = hint.replace(f"'{choice}'", f"--on-conflict {choice}")
    return hint
