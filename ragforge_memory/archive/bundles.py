"""Exports that are a zip or a folder: the files of conversations in them, and one report for all."""

from __future__ import annotations

import re
import time
import zipfile
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers.source import Source
from ragforge_memory.models.imports import MOST_NAMED, ImportReport

OTHER = "file of another kind"
"""How files of a bundle are counted that are not conversations."""

# Exports of ChatGPT and claude.ai hold these beside files of other kinds, which look like conversations in part.
_NAMED = re.compile(r"conversations(-\d+)?\.json$")
_MAY_BE = (".json", ".jsonl", ".md")


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a bundle, its size in bytes, and what opens it."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


@contextmanager
def parts(path: Path) -> Iterator[list[Part] | None]:
    """The files of a zip or a folder that may be conversations, in order of their names; None of what is neither.

    Raises:
        InvalidInput: there are none, or the zip is broken.
    """
    if path.is_dir():
        files = [(str(each.relative_to(path)), each) for each in path.rglob("*") if each.is_file()]
        yield _chosen([Part(name, each.stat().st_size, partial(_opened, each)) for name, each in files], path)
        return
    if not (path.is_file() and zipfile.is_zipfile(path)):
        yield None
        return
    try:
        archive = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, OSError) as error:
        raise InvalidInput(f"{path} cannot be read: {error}") from error
    with archive:
        members = [each for each in archive.infolist() if not each.is_dir()]
        yield _chosen([Part(each.filename, each.file_size, partial(archive.open, each)) for each in members], path)


def _opened(path: Path) -> IO[bytes]:
    return open(path, "rb")


def _chosen(found: Sequence[Part], path: Path) -> list[Part]:
    named = [each for each in found if _NAMED.search(Path(each.name).name)]
    chosen = named or [each for each in found if each.name.endswith(_MAY_BE)]
    if not chosen:
        raise InvalidInput(f"there are no conversations in {path}", hint="a file of an export ends in .json or .jsonl")
    return sorted(chosen, key=lambda each: each.name)


async def import_parts(found: Sequence[Part], take: Callable[[Source], Awaitable[ImportReport]]) -> ImportReport:
    """Imports the files one after another; those that are not conversations are counted.

    Raises:
        InvalidInput: none is.
    """
    start, reports, others = time.monotonic(), [], []
    for part in found:
        with part.open() as stream:
            try:
                reports.append(await take(Source(stream, size=part.size)))
            except InvalidInput as error:
                others.append(InvalidInput(f"{part.name}: {error.message}", hint=error.hint))
    if not reports:
        raise others[0]
    return together(reports, others=len(others), seconds=time.monotonic() - start)


def together(reports: Sequence[ImportReport], *, others: int = 0, seconds: float) -> ImportReport:
    """One report for several files, of which so many were not conversations."""
    counts = ("conversations", "messages", "tool_calls", "memories", "extended", "unchanged", "skipped", "failed")
    left_out = sum((Counter(each.left_out) for each in reports), Counter({OTHER: others} if others else {}))
    return ImportReport(
        **{name: sum(getattr(each, name) for each in reports) for name in (*counts, "flawed")},
        errors=tuple(one for each in reports for one in each.errors)[:MOST_NAMED],
        imported=tuple(one for each in reports for one in each.imported)[:MOST_NAMED],
        passed_over=tuple(one for each in reports for one in each.passed_over)[:MOST_NAMED],
        left_out=dict(sorted(left_out.items())),
        seconds=seconds,
    )
