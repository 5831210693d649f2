"""Shows on stderr what a first run has to fetch and start, as a bar in a terminal and as lines elsewhere."""

from __future__ import annotations

import sys
from contextlib import AbstractContextManager, closing, nullcontext
from typing import TYPE_CHECKING

from ragforge_memory.cli.terminal import Terminal

if TYPE_CHECKING:
    from ragforge_memory.downloads.progress import Phase, Progress, Reporter

_SAID: dict[Phase, str] = {
    "wait": "Waiting:",
    "download": "Downloading",
    "unpack": "Unpacking",
    "java": "Copying",
    "upgrade": "Upgrading Neo4j",
    "start": "Starting",
}


def shown_preparation(terminal: Terminal) -> AbstractContextManager[Reporter]:
    """A reporter for ``ensure_running`` and ``fetch_model``; nothing is shown until the first report."""
    return closing(_Bars()) if terminal.progress else nullcontext(_Lines())


class _Lines:
    """One line a phase."""

    def __init__(self) -> None:
        self._last: tuple[str, str] | None = None

    def __call__(self, report: Progress) -> None:
        step = (report.phase, report.what)
        if step == self._last:
            return
        self._last = step
        size = f" ({report.total / 1e6:.0f} MB)" if report.total else ""
        print(f"{_SAID[report.phase]} {report.what}{size} …", file=sys.stderr, flush=True)


class _Bars:
    """A bar for a download, a spinner for the rest; what is over leaves the screen."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, DownloadColumn, SpinnerColumn, TextColumn, TransferSpeedColumn
        from rich.progress import Progress as Bar

        console = Console(stderr=True)
        self._download = Bar(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            console=console,
            transient=True,
        )
        self._rest = Bar(SpinnerColumn(), TextColumn("{task.description}"), console=console, transient=True)
        self._shown: Bar | None = None
        self._step: tuple[str, str] | None = None

    def __call__(self, report: Progress) -> None:
        bar = self._download if report.phase == "download" else self._rest
        if self._step != (report.phase, report.what):
            self.close()
            for task in bar.task_ids:
                bar.remove_task(task)
            bar.add_task(f"{_SAID[report.phase]} {report.what}", total=report.total or None)
            bar.start()
            self._shown, self._step = bar, (report.phase, report.what)
        if report.total:
            bar.update(bar.task_ids[0], completed=report.done)

    def close(self) -> None:
        """Take the bar away."""
        if self._shown is not None:
            self._shown.stop()
            self._shown = None
