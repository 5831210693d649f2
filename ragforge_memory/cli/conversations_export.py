"""`ragforge conversations export`: conversations as files, for keeping, for another graph, or for reading."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Literal

import typer

from ragforge_memory.cli.options import Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.models.text import counted

# Of what could not be exported, so many are named.
_SHOWN = 10

_Format = Literal["json", "markdown"]


async def export(
    settings: Settings,
    reference: Annotated[
        str | None, typer.Argument(metavar="REF", help="Its id, the start of it, its session or its title.")
    ] = None,
    all_: Annotated[
        Path | None, typer.Option("--all", metavar="FILE", help="Every conversation, as JSON lines; - is stdout.")
    ] = None,
    format_: Annotated[
        _Format, typer.Option("--format", help="json has everything, markdown is for reading.")
    ] = "json",
    embeddings: Annotated[
        bool, typer.Option("--embeddings", help="With the vectors, for a graph of one model.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write it there, not to stdout.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Put it in the place of a file that is there.")] = False,
) -> None:
    """Export a conversation with all that hangs on it, or with --all every one.

    `ragforge conversations import FILE` takes it back, here or into another graph. Files are readable by you alone, and
    there whole or not at all.
    """
    if (reference is None) == (all_ is None):
        raise typer.BadParameter("name one conversation, or a file for --all")
    if all_ is not None and (output is not None or format_ != "json"):
        raise typer.BadParameter("--all writes JSON lines into its own file", param_hint="--all")

    if all_ is not None and str(all_) == "-":
        await _piped(settings, embeddings, force)
    elif all_ is not None:
        await _all(settings, all_, embeddings, force)
    elif reference is not None:
        await _one(settings, reference, format_, embeddings, output, force)


async def _one(
    settings: Settings, reference: str, format_: _Format, embeddings: bool, output: Path | None, force: bool
) -> None:
    from ragforge_memory.cli.session import open_graph

    if output is not None:
        _check_free(output, force)
    async with open_graph(settings, quiet=output is None) as agent:
        conversation = await agent.load_conversation(reference)
        made = await conversation.export(output, format=format_, embeddings=embeddings)
    if output is not None:
        echo(f"exported: {conversation.uuid} to {output}")
    elif isinstance(made, str):
        echo(made, nl=False)
    else:
        print_json(made)


async def _piped(settings: Settings, embeddings: bool, force: bool) -> None:
    """To stdout, once it is whole: what a pipe has taken cannot be taken back."""
    with TemporaryDirectory(prefix="ragforge-export-") as folder:
        file = Path(folder) / "all.jsonl"
        try:
            await _all(settings, file, embeddings, force, name="stdout")
        finally:
            if file.exists():
                with file.open("rb") as whole:
                    shutil.copyfileobj(whole, sys.stdout.buffer)
                sys.stdout.buffer.flush()


async def _all(settings: Settings, file: Path, embeddings: bool, force: bool, *, name: str | None = None) -> None:
    from ragforge_memory.cli.session import open_graph

    _check_free(file, force)
    spinner = Spinner(Terminal.of_this_process())
    async with open_graph(settings) as agent, spinner.running("exporting"):
        report = await agent.export_all(file, embeddings=embeddings)
    number, messages = counted(report.conversations, "conversation"), counted(report.messages, "message")
    echo(f"exported: {number}, {messages}, {report.size_bytes:,} bytes to {name or file}", err=name is not None)
    for error in report.errors[:_SHOWN]:
        note(f"not exported: {error.conversation_id[:8]}: {error.message}")
    if report.failed:
        note(f"{report.failed:,} could not be exported: the backup is not whole")
        raise typer.Exit(1)


def _check_free(file: Path, force: bool) -> None:
    from ragforge_memory.errors import InvalidInput

    if file.is_file() and not force:
        raise InvalidInput(f"{file} is there already", hint="--force puts the new one in its place")
