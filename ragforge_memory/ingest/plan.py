"""What an ingest has to do: the files on disk compared with the graph, reading as few of them as possible."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from ragforge_memory.code.cache import FactsCache, Seen
from ragforge_memory.code.discover import Discovery, SourceFile, changed_ns
from ragforge_memory.code.fingerprint import content_hash
from ragforge_memory.code.partly import PARTLY
from ragforge_memory.code.readers import Reading, read_bytes
from ragforge_memory.graph.ingest_state import StoredFile
from ragforge_memory.models.code import SkippedFile

_UNREADABLE = "unreadable"


@dataclass(slots=True)
class Plan:
    """What to do.

    Args:
        files: everything that was found, by path.
        changed: known files whose content is another, to be read.
        new: files that the graph does not know, to be read.
        unchanged: known files, each with its content hash.
        kept: known files that cannot be read now (no permission), or that are broken and were read as far as they are
            whole: the graph keeps what it has.
        partly: broken files of which the graph has what is whole; they are among ``skipped`` too.
        gone: known files that are not there any more, or are not source text any more.
        skipped: what is not read, and why.
    """

    files: dict[str, SourceFile]
    changed: list[str] = field(default_factory=list)
    new: list[str] = field(default_factory=list)
    unchanged: dict[str, str] = field(default_factory=dict)
    kept: set[str] = field(default_factory=set)
    partly: set[str] = field(default_factory=set)
    gone: list[str] = field(default_factory=list)
    skipped: list[SkippedFile] = field(default_factory=list)

    @property
    def is_empty(self) -> bool:
        """Whether the graph is up to date."""
        return not (self.changed or self.new or self.gone)


def make_plan(discovery: Discovery, stored: Mapping[str, StoredFile], cache: FactsCache, *, full: bool) -> Plan:
    """Compares the files with the graph; reads those whose `stat` values say that they may have changed.

    Args:
        discovery: the files that are there.
        stored: the files that the graph knows, by path.
        cache: what was seen before; learns what is seen now.
        full: read every file again, changed or not.
    """
    plan = Plan({file.path: file for file in discovery.files}, skipped=list(discovery.skipped))
    seen = cache.seen()
    fresh: dict[str, Seen] = {}
    for file in discovery.files:
        known = stored.get(file.path)
        before = seen.get(file.path)
        digest, now = "", 0
        if before is not None and before.holds_for(file.size, file.mtime_ns):
            digest = before.hash
        elif known is not None or before is not None:
            now = time.time_ns()
            data = read_bytes(discovery.root, file.path)
            if isinstance(data, Reading):
                plan.skipped.append(SkippedFile(file=file.path, reason=data.skipped or _UNREADABLE))
                if known is not None:
                    plan.kept.add(file.path)
                continue
            digest = content_hash(data)
            if before is not None and before.hash == digest:
                before = before._replace(size=file.size, mtime_ns=file.mtime_ns, read_ns=now)
                fresh[file.path] = before
        elif not os.access(discovery.root / file.path, os.R_OK):
            plan.skipped.append(SkippedFile(file=file.path, reason=f"{_UNREADABLE}: no permission"))
            continue
        same_as_seen = before is not None and before.hash == digest
        # Seen as broken it was not yet written, where the ingest that saw it was killed.
        written = before is not None and (not before.broken or (known is not None and known.hash == digest))
        if before is not None and same_as_seen and before.skipped is not None and written and not full:
            plan.skipped.append(SkippedFile(file=file.path, reason=before.skipped))
            if known is not None and before.broken:
                plan.kept.add(file.path)
                plan.partly.add(file.path)
        elif known is None:
            plan.new.append(file.path)
        elif known.hash == digest and not full:
            plan.unchanged[file.path] = digest
            if before is None or not same_as_seen:
                fresh[file.path] = Seen(digest, file.size, file.mtime_ns, now)
        else:
            plan.changed.append(file.path)
    cache.see(fresh)
    there = plan.files.keys() - {item.file for item in plan.skipped if item.file not in plan.kept}
    closed = tuple(item.file for item in discovery.skipped if item.reason.startswith(_UNREADABLE))
    for path in stored.keys() - there:
        if path in plan.kept or _is_below(path, closed):
            plan.kept.add(path)
        else:
            plan.gone.append(path)
    plan.gone.sort()
    return plan


def partly_read(reading: Reading, *, known: bool) -> Reading:
    """A broken file's reading as one of what is whole, or of nothing where nothing is and nothing was known of it."""
    if not reading.broken or reading.parsed is None:
        return reading
    if reading.parsed.scopes:
        return replace(reading, skipped=f"{reading.skipped}{PARTLY}")
    return reading if known else replace(reading, parsed=None, facts=None, broken=False, rest=None)


def place_reading(plan: Plan, reading: Reading, stored: Mapping[str, StoredFile]) -> None:
    """Files a reading that gave nothing: the file is skipped, and what the graph has of it is kept or gone."""
    plan.skipped.append(SkippedFile(file=reading.path, reason=reading.skipped or _UNREADABLE))
    if reading.path in stored:
        if not reading.hash:
            plan.kept.add(reading.path)
        else:
            plan.gone.append(reading.path)


def seen_now(root: Path, reading: Reading, stat: SourceFile, read_ns: int) -> Seen:
    """What to remember of a file that was read: of one that changed in between, nothing that a later look trusts."""
    size, mtime_ns = stat.size, stat.mtime_ns
    try:
        now = (root / reading.path).stat()
    except OSError:
        now = None
    if now is None or now.st_size != reading.size or changed_ns(now) != mtime_ns:
        mtime_ns = 0
    return Seen(reading.hash, size, mtime_ns, read_ns, reading.skipped, reading.broken)


def _is_below(path: str, closed: tuple[str, ...]) -> bool:
    """Whether a path is, or is in, something that could not be read."""
    return any(path == name or (name.endswith("/") and path.startswith(name)) for name in closed)
