"""Ctrl-C inside one `asyncio.run`: it ends what is going on, not the program."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator


class Interrupts:
    """Takes SIGINT for the running event loop.

    Inside ``during(action)`` a Ctrl-C calls the action. Elsewhere it cancels the main task, as `asyncio.run`
    does by itself. On a platform whose loop has no signal handlers nothing changes.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._main = asyncio.current_task()
        self._action: Callable[[], object] | None = None
        self.count = 0

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Holds the signal until left."""
        self.take()
        try:
            yield
        finally:
            with contextlib.suppress(NotImplementedError):
                self._loop.remove_signal_handler(signal.SIGINT)

    def take(self) -> None:
        """Takes the signal (again, after somebody else had it)."""
        with contextlib.suppress(NotImplementedError):
            self._loop.add_signal_handler(signal.SIGINT, self._interrupted)

    @contextlib.contextmanager
    def during(self, action: Callable[[], object]) -> Iterator[None]:
        """A Ctrl-C inside calls ``action`` once; a second one cancels the main task."""
        self._action, self.count = action, 0
        try:
            yield
        finally:
            self._action = None

    def _interrupted(self) -> None:
        self.count += 1
        if self._action is not None and self.count == 1:
            self._action()
        elif self._main is not None:
            self._main.cancel()
