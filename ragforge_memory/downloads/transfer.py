"""Brings one pinned file here: tries again, goes on where it stopped, keeps nothing that has another hash."""

from __future__ import annotations

import errno
import hashlib
import http.client
import os
import ssl
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from ragforge_memory.errors import DownloadError

PAUSES: tuple[float, ...] = (1.0, 2.0, 4.0, 6.0)
"""Seconds before the second, third, … try: five tries in 13 seconds."""

_TIMEOUT = 30.0
"""Seconds without a byte before a try is given up."""

_CHUNK = 1 << 18
_PARTIAL_CONTENT = 206
_RANGE_NOT_SATISFIABLE = 416
_WORTH_ANOTHER_TRY = frozenset({408, 425, 429})
"""Client errors that pass; any other 4xx is final, any 5xx is tried again."""

_PASSING = (urllib.error.URLError, http.client.HTTPException, TimeoutError, ConnectionError, ssl.SSLError)


class Cancelled(Exception):
    """Another file of the same download failed for good; this one stopped where it was."""


class Content(Protocol):
    """What is fetched: its hash (hex) and its size (bytes)."""

    @property
    def sha256(self) -> str: ...

    @property
    def size(self) -> int: ...


def transfer(
    url: str,
    target: Path,
    content: Content,
    *,
    arrived: Callable[[int], None],
    cancelled: threading.Event,
    pauses: Sequence[float] = PAUSES,
) -> None:
    """Fetch ``url`` into ``target``; until it is whole and has the right hash it is ``target.part`` beside it.

    Bytes of an earlier, interrupted run are kept and only the rest is asked for.

    Args:
        url: where it is.
        target: the file to make; its folder must exist.
        content: what it must be.
        arrived: is told how many bytes of this file are here, each time some came.
        cancelled: stops the transfer when set.
        pauses: seconds between tries; one try more than there are pauses.

    Raises:
        DownloadError: it could not be had, could not be written, or what came is another file.
        Cancelled: ``cancelled`` was set.
    """
    part = target.with_name(f"{target.name}.part")
    problem = ""
    for pause in (0.0, *pauses):
        if cancelled.wait(pause):
            raise Cancelled
        try:
            receipt = _receive(url, part, content.size, arrived, cancelled)
            if receipt.size == content.size and receipt.sha256 == content.sha256:
                os.replace(part, target)
                return
            if receipt.size < content.size:
                problem = f"the connection ended after {receipt.size:,} of {content.size:,} bytes"
                continue
            part.unlink()
            arrived(0)
            if receipt.resumed:  # the bytes of the earlier run may be to blame: once more from the start
                problem = "the bytes of an earlier run did not fit"
                continue
        except urllib.error.HTTPError as error:
            error.close()
            if error.code == _RANGE_NOT_SATISFIABLE:
                part.unlink(missing_ok=True)
                arrived(0)
            elif 400 <= error.code < 500 and error.code not in _WORTH_ANOTHER_TRY:
                raise DownloadError(
                    f"{url} answered {error.code} ({error.reason}).",
                    hint="Check RAGFORGE_MIRROR, or use a newer version of ragforge-memory.",
                ) from error
            problem = f"the server answered {error.code}"
            continue
        except _PASSING as error:
            problem = _reason(error)
            continue
        except OSError as error:
            raise not_written(target.parent, error) from error
        raise DownloadError(
            f"{url} is not the file that this version was built with: its SHA-256 differs, nothing was kept.",
            hint="A proxy or a mirror may have changed it: check RAGFORGE_MIRROR and the network, then try again.",
        )
    raise DownloadError(
        f"{urlsplit(url).netloc or url} could not be reached or broke off: {problem}.",
        hint="Check the network (HTTPS_PROXY, or RAGFORGE_MIRROR for a mirror of Maven Central) and run it again: "
        "what has come is kept.",
    )


def not_written(folder: Path, error: OSError) -> DownloadError:
    """The error for a file that could not be written to ``folder``."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DownloadError(
            f"There is no space left for downloads in {folder}.",
            hint="Free some space, or set RAGFORGE_HOME or RAGFORGE_CACHE to a folder on another disk.",
        )
    return DownloadError(
        f"Downloads cannot be written to {folder}: {error.strerror or error}.",
        hint="Set RAGFORGE_HOME or RAGFORGE_CACHE to a folder that you may write to.",
    )


@dataclass(frozen=True, slots=True)
class _Receipt:
    size: int
    sha256: str
    resumed: bool


def _receive(url: str, part: Path, size: int, arrived: Callable[[int], None], cancelled: threading.Event) -> _Receipt:
    """One try: what ``part`` holds after it, whole or not, hashed while it came."""
    digest = hashlib.sha256()
    have = 0
    if part.exists():
        with part.open("rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
                have += len(chunk)
    if have >= size:
        return _Receipt(have, digest.hexdigest(), resumed=True)
    request = urllib.request.Request(url, headers={"User-Agent": "ragforge-memory"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=_TIMEOUT, context=_context(urlsplit(url).scheme)) as response:
        resumed = bool(have) and response.status == _PARTIAL_CONTENT
        if resumed and not (response.headers.get("Content-Range") or "").startswith(f"bytes {have}-"):
            raise http.client.HTTPException("the server sent another range than the one asked for")
        if not resumed:
            digest, have = hashlib.sha256(), 0
        with part.open("ab" if resumed else "wb") as file:
            while have <= size and (chunk := response.read(_CHUNK)):
                if cancelled.is_set():
                    raise Cancelled
                file.write(chunk)
                digest.update(chunk)
                have += len(chunk)
                arrived(min(have, size))
    return _Receipt(have, digest.hexdigest(), resumed)


@cache
def _context(scheme: str) -> ssl.SSLContext | None:
    if scheme != "https":
        return None
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if paths.cafile is None and paths.capath is None:  # Python from python.org on macOS brings no certificates
        try:
            import certifi
        except ImportError:
            return context
        context.load_verify_locations(certifi.where())
    return context


def _reason(error: BaseException) -> str:
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return str(reason) or type(reason).__name__
