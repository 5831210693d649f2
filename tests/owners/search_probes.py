"""Probes for the statements of a search; see `probes`."""

from __future__ import annotations

from typing import Any

from ragforge_memory.graph.text import owner_token
from ragforge_memory.text.words import pattern
from tests.owners.graph import VECTOR, Data
from tests.owners.probes import CORRECTED, SHARED, Probe, Rows, nothing, one_row, something


def _asked(data: Data, **scope: Any) -> dict[str, Any]:
    """What every search is given; the token is the other's, so that filters on nodes must do it alone."""
    words = [{"text": data.word, "pattern": pattern(data.word)}]
    return {"words": words, "owner_token": owner_token(data.owner.user_id, data.owner.project), "limit": 100, **scope}


def _has_some(rows: Rows) -> bool:
    return bool(rows[0]["seqs"])


_NOW = "MATCH (c:Conversation {uuid: $b_conversation}) SET c.updated_at = datetime() + duration('PT1H')"

_DECIDED = "MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question] SET m:Decision, m.kind = 'note'"
_FORGOTTEN = (
    f"{_DECIDED} WITH m OPTIONAL MATCH (m)<-[:DERIVED_FROM]-(known:Memory) SET known.is_active = false WITH DISTINCT m "
    "CREATE (m)<-[:DERIVED_FROM]-(:Memory {uuid: randomUUID(), is_active: false})"
    "-[:HAS_VERSION]->(:FactVersion {uuid: randomUUID(), reason: 'forget'})"
)
_WAITING = "MATCH (c:Conversation) WHERE c.uuid IN [$a_conversation, $b_conversation] SET c:PendingEmbedding"
_EMBEDDED = (
    "MATCH (c:Conversation) WHERE c.uuid IN [$a_conversation, $b_conversation] "
    "SET c.embedding_of_probes = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]"
)

SEARCH: dict[str, list[Probe]] = {
    "search_history_text": [Probe(lambda a, b: _asked(b, conversation_id=b.conversation), expect=nothing)],
    "search_history_vector": [Probe(lambda a, b: _asked(b, conversation_id=b.conversation), expect=nothing)],
    "search_history_vector_after": [Probe(lambda a, b: _asked(b, conversation_id=b.conversation), expect=nothing)],
    "near_messages": [Probe(lambda a, b: _asked(b, conversation_id=b.conversation), expect=nothing)],
    "vectors_of_history": [Probe(lambda a, b: _asked(b, conversation_id=b.conversation), expect=nothing)],
    "scan_history_vector": [Probe(lambda a, b: _asked(b, conversation_id=b.conversation), expect=nothing)],
    "search_owner_text": [
        Probe(lambda a, b: _asked(b), expect=one_row),
        Probe(lambda a, b: _asked(b), prepare=_NOW),
        Probe(lambda a, b: _asked(b), prepare=SHARED),
    ],
    "search_owner_vector": [
        Probe(lambda a, b: _asked(b), expect=_has_some),
        Probe(lambda a, b: _asked(b), prepare=SHARED, expect=_has_some),
    ],
    "scan_owner_vector": [
        Probe(
            lambda a, b: _asked(b),
            prepare="MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question] "
            "SET m.embedding_of_probes = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]",
            expect=_has_some,
        )
    ],
    "pending_conversation_embeddings": [Probe(lambda a, b: _asked(b), prepare=_WAITING, expect=one_row)],
    "store_conversation_embeddings": [
        Probe(
            lambda a, b: _asked(
                b, rows=[{"uuid": b.conversation, "title": b.title, "summary": b.word, "first": 3, "vector": VECTOR}]
            )
        )
    ],
    "fail_conversation_embeddings": [Probe(lambda a, b: {"uuids": [b.conversation]}, prepare=_WAITING)],
    "count_pending_conversation_embeddings": [Probe(lambda a, b: {}, prepare=_WAITING)],
    "similar_conversations_text": [Probe(lambda a, b: _asked(b, words=[b.word]), prepare=_WAITING)],
    "similar_conversations_vector": [Probe(lambda a, b: _asked(b), prepare=_EMBEDDED, expect=something)],
    "decisions": [
        Probe(lambda a, b: {}, prepare=_DECIDED, expect=one_row),
        Probe(lambda a, b: {}, prepare=f"{_DECIDED} WITH count(*) AS set {SHARED}", expect=one_row),
        Probe(lambda a, b: {"about": "the"}, prepare=_DECIDED, expect=one_row),
        # What another says against it is not told.
        Probe(
            lambda a, b: {},
            prepare=f"{_DECIDED} WITH count(*) AS set {CORRECTED}",
            expect=lambda rows: [row["corrected"] for row in rows] == [None],
        ),
    ],
    "forgotten_messages": [Probe(lambda a, b: {"uuids": [b.question]}, prepare=_FORGOTTEN, expect=nothing)],
    "correctable_decisions": [
        Probe(lambda a, b: {"conversation_id": a.conversation}, prepare=_DECIDED, expect=one_row),
        Probe(lambda a, b: {"conversation_id": b.conversation}, prepare=_DECIDED, expect=nothing),
    ],
    "found_conversations": [Probe(lambda a, b: _asked(b, uuids=[b.conversation], vector=None), expect=nothing)],
    "found_messages": [
        Probe(
            lambda a, b: _asked(b, places=[[b.conversation, 1], [b.conversation, 2]], vector=None),
            expect=lambda rows: rows == [{"found": []}],
        ),
        # What is left of a deleted conversation is another's all the same.
        Probe(
            lambda a, b: _asked(b, places=[[b.conversation, 1]], vector=None, hidden=[b.conversation]),
            prepare=SHARED,
            expect=lambda rows: rows == [{"found": []}],
        ),
        Probe(
            lambda a, b: _asked(b, places=[[a.conversation, 1]], vector=None),
            prepare=CORRECTED,
            expect=lambda rows: rows[0]["found"][0]["corrected"] is None,
        ),
    ],
}
"""Statements of a search, which belong to a user in a project."""
