"""Probes for the statements of an archive, read and taken in; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import FRESH_ID, Probe, Rows, nothing, one_row, something


def _no_numbers(rows: Rows) -> bool:
    return rows == [{"numbers": []}]


_TOKEN = "restore-of-probes"
_TIME = "2026-01-01T00:00:00Z"
_FENCE: dict[str, Any] = {"token": _TOKEN, "seconds": 60, "owner_token": "t"}
_MESSAGE: dict[str, Any] = {
    "properties": {"uuid": FRESH_ID, "seq": 9},
    "timestamp": _TIME,
    "important": True,
    "tool_calls": [],
}

# Both are being restored, by the same token; beside them code that is the asker's.
_BEGUN = (
    "MATCH (c:Conversation) WHERE c.uuid IN [$a_conversation, $b_conversation] "
    f"SET c.import_token = '{_TOKEN}', c.import_step = 0 "
    "WITH c WHERE c.uuid = $a_conversation "
    "CREATE (:Scope {uuid: 'probe', project: c.project, file: 'probe.py', key: 'probe', hash: 'probe'}), "
    "(:CodeAnchor {uuid: 'probe', key: 'probe', project: c.project})"
)
_BRANCHED = (
    "MATCH (a:Conversation {uuid: $a_conversation}), (b:Conversation {uuid: $b_conversation}) "
    "CREATE (a)-[:HAS_BRANCH {from_seq: 1}]->(b)"
)
_PROMPT = "p" * 32
_PROMPTED = (
    f"MATCH (a:Message {{uuid: $a_answer}}), (b:Message {{uuid: $b_answer}}) "
    f'SET a.receipt = \'{{"instructions":"{_PROMPT}","tools":"{_PROMPT}"}}\' '
    f"CREATE (:Prompt {{uuid: '{_PROMPT}', user_id: b.user_id, project: b.project, text: 'secret'}})"
)
_OURS = {"file": "probe.py", "key": "probe", "hash": "probe"}


def _read(conversation_id: str, **more: Any) -> dict[str, Any]:
    return {"conversation_id": conversation_id, "after": 0, "last": 99, "limit": 99, "vector": None, **more}


def _batch(conversation_id: str, **rows: Any) -> dict[str, Any]:
    return {**_FENCE, "batches": [{"conversation_id": conversation_id, "step": 0, **rows}]}


def _ties(conversation_id: str, **rows: Any) -> dict[str, Any]:
    nothing: dict[str, Any] = {"references": [], "anchored": [], "reads": []}
    return _batch(conversation_id, **nothing | rows)


def _reference(message: str, scope: dict[str, Any]) -> dict[str, Any]:
    return {"references": [{"message": message, "scope": scope, "properties": {"kind": "discussed"}}]}


def _anchored(message: str, key: str) -> dict[str, Any]:
    return {"anchored": [{"message": message, "key": key, "properties": {"kind": "discussed"}}]}


def _place(data: Data) -> dict[str, str]:
    return {"file": data.file, "key": "k1", "hash": "h1"}


def _summary(conversation_id: str, **more: Any) -> dict[str, Any]:
    row = {
        "uuid": FRESH_ID,
        "kind": "rolling",
        "level": 1,
        "from_seq": 50,
        "properties": {"to_seq": 60},
        "messages": [],
    }
    return _batch(conversation_id, summaries=[{**row, "summaries": [], "created_at": _TIME, **more}])


def _finish(uuid: str, parent: str | None = None) -> dict[str, Any]:
    times = dict.fromkeys(("created_at", "updated_at", "branched_at", "summary_until"))
    branch = {"parent": parent, "properties": {"from_seq": 1}} if parent else {}
    row = {"uuid": uuid, "properties": {"status": "active", "head_seq": 3}, "messages": 3, "branch": branch, **times}
    return {**_FENCE, "conversations": [row], "summarize_every": 1}


def _given(message: str, uuid: str, call: str | None = None) -> dict[str, Any]:
    end = {"uuid": uuid, "properties": {"rank": 1}, "number": 0}
    return {"rows": [{"message": message, "call": call, "uuid": uuid, "number": 0, "properties": {}, "ends": [end]}]}


ARCHIVE: dict[str, list[Probe]] = {
    "archive_family": [
        Probe(lambda a, b: _read(b.conversation), expect=nothing),
        Probe(lambda a, b: _read(a.conversation), prepare=_BRANCHED, expect=something),
    ],
    "archive_conversations": [Probe(lambda a, b: {}, expect=something)],
    "archive_conversation": [Probe(lambda a, b: _read(b.conversation), expect=nothing)],
    "archive_sizes": [Probe(lambda a, b: _read(b.conversation), expect=nothing)],
    "archive_messages": [Probe(lambda a, b: _read(b.conversation), expect=nothing)],
    "archive_anchors": [
        Probe(
            lambda a, b: _read(b.conversation),
            prepare=f"{_BEGUN} WITH c MATCH (m:Message {{uuid: $b_question}}), (x:CodeAnchor {{key: 'probe'}}) "
            "CREATE (m)-[:ANCHORED_AT {kind: 'read'}]->(x)",
            expect=nothing,
        )
    ],
    "archive_prompts": [
        Probe(lambda a, b: _read(a.conversation), prepare=_PROMPTED, expect=nothing),
        Probe(
            lambda a, b: _read(b.conversation),
            prepare=_PROMPTED.replace("b.user_id, project: b.project", "a.user_id, project: a.project").replace(
                "SET a.receipt", "SET b.receipt"
            ),
            expect=nothing,
        ),
    ],
    "archive_summaries": [Probe(lambda a, b: _read(b.conversation), expect=nothing)],
    "archive_insights": [
        Probe(
            lambda a, b: _read(b.conversation),
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) CREATE (c)-[:HAS_INSIGHT]->(:Insight {uuid: 'i'})",
            expect=nothing,
        )
    ],
    "restore_state": [Probe(lambda a, b: {"conversations": [{"uuid": b.conversation, "seq": 1}]}, expect=nothing)],
    "copies_here": [
        Probe(
            lambda a, b: {"uuids": ["source"]},
            prepare="MATCH (c:Conversation) WHERE c.uuid IN [$a_conversation, $b_conversation] "
            "SET c.source_uuid = 'source'",
            expect=one_row,
        )
    ],
    "session_holders": [Probe(lambda a, b: {"session_ids": [b.session]}, expect=one_row)],
    "begin_restore": [Probe(lambda a, b: {**_FENCE, "uuids": [b.deleting], "holder": "h"}, expect=nothing, taken=True)],
    "restore_messages": [
        Probe(lambda a, b: _batch(b.conversation, messages=[_MESSAGE]), prepare=_BEGUN, expect=nothing)
    ],
    "restore_messages_with_vectors": [
        Probe(
            lambda a, b: {
                **_batch(b.conversation, messages=[{**_MESSAGE, "worded": True, "vector": [0.1] * 384}]),
                "property": "probe",
            },
            prepare=_BEGUN,
            expect=nothing,
        )
    ],
    "restore_ties": [
        Probe(lambda a, b: _ties(b.conversation), prepare=_BEGUN, expect=nothing),
        *(
            Probe(parameters, prepare=_BEGUN, expect=something)
            for parameters in (
                lambda a, b: _ties(a.conversation, **_reference(b.question, _OURS)),
                lambda a, b: _ties(a.conversation, **_reference(a.question, _place(b))),
                lambda a, b: _ties(a.conversation, **_anchored(b.question, "probe")),
                lambda a, b: _ties(a.conversation, **_anchored(a.question, b.anchor)),
                lambda a, b: _ties(
                    a.conversation, reads=[{"message": b.answer, "call": b.call, "key": "probe", "hash": "h"}]
                ),
                lambda a, b: _ties(
                    a.conversation, reads=[{"message": a.answer, "call": a.call, "key": b.anchor, "hash": "h"}]
                ),
            )
        ),
    ],
    "restore_summaries": [
        Probe(lambda a, b: _summary(b.conversation), prepare=_BEGUN, expect=nothing),
        Probe(lambda a, b: _summary(a.conversation, messages=[b.question]), prepare=_BEGUN, expect=something),
        Probe(lambda a, b: _summary(a.conversation, summaries=[b.summary]), prepare=_BEGUN, expect=something),
    ],
    "restore_insights": [
        Probe(
            lambda a, b: _batch(b.conversation, insights=[{"uuid": FRESH_ID, "properties": {}, "created_at": _TIME}]),
            prepare=_BEGUN,
            expect=nothing,
        )
    ],
    "finish_restore": [
        Probe(lambda a, b: _finish(b.conversation), prepare=_BEGUN, expect=nothing),
        Probe(lambda a, b: _finish(a.conversation, parent=b.conversation), prepare=_BEGUN, expect=something),
    ],
    "restore_prompts": [
        Probe(
            lambda a, b: {
                "prompts": [
                    {"uuid": FRESH_ID, "text": "stolen", "created_at": _TIME, "conversations": [b.conversation]}
                ],
            },
            expect=lambda rows: rows == [{"kept": 0}],
        )
    ],
    "restore_used_messages": [
        Probe(lambda a, b: _given(b.question, a.question), expect=_no_numbers),
        Probe(lambda a, b: _given(a.answer, b.question), expect=_no_numbers),
    ],
    "restore_used_summaries": [
        Probe(lambda a, b: _given(b.question, a.summary), expect=_no_numbers),
        Probe(lambda a, b: _given(a.answer, b.summary), expect=_no_numbers),
    ],
    "restore_used_anchors": [
        Probe(lambda a, b: _given(b.question, "probe"), prepare=_BEGUN, expect=_no_numbers),
        Probe(lambda a, b: _given(a.answer, b.anchor), expect=_no_numbers),
    ],
    "restore_used_memories": [
        Probe(lambda a, b: _given(b.question, a.memory), expect=_no_numbers, shares=True),
        Probe(lambda a, b: _given(a.answer, b.memory), expect=_no_numbers, shares=True),
        Probe(lambda a, b: _given(a.answer, a.memory), expect=lambda rows: rows == [{"numbers": [0]}], shares=True),
    ],
    "restore_merges": [
        Probe(lambda a, b: _given(b.question, a.conversation), expect=_no_numbers),
        Probe(lambda a, b: _given(a.answer, b.conversation), expect=_no_numbers),
    ],
    "restore_corrections": [
        Probe(lambda a, b: _given(b.question, a.answer), expect=_no_numbers),
        Probe(lambda a, b: _given(a.answer, b.question), expect=_no_numbers),
    ],
    "restore_reuse": [
        Probe(lambda a, b: _given(b.answer, a.call, b.call), expect=_no_numbers),
        Probe(lambda a, b: _given(a.answer, b.call, a.call), expect=_no_numbers),
    ],
}
"""Statements of an archive on conversations, which belong to a user in a project."""

_FREE = "MATCH (p:Project) WHERE p.uuid IN [$a_project_uuid, $b_project_uuid] REMOVE p.ingest_token, p.ingest_until"


def _anchor(key: str, data: Data) -> dict[str, Any]:
    row: dict[str, Any] = {"key": key, "uuid": FRESH_ID, "properties": {}, "scope": _place(data), "stands": {}}
    row |= {"conversation_id": FRESH_ID, "first_seen": _TIME, "checked_at": None, "stood_at": None}
    return {"anchors": [row]}


ARCHIVE_CODE: dict[str, list[Probe]] = {
    "restore_anchors": [
        Probe(lambda a, b: _anchor(b.anchor, b), expect=nothing, taken=True),
        Probe(lambda a, b: _anchor("probe", b), expect=something),
    ],
    "borrow_ingest_lease": [Probe(lambda a, b: {**_FENCE, "holder": "h"}, prepare=_FREE, expect=something)],
    "look_at_anchors_again": [Probe(lambda a, b: {}, expect=something)],
}
"""Statements of an archive on code, which belongs to a project alone."""
