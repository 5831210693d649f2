"""The one embedding thread of a local model: questions first, and no call that holds them up for long.

A model runs on a thread of its own, off the event loop. Work waits in a queue by priority; texts are embedded one by
one, and between two of them a question that has come in goes first. The model is loaded by the thread.
"""

from __future__ import annotations

import atexit
import heapq
import itertools
import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from ragforge_memory.embeddings.port import Vector
from ragforge_memory.errors import EmbeddingError, ForkedProcess, RagforgeError

QUESTION = 0
PASSAGES = 1

# After a model could not be loaded (no network, say) the next attempt waits this many seconds.
RELOAD_SECONDS = 60.0
# How long the end of the process waits for the call that runs: a native call cut short can crash it.
EXIT_SECONDS = 2.0


class Encoder(Protocol):
    """A loaded model."""

    def question(self, text: str) -> Vector:
        """The vector of one question."""

    def passage(self, text: str) -> Vector:
        """The vector of one stored text."""


@dataclass(order=True, slots=True)
class _Job:
    priority: int
    number: int
    texts: Sequence[str] = field(compare=False)
    future: Future[list[Vector]] = field(compare=False)
    vectors: list[Vector] = field(default_factory=list, compare=False)


class EmbeddingThread:
    """Runs one model. Thread safe; the thread starts with the first work (or ``warm``).

    Args:
        load: makes the loaded model; runs on the thread.
        name: the thread's name.
        left: set when the thread is stopped, for a load that takes long.

    Attributes:
        loaded: whether the model is there; until then the thread may hang in a download.
        ended: set when the thread is over.
    """

    def __init__(self, load: Callable[[], Encoder], *, name: str, left: threading.Event | None = None) -> None:
        self._load = load
        self._name = name
        self._pid = os.getpid()
        self._changed = threading.Condition()
        self._waiting: list[_Job] = []
        self._numbers = itertools.count()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._left = left or threading.Event()
        self._failure: tuple[float, RagforgeError] | None = None
        self.loaded = False
        self.ended: Future[None] = Future()
        self.ended.set_running_or_notify_cancel()  # who waits no longer does not end it

    def warm(self) -> None:
        """Starts loading the model, if that has not begun; raises as `submit` does."""
        with self._changed:
            self._start()

    def submit(self, priority: int, texts: Sequence[str]) -> Future[list[Vector]]:
        """Puts one text or more into the queue; cancelling the future takes them out, also half-way.

        Raises:
            EmbeddingError: the thread was stopped.
            ForkedProcess: this is a child of the process that owns it.
        """
        future: Future[list[Vector]] = Future()
        with self._changed:
            self._start()
            heapq.heappush(self._waiting, _Job(priority, next(self._numbers), texts, future))
            self._changed.notify()
        return future

    def stop(self) -> None:
        """Ends the thread after the call that runs; what waits fails. ``ended`` is set when it is over."""
        with self._changed:
            if self._closed:
                return
            self._closed = True
            self._left.set()
            self._changed.notify()
            if self._thread is None:
                self.ended.set_result(None)

    def join(self, timeout: float) -> None:
        """Waits until the thread has ended, at most ``timeout`` seconds."""
        if self._thread is not None and self._pid == os.getpid():
            self._thread.join(timeout)

    def _start(self) -> None:
        if self._pid != os.getpid():
            raise ForkedProcess(
                "the embedder was opened before a fork and is used in the child", hint="open it in the child"
            )
        if self._closed:
            raise EmbeddingError("the embedder is closed")
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
            self._thread.start()
            _stop_at_exit(self)

    def _run(self) -> None:
        encoder: Encoder | None = None
        try:
            encoder = self._loaded()
            while (job := self._next()) is not None:
                if encoder is None and (encoder := self._loaded()) is None:
                    assert self._failure is not None
                    _settle(job.future, self._failure[1])
                elif self._step(encoder, job):
                    with self._changed:
                        heapq.heappush(self._waiting, job)
        finally:
            # The model is freed here, on the thread that made it.
            del encoder
            self._refuse_waiting()
            self.ended.set_result(None)

    def _loaded(self) -> Encoder | None:
        if self._failure is not None and time.monotonic() < self._failure[0]:
            return None
        try:
            encoder = self._load()
        except BaseException as error:  # noqa: BLE001 - a panic in Rust is not an Exception; callers get one kind of error
            failure = error if isinstance(error, RagforgeError) else _failed("could not be loaded", error)
            self._failure = (time.monotonic() + RELOAD_SECONDS, failure)
            return None
        self._failure = None
        self.loaded = True
        return encoder

    def _next(self) -> _Job | None:
        with self._changed:
            while not self._waiting and not self._closed:
                self._changed.wait()
            return None if self._closed else heapq.heappop(self._waiting)

    def _step(self, encoder: Encoder, job: _Job) -> bool:
        """Embeds the next text of a job; True where the job has more."""
        if job.future.cancelled():
            return False
        embed = encoder.question if job.priority == QUESTION else encoder.passage
        try:
            job.vectors.append(embed(job.texts[len(job.vectors)]))
        except BaseException as error:  # noqa: BLE001 - as above; the thread goes on with the next job
            _settle(job.future, _failed("failed", error))
            return False
        if len(job.vectors) < len(job.texts):
            return True
        _settle(job.future, job.vectors)
        return False

    def _refuse_waiting(self) -> None:
        with self._changed:
            self._closed = True
            waiting, self._waiting = self._waiting, []
        for job in waiting:
            _settle(job.future, EmbeddingError("the embedder was closed"))


def _failed(how: str, error: BaseException) -> EmbeddingError:
    failure = EmbeddingError(f"the embedding model {how}: {error}")
    failure.__cause__ = error
    return failure


def _settle(future: Future[list[Vector]], outcome: list[Vector] | RagforgeError) -> None:
    with suppress(InvalidStateError):  # cancelled in the meantime: nobody waits
        if isinstance(outcome, RagforgeError):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)


def _stop_at_exit(thread: EmbeddingThread) -> None:
    reference = weakref.ref(thread)

    def stop() -> None:
        running = reference()
        if running is not None:
            running.stop()
            running.join(EXIT_SECONDS)

    atexit.register(stop)
    thread.ended.add_done_callback(lambda _: atexit.unregister(stop))
