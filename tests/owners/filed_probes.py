"""Probes for the statements of conversations whose texts are in files; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import Probe, Rows, nothing


def _one_row(rows: Rows) -> bool:
    return len(rows) == 1


def _found(data: Data, *uuids: str, **scope: Any) -> dict[str, Any]:
    everything = {"role": None, "since": None, "until": None, "tool": None}
    return {**everything, "uuids": list(uuids or (data.question, data.answer)), **scope}


# What was deleted and is still shared by a branch that lives.
_SHARED = (
    "MATCH (c:Conversation {uuid: $b_conversation}) SET c.status = 'deleting', c.kept_to = 3 "
    "CREATE (c)-[:HAS_BRANCH {from_seq: 3}]->(:Conversation {uuid: 'probe', status: 'active', head_seq: 3, "
    "message_count: 0, lineage_ids: [c.uuid], lineage_tops: [3], user_id: c.user_id, project: c.project, "
    "created_at: datetime(), updated_at: datetime()})"
)

FILED: dict[str, list[Probe]] = {
    "mark_filed": [
        Probe(lambda a, b: {"uuid": b.conversation, "file_path": "stolen/file.jsonl", "fresh": True}, expect=nothing),
    ],
    "filed_messages": [Probe(lambda a, b: {"uuid": b.deleting}, expect=nothing)],
    "filed_texts": [
        Probe(
            lambda a, b: {"uuid": b.conversation},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) SET c.file_path = 'conversations/b.jsonl'",
            expect=nothing,
        ),
    ],
    "filed_unread": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) SET c.file_path = 'conversations/b.jsonl'",
            expect=lambda rows: rows == [{"conversations": 0}],
        ),
    ],
    "filed_lost": [
        Probe(
            lambda a, b: {"uuids": [b.conversation]},
            prepare="MATCH (c:Conversation {uuid: $b_conversation})-[:HAS_MESSAGE]->(m:Message) "
            "SET c.file_path = 'conversations/b.jsonl' REMOVE m.content",
            expect=nothing,
        ),
    ],
    "filed_lineage": [Probe(lambda a, b: {"conversation_id": b.conversation}, expect=nothing)],
    "filed_conversations": [Probe(lambda a, b: {"tags": None}, expect=lambda rows: bool(rows))],
    "filed_history_places": [
        Probe(lambda a, b: _found(b, conversation_id=b.conversation), expect=nothing),
    ],
    "filed_owner_places": [
        Probe(lambda a, b: _found(b, a.question, b.question, b.answer, tags=None), expect=_one_row),
        Probe(lambda a, b: _found(b, tags=None), prepare=_SHARED, expect=nothing),
    ],
}
