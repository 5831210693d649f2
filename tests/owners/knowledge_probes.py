"""Probes for the statements of documents; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import VECTOR, Data
from tests.owners.probes import EMBEDDING, FRESH_ID, Probe, nothing

# Nobody who takes part has a document but the other.
_ALONE = (
    "MATCH (d:Document) WHERE d.source STARTS WITH split($a_word, 'x')[0] AND d.uuid <> $b_document DETACH DELETE d"
)
# Older servers read the vector from the property that the statement is given.
_NEAR = f"MATCH (c:Chunk) WHERE c.uuid IN [$a_chunk, $b_chunk] SET c.{EMBEDDING} = {VECTOR} WITH count(*) AS near"
# The other's document has a chunk of who asks.
_STRANGE = (
    "MATCH (d:Document {uuid: $b_document}), (:Document {uuid: $a_document})-[h:HAS_CHUNK]->(c:Chunk) "
    "DELETE h CREATE (d)-[:HAS_CHUNK]->(c)"
)


def _named(data: Data) -> dict[str, Any]:
    return {"name": data.source, "folder": "//", "beginning": data.document}


def _written(uuid: str) -> dict[str, Any]:
    chunk = {"uuid": FRESH_ID, "properties": {"content": "stolen", "position": "", "number": 1}}
    return {"uuid": uuid, "properties": {"title": "stolen"}, "chunks": [chunk], "chunk_ids": [FRESH_ID]}


KNOWLEDGE: dict[str, list[Probe]] = {
    "has_knowledge": [
        Probe(lambda a, b: {}, prepare=_ALONE, expect=lambda rows: rows == [{"found": False}], shares=True)
    ],
    "known_documents": [Probe(lambda a, b: {"source": b.source})],
    "matching_documents": [Probe(lambda a, b: _named(b), shares=True)],
    "list_documents": [Probe(lambda a, b: {"after": "", "after_uuid": ""}, shares=True)],
    "write_document": [Probe(lambda a, b: _written(b.document), expect=nothing, taken=True)],
    "remove_document": [
        Probe(lambda a, b: {"uuid": b.document}, expect=lambda rows: rows == [{"removed": 0}], shares=True)
    ],
    "search_chunks": [Probe(lambda a, b: {"clause": f"+content:{b.word}"}, shares=True)],
    "near_chunks": [
        Probe(lambda a, b: {"vector": VECTOR}, prepare=f"{_NEAR} RETURN near", shares=True),
        Probe(
            lambda a, b: {"vector": VECTOR},
            prepare=f"{_NEAR} {_STRANGE}",
            expect=lambda rows: all(each["chunk"]["source"] for each in rows[0]["found"]),
            shares=True,
        ),
    ],
    "pending_chunk_embeddings": [Probe(lambda a, b: {}, shares=True)],
    "store_chunk_embeddings": [Probe(lambda a, b: {"rows": [{"uuid": b.chunk, "vector": VECTOR}]}, shares=True)],
    "fail_chunk_embeddings": [Probe(lambda a, b: {"uuids": [b.chunk]}, shares=True)],
    "count_pending_chunk_embeddings": [Probe(lambda a, b: {}, shares=True)],
}
"""Statements on documents and their chunks."""
