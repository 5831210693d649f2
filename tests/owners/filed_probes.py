"""Probes for the statements of conversations whose texts are in files; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import SHARED, Probe, nothing, one_row, something


def _found(data: Data, *uuids: str, **scope: Any) -> dict[str, Any]:
    return {"uuids": list(uuids or (data.question, data.answer)), **scope}


FILED: dict[str, list[Probe]] = {
    "mark_filed": [
        Probe(lambda a, b: {"uuid": b.conversation, "file_path": "stolen/file.jsonl", "fresh": True}, expect=nothing)
    ],
    "filed_messages": [Probe(lambda a, b: {"uuid": b.deleting}, expect=nothing)],
    "filed_texts": [
        Probe(
            lambda a, b: {"uuid": b.conversation},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) SET c.file_path = 'conversations/b.jsonl'",
            expect=nothing,
        )
    ],
    "filed_unread": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) SET c.file_path = 'conversations/b.jsonl'",
            expect=lambda rows: rows == [{"conversations": 0}],
        )
    ],
    "filed_lost": [
        Probe(
            lambda a, b: {"uuids": [b.conversation]},
            prepare="MATCH (c:Conversation {uuid: $b_conversation})-[:HAS_MESSAGE]->(m:Message) "
            "SET c.file_path = 'conversations/b.jsonl' REMOVE m.content",
            expect=nothing,
        )
    ],
    "filed_lineage": [Probe(lambda a, b: {"conversation_id": b.conversation}, expect=nothing)],
    "filed_conversations": [Probe(lambda a, b: {}, expect=something)],
    "filed_history_places": [Probe(lambda a, b: _found(b, conversation_id=b.conversation), expect=nothing)],
    "filed_owner_places": [
        Probe(lambda a, b: _found(b, a.question, b.question, b.answer), expect=one_row),
        Probe(lambda a, b: _found(b), prepare=SHARED, expect=nothing),
    ],
}
