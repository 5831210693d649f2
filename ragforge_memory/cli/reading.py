"""Reads the project's code into the graph, with its progress in the spinner."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.cli.terminal import Spinner, note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.agent.agent import AsyncConversationAgent
    from ragforge_memory.cli.session import Place
    from ragforge_memory.code.ingest import IngestProgress
    from ragforge_memory.models.code import IngestReport


async def read_code(
    agent: AsyncConversationAgent, place: Place, spinner: Spinner, *, full: bool = False, adopt: bool = False
) -> IngestReport:
    """Brings the graph up to date with the project's files.

    Raises:
        ProjectConflict: another directory has the project's name, and ``adopt`` was not asked for.
    """
    return await agent.ingest(
        place.source, adopt=adopt, full=full, progress=lambda progress: spinner.phase(_phase(progress))
    )


async def bring_up_to_date(
    agent: AsyncConversationAgent, place: Place, spinner: Spinner, *, quiet: bool
) -> IngestReport:
    """Reads what is new or changed, and says so when there was any."""
    report = await read_code(agent, place, spinner)
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
