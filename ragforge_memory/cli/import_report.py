"""What an import did, at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.models.imports import ImportReport

_SHOWN = 10


def print_report(report: ImportReport) -> None:
    """What was imported, and what was not, in a few lines."""
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
    for hint in dict.fromkeys(as_option(error.hint) for error in report.errors[:_SHOWN] if error.hint):
        note(f"hint: {hint}")
    if report.failed > _SHOWN:
        note(f"refused {report.failed - _SHOWN:,} more; --json lists them")


def as_option(hint: str | None) -> str | None:
    """A hint of the library's as one types it here."""
    if hint is None:
        return None
    hint = hint.replace("on_conflict=", "")
    for choice in ("extend", "skip", "copy"):
        hint = hint.replace(f"'{choice}'", f"--on-conflict {choice}")
    return hint
