"""`ragforge ingest`: a project's code into the graph, reading only what has changed.

The order makes a killed ingest harmless: the project is marked as incomplete with the lease; each file is written
with its scopes and its hash in one transaction; edges follow; the mark goes last. The next ingest reads the files
whose hashes are missing and, where it finds the mark, looks up all edges again.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragforge_memory.anchors.anchoring import resolve_anchors
from ragforge_memory.code.cache import FactsCache
from ragforge_memory.code.discover import MAX_FILE_BYTES, Discovery, discover
from ragforge_memory.code.facts import encode, facts_version
from ragforge_memory.code.git import head_commit, uncommitted_files
from ragforge_memory.code.partly import completed
from ragforge_memory.code.readers import Readers, Reading
from ragforge_memory.errors import GraphUnavailable, ProjectConflict, RagforgeError
from ragforge_memory.graph.anchors import AnchorStore
from ragforge_memory.graph.code import CodeStore, Lease
from ragforge_memory.graph.ingest_state import IngestState
from ragforge_memory.graph.leases import INGEST_SECONDS, is_dead
from ragforge_memory.ingest.edges import EdgeLookup, ProjectFiles, Remembered, remembered, write_edges
from ragforge_memory.ingest.plan import Plan, make_plan, partly_read, place_reading, seen_now
from ragforge_memory.ingest.writing import Totals, Writer
from ragforge_memory.models.code import IngestReport, SkippedFile

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ragforge_memory.graph.client import GraphClient

# Of a first ingest so much is read while what was read before is written; later ones are compared as a whole, so
# that what moved from file to file is seen to have moved.
_STREAM_BYTES = 1_000_000
# So many files that were not read are kept by name, for answers that find nothing.
_MOST_UNREAD = 1_000
_WHOLE_BYTES = 64_000_000
# How long another process's ingest of the project is waited for (s).
_PATIENCE = 600.0
_POLL_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class IngestProgress:
    """How far an ingest is: ``wait`` (another one is at it), ``read`` (files of so many), ``edges``."""

    phase: Literal["wait", "read", "edges"]
    done: int = 0
    total: int = 0


Report = Callable[[IngestProgress], None]


async def ingest(
    client: GraphClient,
    root: Path,
    *,
    project: str,
    include: Sequence[str] = ("**/*",),
    exclude: Sequence[str] = (),
    max_bytes: int = MAX_FILE_BYTES,
    adopt: bool = False,
    full: bool = False,
    progress: Report | None = None,
    home: Path | None = None,
    processes: int | None = None,
) -> IngestReport:
    """Brings the graph's scopes of a project up to date with the files below ``root``.

    Unchanged scopes keep their uuid, and so do changed ones, renamed files' ones and those whose tokens turn up under
    the same name in another file. New and changed scopes wait for their vectors (``:PendingEmbedding``), see embed.py.

    Args:
        client: an open graph.
        root: the project's directory.
        project: its name in the graph.
        include, exclude: globs in gitignore's format.
        max_bytes: larger files are skipped; 1,000,000 by default.
        adopt: take the project over where it was ingested from another root.
        full: read every file again, changed or not.
        progress: told how far it is.
        home: where this machine's memory of the files is; default ``RAGFORGE_HOME``.
        processes: to parse with at most; default as many as there are processors.

    Raises:
        ProjectConflict: the project was ingested from another root.
        InvalidInput: ``root`` is not a directory, or ``project`` is empty.
        GraphUnavailable: the server is away, or another ingest of the project has run for ten minutes.
    """
    started = time.perf_counter()
    store = CodeStore(client, project)
    root = await asyncio.to_thread(root.resolve)
    cache = await asyncio.to_thread(FactsCache, project, root, home=home)
    try:
        run = _Ingest(store, cache, root, _Options(tuple(include), tuple(exclude), max_bytes, adopt, full), progress)
        report = await run.run(processes)
    finally:
        await asyncio.to_thread(cache.close)  # a thread that was reading when the ingest was cancelled may be at it yet
    return report.model_copy(update={"project": project, "seconds": time.perf_counter() - started})


@dataclass(frozen=True, slots=True)
class _Options:
    include: tuple[str, ...]
    exclude: tuple[str, ...]
    max_bytes: int
    adopt: bool
    full: bool


class _Ingest:
    def __init__(
        self, store: CodeStore, cache: FactsCache, root: Path, options: _Options, progress: Report | None
    ) -> None:
        self._store = store
        self._cache = cache
        self._root = root
        self._options = options
        self._progress = progress or (lambda _: None)

    async def run(self, processes: int | None) -> IngestReport:
        commit, discovery, state = await asyncio.gather(
            asyncio.to_thread(head_commit, self._root), asyncio.to_thread(self._discovered), self._store.state()
        )
        if state.root is not None and state.root != str(self._root) and not self._options.adopt:
            raise ProjectConflict(
                f"the project {self._store.project!r} was ingested from {state.root}, this is {self._root}",
                hint="`ragforge ingest --adopt` (agent.ingest(adopt=True)) takes it over; another `name:` in "
                "ragforge.config.yaml (project=) keeps both",
            )
        plan = await self._planned(discovery, state)
        if self._is_current(plan, state):
            uncommitted, unread = await self._uncommitted(plan, commit), _unread(plan)
            known = (state.commit, state.uncommitted, state.unread)
            if (commit, uncommitted, unread) != known or state.linked is not None:
                await self._store.note_unchanged(commit, uncommitted, unread, edges=state.written_edges)
            return self._report(plan, commit, Totals(), state.scopes, state.edges, state.unresolved)
        async with self._lease() as lease:
            # Another process may have been at it since the state was read; the lease itself marks as incomplete.
            state = replace(await self._store.state(), incomplete=lease.incomplete)
            plan = await self._planned(discovery, state)
            size = sum(plan.files[path].size for path in (*plan.changed, *plan.new))
            with Readers(self._root, size=size, processes=processes) as readers:
                writer = Writer(self._store, self._root, state, plan)
                if state.emptied and state.anchored and not state.incomplete:
                    writer.before.remembered = await asyncio.to_thread(self._keys_before, state)
                unresolved = await self._write(writer, readers, plan, state)
            await self._resolve_anchors(writer, plan, state, commit)
            # After the files were read: what changes meanwhile counts as not committed.
            uncommitted = await self._uncommitted(plan, commit)
            scopes, edges, revision = await self._store.finish(
                commit=commit,
                uncommitted=uncommitted,
                unread=_unread(plan),
                facts_version=facts_version(),
                unresolved=unresolved,
                again=state.emptied or state.incomplete,
            )
            await asyncio.to_thread(self._cache.complete, revision)
        return self._report(plan, commit, writer.totals, scopes, edges, unresolved)

    async def _uncommitted(self, plan: Plan, commit: str | None) -> tuple[str, ...] | None:
        """The files that the commit does not have as they are: nothing that is said of them is true at it."""
        return await asyncio.to_thread(uncommitted_files, self._root, commit, plan.files)

    def _discovered(self) -> Discovery:
        options = self._options
        return discover(self._root, include=options.include, exclude=options.exclude, max_bytes=options.max_bytes)

    async def _resolve_anchors(self, writer: Writer, plan: Plan, state: IngestState, commit: str | None) -> None:
        """What messages say of code follows the code, before anyone sees the project as complete."""
        if not state.anchored:
            return
        touched = sorted({*plan.changed, *plan.new, *plan.gone})
        everywhere = state.incomplete or state.emptied or state.untied
        store = AnchorStore(self._store.client, self._store.project)
        await store.anchor_anew(writer.said_of_now, token=self._store.token)
        await resolve_anchors(
            store,
            self._root,
            writer.before,
            None if everywhere else touched,
            commit=commit,
            token=self._store.token,
        )

    async def _planned(self, discovery: Discovery, state: IngestState) -> Plan:
        # Scopes that another release made are made again, and so are all where another tool has taken some away.
        other_release = state.facts_version is not None and state.facts_version != facts_version()
        full = self._options.full or other_release or state.emptied
        return await asyncio.to_thread(make_plan, discovery, state.files, self._cache, full=full)

    def _is_current(self, plan: Plan, state: IngestState) -> bool:
        whole = not (state.incomplete or state.untied or state.unlinked)
        return plan.is_empty and whole and state.root == str(self._root)

    async def _write(self, writer: Writer, readers: Readers, plan: Plan, state: IngestState) -> int:
        """Writes what is new and changed while the next files are read, removes what is gone, then the edges.

        Returns how many uses of the project stayed unresolved.
        """
        files = ProjectFiles(self._root, {**plan.unchanged, **{path: state.files[path].hash for path in plan.kept}})
        queue: asyncio.Queue[list[Reading] | None] = asyncio.Queue()
        # Edges are looked up while the last files are still being written: one is Python's work, one the server's.
        reading = asyncio.create_task(self._read(readers, plan, state, files, queue))
        try:
            while (group := await queue.get()) is not None:
                await writer.write(group)
            lookup = await reading
            await writer.finish()
        finally:
            reading.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await reading
        self._progress(IngestProgress("edges"))
        await asyncio.to_thread(lookup.again, writer.exchanged)
        resolution, unresolved = await asyncio.to_thread(lookup.finish)
        await write_edges(self._store, lookup.sources, lookup.unread, resolution)
        await asyncio.to_thread(self._cache.forget, [path for path in plan.gone if path not in plan.files])
        return unresolved

    async def _read(
        self,
        readers: Readers,
        plan: Plan,
        state: IngestState,
        files: ProjectFiles,
        queue: asyncio.Queue[list[Reading] | None],
    ) -> EdgeLookup:
        """Reads group after group, puts into the queue what can be written, then looks the edges up."""
        done, total = 0, len(plan.changed) + len(plan.new)
        try:
            files.before = await asyncio.to_thread(self._remembered, plan, state)
            for group in self._groups(plan, streamed=not state.files):
                self._progress(IngestProgress("read", done, total))
                readings = await asyncio.to_thread(self._read_group, readers, plan, state, group)
                good = []
                for read in readings:
                    item = await self._with_rest(read, plan, state) if read.broken else read
                    if item.parsed is None or item.facts is None:
                        place_reading(plan, item, state.files)
                        if item.path in plan.kept:
                            files.hashes[item.path] = state.files[item.path].hash
                        continue
                    good.append(item)
                    files.hashes[item.path] = item.hash
                    files.read[item.path] = item.parsed
                    files.facts[item.path] = item.facts
                queue.put_nowait(good)
                done += len(group)
            self._progress(IngestProgress("read", total, total))
        finally:
            queue.put_nowait(None)
        lookup = EdgeLookup(self._cache, readers, files)
        await asyncio.to_thread(lookup.run)
        return lookup

    def _keys_before(self, state: IngestState) -> dict[str, frozenset[str]]:
        """What was in the files as the graph knows them, as far as this machine remembers it."""
        known = self._cache.parsed({path: file.hash for path, file in state.files.items()}, bodies=False)
        return {path: frozenset(scope.key for scope in parsed.scopes) for path, parsed in known.items()}

    def _remembered(self, plan: Plan, state: IngestState) -> Remembered | None:
        """What only the edges that an edit can touch are found by; None where all are looked up."""
        most = len(state.files) // 2
        doubtful = state.incomplete or state.emptied or state.unlinked
        if self._options.full or doubtful or len(plan.changed) + len(plan.gone) > most:
            return None
        hashes = {path: file.hash for path, file in state.files.items()}
        return remembered(self._cache, hashes, [*plan.changed, *plan.gone], state.revision)

    async def _with_rest(self, reading: Reading, plan: Plan, state: IngestState) -> Reading:
        """A broken file's reading with what the graph has of it and the errors may hide."""
        assert reading.parsed is not None
        assert reading.rest is not None
        known = state.files.get(reading.path)
        parsed = reading.parsed
        if known is not None:
            stored = (await self._store.stored_scopes([reading.path])).get(reading.path, [])
            remembered_as = await asyncio.to_thread(self._cache.parsed, {reading.path: known.hash}, bodies=True)
            parsed = completed(parsed, reading.rest, stored, remembered_as.get(reading.path))
        facts = encode(parsed)
        await asyncio.to_thread(self._cache.keep, {reading.path: (reading.hash, facts)})
        plan.partly.add(reading.path)
        plan.skipped.append(SkippedFile(file=reading.path, reason=reading.skipped or ""))
        return replace(reading, parsed=parsed, facts=facts)

    def _read_group(self, readers: Readers, plan: Plan, state: IngestState, group: list[str]) -> list[Reading]:
        now = time.time_ns()
        readings = [
            partly_read(item, known=item.path in state.files)
            for item in readers.read([(path, plan.files[path].size) for path in group])
        ]
        whole = {item.path: (item.hash, item.facts) for item in readings if item.facts is not None and not item.broken}
        self._cache.keep(whole)
        self._cache.see(
            {item.path: seen_now(self._root, item, plan.files[item.path], now) for item in readings if item.hash}
        )
        return readings

    def _groups(self, plan: Plan, *, streamed: bool) -> Iterator[list[str]]:
        """What is read and compared together: known files first."""
        most = _STREAM_BYTES if streamed else _WHOLE_BYTES
        group: list[str] = []
        size = 0
        for path in (*plan.changed, *plan.new):
            group.append(path)
            size += plan.files[path].size
            if size >= most:
                yield group
                group, size = [], 0
        if group:
            yield group

    @asynccontextmanager
    async def _lease(self) -> AsyncIterator[Lease]:
        """The right to write, renewed as long as it is held."""
        over = asyncio.Event()
        renewing = None
        try:
            lease = await self._taken()
            renewing = asyncio.create_task(self._renew(over))
            yield lease
        except BaseException:
            with suppress(Exception):
                await asyncio.shield(self._store.release_lease())
            raise
        finally:
            if renewing is not None:
                # Asked to end, not cancelled: a statement that is cancelled half-way leaves its session open.
                over.set()
                await renewing

    async def _taken(self) -> Lease:
        """The lease, when no other process has it any more."""
        deadline = time.monotonic() + _PATIENCE
        dead = None
        while True:
            lease = await self._store.take_lease(str(self._root), adopt=self._options.adopt, dead=dead)
            if lease.token is not None:
                return lease
            dead = lease.other if is_dead(lease.holder) else None
            if dead is None:
                if time.monotonic() > deadline:
                    raise GraphUnavailable("another ingest of this project has been running for ten minutes")
                self._progress(IngestProgress("wait"))
                await asyncio.sleep(_POLL_SECONDS)

    async def _renew(self, over: asyncio.Event) -> None:
        while not over.is_set():
            with suppress(TimeoutError):
                async with asyncio.timeout(INGEST_SECONDS / 3):
                    await over.wait()
            if not over.is_set():
                # A failure shows where it matters: in the next fenced write.
                with suppress(RagforgeError):
                    await self._store.renew_lease()

    def _report(
        self, plan: Plan, commit: str | None, totals: Totals, scopes: int, edges: int, unresolved: int
    ) -> IngestReport:
        skipped = {item.file: item for item in plan.skipped}
        unread = skipped.keys() - plan.partly
        languages = Counter(file.language for path, file in plan.files.items() if path not in unread)
        return IngestReport(
            files=languages.total(),
            files_changed=totals.files,
            scopes=scopes,
            added=totals.added,
            updated=totals.updated,
            unchanged=scopes - totals.added - totals.updated,
            removed=totals.removed,
            edges=edges,
            unresolved=unresolved,
            skipped=tuple(SkippedFile(file=name, reason=skipped[name].reason) for name in sorted(skipped)),
            languages=dict(sorted(languages.items())),
            root=str(self._root),
            commit=commit,
        )


def _unread(plan: Plan) -> dict[str, str]:
    """The files of which nothing was read, by path, and why; those that were read in part say so themselves."""
    whole = {each.file: each.reason for each in plan.skipped if each.file not in plan.partly}
    return dict(sorted(whole.items())[:_MOST_UNREAD])
