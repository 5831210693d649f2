"""Exports that are a zip or a folder: the files of conversations in them, and one report for all."""

from __future__ import annotations

import asyncio
import re
import time
import zipfile
import zlib
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import IO

from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers.source import Source
from ragforge_memory.models.imports import MOST_NAMED, ImportFault, ImportReport

OTHER = "file of another kind"
"""How files of a bundle are counted that are not conversations."""

_ZIP = b"PK\x03\x04"
# What reading a file of a zip raises that is damaged, locked with a password, or packed in an unknown way.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, NotImplementedError)
_CHUNK = 1 << 20
# Exports of ChatGPT and claude.ai hold these beside files of other kinds, which look like conversations in part.
_NAMED = re.compile(r"conversations(-\d+)?\.json$")
_JSON = (".json", ".jsonl")
_MAY_BE = (*_JSON, ".md")
_AGAIN = "unpack it, or ask for the export again; nothing of this file was written"


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a bundle, its size in bytes, and what opens it."""

    name: str
    size: int
    open: Callable[[], IO[bytes]]


@dataclass(frozen=True, slots=True)
class Bundle:
    """The files of a bundle that are taken, and how many others are beside them that might be conversations too."""

    parts: Sequence[Part]
    beside: int


@contextmanager
def parts(path: Path) -> Iterator[Bundle | None]:
    """The files of a zip or a folder that may be conversations, in order of their names; None of what is neither.

    Raises:
        InvalidInput: there are none, or the zip is broken.
    """
    if path.is_dir():
        files = [(str(each.relative_to(path)), each) for each in path.rglob("*") if each.is_file()]
        yield _chosen([Part(name, each.stat().st_size, partial(_opened, each)) for name, each in files], path)
        return
    if not _is_zip(path):
        yield None
        return
    try:
        archive = zipfile.ZipFile(path)
    except _DAMAGE as error:
        raise InvalidInput(f"{path} cannot be read: {error}", hint=_AGAIN) from error
    with archive:
        members = [each for each in archive.infolist() if not each.is_dir()]
        yield _chosen([Part(each.filename, each.file_size, partial(archive.open, each)) for each in members], path)


def _is_zip(path: Path) -> bool:
    """Whether a file is a zip, also one of which the end is missing."""
    try:
        if not path.is_file():
            return False
        with open(path, "rb") as stream:
            return stream.read(len(_ZIP)) == _ZIP or zipfile.is_zipfile(path)
    except OSError:
        return False


def _opened(path: Path) -> IO[bytes]:
    return open(path, "rb")


def _chosen(found: Sequence[Part], path: Path) -> Bundle:
    named = [each for each in found if _NAMED.search(Path(each.name).name)]
    chosen = named or [each for each in found if each.name.endswith(_MAY_BE)]
    if not chosen:
        raise InvalidInput(f"there are no conversations in {path}", hint="a file of an export ends in .json or .jsonl")
    beside = sum(1 for each in found if each not in chosen and each.name.endswith(_JSON))
    return Bundle(sorted(chosen, key=lambda each: each.name), beside)


async def import_parts(found: Bundle, take: Callable[[Source], Awaitable[ImportReport]]) -> ImportReport:
    """Imports the files one after another; those that are not conversations are counted, and one that cannot be read
    is told of.

    Raises:
        InvalidInput: none is.
    """
    start, reports, refused, others = time.monotonic(), [], list[InvalidInput](), found.beside
    for part in found.parts:
        try:
            await asyncio.to_thread(_check, part)
        except InvalidInput as error:
            refused.append(error)
            fault = ImportFault(place=part.name, message=error.message, hint=error.hint)
            reports.append(ImportReport(failed=1, errors=(fault,)))
            continue
        with part.open() as stream:
            try:
                reports.append(of_file(part.name, await take(Source(stream, size=part.size))))
            except InvalidInput as error:
                refused.append(InvalidInput(f"{part.name}: {error.message}", hint=error.hint))
                others += 1
    if len(refused) == len(found.parts):
        raise refused[0]
    return together(reports, others=others, seconds=time.monotonic() - start)


def _check(part: Part) -> None:
    """Reads a file to its end, before anything of it is written: a zip says at the end that it is damaged.

    Raises:
        InvalidInput: it cannot be read.
    """
    try:
        with part.open() as stream:
            while stream.read(_CHUNK):
                pass
    except _DAMAGE as error:
        locked = isinstance(error, RuntimeError) and not isinstance(error, NotImplementedError)
        why = "it is locked with a password" if locked else error
        raise InvalidInput(f"{part.name} cannot be read: {why}", hint=_AGAIN) from error


def of_file(name: str, report: ImportReport) -> ImportReport:
    """The report, in which every place names its file too."""
    errors = (
        each.model_copy(update={"place": f"{name}: {each.place}", "message": f"{name}: {each.message}"})
        for each in report.errors
    )
    passed_over = (each.model_copy(update={"place": f"{name}: {each.place}"}) for each in report.passed_over)
    return report.model_copy(update={"errors": tuple(errors), "passed_over": tuple(passed_over)})


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
