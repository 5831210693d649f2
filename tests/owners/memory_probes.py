"""Probes for the statements of memories; see `probes`."""

from __future__ import annotations

from typing import Any

from ragforge_memory.graph.text import owner_token
from tests.owners.graph import Data
from tests.owners.probes import FRESH_ID, Probe, nothing, something

_PENDING = "MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question] SET m:PendingMemory, m.kind = 'note'"


def _row(data: Data, message: str, **more: Any) -> dict[str, Any]:
    token = owner_token(data.owner.user_id, data.owner.project)
    row = {"uuid": message, "message": message, "project": data.owner.project, "owner_token": token}
    row |= {"properties": {"kind": "note", "content": "stolen"}, "words_key": data.word, "order_key": "another"}
    return row | {"stands": False, "against": None, "how": None, **more}


_ASKED = {"types": None, "min_confidence": 0.0, "include_inactive": True}


def _words(data: Data) -> dict[str, Any]:
    """A clause without the owner: filters on nodes must do it alone."""
    return {"clause": f"+content:{data.word}"}


def _fact(data: Data, key: str, **more: Any) -> dict[str, Any]:
    token = owner_token(data.owner.user_id, data.owner.project)
    row = {"uuid": FRESH_ID, "fact_key": key, "version": FRESH_ID, "reason": "update", "project": data.owner.project}
    row |= {"owner_token": token, "message": None, "said_at": None, "stands": False}
    return row | {"properties": {"kind": "fact", "value": "stolen", "confidence": 1.0}, **more}


def _asked(data: Data, *, named: str | None = None, clauses: Any = None) -> dict[str, Any]:
    mention = {"name": named or data.word, "qualified_name": None, "types": None}
    given = [{"tier": "text", "clause": f"+content:{data.word}"}] if clauses is None else clauses
    return {"mentions": [mention], "clauses": given, "files": [], "scopes": 9, "near": 99, "standing": 9}


# Both have a fact of one key, as no two owners of this library do.
_FACTS = (
    "MATCH (m:Memory) WHERE m.uuid = $b_memory SET m:Fact, m.kind = 'fact', m.fact_key = 'of b', m.value = 'kept', "
    "m.confidence = 1.0, m.type = 'personal', m.key = 'k'"
)

# Of a memory of who asks another owner's message is a source, and it is about another project's code, as no write makes
# it where it is of one project.
_STRANGE = (
    "MATCH (m:Memory {uuid: $a_memory}), (x:Message {uuid: $b_question}) CREATE (m)-[:DERIVED_FROM]->(x) "
    "WITH m MATCH (a:CodeAnchor {uuid: $b_anchor}) CREATE (m)-[:ABOUT]->(a)"
)
_FACT_OF_A = (
    "MATCH (f:Memory {uuid: $a_memory}) SET f:Fact, f.kind = 'fact', f.fact_key = 'of a', f.value = 'kept', "
    f"f.confidence = 1.0, f.type = 'personal', f.key = 'k' WITH count(*) AS set {_STRANGE}"
)
_ELSEWHERE = (
    "MATCH (m:Memory {uuid: $a_memory}), (s:Scope {uuid: $b_only_here}) "
    "CREATE (m)-[:ABOUT]->(:CodeAnchor {uuid: 'probe', key: 'probe', project: $a_project, name: 'probe', "
    "file: 'probe', status: 'fresh'})-[:RESOLVES_TO]->(s)"
)
_OF_ANOTHER_USER = (
    "MATCH (a:CodeAnchor {uuid: $a_anchor}) CREATE (:Memory {uuid: 'probe', user_id: 'another', project: $a_project, "
    "kind: 'note', content: 'theirs', is_active: true, created_at: datetime()})-[:ABOUT]->(a)"
)
_OF_ANOTHER_PROJECT = (
    "MATCH (a:CodeAnchor {uuid: $a_anchor}), (m:Memory {uuid: $a_memory}) CREATE (:Memory {uuid: 'probe', "
    "user_id: m.user_id, project: 'another', kind: 'note', content: 'its', is_active: true, created_at: datetime()})"
    "-[:ABOUT]->(a)"
)
# Nobody has looked what became of code before the first ingest; another project has had one.
_UNSEEN = (
    "MATCH (m:Memory {uuid: $a_memory}), (p:Project {uuid: $b_project_uuid}) SET p.indexedAt = datetime() "
    "CREATE (m)-[:ABOUT]->(:CodeAnchor {uuid: 'probe', key: 'probe', project: $a_project, name: 'probe', "
    "file: 'probe', status: 'orphaned'})"
)
_OF_ANOTHER_S_MESSAGE = (
    "MATCH (m:Memory {uuid: $a_memory}) CREATE (m)-[:DERIVED_FROM]->(:Message {uuid: 'probe', user_id: 'another', "
    "project: $a_project, conversation_id: 'probe', seq: 1, timestamp: datetime()})"
)
_TAKEN_BACK = (
    "MATCH (q:Message {uuid: $a_question}), (x:Message {uuid: $a_answer}), "
    "(y:Message {uuid: $b_question})<-[:DERIVED_FROM]-(m:Memory) CREATE (q)-[:CORRECTS {how: 'retracts'}]->(x), "
    "(x)-[:CORRECTS {how: 'corrects'}]->(y), (x)<-[:DERIVED_FROM]-(:Memory {uuid: 'probe', is_active: true}) "
    "SET m.is_active = false"
)


MEMORIES: dict[str, list[Probe]] = {
    "remember_facts": [
        Probe(lambda a, b: {"facts": [_fact(a, "another", message=b.question)]}),
    ],
    "recall_facts": [
        Probe(lambda a, b: {"clause": None, **_ASKED}, prepare=_FACTS, shares=True),
        Probe(lambda a, b: {**_words(b), **_ASKED}, prepare=_FACTS, shares=True),
        Probe(lambda a, b: {"clause": None, **_ASKED}, prepare=_FACT_OF_A, shares=True),
        Probe(
            lambda a, b: {"clause": None, **_ASKED},
            prepare=f"{_FACT_OF_A} WITH count(*) AS made {_ELSEWHERE}",
            shares=True,
        ),
        Probe(
            lambda a, b: {"clause": None, **_ASKED},
            prepare=f"{_FACT_OF_A} WITH count(*) AS made {_UNSEEN}",
            shares=True,
        ),
    ],
    "memories": [
        Probe(
            lambda a, b: {"before": "9999-01-01T00:00:00Z", "kinds": None, "include_inactive": True},
            prepare=_ELSEWHERE,
            shares=True,
        ),
        Probe(lambda a, b: {"before": "9999-01-01T00:00:00Z", "kinds": None, "include_inactive": True}, shares=True),
        Probe(
            lambda a, b: {"before": "9999-01-01T00:00:00Z", "kinds": None, "include_inactive": True},
            prepare=_STRANGE,
            shares=True,
        ),
        Probe(
            lambda a, b: {"before": "9999-01-01T00:00:00Z", "kinds": None, "include_inactive": True},
            prepare=_UNSEEN,
            shares=True,
        ),
    ],
    "memory_by_uuid": [
        Probe(lambda a, b: {"uuid": b.memory}, expect=nothing, shares=True),
        Probe(lambda a, b: {"uuid": a.memory}, prepare=_STRANGE, shares=True),
        Probe(lambda a, b: {"uuid": a.memory}, prepare=_UNSEEN, shares=True),
        Probe(lambda a, b: {"uuid": a.memory}, prepare=_ELSEWHERE, shares=True),
    ],
    "memory_versions": [
        Probe(lambda a, b: {"uuid": b.memory}, expect=nothing, shares=True),
        Probe(
            lambda a, b: {"uuid": a.memory},
            prepare="MATCH (m:Memory {uuid: $a_memory}), (n:Memory {uuid: $b_memory}) CREATE (n)-[:SUPERSEDED_BY]->(m)",
            expect=lambda rows: rows[0]["versions"] == [],
            shares=True,
        ),
    ],
    "forget_memory": [
        Probe(lambda a, b: {"uuid": b.memory, "version": FRESH_ID, "reason": ""}, expect=nothing, shares=True)
    ],
    "pending_memories": [
        Probe(lambda a, b: {"uuid": b.question}, prepare=_PENDING, expect=nothing),
        Probe(lambda a, b: {"uuid": None}, prepare=_PENDING, expect=something),
    ],
    "remember_messages": [
        Probe(lambda a, b: {"memories": [_row(a, b.question)]}, expect=nothing),
        Probe(lambda a, b: {"memories": [_row(a, a.question)]}),
        Probe(lambda a, b: {"memories": [_row(a, a.question, against=b.question, how="corrects")]}),
        Probe(
            lambda a, b: {"memories": [_row(a, a.question, against=a.answer, how="retracts", words_key="other")]},
            prepare=_TAKEN_BACK,
        ),
    ],
    "recall": [
        Probe(lambda a, b: _asked(b), shares=True),
        Probe(lambda a, b: _asked(b), prepare=_STRANGE, shares=True),
        Probe(lambda a, b: _asked(b), prepare=_UNSEEN, shares=True),
        Probe(lambda a, b: _asked(b, named=b.rare), prepare=_ELSEWHERE, shares=True),
        Probe(
            lambda a, b: _asked(a, clauses=[]),
            prepare=_OF_ANOTHER_PROJECT,
            expect=lambda rows: all(row["memory"]["uuid"] != "probe" for row in rows),
            shares=True,
        ),
        Probe(
            lambda a, b: _asked(a, clauses=[]),
            prepare=_OF_ANOTHER_USER,
            expect=lambda rows: all(row["memory"]["uuid"] != "probe" for row in rows),
            shares=True,
        ),
        Probe(
            lambda a, b: _asked(a),
            prepare=_OF_ANOTHER_S_MESSAGE,
            expect=lambda rows: all(source[0] != "probe" for row in rows for source in row["memory"]["sources"]),
            shares=True,
        ),
    ],
    "memory_contents": [Probe(lambda a, b: {"uuids": [b.memory]}, expect=nothing, shares=True)],
}
