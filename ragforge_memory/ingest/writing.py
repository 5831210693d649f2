"""Writes what was read: pairs scopes with those of the graph and hands over what differs, file by file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import uuid4

from ragforge_memory.anchors.anchored import Before
from ragforge_memory.code.fingerprint import flush_left
from ragforge_memory.code.languages import LANGUAGES
from ragforge_memory.code.own_text import inner_lines
from ragforge_memory.code.parsed import ParsedFile
from ragforge_memory.code.partly import PARTLY
from ragforge_memory.code.readers import Reading
from ragforge_memory.graph.anchors import SaidOfNow
from ragforge_memory.graph.code import CodeStore, FileRow
from ragforge_memory.graph.ingest_state import IngestState
from ragforge_memory.graph.text import owner_token
from ragforge_memory.ingest.matching import FileMatch, Lost, Stored, match_claimable, match_file
from ragforge_memory.ingest.plan import Plan
from ragforge_memory.ingest.rows import differs, embedding_text, file_properties, scope_properties, without_foreign

# By path: the files' nodes, and their scopes by first line.
Claimable = tuple[dict[str, dict[str, Any]], dict[str, list[dict[str, Any]]]]


@dataclass(slots=True)
class Totals:
    """What was written: files, and scopes added, updated (their text or their place) and removed."""

    files: int = 0
    added: int = 0
    updated: int = 0
    removed: int = 0


@dataclass(slots=True)
class _Pairing:
    """One file on its way to the graph."""

    reading: Reading
    parsed: ParsedFile
    uuid: str
    stored: Sequence[Stored] = ()
    match: FileMatch = field(default_factory=FileMatch)
    takes_over: bool = False


class Writer:
    """Writes groups of readings to one project.

    Args:
        store: the project, with the lease taken.
        root: its directory.
        state: what the graph knew before.
        plan: what is gone.
    """

    def __init__(self, store: CodeStore, root: Path, state: IngestState, plan: Plan) -> None:
        self._store = store
        self._root = root
        self._state = state
        self._emptied = state.emptied  # once: it counts over all files
        self._plan = plan
        self._token = owner_token("", store.project)
        self._lost: Lost | None = None
        self._claimed: Claimable | None = None
        self.totals = Totals()
        self.exchanged: set[tuple[str, str]] = set()
        """(path, bare name) of keys that another scope has now: edges to them lead to the wrong one."""
        self.before = Before(state.commit)
        self.said_of_now: list[SaidOfNow] = []

    async def write(self, readings: Sequence[Reading]) -> None:
        """Writes files that were read well; each one's scopes, removals and hash in one transaction."""
        if not readings:
            return
        stored = await self._store.stored_scopes([each.path for each in readings if each.path in self._state.files])
        self._note(stored)
        files, scopes = await self._claimable()
        lost = await self._lost_scopes()
        pairings = []
        left: list[Stored] = []
        claimed: list[Stored] = []
        for reading in readings:
            assert reading.parsed is not None
            before = self._state.files.get(reading.path)
            if before is not None:
                uuid = before.uuid
            elif reading.path in files:
                uuid = files[reading.path]["uuid"]
                claimed.append(files[reading.path])
            else:
                uuid = uuid4().hex
            pairing = _Pairing(reading, reading.parsed, uuid, stored.get(reading.path, ()))
            pairing.match = match_file(pairing.stored, reading.parsed.scopes)
            left.extend(pairing.match.lost)
            known = pairing.match.known
            unknown = [scope for scope in reading.parsed.scopes if scope.key not in known]
            claims = match_claimable(scopes.get(reading.path, []), unknown)
            claimed.extend(claims.values())
            known.update(claims)
            pairings.append(pairing)
        for scope in left:
            lost.add(scope)
        for pairing in pairings:
            self._find_lost(pairing, lost)
        gone = {scope["uuid"] for scope in left} & {scope["uuid"] for scope in lost.left()}
        for uuid in gone:
            lost.take(uuid)
        await self._store.name_claimed(claimed)
        # What takes scopes over from others goes first: of a killed ingest no scope is left behind in a file
        # that counts as read.
        pairings.sort(key=lambda pairing: not pairing.takes_over)
        await self._store.write_files([self._row(pairing, gone) for pairing in pairings])

    async def finish(self) -> None:
        """Removes files that are gone, with what of them turned up nowhere else."""
        if self._plan.gone:
            if self._state.anchored:
                # Where nothing was read they were not looked at yet, and what anchors stood on is known by them alone.
                await self._lost_scopes()
            # A renamed file has another path by now, and so has what moved.
            self.totals.removed += len(await self._store.places(self._plan.gone))
            await self._store.remove_files(self._plan.gone)

    async def _claimable(self) -> Claimable:
        """What other tools have in the files; asked once, since it looks at every file and scope of the server."""
        if self._claimed is None:
            paths = [*self._plan.changed, *self._plan.new]
            root = str(self._root)
            self._claimed = (
                await self._store.unclaimed_files(root, paths),
                await self._store.unclaimed_scopes(root, paths),
            )
        return self._claimed

    async def _lost_scopes(self) -> Lost:
        if self._lost is None:
            gone = self._plan.gone
            stored = await self._store.stored_scopes(gone) if gone else {}
            self._note(stored)
            hashes = {path: self._state.files[path].hash for path in gone}
            self._lost = Lost([scope for scopes in stored.values() for scope in scopes], hashes)
        return self._lost

    def _note(self, stored: dict[str, list[dict[str, Any]]]) -> None:
        """Keeps what was there for the anchors; without anchors nobody asks."""
        if self._state.anchored:
            self.before.note(stored)

    def _find_lost(self, pairing: _Pairing, lost: Lost) -> None:
        """Finds a file's unknown scopes among those that others lost."""
        known = pairing.match.known
        unknown = [scope for scope in pairing.parsed.scopes if scope.key not in known]
        if pairing.reading.path not in self._state.files and not known:
            origin = lost.renamed_from(pairing.parsed, pairing.reading.hash)
            if origin is not None:
                pairing.uuid = self._state.files[origin].uuid
                self.before.renamed[origin] = pairing.reading.path
                moved = match_file(lost.of_file(origin), pairing.parsed.scopes)
                for key, before in moved.known.items():
                    known[key] = before
                    lost.take(before["uuid"])
                pairing.takes_over = True
                unknown = [scope for scope in unknown if scope.key not in known]
        for scope in unknown:
            found = lost.find(scope)
            if found is not None:
                known[scope.key] = found
                pairing.takes_over = True

    def _row(self, pairing: _Pairing, gone: set[str]) -> FileRow:
        parsed, known = pairing.parsed, pairing.match.known
        by_key = {scope.key: scope for scope in parsed.scopes}
        uuids = {key: known[key]["uuid"] if key in known else uuid4().hex for key in by_key}
        for stored in pairing.stored:
            key = stored.get("key")
            if key in uuids and uuids[key] != stored["uuid"]:
                self.exchanged.add((parsed.path, by_key[key].name))
        inner = inner_lines(parsed.scopes)
        rows = []
        for key, scope in by_key.items():
            parent = by_key.get(scope.parent) if scope.parent is not None else None
            properties = scope_properties(
                scope,
                parsed,
                project=self._store.project,
                token=self._token,
                parent=parent,
                parent_uuid=uuids[parent.key] if parent is not None else None,
                inner=inner.get(key, ()),
            )
            row = self._scope_row(uuids[key], properties, known.get(key))
            if row is not None:
                rows.append(row)
        removed = tuple(scope["uuid"] for scope in pairing.match.lost if scope["uuid"] in gone)
        self.totals.files += 1
        self.totals.removed += len(removed)
        reading = pairing.reading
        unread = (reading.skipped or "").removesuffix(PARTLY) if reading.broken else LANGUAGES[parsed.language].unread
        properties = file_properties(parsed, reading.hash, token=self._token, broken=unread or None)
        return FileRow(pairing.uuid, properties, tuple(rows), removed)

    def _scope_row(self, uuid: str, properties: dict[str, Any], before: Stored | None) -> dict[str, Any] | None:
        """What to write of a scope; None where the graph has it as it is."""
        if before is None:
            self.totals.added += 1
            return {"uuid": uuid, "properties": properties, "pending": True, "moved": True}
        properties = without_foreign(properties, before.get("foreign_properties"))
        # Where another tool was at it the edges to file and project may be gone from scopes that are as they were.
        if not differs(properties, before) and not self._emptied:
            return None
        ours = before.get("project") is not None
        anchor = before.get("anchor_key")
        if anchor and anchor != properties["anchor_key"] and _is_up_to_date(properties, before):
            self.said_of_now.append(SaidOfNow(uuid, anchor, before["hash"]))
        if any(before.get(name) != properties[name] for name in ("hash", "file", "qualified_name")):
            self.totals.updated += 1
        return {
            "uuid": uuid,
            "properties": properties,
            "pending": not ours or embedding_text(before) != embedding_text(properties),
            "moved": not ours or before["file"] != properties["file"] or self._emptied,
        }


def _is_up_to_date(properties: dict[str, Any], before: Stored) -> bool:
    """Whether the graph has the text of now, by another's hand, under a hash of theirs."""
    source, theirs = before.get("source"), before.get("hash")
    if not source or theirs in (None, "", properties["hash"]):
        return False
    return flush_left(str(source)) == flush_left(properties["source"])
