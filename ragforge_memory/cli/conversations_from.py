"""`ragforge conversations import --from`: the sessions of this project, where a program keeps them."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ragforge_memory.cli.import_report import print_report
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.render import one_line
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Spinner, Terminal, note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.cli.options import Settings
    from ragforge_memory.importers.programs import Session
    from ragforge_memory.models.imports import ImportReport, OnConflict

# Seconds between two looks at the folder; a session is written to with every answer.
_LOOK = 3.0
_SHOWN = 10
_NOTHING_SAID = "there are no messages"


async def import_from(
    settings: Settings, program: str, on_conflict: OnConflict, *, yes: bool, watch: bool, json: bool
) -> None:
    """Shows what there is, asks once, imports it, and follows it with ``watch``."""
    import anyio

    from ragforge_memory.cli.session import locate, open_graph
    from ragforge_memory.importers.programs import sessions

    root = locate(settings).source

    def look() -> list[Session]:
        return sessions(program, root, home=Path.home(), environment=os.environ)

    found = look()
    if not found and not watch:
        note(f"{program} has no sessions of {root}")
        if json:
            print_json(_together([], seconds=0.0))
        return
    if found and not json:
        _show(program, found)
    if found and not yes:
        typer.confirm(f"Import {counted(len(found), 'session')}?", abort=True, err=True)
    spinner = Spinner(Terminal.of_this_process())
    async with open_graph(settings, quiet=json) as agent:
        taken: dict[str, str] = {}
        first = True
        while True:
            new = [each for each in found if taken.get(each.name) != each.stamp]
            if new:
                async with spinner.running("importing"):
                    report = await _import(agent, new, on_conflict)
                taken |= {each.name: each.stamp for each in new}
                if json:
                    print_json(report)
                elif first or report.messages or report.extended or report.failed:
                    print_report(report)
            if not watch:
                break
            if first:
                note(f"following the sessions of {program}; Ctrl-C ends it")
            first = False
            await anyio.sleep(_LOOK)
            found = await anyio.to_thread.run_sync(look)
    if not watch and report.failed:
        raise typer.Exit(1)


def _show(program: str, found: Sequence[Session]) -> None:
    newest = list(reversed(found))
    days = [datetime.fromtimestamp(each.at, UTC).astimezone().strftime("%Y-%m-%d") for each in newest]
    span = days[0] if days[0] == days[-1] else f"{days[-1]} to {days[0]}"
    echo(f"{counted(len(found), 'session')} of {program}, {span}:", err=True)
    for day, each in list(zip(days, newest, strict=True))[:_SHOWN]:
        echo(f"  {day}  {one_line(Path(each.name).name, 70)}", err=True)
    if len(found) > _SHOWN:
        echo(f"  and {len(found) - _SHOWN:,} more", err=True)


async def _import(agent: AsyncConversationAgent, found: Sequence[Session], on_conflict: OnConflict) -> ImportReport:
    """One after another; one that cannot be read is told of and costs itself."""
    from ragforge_memory.archive.bundles import of_file
    from ragforge_memory.errors import InvalidInput
    from ragforge_memory.models.imports import ImportFault, ImportReport

    start = time.monotonic()
    reports = []
    for each in found:
        try:
            with each.open() as stream:
                report = of_file(each.name, await agent.import_conversations(stream, on_conflict))
        except (InvalidInput, OSError) as error:
            fault = ImportFault(place=each.name, message=f"{each.name}: {getattr(error, 'message', error)}")
            report = ImportReport(failed=1, errors=(fault,))
        # A session that was opened and in which nothing was said yet is not a failure.
        errors = tuple(error for error in report.errors if not error.message.endswith(_NOTHING_SAID))
        failed = report.failed - (len(report.errors) - len(errors))
        reports.append(report.model_copy(update={"errors": errors, "failed": failed}))
    return _together(reports, seconds=time.monotonic() - start)


def _together(reports: Sequence[ImportReport], *, seconds: float) -> ImportReport:
    from ragforge_memory.archive.bundles import together

    return together(reports, seconds=seconds)
