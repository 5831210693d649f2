"""`ragforge reembed`: all vectors of the project made anew by another model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.models.embedding import ReembedReport


async def reembed(
    settings: Settings,
    model: Annotated[
        str | None,
        typer.Option(
            "--model", metavar="PROVIDER:MODEL", help="The new embedding model; the configured one by default."
        ),
    ] = None,
    dimension: Annotated[
        int | None,
        typer.Option("--dimension", metavar="N", min=1, help="Floats in a vector of --model, if not its own."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Have another embedding model make all vectors of the project anew.

    Searches and chats go on meanwhile. Stopped, the same command goes on where it was.
    """
    if dimension is not None and model is None:
        raise typer.BadParameter("it goes with --model", param_hint="--dimension")

    from ragforge_memory.cli.session import open_graph

    spinner = Spinner(Terminal.of_this_process())

    def progress(done: int, of: int) -> None:

        spinner.phase(f"{done:,} of {counted(of, 'vector')}")

    # Opened it would refuse the very model that the vectors are to be moved to.
    async with open_graph(settings, quiet=json, opens=False) as agent, spinner.running("looking at the vectors"):
        report = await agent.reembed(model, dimension=dimension, progress=progress)
    if json:
        print_json(report)
        return
    _print(report)
    if model is not None and (ending := await _unless_configured(settings, report)):
        note(ending)


async def _unless_configured(settings: Settings, report: ReembedReport) -> str:
    """What comes of it that the configuration means another model than the vectors' new one; empty where it does not.

    A model that it names is insisted on; one that it was left to choose gives way to the vectors that are there.
    """
    import os

    from ragforge_memory.cli.session import locate
    from ragforge_memory.embeddings.port import space_model
    from ragforge_memory.embeddings.resolve import resolve_embedder
    from ragforge_memory.graph.spaces import settings_of

    config = locate(settings).loaded.config
    configured = resolve_embedder(config, os.environ).embedder
    if configured is not None:
        try:
            if (space_model(configured), configured.dimension) == (report.model, report.dimension):
                return ""
        finally:
            await configured.aclose()
    until = "search is by words alone"
    if configured is not None and report.previous is None:  # there are no vectors yet that it had to go with
        until = "the next command takes the configured model"
    elif configured is not None and config.agent.memory.embeddings.chosen:
        until = "every other command is refused"
    return f"set {settings_of(report.model, report.dimension)}: until then {until}"


def _print(report: ReembedReport) -> None:

    counts = {
        ("message", "messages"): report.messages,
        ("summary", "summaries"): report.summaries,
        ("conversation", "conversations"): report.conversations,
        ("memory", "memories"): report.memories,
        ("chunk", "chunks"): report.chunks,
        ("definition", "definitions"): report.scopes,
    }
    made = ", ".join(counted(count, *what) for what, count in counts.items() if count)
    was = f", which were {report.previous}'s" if report.switched else ""
    echo(f"the vectors are those of {report.model} ({report.dimension} dimensions){was}")
    if made:
        echo(f"{made} embedded")
    if report.failed:
        words = "was refused by the model and is", "were refused by the model and are"
        echo(f"{counted(report.failed, *words)} found by words alone")
    echo(f"{report.seconds:.1f} s")
