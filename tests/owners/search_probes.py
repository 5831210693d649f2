"""Probes for the statements of a search; see `probes`."""

from __future__ import annotations

from typing import Any

from ragforge_memory.graph.text import owner_token
from ragforge_memory.text.words import pattern
from tests.owners.graph import VECTOR, Data
from tests.owners.probes import CORRECTED, Probe, Rows, nothing


def _asked(data: Data, **scope: Any) -> dict[str, Any]:
    """What every search is given; the token is the other's, so that filters on nodes must do it alone."""
    everything = {"role": None, "since": None, "until": None, "tool": None, "tags": None, "filtered": False}
    return {
        **everything,
        "words": [{"text": data.word, "pattern": pattern(data.word)}],
        "owner_token": owner_token(data.owner.user_id, data.owner.project),
        "sample": 100,
        "limit": 100,
        "vector": VECTOR,
        "origin": [0.0] * len(VECTOR),
        "take": 100,
        "scan": 2_000,
        "overfetch": 200,
        "compared": 10,
        "property": "embedding_of_probes",
        "hidden": [],
        "reader": None,
        "kept": {},
        "floor": 100,
        "places": [],
        "above": 0,
        "up_to": 100,
        "step": 1,
        "dimension": len(VECTOR),
        **scope,
    }


def _one_row(rows: Rows) -> bool:
    return len(rows) == 1


def _some(rows: Rows) -> bool:
    return bool(rows)


def _has_some(rows: Rows) -> bool:
    return bool(rows[0]["seqs"])


_NOW = "MATCH (c:Conversation {uuid: $b_conversation}) SET c.updated_at = datetime() + duration('PT1H')"

# What was deleted and is still shared by a branch that lives.
_SHARED = (
    "MATCH (c:Conversation {uuid: $b_conversation}) SET c.status = 'deleting', c.kept_to = 3 "
    "CREATE (c)-[:HAS_BRANCH {from_seq: 3}]->(:Conversation {uuid: 'probe', status: 'active', head_seq: 3, "
    "message_count: 0, lineage_ids: [c.uuid], lineage_tops: [3], user_id: c.user_id, project: c.project, "
    "created_at: datetime(), updated_at: datetime()})"
)
_DECIDED = "MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question] SET m:Decision, m.kind = 'note'"
_FROM_THE_NEWEST: dict[str, Any] = {
    "since": None,
    "before": None,
    "before_conversation": "",
    "before_seq": 0,
    "limit": 100,
    "about": None,
    "folder": "//",
    "until": None,
}
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
        Probe(lambda a, b: _asked(b), expect=_one_row),
        Probe(lambda a, b: _asked(b), prepare=_NOW),
        Probe(lambda a, b: _asked(b), prepare=_SHARED),
    ],
    "search_owner_vector": [
        Probe(lambda a, b: _asked(b), expect=_has_some),
        Probe(lambda a, b: _asked(b), prepare=_SHARED, expect=_has_some),
    ],
    "scan_owner_vector": [
        Probe(
            lambda a, b: _asked(b),
            prepare="MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question] "
            "SET m.embedding_of_probes = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]",
            expect=_has_some,
        )
    ],
    "pending_conversation_embeddings": [
        Probe(lambda a, b: _asked(b, filed=True), prepare=_WAITING, expect=_one_row),
    ],
    "store_conversation_embeddings": [
        Probe(
            lambda a, b: _asked(
                b, rows=[{"uuid": b.conversation, "title": b.title, "summary": b.word, "first": 3, "vector": VECTOR}]
            )
        )
    ],
    "fail_conversation_embeddings": [Probe(lambda a, b: {"uuids": [b.conversation], "attempt": "t"}, prepare=_WAITING)],
    "count_pending_conversation_embeddings": [Probe(lambda a, b: {}, prepare=_WAITING)],
    "similar_conversations_text": [
        Probe(lambda a, b: _asked(b, words=[b.word]), prepare=_WAITING),
    ],
    "similar_conversations_vector": [
        Probe(lambda a, b: _asked(b), prepare=_EMBEDDED, expect=_some),
    ],
    "decisions": [
        Probe(lambda a, b: _FROM_THE_NEWEST, prepare=_DECIDED, expect=_one_row),
        Probe(lambda a, b: _FROM_THE_NEWEST, prepare=f"{_DECIDED} WITH count(*) AS set {_SHARED}", expect=_one_row),
        Probe(lambda a, b: {**_FROM_THE_NEWEST, "about": "the"}, prepare=_DECIDED, expect=_one_row),
        # What another says against it is not told.
        Probe(
            lambda a, b: _FROM_THE_NEWEST,
            prepare=f"{_DECIDED} WITH count(*) AS set {CORRECTED}",
            expect=lambda rows: [row["corrected"] for row in rows] == [None],
        ),
    ],
    "correctable_decisions": [
        Probe(
            lambda a, b: {"conversation_id": a.conversation, "until": None, "limit": 100},
            prepare=_DECIDED,
            expect=_one_row,
        ),
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "until": None, "limit": 100},
            prepare=_DECIDED,
            expect=nothing,
        ),
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
            prepare=_SHARED,
            expect=lambda rows: rows == [{"found": []}],
        ),
    ],
}
"""Statements of a search, which belong to a user in a project."""
