"""Reads the project's code into the graph, with its progress in the spinner."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ragforge_memory.cli.terminal import Spinner, note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.config.load import Place
    from ragforge_memory.ingest.run import IngestProgress
    from ragforge_memory.models.code import IngestReport

PATIENCE = 15.0  # seconds that a read may take without a word
_FEW = 200  # files that a slow machine, not a slip, takes long for


async def read_code(
    agent: AsyncConversationAgent,
    place: Place,
    spinner: Spinner,
    *,
    full: bool = False,
    adopt: bool = False,
    quiet: bool = False,
) -> IngestReport:
    """Brings the graph up to date with the project's files.

    Where that takes long and no spinner shows it, or what is read is not the project's folder, one line says so.

    Raises:
        ProjectConflict: another directory has the project's name, and ``adopt`` was not asked for.
    """
    told, last = outside(place), None

    def show(progress: IngestProgress) -> None:
        nonlocal last
        last = progress
        spinner.phase(_phase(progress))

    def tell() -> None:
        if last is None or last.phase == "wait" or last.total >= _FEW:
            spinner.clear()
            note(f"{_phase(last) if last else 'looking for files'} in {place.source}{told} …")

    patience = asyncio.get_running_loop().call_later(PATIENCE, tell)
    if quiet or (spinner.shows and not told):
        patience.cancel()
    try:
        return await agent.ingest(place.source, adopt=adopt, full=full, progress=show)
    finally:
        patience.cancel()


def outside(place: Place) -> str:
    """What is said of a ``source.root`` that leaves the project's folder, as it does by a slip; else nothing."""
    if place.source.is_relative_to(place.loaded.root.resolve()):
        return ""
    return f", which is outside of the project in {place.loaded.root} (source.root)"


async def bring_up_to_date(
    agent: AsyncConversationAgent, place: Place, spinner: Spinner, *, quiet: bool
) -> IngestReport:
    """Reads what is new or changed, and says so when there was any."""
    report = await read_code(agent, place, spinner, quiet=quiet)
    if not quiet and (report.added or report.updated or report.removed):
        spinner.clear()
        note(f"read {describe_report(report)}")
    return report


def describe_report(report: IngestReport) -> str:
    """An ingest in a line."""
    changed = ", ".join(
        f"{count:,} {what}"
        for count, what in ((report.added, "added"), (report.updated, "updated"), (report.removed, "removed"))
        if count
    )
    skipped = f", {counted(len(report.skipped), 'file')} skipped" if report.skipped else ""
    return (
        f"{counted(report.files, 'file')}, {counted(report.scopes, 'scope')} ({changed or 'nothing changed'})"
        f"{skipped} in {report.seconds:.1f} s"
    )


def _phase(progress: IngestProgress) -> str:
    match progress.phase:
        case "wait":
            return "waiting for another process that reads this project"
        case "read":
            return f"reading files, {progress.done:,} of {progress.total:,}"
        case _:
            return "finding who uses what"
