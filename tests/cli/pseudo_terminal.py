"""A process on a pseudo-terminal of its own: what a user types, and what a user sees."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][0-9A-B]|[=>78])|\r")
CTRL_C = "\x03"
CTRL_D = "\x04"
ENTER = "\r"


class PseudoTerminal:
    """Starts the process; ``expect`` waits for what it prints, ``type`` sends keys.

    The process leads a session with this terminal, so Ctrl-C is a signal to it as at a real one.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        *,
        folder: Path,
        environment: Mapping[str, str],
        rows: int = 30,
        columns: int = 160,
    ) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        # No answer to "where is the cursor" comes from here; prompt_toolkit must not wait for one.
        quiet = {key: value for key, value in environment.items() if key not in ("COLUMNS", "LINES")}
        self._process = subprocess.Popen(
            arguments,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**quiet, "PROMPT_TOOLKIT_NO_CPR": "1"},
            start_new_session=True,
            preexec_fn=_take_terminal,
        )
        os.close(slave)
        self._raw = ""
        self._seen = 0

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()
        os.close(self._master)

    @property
    def screen(self) -> str:
        """Everything printed so far, without escape sequences."""
        return _ESCAPES.sub("", self._raw)

    def type(self, keys: str) -> None:
        """Sends keys."""
        os.write(self._master, keys.encode())

    def signal(self, number: int) -> None:
        """Sends the process a signal, as another program may."""
        self._process.send_signal(number)

    def expect(self, pattern: str, *, seconds: float = 60) -> re.Match[str]:
        """Waits for the pattern in what was printed since the last match."""
        deadline = time.monotonic() + seconds
        while True:
            found = re.compile(pattern).search(self.screen, self._seen)
            if found:
                self._seen = found.end()
                return found
            if not self._read(deadline):
                raise AssertionError(f"{pattern!r} did not come:\n{self.screen[self._seen :]}")

    def listen(self, seconds: float) -> None:
        """Reads what comes for so long: the pause of one who types."""
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass

    def wait(self, *, seconds: float = 60) -> int:
        """Waits for the process's end; its exit code."""
        deadline = time.monotonic() + seconds
        while self._read(deadline):
            pass
        return self._process.wait(timeout=max(1, deadline - time.monotonic()))

    def _read(self, deadline: float) -> bool:
        """Reads what comes; False at the end and when the time is up."""
        ready, _, _ = select.select([self._master], [], [], max(0, deadline - time.monotonic()))
        if not ready:
            return False
        try:
            data = os.read(self._master, 65536)
        except OSError:  # Linux says so when the last writer has gone
            return False
        self._raw += data.decode(errors="replace")
        return bool(data)


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
