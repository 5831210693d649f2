"""The question whether a folder goes on with what it was under another name."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import typer

from ragforge_memory.cli.options import Settings
from ragforge_memory.cli.terminal import note
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.agent.projects import GoesOn
    from ragforge_memory.cli.terminal import Spinner
    from ragforge_memory.graph.project_names import NamedProject
    from ragforge_memory.project import ProjectIdentity


def asks(settings: Settings, spinner: Spinner | None) -> GoesOn:
    """What asks the user whether a folder goes on with what it was under another name."""

    def goes_on(other: NamedProject, identity: ProjectIdentity, used: bool) -> bool | None:
        from ragforge_memory.agent.projects import has_memory, rename_command, told

        if spinner is not None:
            spinner.clear()
        said = f"{told(other, identity)} ({counted(other.conversations, 'conversation')}); now it is {identity.name}"
        if settings.yes is not None:
            if settings.yes:
                note(f"{said}; it goes on with that")
            return settings.yes
        if used:
            note(f"{said}, which has a memory of its own; {has_memory(identity.name).hint}")
            return False if sys.stdin.isatty() else None
        note(said)
        if not sys.stdin.isatty():
            run = rename_command(other.name, identity.name)
            yes = "`ragforge decisions --yes`" if settings.own_yes else "--yes"
            note(f"this begins anew; {yes}, or once `{run}`, goes on with what was said there", whole=True)
            return None
        with _interruptible():
            return typer.confirm("Go on with what was said there?", default=True, err=True)

    return goes_on


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends a question that is asked while an event loop has the signal, which waits for the answer itself."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
