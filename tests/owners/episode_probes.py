"""Probes for the statements of episodes, of merges, and of the queue of memory; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import FRESH_ID, Probe, Rows, nothing, something

_QUEUED = (
    "MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question] CREATE (:MemoryOperation:PendingOperation "
    "{uuid: 'probe of ' + m.uuid, user_id: m.user_id, project: m.project, number: 1, tool: 'forget_fact', "
    "arguments: '{}', source: '{}', status: 'running', attempts: 0, token: 'probe', created_at: datetime(), "
    "lease_until: datetime()})"
)
_OF_B_ALONE = _QUEUED.replace("[$a_question, $b_question]", "[$b_question]")
_ENDED = (
    "MATCH (m:Message {uuid: $b_question}) CREATE (:MemoryOperation {uuid: 'probe', user_id: m.user_id, "
    "project: m.project, status: 'done', ended_at: datetime() - duration({days: 30})})"
)
_COUNTED = (
    "MATCH (m:Message {uuid: $b_question}) CREATE (:MemoryCount {key: 'probe', user_id: m.user_id, "
    "project: m.project, metric: 'calls', label: 'probe', number: 9})"
)
_EPISODES = "MATCH (m:Memory) WHERE m.uuid IN [$a_memory, $b_memory] SET m:Episode, m.kind = 'episode'"
_FACTS = (
    "MATCH (m:Memory) WHERE m.uuid IN [$a_memory, $b_memory] SET m:Fact, m.kind = 'fact', m.value = 'kept', "
    "m.confidence = 1.0, m.type = 'personal', m.key = 'k'"
)
_DERIVED = "MATCH (m:Memory {uuid: $b_memory}), (q:Message {uuid: $a_question}) CREATE (m)-[:DERIVED_FROM]->(q)"

_RESTED = (
    "MATCH (m:Message) WHERE m.uuid IN [$a_unanswered, $b_unanswered, $a_question, $b_question] "
    "SET m.timestamp = datetime() - duration({days: 3})"
)

_OPERATION = {"uuid": FRESH_ID, "tool": "forget_fact", "arguments": "{}", "source": "{}", "memory_id": None, "most": 1}
_WORKER = {"token": "probe", "seconds": 20}
_VALUE = {"properties": {"value": "stolen"}, "operation": FRESH_ID}


def _episode(data: Data, *messages: str) -> dict[str, Any]:
    given = {"uuid": FRESH_ID, "messages": sorted(messages), "words_key": data.word, "order_key": data.word}
    return {**given, "properties": {"kind": "episode", "topic": "stolen", "summary": "stolen"}}


def _closing(talk: Data, *messages: str) -> dict[str, Any]:
    episode = {**_episode(talk, *messages), "said_at": "2026-01-01T00:00:00Z"}
    return {"conversation_id": talk.conversation, "after": 0, "topic_token": "", "to_seq": 3, "episodes": [episode]}


def _none_of_other(rows: Rows) -> bool:
    return [row["others"] for row in rows] == [0]


EPISODES: dict[str, list[Probe]] = {
    "create_episode": [
        Probe(lambda a, b: _episode(a, b.question), expect=lambda rows: rows[0]["messages"] == 0, prepare=_EPISODES),
        Probe(
            lambda a, b: _episode(a, a.question),
            expect=lambda rows: rows[0]["stored"],
            prepare="MATCH (m:Memory {uuid: $b_memory}) SET m:Episode, m.kind = 'episode'",
        ),
    ],
    "closed_topics": [
        Probe(
            lambda a, b: {"seconds": 86_400, "limit": 99, "without": [], "filed": True},
            prepare=_RESTED,
            expect=something,
        ),
    ],
    "close_topics": [
        Probe(lambda a, b: _closing(b, a.question), expect=nothing),
        Probe(lambda a, b: _closing(a, b.question), expect=lambda rows: rows[0]["messages"] == 0),
        Probe(
            lambda a, b: _closing(a, a.question),
            expect=lambda rows: rows[0]["stored"] == 1,
            prepare="MATCH (m:Memory {uuid: $b_memory}) SET m:Episode, m.kind = 'episode'",
        ),
    ],
    "update_episode": [
        Probe(lambda a, b: {"uuid": b.memory, **_VALUE}, expect=nothing, prepare=_EPISODES, shares=True),
    ],
    "merge_facts": [
        Probe(lambda a, b: {"uuids": [b.memory, a.memory], **_VALUE}, expect=nothing, prepare=_FACTS, shares=True),
        Probe(
            lambda a, b: {"uuids": [a.memory, b.memory], **_VALUE},
            expect=lambda rows: rows[0]["merged"] == 0,
            prepare=_FACTS,
            shares=True,
        ),
    ],
    "mark_important": [
        Probe(lambda a, b: {"uuids": [b.question], "importance": 0.3}, expect=lambda rows: rows[0]["marked"] == 0),
        Probe(lambda a, b: {"uuids": [a.question], "importance": 0.3}, prepare=_DERIVED, shares=True),
    ],
    "queue_operation": [
        Probe(lambda a, b: _OPERATION, expect=lambda rows: rows[0]["waiting"] == 0, prepare=_OF_B_ALONE),
    ],
    "waiting_operations": [
        Probe(lambda a, b: {}, expect=lambda rows: rows[0]["waiting"] == 0, prepare=_OF_B_ALONE),
    ],
    "claim_operations": [
        Probe(lambda a, b: {**_WORKER, "limit": 9, "dead": None, "holder": "x"}, expect=nothing, prepare=_OF_B_ALONE),
    ],
    "end_operation": [
        Probe(
            lambda a, b: {**_WORKER, "uuid": f"probe of {b.question}", "status": "done", "result": "", "error": ""},
            expect=nothing,
            prepare=_QUEUED,
        ),
        Probe(
            lambda a, b: {**_WORKER, "uuid": f"probe of {a.question}", "status": "done", "result": "", "error": ""},
            expect=_none_of_other,
            prepare=_QUEUED,
        ),
    ],
    "rest_operations": [
        Probe(
            lambda a, b: {"token": "probe", "uuid": f"probe of {b.question}", "rest_ms": 5},
            expect=lambda rows: rows[0]["given"] == 0,
            prepare=_OF_B_ALONE,
        ),
    ],
    "memory_operation": [
        Probe(lambda a, b: {"uuid": f"probe of {b.question}"}, expect=nothing, prepare=_OF_B_ALONE),
    ],
    "drop_ended_operations": [Probe(lambda a, b: {}, expect=lambda rows: rows[0]["dropped"] == 0, prepare=_ENDED)],
    "memory_counts": [Probe(lambda a, b: {}, expect=nothing, prepare=_COUNTED)],
}
