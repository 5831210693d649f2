"""Brings the edges between scopes up to date after files were written.

Where a file's edges lead depends on the definitions of all files. An edit inside of bodies leaves what others see as
it was (`Facts.interface`), so only the edited files' edges are looked up again; any other change looks up all of them
and writes the difference. Either way the edges are those of a first ingest of the same files.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragforge_memory.code.cache import FactsCache
from ragforge_memory.code.collection import paused_collection
from ragforge_memory.code.facts import Facts
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.readers import Readers
from ragforge_memory.code.resolve import Resolution, resolve
from ragforge_memory.graph.code import CodeStore, Edge


@dataclass(slots=True)
class ProjectFiles:
    """The files whose scopes are in the graph, with what this ingest has read of them.

    Args:
        hashes: of all of them, by path, as the graph has them.
        read: those that were read now.
        same_inside: whether all that changed is bodies; then only the edges of ``read`` can have changed.
    """

    root: Path
    hashes: dict[str, str]
    read: dict[str, ParsedFile] = field(default_factory=dict)
    same_inside: bool = False


def resolved(cache: FactsCache, readers: Readers, files: ProjectFiles) -> Resolution:
    """Looks up the edges that may have changed. Blocks, and may take long."""
    others = {path: digest for path, digest in files.hashes.items() if path not in files.read}
    known = cache.parsed(others, bodies=not files.same_inside)
    missing = sorted(others.keys() - known.keys())
    if missing:
        # This machine has no memory of them (another one ingested them, or the cache is gone).
        sizes = [(path, _size(files.root / path)) for path in missing]
        facts = {}
        for reading in readers.read(sizes):
            if reading.parsed is not None:
                known[reading.path] = reading.parsed
            if reading.facts is not None and reading.hash == others[reading.path]:
                facts[reading.path] = (reading.hash, reading.facts)
        cache.keep(facts)
    with paused_collection():
        return resolve([*known.values(), *files.read.values()], files.read.keys() if files.same_inside else None)


async def write_edges(store: CodeStore, files: ProjectFiles, resolution: Resolution) -> None:
    """Writes the edges that are missing and removes those that are wrong."""
    sources = sorted(files.read if files.same_inside else files.hashes)
    targets = {edge.target_path for edge in resolution.edges}
    uuids = await store.places(sorted(targets.union(sources)))
    wanted = set()
    for edge in resolution.edges:
        source = uuids.get((edge.source_path, edge.source_key))
        target = uuids.get((edge.target_path, edge.target_key))
        # What a file's top level uses has no scope to start from.
        if source is not None and target is not None:
            wanted.add(Edge(edge.kind, source, target, edge.lines, edge.call_lines, edge.certain))
    present = await store.edges(sources)
    ends = {edge[:3] for edge in wanted}
    await store.remove_edges(edge for edge in present if edge[:3] not in ends)
    await store.write_edges(wanted - present)


def same_inside(before: Mapping[str, tuple[str, str]], hashes: Mapping[str, str], now: Mapping[str, Facts]) -> bool:
    """Whether files show the others what they showed before.

    Args:
        before: content hash and interface of what is remembered, by path.
        hashes: content hash of what the graph has.
        now: what was read.
    """
    return all(
        path in before and before[path][0] == hashes.get(path) and before[path][1] == facts.interface
        for path, facts in now.items()
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
