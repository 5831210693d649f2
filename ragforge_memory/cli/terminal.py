"""The terminal: what it can show, the dim notes beside the answers, and the spinner on stderr."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragforge_memory.cli.shown import printable

if TYPE_CHECKING:
    from ragforge_memory.errors import RagforgeError

_FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
_PLAIN_FRAMES = "|/-\\"
_INTERVAL = 0.1  # seconds between two frames
_METHOD = re.compile(r"\b\w+\(\), or (?=`ragforge )")


@dataclass(frozen=True, slots=True)
class Terminal:
    """What the two outputs are. ``rendered``: stdout is a terminal, so Markdown is laid out for it."""

    rendered: bool
    progress: bool
    color: bool

    @classmethod
    def of_this_process(cls) -> Terminal:
        """Looks at stdout, stderr, ``TERM`` and ``NO_COLOR`` (any value but the empty one: no colour)."""
        able = os.environ.get("TERM", "") != "dumb"
        rendered = sys.stdout.isatty()
        return cls(
            rendered=rendered,
            progress=sys.stderr.isatty() and able,
            color=rendered and able and not os.environ.get("NO_COLOR"),
        )

    @property
    def width(self) -> int:
        """Columns; 80 where nobody knows."""
        return _columns()

    def wrap(self, text: str, *, margin: int | None = None) -> str:
        """The text broken between words where stdout is a terminal; long words stay whole, to be copied.

        What goes on in the next line stands as far to the right as its line began, or at ``margin``.
        """
        return _wrapped(text, self.width, margin) if self.rendered else text

    def dim(self, text: str) -> str:
        """The text in a faint colour, where there are colours."""
        return f"\x1b[2m{text}\x1b[0m" if self.color else text


class Spinner:
    """One line on stderr that names what is going on and for how long; nothing where stderr is not a terminal.

    Whatever prints to the same terminal calls ``clear`` first; the next frame draws the line anew. ``shows``: there is
    a terminal to draw on; ``waiters``: so much is going on that the user waits for.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.shows = terminal.progress
        self.waiters = 0
        self._phase = ""
        self._since = 0.0
        self._drawn = False
        encoding = (sys.stderr.encoding or "").lower().replace("-", "")
        self._frames = _FRAMES if encoding.startswith("utf") else _PLAIN_FRAMES

    @contextlib.asynccontextmanager
    async def running(self, phase: str) -> AsyncIterator[None]:
        """Draws until left."""
        import asyncio  # slow: help and usage errors do without

        self.phase(phase)
        self.waiters += 1
        task = asyncio.create_task(self._draw()) if self.shows else None
        try:
            yield
        finally:
            self.waiters -= 1
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            self.clear()

    def phase(self, phase: str) -> None:
        """Names what is going on from now, in seconds since then; an empty name hides the line."""
        if phase != self._phase:
            self._phase = phase
            self._since = time.monotonic()

    def clear(self) -> None:
        """Removes the line."""
        if self._drawn:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._drawn = False

    async def _draw(self) -> None:
        import asyncio

        turn = 0
        while True:
            await asyncio.sleep(_INTERVAL)
            if not self._phase:
                continue
            turn += 1
            seconds = time.monotonic() - self._since
            line = f"{self._frames[turn % len(self._frames)]} {self._phase}"
            if seconds >= 1:
                line += f" {seconds:.0f} s"
            line = line[: self._terminal.width - 1]
            sys.stderr.write("\r" + (f"\x1b[2m{line}\x1b[0m" if self._terminal.color else line) + "\x1b[K")
            sys.stderr.flush()
            self._drawn = True


def note(text: str, *, whole: bool = False) -> None:
    """One line on stderr, dim where it is a terminal; ``whole``: it is there to be copied, so it is not broken."""
    able = sys.stderr.isatty() and os.environ.get("TERM") != "dumb" and not os.environ.get("NO_COLOR")
    shown = printable(text) if whole and sys.stderr.isatty() else fitted(text)
    print(f"\x1b[2m{shown}\x1b[0m" if able and shown else shown, file=sys.stderr, flush=True)


def fitted(text: str) -> str:
    """The text as stderr takes it: broken between words where that is a terminal."""
    return _wrapped(printable(text), _columns()) if sys.stderr.isatty() else text


def _columns() -> int:
    return shutil.get_terminal_size((80, 24)).columns


def _wrapped(text: str, width: int, margin: int | None = None) -> str:
    def wrapped(line: str) -> list[str]:
        indent = " " * (len(line) - len(line.lstrip()) if margin is None else margin)
        return textwrap.wrap(
            line, max(20, width), break_long_words=False, break_on_hyphens=False, subsequent_indent=indent
        ) or [""]

    return "\n".join(part for line in text.split("\n") for part in wrapped(line))


@contextlib.contextmanager
def typing_ahead() -> Iterator[None]:
    """What is typed while no prompt is open is not echoed into the answers; the next prompt gets it.

    Ctrl-C stays a signal. Without a terminal nothing changes.
    """
    try:
        import termios
    except ImportError:  # Windows
        yield
        return
    if not sys.stdin.isatty():
        yield
        return
    before = termios.tcgetattr(sys.stdin)
    changed = termios.tcgetattr(sys.stdin)
    changed[0] &= ~termios.ICRNL
    changed[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(sys.stdin, termios.TCSANOW, changed)
    try:
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSANOW, before)


def hint_of(error: RagforgeError) -> str:
    """An error's hint, on a line of its own; empty where it has none.

    Where it names a method of the Python API or a command, a user of the terminal has the command.
    """
    return f"\nhint: {_METHOD.sub('', error.hint)}" if error.hint else ""
