"""The one background event loop that the blocking classes run on."""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future
from contextlib import AbstractContextManager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from ragforge_memory.errors import SEE_CAUSE, AgentClosed, ForkedProcess, InvalidInput, RagforgeError

if TYPE_CHECKING:
    from anyio.from_thread import BlockingPortal

T = TypeVar("T")

_EXIT_SECONDS = 2.0
_guard = threading.Lock()
_loop: BackgroundLoop | None = None
_left_behind: list[BackgroundLoop] = []


def check_process(pid: int, *, closed: bool = False) -> None:
    """Refuses use after a fork: what was opened, and the loop it runs on, stayed with the parent.

    Raises:
        ForkedProcess: ``pid`` is not this process.
        AgentClosed: it was ``closed``.
    """
    if os.getpid() != pid:
        raise ForkedProcess(
            "this agent was made before a fork and cannot be used in the child",
            hint="make a new agent in the child process",
        )
    if closed:
        raise AgentClosed("this agent is closed", hint="make a new one")


def check_loop(loop: asyncio.AbstractEventLoop | None) -> asyncio.AbstractEventLoop:
    """The running loop, which must be the one that something was opened in, if it was.

    Raises:
        AgentClosed: it is another: connections and tasks belong to the first.
    """
    running = asyncio.get_running_loop()
    if loop is not None and loop is not running:
        raise AgentClosed(
            "this agent was opened in another event loop",
            hint="make an agent in each asyncio.run(), or use ConversationAgent, which has a loop of its own",
        )
    return running


class BackgroundLoop:
    """An event loop in a thread of its own; made at the first blocking call of a process, ended at its exit."""

    def __init__(self) -> None:
        from anyio import sleep_forever
        from anyio.from_thread import start_blocking_portal

        self.pid = os.getpid()
        self._context: AbstractContextManager[BlockingPortal] = start_blocking_portal("asyncio", name="ragforge-memory")
        self._portal = self._context.__enter__()
        self._thread = self._portal.call(threading.get_ident)
        # Nothing else tells whether the loop has ended.
        self._life = self._portal.start_task_soon(sleep_forever)
        self._at_exit: list[Callable[[], Awaitable[Any]]] = []
        # Must run before the interpreter joins its pool threads: one of them is this loop's. Only this hook, which
        # concurrent.futures uses as well (3.9 and later), comes early enough; atexit is the next best.
        getattr(threading, "_register_atexit", atexit.register)(self._end)

    @property
    def runs(self) -> bool:
        """Whether the loop takes work."""
        return not self._life.done()

    def start(self, function: Callable[[], Awaitable[T]]) -> Future[T]:
        """Runs a coroutine function on the loop.

        Raises:
            InvalidInput: the caller is on the loop itself, and would wait for ever.
            ForkedProcess: the loop stayed with the parent of this process.
        """
        check_process(self.pid)
        if threading.get_ident() == self._thread:
            raise InvalidInput(
                "a ConversationAgent was called by an async tool, which its own event loop would wait for",
                hint="declare the tool with def instead of async def, or await an AsyncConversationAgent in it",
            )

        async def contained() -> T:
            try:
                return await function()
            except (Exception, asyncio.CancelledError):
                raise
            except BaseException as error:
                # It would end the loop, and with it every other agent of the process.
                raise RagforgeError(f"{type(error).__name__} was raised in the background", hint=SEE_CAUSE) from error

        return self._portal.start_task_soon(contained)

    def at_exit(self, close: Callable[[], Awaitable[Any]]) -> Callable[[], None]:
        """Has ``close`` awaited at the process's exit, for at most 2 s; returns what takes it back."""
        self._at_exit.append(close)

        def forget() -> None:
            with suppress(ValueError):
                self._at_exit.remove(close)

        return forget

    def _end(self) -> None:
        if os.getpid() != self.pid:
            return
        for close in list(self._at_exit):
            with suppress(Exception):
                self._portal.start_task_soon(close).result(_EXIT_SECONDS)
        with suppress(Exception):
            # What still waits on this loop (a read of a stream, say) must not keep the process.
            self._portal.start_task_soon(self._portal.stop, True).result(_EXIT_SECONDS)
        with suppress(Exception):
            self._context.__exit__(None, None, None)


def background_loop() -> BackgroundLoop:
    """This process's loop; a forked child gets one of its own."""
    global _loop
    with _guard:
        if _loop is not None and _loop.pid != os.getpid():
            # Forked: the loop's thread stayed behind. Finalizing it here would touch what the parent still uses.
            _left_behind.append(_loop)
            _loop = None
        if _loop is None or not _loop.runs:
            _loop = BackgroundLoop()
        return _loop
