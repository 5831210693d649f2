"""`ragforge ingest`: the project's code into the graph."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings
from ragforge_memory.cli.output import print_json, print_json_line
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragforge_memory.config.load import Place
    from ragforge_memory.models.code import IngestReport, SkippedFile

_SKIPPED_SHOWN = 10
_EMBEDDING_STEP = 2.0  # seconds between two looks at what is left


async def ingest(
    settings: Settings,
    directory: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR",
            help="The project's directory, or one below its configuration; this one by default.",
            exists=True,
            file_okay=False,
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Go on reading what changes, until Ctrl-C.")] = False,
    full: Annotated[bool, typer.Option("--full", help="Read every file again, changed or not.")] = False,
    adopt: Annotated[
        bool, typer.Option("--adopt", help="Take the project's name over from another directory.")
    ] = False,
    embed: Annotated[
        bool, typer.Option("--embed", help="Wait until all code has its vectors; they come while you ask otherwise.")
    ] = False,
    json: JsonOption = False,
) -> None:
    """Read the project's code into the graph.

    Only what has changed since the last time is read again.
    """
    if directory is not None:
        if settings.project is not None and settings.project.resolve() != directory.resolve():
            raise typer.BadParameter("give DIR or --project, not both")
        settings = replace(settings, project=directory)

    wanted = Wanted(watch, full, adopt, embed, json)
    while True:
        try:
            return await _ingest(settings, wanted)
        except _Reconfigured:
            note("the configuration has changed; reading as it says now")
            wanted = replace(wanted, full=False, adopt=False)  # asked for once, not after every change


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an ingest was asked for."""

    watch: bool
    full: bool
    adopt: bool
    embed: bool
    json: bool


class _Reconfigured(Exception):
    """The configuration is another one than that which is at work."""


async def _ingest(settings: Settings, wanted: Wanted) -> None:
    from ragforge_memory.cli.reading import outside, read_code
    from ragforge_memory.cli.session import locate, open_graph
    from ragforge_memory.code.roots import check_root
    from ragforge_memory.code.watch import watch
    from ragforge_memory.errors import EmbeddingError

    place = locate(settings)
    check_root(place.source, place.loaded.config)
    if (told := outside(place)) and not wanted.json:
        note(f"reading {place.source}{told}")
    spinner = Spinner(Terminal.of_this_process())
    first = {"full": wanted.full, "adopt": wanted.adopt}
    async with open_graph(settings, quiet=wanted.json, brief=False) as agent:

        async def read() -> IngestReport:
            if not first:
                _check_configuration(settings, place)
            async with spinner.running("looking at the files"):
                report = await read_code(agent, place, spinner, quiet=wanted.json, **first)
            first.clear()
            return report

        async def embed() -> None:
            if not (await agent.open()).embeds_messages:
                raise EmbeddingError(
                    "the code was read, but it gets no vectors: there is no model to make them",
                    hint="`ragforge doctor` says why",
                )
            start, waiting = time.monotonic(), (await agent.drain(0)).get("scopes", 0)
            async with spinner.running("making vectors of the code"):
                while left := sum((await agent.drain(_EMBEDDING_STEP)).values()):
                    spinner.phase(f"making vectors of the code, {left:,} to go")
            if not wanted.json:
                made = f"{counted(waiting, 'vector')} made, {time.monotonic() - start:.1f} s"
                echo(made if waiting else "all code has its vectors")

        if not wanted.watch:
            _print(await read(), wanted)
            if not wanted.json:
                await _tell_unmatched(place)
            if wanted.embed:
                await embed()
            return
        waits_for_vectors = wanted.embed
        last: IngestReport | None = None
        async for report in watch(place.source, read):
            if last is None or wanted.json:
                _print(report, wanted)
            else:
                _print_change(report, last)
            last = report
            if waits_for_vectors:
                await embed()
                waits_for_vectors = False


async def _tell_unmatched(place: Place) -> None:
    """Says which configured patterns match nothing: a slip there leaves files out, or in, without a word."""
    import asyncio

    from ragforge_memory.code.discover import unmatched

    source = place.loaded.config.source
    for told in await asyncio.to_thread(unmatched, place.source, source.include, source.exclude):
        note(told)


def _check_configuration(settings: Settings, place: Place) -> None:
    """Ends what goes by a configuration that has changed; one that cannot be used, as while it is written, waits."""
    from ragforge_memory.cli.session import locate
    from ragforge_memory.errors import ConfigError

    try:
        now = locate(settings)
    except ConfigError as error:
        note(f"{error}; what was configured before goes on")
        return
    if (now.loaded.config, now.source) != (place.loaded.config, place.source):
        raise _Reconfigured


def _print(report: IngestReport, wanted: Wanted) -> None:

    if wanted.json:
        (print_json_line if wanted.watch else print_json)(report)
        return
    commit = f" at {report.commit[:12]}" if report.commit else ""
    languages = ", ".join(f"{count:,} {name}" for name, count in report.languages.items())
    echo(f"{report.project}{commit}")
    echo(f"{counted(report.files, 'file')} ({languages or 'no code'}), {report.files_changed:,} read")
    echo(f"{counted(report.scopes, 'scope')}: {_changes(report)}")
    unresolved = counted(report.unresolved, "name is", "names are")
    echo(f"{counted(report.edges, 'edge')}; {unresolved} not of this project")
    _print_skipped(report.skipped)
    echo(f"{report.seconds:.1f} s")


def _print_change(report: IngestReport, before: IngestReport) -> None:
    """One line of what is new since the report before; a comment that was edited is nothing new."""
    if report.added or report.updated or report.removed:
        read = f"{counted(report.files_changed, 'file')} read"
        echo(f"{read}, {counted(report.scopes, 'scope')}: {_changes(report)}, {report.seconds:.1f} s")
    _print_skipped([each for each in report.skipped if each not in before.skipped])


def _print_skipped(skipped: Sequence[SkippedFile]) -> None:
    from ragforge_memory.code.partly import PARTLY

    for each in skipped[:_SKIPPED_SHOWN]:
        how = "read in part" if each.reason.endswith(PARTLY) else "skipped"
        echo(f"{how} {each.file}: {each.reason}")
    if len(skipped) > _SKIPPED_SHOWN:
        echo(f"skipped {len(skipped) - _SKIPPED_SHOWN:,} more; --json lists them")


def _changes(report: IngestReport) -> str:
    return f"{report.added:,} added, {report.updated:,} updated, {report.removed:,} removed"
