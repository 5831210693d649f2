"""Ctrl-C inside one `asyncio.run`: it ends what is going on, not the program. SIGTERM and SIGHUP end both, in order."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable, Iterator

# SIGHUP is not known everywhere; where it is ignored (nohup) it stays so.
_ENDING = tuple(number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None)) is not None)


class Interrupts:
    """Takes SIGINT, SIGTERM and SIGHUP for the running event loop.

    Inside ``during(action)`` a signal calls the action, and inside ``at_prompt(pressed)`` Ctrl-C calls that. Elsewhere
    a signal cancels the main task, as `asyncio.run` does by itself for Ctrl-C. After SIGTERM and SIGHUP ``leaving`` is
    true: the program ends when the action is done. On a platform whose loop has no signal handlers nothing changes.

    Callbacks of signals run between two steps of the loop's tasks: code that awaits nothing between one block and the
    next leaves no gap in which a signal would mean something else.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._main = asyncio.current_task()
        self._action: Callable[[], object] | None = None
        self._pressed: Callable[[], bool] | None = None
        self._taken: set[int] = set()
        self._last: int = signal.SIGINT
        self.count = 0

    @property
    def leaving(self) -> bool:
        """Whether the program was told to end."""
        return self._last != signal.SIGINT

    @property
    def exit_code(self) -> int:
        """What an interrupted program ends with: 128 and the signal's number, as shells have it (130, 143, 129)."""
        return 128 + self._last

    @contextlib.contextmanager
    def taken(self) -> Iterator[None]:
        """Holds the signals until left."""
        for number in (signal.SIGINT, *_ENDING):
            if number == signal.SIGINT or signal.getsignal(number) != signal.SIG_IGN:
                with contextlib.suppress(NotImplementedError):
                    self._loop.add_signal_handler(number, self._interrupted, number)
                    self._taken.add(number)
        try:
            yield
        finally:
            for number in self._taken:
                self._loop.remove_signal_handler(number)

    @contextlib.contextmanager
    def during(self, action: Callable[[], object]) -> Iterator[None]:
        """A signal inside calls ``action`` once; a second one cancels the main task."""
        self._action, self.count = action, 0
        try:
            yield
        finally:
            self._action = None

    @contextlib.contextmanager
    def at_prompt(self, pressed: Callable[[], bool]) -> Iterator[None]:
        """Every Ctrl-C inside calls ``pressed``; one that it does not take, and other signals, cancel the main task."""
        self._pressed = pressed
        try:
            yield
        finally:
            self._pressed = None

    def _interrupted(self, number: int) -> None:
        if number == signal.SIGINT and self._pressed is not None and self._pressed():
            return
        self.count += 1
        if not self.leaving:
            self._last = number
        if self._action is not None and self.count == 1:
            self._action()
        elif self._main is not None:
            self._main.cancel()
