"""The store that an ingest writes to: the project's state, its files and scopes, and the edges between them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar
from uuid import uuid4

from ragforge_memory.errors import InvalidInput, ProjectConflict
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.ingest_state import IngestState, StoredFile
from ragforge_memory.graph.leases import INGEST_SECONDS, holder, ingest_lost
from ragforge_memory.graph.owned import ProjectStore

log = logging.getLogger(__name__)

EDGE_TYPES: tuple[str, ...] = ("HAS_PARENT", "CONSUMES", "INHERITS_FROM", "IMPLEMENTS", "DECORATED_BY")

# A transaction of about a thousand rows is as fast as it gets here, and small enough to repeat.
BATCH_ROWS = 1_000
# So many characters of source are written at once: what a transaction holds counts against the server's memory.
BATCH_TEXT = 4_000_000

# So often a scope that goes waits for turns that are being tied to it. Then it goes at the risk of a deadlock, which is
# run again like any other.
_GIVES_WAY = 5

T = TypeVar("T")


class Edge(NamedTuple):
    """An edge between two scopes, by their uuids.

    Args:
        lines: where the source names the target (from 1).
        calls: those of the lines where it calls it.
        certain: False where only the name, which is unique in the project, speaks for the target.
    """

    type: str
    source: str
    target: str
    lines: tuple[int, ...] = ()
    calls: tuple[int, ...] = ()
    certain: bool = True


@dataclass(frozen=True, slots=True)
class Lease:
    """The right to write a project. ``token`` is None where another one has it: ``other`` and its ``holder``.

    Args:
        incomplete: the ingest before this one did not come to its end.
    """

    token: str | None
    other: str | None = None
    holder: str = ""
    incomplete: bool = False


class FileRow(NamedTuple):
    """A file to write: its properties, the scopes that are new or changed, and the uuids that are gone."""

    uuid: str
    properties: dict[str, Any]
    scopes: tuple[dict[str, Any], ...]
    removed: tuple[str, ...]


class CodeStore(ProjectStore):
    """Reads and writes the code of one project.

    Args:
        project: whose code; never empty.

    Raises:
        InvalidInput: the project has no name.
    """

    def __init__(self, client: GraphClient, project: str) -> None:
        if not project:
            raise InvalidInput("code belongs to a project, and the project has no name")
        super().__init__(client, project)
        self._token = ""

    @property
    def project(self) -> str:
        """Whose code this is."""
        return self._project

    @property
    def client(self) -> GraphClient:
        """The graph."""
        return self._client

    @property
    def token(self) -> str:
        """The lease's token; empty where there is none."""
        return self._token

    async def state(self) -> IngestState:
        """What the last ingest left. Where another tool has taken a file away and not its scopes, the file is known as
        one to be read."""
        state = await self._state()
        if state.emptied and state.present:
            paths = {row["path"] for row in await self._read("files_of_scopes")}
            alone = {path: StoredFile(path, uuid4().hex, "") for path in paths - state.files.keys()}
            state = replace(state, files={**state.files, **alone})
        return state

    async def _state(self) -> IngestState:
        row = (await self._read("ingest_state"))[0]
        files = {
            path: StoredFile(path, uuid, digest or "", scopes or 0, defined, edges or 0)
            for path, uuid, digest, scopes, defined, edges in row["files"]
        }
        row |= row["project"] or {"linked": None}
        known = {name: value for name, value in row.items() if value is not None}
        uncommitted = tuple(known["uncommitted"]) if "uncommitted" in known else None
        unread = _by_path(known.get("unread", ()))
        names = known.keys() & IngestState.__dataclass_fields__.keys() - {"files", "uncommitted", "unread"}
        return IngestState(files, uncommitted=uncommitted, unread=unread, **{name: known[name] for name in names})

    async def take_lease(self, root: str, *, adopt: bool, dead: str | None = None) -> Lease:
        """Asks for the right to write; the writes below need it.

        Args:
            root: the project's directory.
            adopt: take the project over from another root.
            dead: the token of a holder that does not run any more.

        Raises:
            ProjectConflict: the project was ingested from another root.
        """
        # Known before it is taken, so that one which is cancelled on the way is given back too.
        self._token = token = uuid4().hex
        row = (
            await self._write(
                "take_ingest_lease",
                root=root,
                uuid=uuid4().hex,
                token=token,
                holder=holder(),
                adopt=adopt,
                dead=dead,
                seconds=INGEST_SECONDS,
            )
        )[0]
        if not row["mine"]:
            raise ProjectConflict(
                f"the project {self._project!r} was ingested from {row['root']}, this is {root}",
                hint="set another `name:` in ragforge.config.yaml, or adopt the project for this directory",
            )
        if not row["taken"]:
            return Lease(None, other=row["token"], holder=row["holder"] or "")
        return Lease(token, incomplete=row["incomplete"])

    async def renew_lease(self) -> None:
        """Keeps the right to write for another 30 s."""
        await self._fenced("renew_ingest_lease", seconds=INGEST_SECONDS)

    async def release_lease(self) -> None:
        """Gives the right to write back; what was ingested stays marked as incomplete, and where nothing was, nothing
        is left."""
        await self._write("release_ingest_lease", token=self._token)

    async def finish(
        self,
        *,
        commit: str | None,
        uncommitted: tuple[str, ...] | None,
        unread: Mapping[str, str],
        facts_version: str,
        unresolved: int,
        again: bool = False,
    ) -> tuple[int, int, int]:
        """Marks the project as complete, gives the lease back; returns its scopes, edges and revision.

        ``again``: code had been missing, so that what was said meanwhile may not be tied to it.
        """
        row = await self._fenced(
            "finish_ingest",
            commit=commit,
            uncommitted=_listed(uncommitted),
            unread=_rows(unread),
            facts_version=facts_version,
            unresolved=unresolved,
            again=again,
        )
        return row["scopes"], row["edges"], row["revision"]

    async def note_unchanged(
        self, commit: str | None, uncommitted: tuple[str, ...] | None, unread: Mapping[str, str], *, edges: int
    ) -> None:
        """Notes the commit of files that are unchanged, which of them are not in it, which were not read and why, and,
        while all these edges between their scopes are there, how many the server has."""
        await self._write(
            "note_unchanged", commit=commit, uncommitted=_listed(uncommitted), unread=_rows(unread), edges=edges
        )

    async def stored_scopes(self, files: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """The properties of the scopes of these files, by file and first line; no embeddings."""
        found: dict[str, list[dict[str, Any]]] = {}
        for batch in in_batches(files):
            for row in await self._read("stored_scopes", files=batch):
                found.setdefault(row["scope"]["file"], []).append(row["scope"])
        return found

    async def unclaimed_scopes(self, root: str, files: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
        """For each file the scopes of other tools there, by first line.

        Those without a uuid get one, and are ``nameless`` until `name_claimed`.
        """
        found: dict[str, list[dict[str, Any]]] = {}
        for row in await self._read("unclaimed_scopes", root=root, files=list(files)):
            found.setdefault(row["path"], []).append(_named(row["scope"]))
        return found

    async def unclaimed_files(self, root: str, files: Sequence[str]) -> dict[str, dict[str, Any]]:
        """The nodes of other tools for these files, named as scopes are."""
        rows = await self._read("unclaimed_files", root=root, files=list(files))
        return {row["path"]: _named(row["file"]) for row in reversed(rows)}

    async def name_claimed(self, claimed: Iterable[Mapping[str, Any]]) -> None:
        """Gives those that have none their uuid."""
        rows = [{"element": each["element"], "uuid": each["uuid"]} for each in claimed if each["nameless"]]
        for batch in in_batches(rows):
            await self._fenced("name_claimed", claimed=batch)

    async def write_files(self, rows: Iterable[FileRow]) -> None:
        """Writes files with their scopes, each file in one transaction, many files together in one.

        A file that is too large for one comes in parts, with its hash in the last: until then it counts as changed.

        Raises:
            GraphUnavailable: the lease was lost to another process.
        """
        for batch in _file_batches(rows):
            await self._until_untied("write_files", files=[row._asdict() for row in batch])

    async def remove_files(self, paths: Sequence[str]) -> None:
        """Removes files and all that is in them."""
        for batch in in_batches(paths, 100):
            await self._until_untied("remove_files", paths=batch)

    async def places(self, files: Sequence[str]) -> dict[tuple[str, str], str]:
        """The uuid of each scope of these files, by (file, key)."""
        found = {}
        for batch in in_batches(files):
            row = (await self._read("scope_places", files=batch))[0]
            found.update({(file, key): uuid for file, key, uuid in row["places"]})
        return found

    async def edges(self, files: Sequence[str]) -> set[Edge]:
        """The edges that go out from the scopes of these files."""
        found = set()
        for batch in in_batches(files):
            row = (await self._read("edges_of_files", files=batch))[0]
            for kind, source, target, lines, calls, certain in row["edges"]:
                found.add(Edge(kind, source, target, tuple(lines), tuple(calls), certain))
        return found

    async def write_edges(self, edges: Iterable[Edge]) -> None:
        """Adds edges, or gives those that are there their lines."""
        by_type: dict[str, list[Edge]] = {}
        for edge in edges:
            by_type.setdefault(edge.type, []).append(edge)
        for kind in EDGE_TYPES:
            for batch in in_batches(by_type.get(kind, ()), BATCH_ROWS * 2):
                rows = [{"source": e.source, "target": e.target, "properties": _edge_properties(e)} for e in batch]
                await self._fenced("write_edges", names={"type": kind}, edges=rows, seconds=INGEST_SECONDS)

    async def count_edges(self, counts: Mapping[str, int | None]) -> None:
        """Notes how many edges were written from each file's scopes; None: as many as there are."""
        for batch in in_batches([{"path": path, "edges": count} for path, count in counts.items()]):
            await self._fenced("count_edges", counts=batch, seconds=INGEST_SECONDS)

    async def remove_edges(self, edges: Iterable[Edge]) -> None:
        """Removes edges."""
        for batch in in_batches(list(edges), BATCH_ROWS * 2):
            rows = [{"source": e.source, "target": e.target, "type": e.type} for e in batch]
            await self._fenced("remove_edges", edges=rows, seconds=INGEST_SECONDS)

    async def _until_untied(self, name: str, **parameters: Any) -> None:
        """Runs what takes scopes away, again where a turn tied itself to one of them meanwhile."""
        for left in range(_GIVES_WAY, -1, -1):
            row = await self._fenced(name, seconds=INGEST_SECONDS, gives_way=left > 0, **parameters)
            if not row["tied"]:
                return
            log.info("%s is run again: a turn was tied to what goes", name)

    async def _fenced(self, name: str, **parameters: Any) -> dict[str, Any]:
        rows = await self._write(name, token=self._token, **parameters)
        if not rows:
            raise ingest_lost(self._project)
        return rows[0]


def in_batches(items: Sequence[T], size: int = BATCH_ROWS) -> Iterator[list[T]]:
    """The items in lists of at most ``size``."""
    for start in range(0, len(items), size):
        yield list(items[start : start + size])


def _named(node: dict[str, Any]) -> dict[str, Any]:
    return node | {"nameless": node["uuid"] is None, "uuid": node["uuid"] or uuid4().hex}


def _edge_properties(edge: Edge) -> dict[str, Any]:
    """``lines`` even where there are none: it marks the edge as an ingest's."""
    return {
        "lines": list(edge.lines),
        "calls": list(edge.calls) or None,
        "certain": None if edge.certain else False,
    }


def _file_batches(rows: Iterable[FileRow]) -> Iterator[list[FileRow]]:
    """Files of at most `BATCH_ROWS` scopes and `BATCH_TEXT` characters together."""
    batch: list[FileRow] = []
    count = length = 0
    for row in rows:
        for part in _parts(row):
            size = 1 + len(part.scopes) + len(part.removed)
            text = sum(map(_text, part.scopes)) + len(part.properties.get("outside") or "")
            if batch and (count + size > BATCH_ROWS or length + text > BATCH_TEXT):
                yield batch
                batch, count, length = [], 0, 0
            batch.append(part)
            count, length = count + size, length + text
    if batch:
        yield batch


def _parts(row: FileRow) -> Iterator[FileRow]:
    """A file as it is written: in one piece where it fits, else its scopes in several, with its hash in the last."""
    scopes: list[dict[str, Any]] = []
    length = 0
    for scope in row.scopes:
        text = _text(scope)
        if scopes and (len(scopes) >= BATCH_ROWS - 1 or length + text > BATCH_TEXT):
            yield FileRow(row.uuid, {**row.properties, "hash": ""}, tuple(scopes), ())
            scopes, length = [], 0
        scopes.append(scope)
        length += text
    removed = row.removed
    while len(scopes) + len(removed) >= BATCH_ROWS:
        room = BATCH_ROWS - 1 - len(scopes)
        yield FileRow(row.uuid, {**row.properties, "hash": ""}, tuple(scopes), removed[:room])
        scopes, removed = [], removed[room:]
    yield FileRow(row.uuid, row.properties, tuple(scopes), removed)


def _text(scope: Mapping[str, Any]) -> int:
    return len(scope["properties"].get("source") or "")


def _rows(unread: Mapping[str, str]) -> list[str]:
    """As a property holds them: a path and why it was not read, in one text."""
    return [f"{path}\t{reason}" for path, reason in unread.items()]


def _by_path(rows: Iterable[str]) -> dict[str, str]:
    return {path: reason for path, _, reason in (row.partition("\t") for row in rows)}


def _listed(files: tuple[str, ...] | None) -> list[str] | None:
    return None if files is None else list(files)
