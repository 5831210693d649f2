"""Reads source files: bytes to scopes and facts, in this process or in several beside it.

The others are plain ``python`` processes of ours that speak pickle over their pipes. `multiprocessing` is not used:
it runs the caller's main script again in each child, and a script without a ``__main__`` guard breaks.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, cast

from ragforge_memory.code.discover import unreadable_reason
from ragforge_memory.code.facts import Facts, encode, restore, texts
from ragforge_memory.code.parse import parse_partly, unread
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.partly import Rest
from ragforge_memory.collection import paused_collection
from ragforge_memory.errors import RagforgeError

# Starting a process and loading the grammars costs about as much as parsing this many bytes.
_BYTES_PER_PROCESS = 1_000_000
_MOST_PROCESSES = 8
# A job is large enough that the pipe does not count, small enough that all finish at about the same time.
_JOB_BYTES = 200_000

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


def content_hash(data: bytes) -> str:
    """128 bits of BLAKE2b over a file's bytes, as 32 hex digits."""
    return blake2b(data, digest_size=16).hexdigest()


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
    digest = content_hash(data)
    reason = unreadable_reason(data, path)
    if reason is not None:
        return Reading(path, digest, len(data), skipped=reason)
    try:
        parsed, rest = parse_partly(path, data)
    except Exception as error:  # noqa: BLE001 - one file that a grammar chokes on must not end an ingest
        reason = f"could not be parsed: {type(error).__name__}: {error}"
        parsed, rest = unread(path, data, reason)
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
    """

    def __init__(self, root: Path, *, size: int, processes: int | None = None) -> None:
        self._root = root
        most = processes if processes is not None else min(_processors(), _MOST_PROCESSES)
        self._most = min(most, size // _BYTES_PER_PROCESS)
        self._open: list[subprocess.Popen[bytes]] = []

    def __enter__(self) -> Readers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def read(self, files: Sequence[tuple[str, int]]) -> list[Reading]:
        """Reads files of the given (path, size in bytes), in their order. Blocks."""
        jobs = list(_jobs(files))
        wanted = min(self._most, len(jobs))
        if wanted < 2:
            return self._read_here(files)
        done: list[list[Reading] | None] = [None] * len(jobs)
        numbers = iter(range(len(jobs)))
        lock = threading.Lock()
        failures: list[BaseException] = []

        def feed(process: subprocess.Popen[bytes]) -> None:
            try:
                while not failures:
                    with lock:
                        number = next(numbers, None)
                    if number is None:
                        return
                    done[number] = _ask(process, jobs[number])
            except BaseException as error:  # noqa: BLE001 - carried to the thread that asked
                failures.append(error)

        while len(self._open) < wanted:
            self._open.append(_started(self._root))
        threads = [threading.Thread(target=feed, args=(process,), daemon=True) for process in self._open]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if failures:
            # A killed child (memory) or a frozen application without a python of its own: slower, but complete.
            self.close()
            self._most = 1
            return self._read_here(files)
        return [reading for readings in done for reading in readings or ()]

    def _read_here(self, files: Sequence[tuple[str, int]]) -> list[Reading]:
        with paused_collection():
            return [read_file(self._root, path) for path, _ in files]

    def close(self) -> None:
        """Ends the processes."""
        for process in self._open:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                # What was still to be written to a process that is gone is lost, and needs no error.
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            process.wait()
        self._open.clear()


def serve(requests: IO[bytes], answers: IO[bytes]) -> None:
    """The child's loop: the root first, then jobs (lists of paths), each answered by a list of readings."""
    import gc

    # What is made here is pickled and dropped: collecting cycles in between costs half of the time.
    gc.disable()
    root = Path(pickle.load(requests))
    while True:
        try:
            paths: list[str] = pickle.load(requests)
        except EOFError:
            return
        pickle.dump([_packed(read_file(root, path)) for path in paths], answers, protocol=5)
        answers.flush()


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


def _started(root: Path) -> subprocess.Popen[bytes]:
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
    pickle.dump(str(root), process.stdin)
    process.stdin.flush()
    return process


def _ask(process: subprocess.Popen[bytes], job: list[str]) -> list[Reading]:
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump(job, process.stdin)
    process.stdin.flush()
    answer = cast("list[_Packed]", pickle.load(process.stdout))
    if len(answer) != len(job):
        raise RagforgeError("a reading process answered another question")
    with paused_collection():
        return [_unpacked(*each) for each in answer]


def _packed(reading: Reading) -> _Packed:
    """A reading as plain values: those of a file in full cost as much to pickle as to parse."""
    if reading.parsed is None or reading.facts is None:
        return reading, None
    return replace(reading, parsed=None), texts(reading.parsed)


def _unpacked(reading: Reading, texts_: list[tuple[Any, ...]] | None) -> Reading:
    if texts_ is None or reading.facts is None:
        return reading
    return replace(reading, parsed=restore(reading.facts, texts_))
