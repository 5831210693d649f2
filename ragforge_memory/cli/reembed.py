"""`ragforge reembed`: all vectors of the project made anew by another model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings, command

if TYPE_CHECKING:
    from ragforge_memory.models.embedding import ReembedReport


def register(app: typer.Typer) -> None:
    """Adds the command."""
    command(app, "reembed")(reembed)


def reembed(
    settings: Settings,
    model: Annotated[
        str | None,
        typer.Option(
            "--model",
            metavar="PROVIDER:MODEL",
            help="The new embedding model; the configured one by default.",
            show_default=False,
        ),
    ] = None,
    dimension: Annotated[
        int | None,
        typer.Option(
            "--dimension", metavar="N", min=1, help="Floats in a vector of --model, if not its own.", show_default=False
        ),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Have another embedding model make all vectors of the project anew.

    Searches and chats go on meanwhile. Stopped, the same command goes on where it was.
    """
    if dimension is not None and model is None:
        raise typer.BadParameter("it goes with --model", param_hint="--dimension")

    from ragforge_memory.cli.session import run_async

    run_async(_reembed, settings, model, dimension, json)


async def _reembed(settings: Settings, model: str | None, dimension: int | None, json: bool) -> None:
    from ragforge_memory.cli.output import print_json
    from ragforge_memory.cli.session import open_graph
    from ragforge_memory.cli.terminal import Spinner, Terminal, note

    spinner = Spinner(Terminal.of_this_process())

    def progress(done: int, of: int) -> None:
        spinner.phase(f"{done:,} of {of:,} vectors")

    # Opened it would refuse the very model that the vectors are to be moved to.
    async with open_graph(settings, quiet=json, opens=False) as agent, spinner.running("looking at the vectors"):
        report = await agent.reembed(model, dimension=dimension, progress=progress)
    if json:
        print_json(report)
        return
    _print(report)
    if report.switched and model is not None:
        note("set agent.memory.embeddings to this model, or the next command is refused")


def _print(report: ReembedReport) -> None:
    counts = {
        "messages": report.messages,
        "summaries": report.summaries,
        "conversations": report.conversations,
        "definitions": report.scopes,
    }
    made = ", ".join(f"{count:,} {what}" for what, count in counts.items() if count)
    was = f", which were {report.previous}'s" if report.switched else ""
    typer.echo(f"the vectors are those of {report.model} ({report.dimension} dimensions){was}")
    if made:
        typer.echo(f"{made} embedded")
    if report.failed:
        typer.echo(f"{report.failed:,} were refused by the model and are found by their words alone")
    typer.echo(f"{report.seconds:.1f} s")
