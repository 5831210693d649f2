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

if TYPE_CHECKING:
    from ragforge_memory.agent.name_change import NameChange
    from ragforge_memory.cli.terminal import Spinner


class FolderQuestion:
    """Asks the user of a command whether a folder goes on with what it was before.

    Args:
        settings: of the command, with the answer where it was given.
        spinner: rests while something is said.
    """

    def __init__(self, settings: Settings, spinner: Spinner | None) -> None:
        self._settings = settings
        self._spinner = spinner
        self.insists = settings.yes is True

    def ask(self, change: NameChange) -> bool | None:
        """The answer; None: nobody is there to be asked."""
        settings = self._settings
        if settings.yes is False:
            return False
        self._note(f"{change.sentence}; it goes on with that" if self.insists else change.sentence)
        if self.insists:
            return True
        if not sys.stdin.isatty():
            yes = "`ragforge decisions --yes`" if settings.own_yes else "--yes"
            ways = yes if change.displaced is not None else f"{yes}, or once `{change.command}`,"
            self._note(f"this begins anew; {ways} goes on with what was said there", whole=True)
            return None
        with _interruptible():
            return typer.confirm("Go on with what was said there?", default=True, err=True)

    def tell(self, change: NameChange) -> None:
        """Says that both have a memory."""
        self._note(change.refusal, whole=True)

    def _note(self, text: str, *, whole: bool = False) -> None:
        if self._spinner is not None:
            self._spinner.clear()
        note(text, whole=whole)


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C ends a question that is asked while an event loop has the signal, which waits for the answer itself.

    Raises:
        KeyboardInterrupt: it did; the library that asks makes an error of it.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    except typer.Abort as abort:
        if isinstance(abort.__context__, KeyboardInterrupt):
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.signal(signal.SIGINT, before)
