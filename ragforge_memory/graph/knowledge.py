"""The store of the knowledge base: documents with their chunks, read by words and by meaning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.memory_keys import hash_of
from ragforge_memory.graph.records import next_cursor, read_cursor
from ragforge_memory.graph.search import OwnerSearch
from ragforge_memory.graph.spaces import Space, SpaceInUse, cosine_of_score
from ragforge_memory.graph.text import lucene_any, owner_token, terms
from ragforge_memory.graph.waiting import WaitingText, WaitingVectors
from ragforge_memory.models.knowledge import DocumentInfo, DocumentPage
from ragforge_memory.models.owner import Owner

_FIELDS = ("content", "heading", "terms")
# Of a large document thousands of chunks are written at once.
_WRITE_TIMEOUT = 120.0
# So long must the beginning of a uuid be, in lists it stands with eight signs.
_BEGINNING = 6
_NO_BEGINNING = "-"


@dataclass(frozen=True, slots=True)
class NewChunk:
    """A chunk before it is stored: its text, the headings above it and its place."""

    content: str
    heading: str
    position: str


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document before it is stored.

    Args:
        source: its path or its name; one of an owner's is one document.
        hash: of what it was read from, and how.
        origin: ``file``, or ``added`` where nobody looks for a file.
    """

    source: str
    title: str
    format: str
    hash: str
    origin: str
    chunks: tuple[NewChunk, ...]


class KnownDocument(NamedTuple):
    """A document that is there."""

    uuid: str
    source: str
    hash: str
    origin: str
    chunks: int


class FoundChunk(NamedTuple):
    """A chunk that a search found, as the graph has it, and its score: of words, or the cosine."""

    chunk: dict[str, Any]
    score: float


class KnowledgeStore(OwnerSearch, WaitingVectors):
    """The documents that one owner reads: the user's own and those that the project shares. It writes the user's own.

    Args:
        space: where the vectors are; None: nothing is found by meaning.
    """

    _kind = "chunk"

    def __init__(self, client: GraphClient, owner: Owner, space: Space | SpaceInUse | None) -> None:
        super().__init__(client, owner, space)
        user, project = owner.user_id, owner.project
        self._tokens = " ".join(dict.fromkeys(owner_token(u, p) for u in (user, "") for p in (project, "")))

    @property
    def shared(self) -> KnowledgeStore:
        """The same project, where what is written is everybody's."""
        return KnowledgeStore(self._client, Owner("", self._owner["project"]), self._use)

    async def exists(self) -> bool:
        """Whether this owner can read any document, or may: a server that is busy is not waited for."""
        try:
            return bool((await self._read("has_knowledge", recover=False))[0]["found"])
        except GraphUnavailable:
            return True

    async def known(self, source: str) -> list[KnownDocument]:
        """What this owner has of a file, or of the files below a folder; '' for all."""
        rows = await self._read("known_documents", timeout=PATIENT_TIMEOUT, source=source)
        return [KnownDocument(**row) for row in rows]

    async def matching(self, name: str, *, shared: bool = True) -> list[tuple[str, str]]:
        """The (uuid, source) of what a uuid or its beginning, a source or a folder of sources names; ``shared``: of
        what is everybody's too."""
        begins = name if len(name) >= _BEGINNING and name.isalnum() else _NO_BEGINNING
        folder = name.rstrip("/") + "/"
        rows = await self._read("matching_documents", name=name, folder=folder, beginning=begins)
        return [(row["uuid"], row["source"]) for row in rows if shared or not row["shared"]]

    async def listed(self, *, limit: int, cursor: str | None) -> DocumentPage:
        """A page of documents, by source."""
        after, after_uuid = read_cursor("documents", cursor, first=("", ""))
        rows = await self._read("list_documents", after=after, after_uuid=after_uuid, limit=limit + 1)
        found = [row["document"] for row in rows]
        last = next_cursor("documents", found, limit, "source")
        return DocumentPage(items=tuple(DocumentInfo(**each) for each in found[:limit]), next_cursor=last)

    async def write(self, document: NewDocument) -> str:
        """Stores a document in the place of what there was of its source; returns its uuid."""
        uuid = hash_of("document", self._owner["user_id"], self._owner["project"], document.source)
        chunks = _rows(uuid, document)
        properties: dict[str, Any] = {
            "source": document.source,
            "title": document.title,
            "format": document.format,
            "hash": document.hash,
            "origin": document.origin,
            "chunks": len(chunks),
        }
        await self._write(
            "write_document",
            timeout=_WRITE_TIMEOUT,
            uuid=uuid,
            properties=properties,
            chunks=chunks,
            chunk_ids=[each["uuid"] for each in chunks],
        )
        return uuid

    async def remove(self, uuid: str) -> int:
        """Removes a document with its chunks; returns how many documents went: 0 where somebody else has removed it."""
        rows = await self._write("remove_document", timeout=_WRITE_TIMEOUT, uuid=uuid)
        return int(rows[0]["removed"])

    async def by_words(self, words: Sequence[str], *, limit: int) -> list[FoundChunk]:
        """The chunks that share words, most telling first."""
        if not words:
            return []
        clause = f"+owner_token:({self._tokens})^0 +{lucene_any(_FIELDS, list(words))}"
        rows = await self._read("search_chunks", clause=clause, candidates=2 * limit, limit=limit)
        return [FoundChunk(row["chunk"], float(row["score"])) for row in rows]

    async def near(self, vector: Sequence[float], *, space: Space, limit: int) -> list[FoundChunk]:
        """The chunks that are nearest to a vector, with their cosine.

        Args:
            vector: of the space's model.
            space: where is compared.

        Raises:
            SpaceMoved: the project's vectors have moved to another space.
        """
        space.check([vector])
        rows = await self._use.read(
            "near_chunks",
            self._client,
            space,
            names={"index": space.chunk_index},
            property=space.property,
            vector=list(vector),
            take=limit,
            limit=limit,
            **self._owner,
        )
        return [FoundChunk(each["chunk"], cosine_of_score(each["score"])) for each in rows[0]["found"]]

    async def pending(self, limit: int) -> list[WaitingText]:
        """Chunks that wait for a vector, each with the headings above it."""
        return [WaitingText(row["uuid"], row["content"]) for row in await self._pending(limit)]

    async def store(self, space: Space, vectors: Sequence[tuple[WaitingText, Sequence[float]]]) -> int:
        """Stores vectors; returns how many were stored.

        Raises:
            EmbeddingMismatch: a vector has another dimension than the space.
            SpaceMoved: the project's vectors have moved to another space; nothing was stored.
        """
        rows = [{"uuid": each.uuid, "vector": list(vector)} for each, vector in vectors]
        return await self._store(space, space.property, rows)


def _rows(document_uuid: str, document: NewDocument) -> list[dict[str, Any]]:
    """The chunks as they are stored; what says the same twice in a document is two chunks."""
    rows: list[dict[str, Any]] = []
    seen: dict[str, int] = {}
    # What a file is called is often what it is about, and stands nowhere in it.
    name = " ".join(terms(document.source.rpartition("/")[2]).split())
    for number, each in enumerate(document.chunks, 1):
        says = hash_of(document_uuid, each.heading, each.content)
        seen[says] = seen.get(says, 0) + 1
        properties = {
            "content": each.content,
            "heading": each.heading,
            "position": each.position,
            "number": number,
            "source": document.source,
            "terms": f"{name} {terms(f'{each.heading} {each.content}')}".strip(),
        }
        rows.append({"uuid": hash_of("chunk", says, str(seen[says])), "properties": properties})
    return rows
