"""Reads source files: bytes to scopes and facts, in this process or in several beside it.

Large files are read beside it alone: only a process can be ended whatever it does, where a file takes too long.

The others are plain ``python`` processes of ours that speak pickle over their pipes. `multiprocessing` is not used:
it runs the caller's main script again in each child, and a script without a ``__main__`` guard breaks.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, cast

from ragforge_memory.code.discover import unreadable_reason
from ragforge_memory.code.facts import Facts, encode, restore, texts
from ragforge_memory.code.fingerprint import content_hash
from ragforge_memory.code.parse import LATE, parse_partly, unread
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.partly import Rest
from ragforge_memory.collection import paused_collection
from ragforge_memory.errors import RagforgeError

# Starting a process and loading the grammars costs about as much as parsing this many bytes.
_BYTES_PER_PROCESS = 1_000_000
_MOST_PROCESSES = 8
# A job is large enough that the pipe does not count, small enough that all finish at about the same time.
_JOB_BYTES = 200_000
# What takes a time that grows with the square of its size takes some seconds at this size, and minutes beyond; a
# process takes a third of a second to begin, which one edit of a file of ordinary size should not.
_MOST_BYTES_HERE = 200_000
# A large file of ordinary code takes some 3 s a million bytes. What is counted is the time on a processor, which is the
# same however much else runs.
_SECONDS_A_FILE, _BYTES_A_FILE = 30.0, 1_000_000

_START = "import sys; from ragforge_memory.code.readers import serve; serve(sys.stdin.buffer, sys.stdout.buffer)"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one file gave: scopes and facts, or the reason why there are none.

    Args:
        path: relative to the root, with ``/``.
        hash: of its bytes; empty where they could not be read.
        size: in bytes.
        parsed: None where it could not be parsed; of a broken file what is whole.
        facts: of ``parsed``.
        skipped: why it was not read, or not all of it.
        broken: its syntax is, which an editor may repair in a moment.
        rest: of a broken file what is not whole.
    """

    path: str
    hash: str
    size: int
    parsed: ParsedFile | None = None
    facts: Facts | None = None
    skipped: str | None = None
    broken: bool = False
    rest: Rest | None = None


_Packed = tuple[Reading, list[tuple[Any, ...]] | None]


def read_bytes(root: Path, path: str) -> bytes | Reading:
    """A file's bytes, or why they cannot be had."""
    try:
        with open(root / path, "rb") as file:
            return file.read()
    except OSError as error:
        return Reading(path, "", 0, skipped=f"unreadable: {error.strerror or error}")


def read_file(root: Path, path: str) -> Reading:
    """Reads and parses one file; never raises for what a file is or holds."""
    data = read_bytes(root, path)
    if isinstance(data, Reading):
        return data
    reason = unreadable_reason(data, path)
    if reason is not None:
        return Reading(path, content_hash(data), len(data), skipped=reason)
    try:
        parsed, rest = parse_partly(path, data)
    except Exception as error:  # noqa: BLE001 - one file that a grammar chokes on must not end an ingest
        reason = f"could not be parsed: {type(error).__name__}: {error}"
        parsed, rest = unread(path, data, reason)
    return _reading(path, data, parsed, rest)


def _reading(path: str, data: bytes, parsed: ParsedFile, rest: Rest | None) -> Reading:
    digest = content_hash(data)
    if parsed.error is None:
        return Reading(path, digest, len(data), parsed, encode(parsed))
    if rest is None:
        return Reading(path, digest, len(data), skipped=parsed.error)
    reason, parsed = parsed.error, replace(parsed, error=None)
    return Reading(path, digest, len(data), parsed, encode(parsed), skipped=reason, broken=True, rest=rest)


class Readers:
    """Reads many files; opens processes when there is enough to read, and ends them with itself.

    Args:
        root: the project's directory.
        size: of all that will be read, in bytes, about.
        processes: how many at most; None for as many as there are processors.
        seconds: on a processor, that a file may take for each million bytes begun; one that is read in this process
            takes what it takes.
    """

    def __init__(
        self, root: Path, *, size: int, processes: int | None = None, seconds: float = _SECONDS_A_FILE
    ) -> None:
        self._root = root
        most = processes if processes is not None else min(_processors(), _MOST_PROCESSES)
        self._most = min(most, size // _BYTES_PER_PROCESS)
        self._seconds = seconds
        self._open: list[subprocess.Popen[bytes]] = []
        self._can_open = True

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, files: Sequence[tuple[str, int]]) -> list[Reading]:
        """Reads files of the given (path, size in bytes), in their order. Blocks."""
        if not self._can_open:
            return self._read_here(files)
        if min(self._most, len(list(_jobs(files)))) >= 2:
            return self._read_apart(files, self._most)
        large = [file for file in files if file[1] > _MOST_BYTES_HERE]
        apart = {reading.path: reading for reading in self._read_apart(large, 1)}
        here = {reading.path: reading for reading in self._read_here([file for file in files if file[0] not in apart])}
        return [apart.get(path) or here[path] for path, _ in files]

    def _read_apart(self, files: Sequence[tuple[str, int]], most: int) -> list[Reading]:
        jobs = list(_jobs(files))
        wanted = min(most, len(jobs))
        done: list[list[Reading] | None] = [None] * len(jobs)
        numbers = iter(range(len(jobs)))
        lock = threading.Lock()
        failures: list[BaseException] = []

        def feed(place: int) -> None:
            try:
                while not failures:
                    with lock:
                        number = next(numbers, None)
                    if number is None:
                        return
                    done[number] = self._asked(place, jobs[number])
            except BaseException as error:  # noqa: BLE001 - carried to the thread that asked
                failures.append(error)

        while len(self._open) < wanted:
            self._open.append(_started(self._root, self._seconds))
        threads = [threading.Thread(target=feed, args=(place,), daemon=True) for place in range(wanted)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            # A killed child (memory) or a frozen application without a python of its own: slower, but complete.
            self.close()
            self._can_open = False
            return self._read_here(files)
        return [reading for readings in done for reading in readings or ()]

    def _asked(self, place: int, job: list[str]) -> list[Reading]:
        """What a process answers; where it ended over a file that takes too long, another one goes on behind that."""
        readings: list[Reading] = []
        while len(readings) < len(job):
            readings += _ask(self._open[place], job[len(readings) :])
            if len(readings) < len(job):
                _end(self._open[place])
                self._open[place] = _started(self._root, self._seconds)
                readings.append(_late(self._root, job[len(readings)]))
        return readings

    def _read_here(self, files: Sequence[tuple[str, int]]) -> list[Reading]:
        with paused_collection():
            return [read_file(self._root, path) for path, _ in files]

    def close(self) -> None:
        """Ends the processes."""
        for process in self._open:
            _end(process)
        self._open.clear()


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    for pipe in (process.stdin, process.stdout):
        # What was still to be written to a process that is gone is lost, and needs no error.
        with suppress(OSError):
            if pipe is not None:
                pipe.close()
    process.wait()


def _late(root: Path, path: str) -> Reading:
    """A file that a process was ended over."""
    data = read_bytes(root, path)
    return data if isinstance(data, Reading) else _reading(path, data, *unread(path, data, LATE))


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """The child's loop: the root and the seconds a file first, then jobs (lists of paths), answered by their readings.

    A file that takes longer ends the process, by the signal SIGPROF, in the midst of whatever it does.
    """
    import gc

    # What is made here is pickled and dropped: collecting cycles in between costs half of the time.
    gc.disable()
    folder, seconds = pickle.load(requests)
    root = Path(folder)
    limited = hasattr(signal, "setitimer")
    if limited:
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
    while True:
        try:
            paths: list[str] = pickle.load(requests)
        except EOFError:
            return
        for path in paths:
            if limited:
                signal.setitimer(signal.ITIMER_PROF, seconds * (1 + size_of(root / path) // _BYTES_A_FILE))
            packed = _packed(read_file(root, path))
            if limited:
                signal.setitimer(signal.ITIMER_PROF, 0)
            # One after the other, so that it is known which file a process was ended over.
            pickle.dump(packed, answers, protocol=5)
            answers.flush()


def size_of(file: Path) -> int:
    """A file's bytes; 0 where it cannot be looked at."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _processors() -> int:
    affinity: Callable[[int], set[int]] | None = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _jobs(files: Sequence[tuple[str, int]]) -> Iterator[list[str]]:
    job: list[str] = []
    size = 0
    for path, length in files:
        job.append(path)
        size += length
        if size >= _JOB_BYTES:
            yield job
            job, size = [], 0
    if job:
        yield job


def _started(root: Path, seconds: float) -> subprocess.Popen[bytes]:
    package = Path(__file__).resolve().parent.parent.parent
    paths = [str(package), *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    process = subprocess.Popen(
        # -P: a file of the project that is called like a module of ours must not be imported.
        [sys.executable, "-P", "-c", _START],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=package,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
    )
    assert process.stdin is not None
    pickle.dump((str(root), seconds), process.stdin)
    process.stdin.flush()
    return process


def _ask(process: subprocess.Popen[bytes], job: list[str]) -> list[Reading]:
    """The readings of a job; those before the file that took too long, where one did."""
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump(job, process.stdin)
    process.stdin.flush()
    readings: list[Reading] = []
    for path in job:
        try:
            packed = cast("_Packed", pickle.load(process.stdout))
        except EOFError:
            if process.wait() != -signal.SIGPROF:
                raise
            break
        if packed[0].path != path:
            raise RagforgeError("a reading process answered another question")
        with paused_collection():
            readings.append(_unpacked(*packed))
    return readings


def _packed(reading: Reading) -> _Packed:
    """A reading as plain values: those of a file in full cost as much to pickle as to parse."""
    if reading.parsed is None or reading.facts is None:
        return reading, None
    return replace(reading, parsed=None), texts(reading.parsed)


def _unpacked(reading: Reading, texts_: list[tuple[Any, ...]] | None) -> Reading:
    if texts_ is None or reading.facts is None:
        return reading
    return replace(reading, parsed=restore(reading.facts, texts_))
