"""Probes for the statements of memories in an archive; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.memory_probes import ELSEWHERE, STRANGE
from tests.owners.probes import FRESH_ID, Probe, nothing, something

_LATE = "2099-01-01T00:00:00Z"
_TIMES = ("created_at", "last_used_at", "archived_at", "expires_at", "valid_from", "valid_to")
_SUPERSEDED = (
    "MATCH (m:Memory {uuid: $a_memory}), (n:Memory {uuid: $b_memory}) "
    "CREATE (m)-[:SUPERSEDED_BY {how: 'corrects'}]->(n)"
)
# Of what says the same there is only the other owner's.
_ALONE = "MATCH (m:Memory {uuid: $a_memory}) SET m.words_key = 'none'"


def _row(data: Data, uuid: str = FRESH_ID, **more: Any) -> dict[str, Any]:
    row: dict[str, Any] = {**dict.fromkeys(_TIMES), "uuid": uuid, "other": FRESH_ID, "version": FRESH_ID}
    row |= {"fact_key": None, "words_key": None, "order_key": None, "project": data.owner.project, "owner_token": "t"}
    row |= {"stands": False, "changed_at": _LATE, "messages": [], "versions": [], "before": [], "now": "stolen"}
    row |= {"anchors": [], "properties": {"kind": "note", "content": "stolen", "is_active": True}}
    return {"memories": [{**row, **more}]}


def _superseded(uuid: str, later: str) -> dict[str, Any]:
    return {"rows": [{"uuid": uuid, "later": later, "how": "corrects", "number": 0}]}


ARCHIVED: dict[str, list[Probe]] = {
    "archive_owned_memories": [Probe(lambda a, b: {}, expect=something, shares=True)],
    "archive_memories": [
        Probe(lambda a, b: {"uuids": [b.memory]}, expect=nothing, shares=True),
        Probe(lambda a, b: {"uuids": [a.memory]}, prepare=STRANGE, expect=something, shares=True),
        Probe(lambda a, b: {"uuids": [a.memory]}, prepare=_SUPERSEDED, expect=something, shares=True),
        Probe(lambda a, b: {"uuids": [a.memory]}, prepare=ELSEWHERE, expect=something, shares=True),
    ],
    "restore_memories": [
        Probe(lambda a, b: _row(a, b.memory), expect=something, taken=True, shares=True),
        Probe(
            lambda a, b: _row(a, words_key=b.word, order_key=b.word, messages=[a.question]),
            prepare=_ALONE,
            expect=something,
            shares=True,
        ),
        Probe(lambda a, b: _row(a, messages=[b.question]), expect=something, shares=True),
        Probe(lambda a, b: _row(a, anchors=[b.anchor]), expect=something, shares=True),
    ],
    "restore_superseded": [
        Probe(lambda a, b: _superseded(b.memory, a.memory), expect=lambda rows: rows == [{"numbers": []}], shares=True),
        Probe(lambda a, b: _superseded(a.memory, b.memory), expect=lambda rows: rows == [{"numbers": []}], shares=True),
    ],
}
