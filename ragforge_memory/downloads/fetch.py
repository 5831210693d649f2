"""Brings pinned files into a folder laid out like a Maven repository, eight at a time."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from pathlib import Path

from ragforge_memory.downloads.lock import PinnedFile
from ragforge_memory.downloads.progress import Progress, Reporter
from ragforge_memory.downloads.transfer import PAUSES, Cancelled, not_written, transfer
from ragforge_memory.downloads.verified import VerifiedFiles
from ragforge_memory.errors import DownloadError

MAVEN_CENTRAL = "https://repo1.maven.org/maven2"
"""Where the files come from unless ``RAGFORGE_MIRROR`` or ``mirror=`` names another base."""

_SPARE = 64 << 20
"""Bytes that must stay free on the disk beside the download."""

_THREADS = 8
"""Files fetched at the same time."""

_POLL = 0.1
"""Seconds between two looks whether anybody still waits."""


def fetch(
    files: Sequence[PinnedFile],
    folder: Path,
    *,
    what: str,
    mirror: str | None = None,
    progress: Reporter | None = None,
    pauses: Sequence[float] = PAUSES,
    left: threading.Event | None = None,
) -> tuple[Path, ...]:
    """The paths of ``files`` below ``folder``, in their order, each whole and with the pinned hash.

    What is there and was checked before costs one ``stat`` a file. What is missing, truncated or altered is
    fetched; an interrupted run goes on where it stopped. Processes that share the folder wait for each other.

    Args:
        files: what must be there.
        folder: the root of the repository on this machine; made if missing.
        what: a few words for a person, such as ``Neo4j 2026.09.0``.
        mirror: base of the repository to fetch from; ``RAGFORGE_MIRROR``, else Maven Central, when not told.
        progress: is told bytes done and in all.
        pauses: seconds between tries of a file.
        left: set by a caller who waits no longer.

    Raises:
        DownloadError: no network, no such file, another hash than pinned, no space or no right to write; or ``left``
            was set, and what has come is kept.
    """
    paths = tuple(folder / file.path for file in files)
    if not missing(files, folder):
        return paths
    base = repository_base(mirror)
    left = left or threading.Event()
    try:
        with _lock(folder, what, progress, left):
            verified = VerifiedFiles(folder)
            wanted = [file for file in files if not verified.check(file.path, file.sha256, file.size)]
            try:
                _sweep(folder, wanted)
                if wanted:
                    _Download(wanted, folder, base, what, progress, verified).run(pauses, left)
            finally:
                verified.save()
    except OSError as error:
        raise not_written(folder, error) from error
    return paths


def missing(files: Sequence[PinnedFile], folder: Path) -> tuple[PinnedFile, ...]:
    """Those of ``files`` that are not known, by their stat alone, to be in ``folder`` with the pinned hash."""
    verified = VerifiedFiles(folder)
    return tuple(file for file in files if not verified.holds(file.path, file.sha256))


def repository_base(mirror: str | None = None) -> str:
    """The base to fetch from: ``mirror``, ``RAGFORGE_MIRROR``, or Maven Central; without a trailing slash.

    Raises:
        DownloadError: it is not an http, https or file URL.
    """
    base = mirror or os.environ.get("RAGFORGE_MIRROR") or MAVEN_CENTRAL
    if not base.startswith(("https://", "http://", "file://")):
        raise DownloadError(
            f"The mirror {base!r} is not a URL.",
            hint="Set RAGFORGE_MIRROR to the base of a Maven repository: https://…, http://… or file://…",
        )
    return base.rstrip("/")


class _Download:
    """One run over the files that are missing."""

    def __init__(
        self,
        files: Sequence[PinnedFile],
        folder: Path,
        base: str,
        what: str,
        progress: Reporter | None,
        verified: VerifiedFiles,
    ) -> None:
        self._files = files
        self._folder = folder
        self._base = base
        self._what = what
        self._progress = progress
        self._verified = verified
        self._total = sum(file.size for file in files)
        self._arrived = {file.path: _part_size(folder, file) for file in files}
        self._reporting = threading.Lock()
        self._cancelled = threading.Event()

    def run(self, pauses: Sequence[float], left: threading.Event) -> None:
        self._check_space()
        self._report()
        pool = ThreadPoolExecutor(_THREADS, thread_name_prefix="ragforge-download")
        try:
            # large files first: the last minute is not spent on one of them alone
            ordered = sorted(self._files, key=lambda file: -file.size)
            outcomes = [pool.submit(self._one, file, pauses) for file in ordered]
            pending = set(outcomes)
            while pending:
                pending = wait(pending, timeout=_POLL).not_done
                if pending and left.is_set():
                    raise _nobody_waits(self._what)
            failures = [failure for outcome in outcomes if (failure := outcome.result()) is not None]
        finally:
            self._cancelled.set()
            pool.shutdown(cancel_futures=True)
        if failures:
            raise failures[0]

    def _one(self, file: PinnedFile, pauses: Sequence[float]) -> DownloadError | None:
        target = self._folder / file.path

        def arrived(size: int) -> None:
            with self._reporting:
                self._arrived[file.path] = size
                self._report()

        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            transfer(
                f"{self._base}/{file.path}",
                target,
                file,
                arrived=arrived,
                cancelled=self._cancelled,
                pauses=pauses,
            )
        except Cancelled:
            return None
        except DownloadError as error:
            self._cancelled.set()
            return error
        except OSError as error:
            self._cancelled.set()
            return not_written(self._folder, error)
        with self._reporting:
            self._verified.add(file.path, file.sha256)
        return None

    def _report(self) -> None:
        if self._progress is not None:
            self._progress(Progress("download", self._what, sum(self._arrived.values()), self._total))

    def _check_space(self) -> None:
        needed = self._total - sum(self._arrived.values()) + _SPARE
        free = shutil.disk_usage(self._folder).free
        if free < needed:
            raise DownloadError(
                f"{self._what} needs {needed >> 20} MB in {self._folder}, and {free >> 20} MB are free.",
                hint="Free some space, or set RAGFORGE_HOME or RAGFORGE_CACHE to a folder on another disk.",
            )


def _part_size(folder: Path, file: PinnedFile) -> int:
    try:
        return min((folder / f"{file.path}.part").stat().st_size, file.size)
    except OSError:
        return 0


def _sweep(folder: Path, wanted: Sequence[PinnedFile]) -> None:
    """Remove what interrupted runs left behind, but for the parts that this run goes on with."""
    keep = {folder / f"{file.path}.part" for file in wanted}
    for leftover in (*folder.rglob("*.part"), *folder.glob("*.tmp")):
        if leftover not in keep:
            leftover.unlink(missing_ok=True)


def _nobody_waits(what: str) -> DownloadError:
    return DownloadError(f"Nobody waits for {what} any more.", hint="What has come is kept.")


@contextmanager
def _lock(folder: Path, what: str, progress: Reporter | None, left: threading.Event) -> Iterator[None]:
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "downloads.lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if progress is not None:
            progress(Progress("wait", what))
        while not lock.is_locked:
            if left.is_set():
                raise _nobody_waits(what) from None
            with suppress(Timeout):
                lock.acquire(timeout=_POLL)
    try:
        yield
    finally:
        lock.release()
