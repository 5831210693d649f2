"""Brings the edges between scopes up to date after files were written.

Where a file's edges lead depends on what it read of other files when they were looked up, and this machine remembers
what that was (reads.py). So only the files that changed, and those that read what has become obsolete (changes.py), are
looked up again; only their edges are read from the graph and compared. The edges are those of a first ingest of the
same files. Where the memory is not of the graph's revision, all files are looked up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ragforge_memory.code.cache import FactsCache
from ragforge_memory.code.facts import Facts, decode
from ragforge_memory.code.index import ProjectIndex
from ragforge_memory.code.layout import Layout, Outline, outline
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.readers import Readers, size_of
from ragforge_memory.code.reads import Reading, any_of, digests
from ragforge_memory.code.resolve import Dependence, Resolution, resolve
from ragforge_memory.code.resolve import Edge as CodeEdge
from ragforge_memory.collection import paused_collection
from ragforge_memory.graph.code import CodeStore, Edge
from ragforge_memory.ingest.changes import obsolete


@dataclass(frozen=True, slots=True)
class Remembered:
    """What this machine remembers of the project as the graph has it, before anything is written.

    Args:
        outlines: of all files.
        shown: the files that are about to change or go, as other files see them.
        dependences: of all files whose edges were looked up.
    """

    outlines: Mapping[str, Outline]
    shown: Mapping[str, ParsedFile]
    dependences: Mapping[str, Dependence]


@dataclass(slots=True)
class ProjectFiles:
    """The files whose scopes are in the graph, with what this ingest has read of them.

    Args:
        hashes: of all of them, by path, as the graph has them.
        read: those that were read now.
        facts: of these.
        before: None where all edges are to be looked up.
    """

    root: Path
    hashes: dict[str, str]
    read: dict[str, ParsedFile] = field(default_factory=dict)
    facts: dict[str, Facts] = field(default_factory=dict)
    before: Remembered | None = None


def remembered(
    cache: FactsCache, hashes: Mapping[str, str], going: Collection[str], revision: int
) -> Remembered | None:
    """What is remembered; None where it is not all there, or of another revision of the graph.

    Args:
        cache: this machine's memory.
        hashes: of all files that the graph knows.
        going: those of them that are changed or gone.
        revision: the graph's.
    """
    if not hashes or cache.revision() != revision:
        return None
    outlines = cache.outlines(hashes)
    shown = cache.parsed({path: hashes[path] for path in going}, bodies=False)
    dependences = cache.dependences()
    if outlines.keys() != hashes.keys() or len(shown) != len(going) or not hashes.keys() <= dependences.keys():
        return None
    return Remembered(outlines, shown, dependences)


class EdgeLookup:
    """Looks up the edges that may have changed. Its methods block, and may take long.

    Args:
        cache: this machine's memory.
        readers: for files that it has forgotten.
        files: after all that is to be read was read.
    """

    def __init__(self, cache: FactsCache, readers: Readers, files: ProjectFiles) -> None:
        self._cache = cache
        self._readers = readers
        self._files = files
        self._index: ProjectIndex | None = None
        self._known: dict[str, ParsedFile] = dict(files.read)
        self._dependences: dict[str, Dependence] = {}
        self._edges: list[CodeEdge] = []
        self.sources: set[str] = set()
        """The files that were looked up."""
        self.unread: set[str] = set()
        """Those that should have been: they can be read no more."""

    def run(self) -> None:
        """Looks up the files that changed and those that this can matter to."""
        with paused_collection():
            before = self._files.before
            try:
                if before is not None:
                    self._look_up(self._affected(before))
                    return
            except _Forgotten:
                self._files.before = None
            self._edges, self.sources = [], set()
            self._index = ProjectIndex(self._everything().values())
            self._keep(resolve(self._index))
            self.unread = self._files.hashes.keys() - self.sources

    def again(self, readings: Iterable[Reading]) -> None:
        """Looks up those that were not, where they read any of this."""
        numbers = digests(readings)
        if not numbers or self._files.before is None:
            return
        with paused_collection():
            more = {path for path, known in self._dependences.items() if any_of(numbers, known.reads)}
            try:
                self._look_up(more - self.sources)
            except _Forgotten:
                self._files.before = None
                self.run()

    def finish(self) -> tuple[Resolution, int]:
        """What was looked up, and how many uses of the whole project are unresolved; keeps what it depends on."""
        resolution = Resolution(tuple(self._edges))
        self._cache.depend({path: self._dependences[path] for path in self.sources})
        return resolution, sum(known.unresolved for known in self._dependences.values())

    def _affected(self, before: Remembered) -> set[str]:
        """The files to look up; the index is made for them."""
        files = self._files
        outlines = {path: before.outlines[path] for path in files.hashes if path not in files.read}
        outlines.update({path: outline(parsed) for path, parsed in files.read.items()})
        # What could not be read stays as it is in the graph.
        was = {path: file for path, file in before.shown.items() if path not in outlines or path in files.read}
        # Both sides went through the same bytes, so that nothing differs which they do not keep.
        now = {path: decode(facts.head) for path, facts in files.facts.items()}
        readings = obsolete(was, now, Layout(before.outlines), Layout(outlines))
        numbers = digests(readings)
        self._dependences = {path: known for path, known in before.dependences.items() if path in outlines}
        affected = {path for path, known in self._dependences.items() if any_of(numbers, known.reads)}
        self._index = ProjectIndex(outlines=outlines, load=self._load)
        return affected | files.read.keys()

    def _look_up(self, paths: Collection[str]) -> None:
        assert self._index is not None
        missing = {path: self._files.hashes[path] for path in paths if path not in self._files.read}
        whole = self._cache.parsed(missing, bodies=True)
        if len(whole) != len(missing):
            raise _Forgotten
        self._known.update(whole)
        self._index.files.renew(whole)
        self._keep(resolve(self._index, paths))

    def _keep(self, resolution: Resolution) -> None:
        self._edges += resolution.edges
        self._dependences.update(resolution.files)
        self.sources.update(resolution.files)

    def _load(self, path: str) -> ParsedFile:
        """A file that is looked at from another one: what it shows is enough."""
        known = self._known.get(path)
        if known is None:
            known = self._cache.parsed({path: self._files.hashes[path]}, bodies=False).get(path)
            if known is None:
                raise _Forgotten
        return known

    def _everything(self) -> dict[str, ParsedFile]:
        files = self._files
        self._dependences = {}
        others = {path: digest for path, digest in files.hashes.items() if path not in files.read}
        known = self._cache.parsed(others, bodies=True)
        missing = sorted(others.keys() - known.keys())
        if missing:
            # This machine has no memory of them (another one ingested them, or the cache is gone).
            sizes = [(path, size_of(files.root / path)) for path in missing]
            facts = {}
            for reading in self._readers.read(sizes):
                if reading.parsed is not None:
                    known[reading.path] = reading.parsed
                if reading.facts is not None and reading.hash == others[reading.path]:
                    facts[reading.path] = (reading.hash, reading.facts)
            self._cache.keep(facts)
        return {**known, **files.read}


async def write_edges(
    store: CodeStore, sources: Collection[str], unread: Collection[str], resolution: Resolution
) -> None:
    """Writes the edges of files that are missing, removes those that are wrong, and notes how many there are.

    Args:
        store: the project, with the lease taken.
        sources: the files that were looked up.
        unread: those that should have been and could not.
        resolution: what was found.
    """
    targets = {edge.target_path for edge in resolution.edges}
    uuids = await store.places(sorted(targets.union(sources)))
    wanted = {}
    for edge in resolution.edges:
        source = uuids.get((edge.source_path, edge.source_key))
        target = uuids.get((edge.target_path, edge.target_key))
        # What a file's top level uses has no scope to start from.
        if source is not None and target is not None:
            made = Edge(edge.kind, source, target, edge.lines, edge.call_lines, edge.certain)
            wanted[made] = edge.source_path
    present = await store.edges(sorted(sources))
    ends = {edge[:3]: path for edge, path in wanted.items()}
    await store.remove_edges(edge for edge in present if edge[:3] not in ends)
    await store.write_edges(wanted.keys() - present)
    counts = Counter(ends.values())
    await store.count_edges({**dict.fromkeys(unread), **{path: counts[path] for path in sources}})


class _Forgotten(Exception):
    """The memory lost something in between, as when its database is deleted."""
