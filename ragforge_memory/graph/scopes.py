"""Reading the code of a project out of the graph: by words, by meaning, by name, by use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.records import from_json
from ragforge_memory.graph.spaces import Space, SpaceInUse, cosine_of_score, in_space, stored
from ragforge_memory.graph.text import lucene_any, owner_token
from ragforge_memory.models.code import OwnText, Scope, ScopeCounts, ScopeName, ScopeUse, TextHit

# On servers without filters in the index: neighbours taken for each one wanted, and the most that are.
_OVERFETCH = 20
_OVERFETCH_MOST = 2_000


class ScopeStore:
    """The code of any project, read; a scope of another project is as unknown as one that never was.

    Args:
        space: where the vectors are; None: nothing is found by meaning.
    """

    def __init__(self, client: GraphClient, space: Space | SpaceInUse | None = None) -> None:
        self._client = client
        self._use = SpaceInUse.of(space)
        self._names: dict[str, tuple[int, list[ScopeName]]] = {}
        self._counts: dict[str, tuple[tuple[str, int, int], ScopeCounts]] = {}

    @property
    def space(self) -> Space | None:
        """Where the vectors are now: asked before a vector is made, and given along with it."""
        return self._use.space

    async def search_words(
        self, project: str, stems: Sequence[str], *, aside: bool | None = None, limit: int = 50
    ) -> list[TextHit]:
        """What has any of ``stems``, as `text.words` makes them, best first; ``aside``: tests, examples and the like
        alone, or all but them; None: both."""
        if not stems:
            return []
        query = _code_query(project, stems, aside)
        rows = await self._client.read("search_code_words", project=project, query=query, limit=limit)
        return [TextHit(row["uuid"], row["words"] or "", row["aside"], row["unjudged"]) for row in rows]

    async def count_words(
        self, project: str, stems: Sequence[str], *, aside: bool | None = None, most: int = 1_000
    ) -> dict[str, int]:
        """How many definitions and files have each stem, of more than ``most`` that many; ``aside`` as above."""
        asked = [{"stem": stem, "query": _code_query(project, (stem,), aside)} for stem in stems]
        rows = await self._client.read("count_code_words", project=project, words=asked, most=most)
        return {row["stem"]: row["texts"] for row in rows}

    async def own_texts(self, project: str, uuids: Sequence[str]) -> list[OwnText]:
        """The own text of these definitions and files, in this order; unknown ones are left out."""
        rows = await self._client.read("own_texts", project=project, uuids=list(uuids))
        return [OwnText(scope(row["scope"]), _own_lines(row)) for row in rows]

    async def search_vector(self, project: str, vector: Sequence[float], *, limit: int = 20) -> list[Scope]:
        """Scopes nearest to ``vector``, best first; ``score`` is the cosine. Nothing embedded: none.

        Raises:
            EmbeddingMismatch: the vector is not of the project's space.
            SpaceMoved: the project's vectors have moved to another space.
        """
        space = self._use.space
        if space is None:
            return []
        space.check([vector])
        rows = await self._use.read(
            "search_scopes_vector",
            self._client,
            space,
            names={"index": space.scope_index},
            project=project,
            vector=list(vector),
            limit=limit,
            overfetch=min(limit * _OVERFETCH, _OVERFETCH_MOST),
        )
        # The index scores (1 + cosine) / 2.
        found = rows[0]["found"]
        return [scope(row["scope"], score=cosine_of_score(row["score"]), matched_by=("vector",)) for row in found]

    async def by_name(self, project: str, name: str, *, limit: int = 200) -> list[Scope]:
        """Scopes whose name or qualified name is exactly ``name`` (case counts)."""
        rows = await self._client.read("scopes_by_name", project=project, name=name, limit=limit)
        return [scope(row["scope"]) for row in rows]

    async def by_uuid(self, project: str, uuids: Sequence[str], *, source: bool = True) -> list[Scope]:
        """Scopes of these uuids, with their source unless it is not asked for; unknown ones are left out."""
        rows = await self._client.read("scopes_by_uuid", project=project, uuids=list(uuids), source=source)
        return [scope(row["scope"]) for row in rows]

    async def outline(self, project: str, file: str) -> list[Scope]:
        """The scopes of a file (its exact path in the project), by first line."""
        rows = await self._client.read("scopes_of_file", project=project, file=file)
        return [scope(row["scope"]) for row in rows]

    async def files(self, project: str) -> list[str]:
        """The paths of all files read, sorted; relative to the root, with forward slashes."""
        rows = await self._client.read("project_files", project=project)
        return [row["path"] for row in rows]

    async def unread_files(self, project: str) -> dict[str, str]:
        """The files that were not read, or only in part, by path, and why."""
        rows = await self._client.read("unread_files", project=project)
        return {row["path"]: row["reason"] for row in rows}

    async def callers(self, project: str, uuid: str, *, limit: int = 200) -> list[ScopeUse]:
        """Scopes that use this one, by file and first line, and the lines where they do."""
        return _uses(await self._client.read("scope_callers", project=project, uuid=uuid, limit=limit))

    async def callees(self, project: str, uuid: str, *, limit: int = 200) -> list[ScopeUse]:
        """Scopes that this one uses, by first use, and the lines where it does."""
        return _uses(await self._client.read("scope_callees", project=project, uuid=uuid, limit=limit))

    async def inheritors(self, project: str, uuid: str, *, limit: int = 200) -> list[ScopeUse]:
        """Scopes that inherit from this one or implement it, and the lines where they say so; direct ones alone."""
        return _uses(await self._client.read("scope_inheritors", project=project, uuid=uuid, limit=limit))

    async def bases(self, project: str, uuid: str, *, limit: int = 200) -> list[ScopeUse]:
        """Types that this one inherits from or implements, and the lines where it says so; direct ones alone."""
        return _uses(await self._client.read("scope_bases", project=project, uuid=uuid, limit=limit))

    async def members_elsewhere(self, project: str, uuid: str, *, limit: int = 200) -> list[Scope]:
        """What belongs to this type and is defined in another file, by file and first line."""
        rows = await self._client.read("scope_members", project=project, uuid=uuid, limit=limit)
        return [scope(row["scope"]) for row in rows]

    async def names(self, project: str) -> list[ScopeName]:
        """The names of every scope; read once for each revision of the project."""
        revision = await self._revision(project)
        kept = self._names.get(project)
        if kept is None or kept[0] != revision:
            found = await self._client.read("scope_names", timeout=PATIENT_TIMEOUT, project=project)
            kept = (revision, [ScopeName(*row) for row in found[0]["names"]])
            self._names[project] = kept
        return kept[1]

    async def counts(self, project: str) -> ScopeCounts:
        """How much there is, and how much of it has a vector; counted anew when either may be another."""
        space = self._use.space
        vectors = space.property if space else "embedding"
        revision = await self._revision(project)
        pending = await self.count_pending(project)
        state = (vectors, revision, pending)
        kept = self._counts.get(project)
        if kept is not None and kept[0] == state:
            return kept[1]
        rows = await self._client.read("scope_counts", project=project, property=vectors)
        row = rows[0]
        counts = ScopeCounts(row["scopes"], row["embedded"], row["files"], tuple(sorted(row["languages"])))
        # To count reads every vector. While a project moves to another model, vectors come that nothing waited for.
        if counts.embedded and counts.embedded + pending == counts.scopes:
            self._counts[project] = (state, counts)
        return counts

    async def _revision(self, project: str) -> int:
        rows = await self._client.read("project_revision", project=project)
        return int(rows[0]["revision"] or 0) if rows else 0

    async def pending(self, project: str, limit: int) -> list[dict[str, Any]]:
        """Scopes that wait for a vector, most used first: uuid, names, signature, docstring, hash and the source's
        beginning."""
        rows = await self._client.read("pending_scopes", timeout=PATIENT_TIMEOUT, project=project, limit=limit)
        return [row["scope"] for row in rows]

    async def count_pending(self, project: str) -> int:
        """How many scopes wait for a vector."""
        rows = await self._client.read("count_pending_scopes", recover=False, project=project)
        return int(rows[0]["pending"])

    async def store_embeddings(
        self, project: str, vectors: Sequence[tuple[str, str, Sequence[float]]], *, space: Space | None = None
    ) -> int:
        """Stores vectors as (uuid, hash of the text, vector) and takes the scopes off the waiting list.

        A scope whose text is another by now is left waiting. Returns how many were stored. ``space`` is the one that
        the vectors were made for; None: the one that is in use.

        Raises:
            EmbeddingMismatch: a vector has another dimension than the space.
            SpaceMoved: the project's vectors have moved to another space; nothing was stored.
        """
        space = self._use.space
        if space is None or not vectors:
            return 0
        space.check(vector for _, _, vector in vectors)
        rows = await self._client.write(
            "store_scope_embeddings",
            timeout=PATIENT_TIMEOUT,
            project=project,
            property=space.property,
            rows=[{"uuid": uuid, "hash": digest, "vector": list(vector)} for uuid, digest, vector in vectors],
            **in_space(space),
        )
        if rows[0]["moved"]:
            raise await self._use.left(space)
        return stored(rows, space)

    async def fail_embeddings(self, project: str, uuids: Sequence[str]) -> None:
        """Counts a failed attempt; after the third a scope waits no longer."""
        failed: dict[str, Any] = {"uuids": list(uuids), "attempt": uuid4().hex}
        await self._client.write("fail_scope_embeddings", timeout=PATIENT_TIMEOUT, project=project, **failed)


def _uses(rows: Sequence[Mapping[str, Any]]) -> list[ScopeUse]:
    return [
        ScopeUse(scope=scope(row["scope"]), lines=tuple(row["lines"] or ()), certain=row.get("certain", True))
        for row in rows
    ]


def _code_query(project: str, stems: Sequence[str], aside: bool | None) -> str:
    where = "" if aside is None else f" +role:{'aside' if aside else 'product'}^0"
    return f"+project_token:{owner_token('', project)}^0{where} +{lucene_any(('words',), list(stems))}"


def _own_lines(row: Mapping[str, Any]) -> tuple[tuple[int, str], ...]:
    text = (row["text"] or "").split("\n")
    if row["pieces"] is not None:
        ends = iter(row["pieces"])
        numbers = [number for first in ends for number in range(first, next(ends) + 1)]
        return tuple(zip(numbers, text, strict=False))
    known = row["scope"]
    others = {number for first, last in row["inner"] for number in range(first, last + 1)}
    own = [each for each in enumerate(text, known.get("startLine") or 1) if each[0] not in others]
    doc_line = row["doc_line"]
    said = [] if doc_line is None else list(enumerate((known["docstring"] or "").split("\n"), doc_line))
    return (*said, *own)


def scope(row: Mapping[str, Any], *, score: float | None = None, matched_by: tuple[str, ...] = ()) -> Scope:
    """A scope from its properties; what RagForge's own tools leave out gets its default."""
    parameters = row.get("parameters")
    listed = from_json(parameters) if isinstance(parameters, str) else parameters
    modifiers = row.get("modifiers") or ()
    start = row.get("startLine") or 1
    return Scope(
        uuid=row["uuid"],
        name=row["name"],
        qualified_name=row.get("qualified_name") or row["name"],
        type=row.get("type") or "",
        file=row.get("file") or "",
        language=row.get("language") or "",
        start_line=start,
        end_line=row.get("endLine") or start,
        definition_line=row.get("definition_line") or start,
        signature=row.get("signature") or "",
        docstring=row.get("docstring"),
        source=row.get("source"),
        hash=row.get("hash") or "",
        parent=row.get("parent"),
        return_type=row.get("returnType"),
        parameters=tuple(str(item) for item in listed) if isinstance(listed, (list, tuple)) else (),
        modifiers=tuple(modifiers.split(",")) if isinstance(modifiers, str) else tuple(modifiers),
        complexity=row.get("complexity") or 1,
        score=score,
        matched_by=matched_by,
    )
