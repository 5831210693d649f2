"""Probes for the statements of memories; see `probes`."""

from __future__ import annotations

from typing import Any

from ragforge_memory.graph.text import owner_token
from tests.owners.graph import VECTOR, Data
from tests.owners.probes import EMBEDDING, FRESH_ID, Probe, Rows, nothing, something

_PENDING = "MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question] SET m:PendingMemory, m.kind = 'note'"


def _row(data: Data, message: str, **more: Any) -> dict[str, Any]:
    token = owner_token(data.owner.user_id, data.owner.project)
    row = {"uuid": message, "message": message, "project": data.owner.project, "owner_token": token}
    row |= {"properties": {"kind": "note", "content": "stolen"}, "words_key": data.word, "order_key": "another"}
    return row | {"stands": False, "against": None, "how": None, **more}


def _noted(data: Data) -> dict[str, Any]:
    properties = {"kind": "note", "content": "stolen", "tags": [], "tier": "long", "source": "controller"}
    return {"uuid": FRESH_ID, "words_key": data.word, "order_key": data.word, "ttl": 9, "properties": properties}


# Both have a question that is due, and a note that grows old.
_DUE = (
    "MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question] "
    "SET m:PendingExtraction, m.extract_token = 'stolen', m.extract_until = datetime('2020-01-01')"
)
_UNKNOWN = f"{_DUE} WITH count(*) AS set MATCH (m:Memory {{uuid: $a_memory}}) SET m.words_key = 'another'"
_OLD = (
    "MATCH (m:Memory) WHERE m.uuid IN [$a_memory, $b_memory] SET m:AgingMemory, m.tier = 'long', "
    "m.due_at = datetime('2020-01-01')"
)
_AGES = {"half_life": 30.0, "least": 0.1, "uses": 2}

_ASKED = {"types": None, "min_confidence": 0.0, "include_inactive": True}


def _words(data: Data) -> dict[str, Any]:
    """A clause without the owner: filters on nodes must do it alone."""
    return {"clause": f"+content:{data.word}"}


def _fact(data: Data, key: str, **more: Any) -> dict[str, Any]:
    token = owner_token(data.owner.user_id, data.owner.project)
    row = {"fact_key": key, "operation": FRESH_ID, "asked_at": None, "reason": "update", "project": data.owner.project}
    row |= {"owner_token": token, "message": None, "said_at": None, "stands": False}
    return row | {"properties": {"kind": "fact", "value": "stolen", "confidence": 1.0}, **more}


def _asked(data: Data, *, named: str | None = None, clauses: Any = None) -> dict[str, Any]:
    mention = {"name": named or data.word, "qualified_name": None, "types": None}
    given = [{"tier": "text", "clause": f"+content:{data.word}"}] if clauses is None else clauses
    tools = {"tools": ["deploy"], "failures": 9}
    return {"mentions": [mention], "clauses": given, "files": [], "scopes": 9, "near": 99, "standing": 9, **tools}


def _turn(data: Data, message: str, memory: str = FRESH_ID, *, failed: bool = True) -> dict[str, Any]:
    properties = {"kind": "tool_failure", "content": "stolen"}
    row = {"uuid": memory, "properties": properties if failed else None, "about": [data.word], "lasts": "P30D"}
    return {"turns": [{"message": message, "memories": [row]}]}


_CALLED = (
    "MATCH (m:Message) WHERE m.uuid IN [$a_question, $b_question, $a_answer, $b_answer] "
    "SET m:PendingToolMemory, m.content = 'said'"
)
_FAILED = (
    "MATCH (m:Memory) WHERE m.uuid IN [$a_memory, $b_memory] SET m:ToolFailure, m.tool = 'deploy', m.error = 'no', "
    "m.is_active = true, m.expires_at = datetime('9999-01-01T00:00:00Z')"
)
# Both have a fact of one key, as no two owners of this library do.
_FACTS = (
    "MATCH (m:Memory) WHERE m.uuid = $b_memory SET m:Fact, m.kind = 'fact', m.fact_key = 'of b', m.value = 'kept', "
    "m.confidence = 1.0, m.type = 'personal', m.key = 'k'"
)

# Of a memory of who asks another owner's message is a source, and it is about another project's code, as no write makes
# it where it is of one project.
STRANGE = (
    "MATCH (m:Memory {uuid: $a_memory}), (x:Message {uuid: $b_question}) CREATE (m)-[:DERIVED_FROM]->(x) "
    "WITH m MATCH (a:CodeAnchor {uuid: $b_anchor}) CREATE (m)-[:ABOUT]->(a)"
)
_FACT_OF_A = (
    "MATCH (f:Memory {uuid: $a_memory}) SET f:Fact, f.kind = 'fact', f.fact_key = 'of a', f.value = 'kept', "
    f"f.confidence = 1.0, f.type = 'personal', f.key = 'k' WITH count(*) AS set {STRANGE}"
)
ELSEWHERE = (
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


def _unseen(rows: list[Any]) -> bool:
    """Whether nobody has looked what became of the probe; projects of other tests have had their ingest."""
    found = [*rows, *(each for row in rows for each in row.get("found", ()))]
    codes = [code for each in found if "memory" in each for code in each["memory"]["code"]]
    return all(code["became"] is None for code in codes if code["anchor"]["name"] == "probe")


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
# Older servers read the vector from the property that the statement is given.
_NEAR = (
    "MATCH (n:Memory|Summary) WHERE n.uuid IN [$a_memory, $b_memory, $a_summary, $b_summary] "
    f"SET n.{EMBEDDING} = {VECTOR} WITH count(*) AS near "
)
# Another user's of every project.
_OF_EVERY_PROJECT = (
    "MATCH (mine:Memory {uuid: $a_memory}), (m:Memory {uuid: $b_memory}) WHERE m.user_id <> mine.user_id "
    "SET m.project = ''"
)

_AGAIN = {"version": FRESH_ID, "standing": []}
_FORGOTTEN = (
    "MATCH (n:Memory {uuid: $b_memory}), (m:Memory {uuid: $a_memory}) SET m.is_active = false, n.is_active = "
    "$a_memory <> $b_memory"
)
# What only another owner says against it, what took its place there, and what it took the place of.
_AGAINST = (
    "WITH m, n MATCH (q:Message {uuid: $a_question}), (r:Message {uuid: $b_question}), (w:Message {uuid: $a_answer}) "
    "CREATE (r)-[:CORRECTS {how: 'retracts'}]->(q), (m)-[:DERIVED_FROM]->(r), (w)-[:CORRECTS {how: 'retracts'}]->(r), "
    "(m)-[:SUPERSEDED_BY]->(n), (n)-[:SUPERSEDED_BY]->(m)"
)
_CHANGED = (
    "MATCH (n:Memory {uuid: $b_memory}), (m:Memory {uuid: $a_memory}), (q:Message {uuid: $a_question}), "
    "(r:Message {uuid: $b_question}), (w:Message {uuid: $a_answer}) SET m.is_active = false, n.is_active = false "
    "CREATE (q)-[:CORRECTS]->(r), (m)-[:DERIVED_FROM]->(r), (q)-[:CORRECTS]->(w), (n)-[:DERIVED_FROM]->(w), "
    "(n)-[:SUPERSEDED_BY]->(:Memory {uuid: $a_question, user_id: n.user_id, project: n.project, is_active: true}), "
    "(n)-[:HAS_VERSION]->(:FactVersion {uuid: $a_question, reason: 'forget'})"
)
_SCOPE = (
    "CREATE (:Scope {uuid: 'probe', project: $a_project, key: 'probe', anchor_key: 'probe', name: 'probe', "
    "qualified_name: 'probe', file: 'probe', startLine: 1, hash: 'h', body_hash: 'probe', type: 'function'})"
)


def _added(data: Data) -> dict[str, Any]:
    row = {**_row(data, FRESH_ID), "words_key": data.word}
    return {name: row[name] for name in ("uuid", "properties", "words_key", "order_key", "stands")}


def _restored(rows: Rows) -> bool:
    return rows == [{"restored": True, "instead": None}]


MEMORIES: dict[str, list[Probe]] = {
    "claim_extractions": [Probe(lambda a, b: {"near": 9}, prepare=_DUE, expect=something)],
    "claimed_extractions": [Probe(lambda a, b: {"near": 9}, prepare=_DUE, expect=something)],
    "finish_extraction": [
        Probe(lambda a, b: {"uuid": b.question, "notes": []}, prepare=_DUE, expect=nothing),
        Probe(
            lambda a, b: {"uuid": a.question, "notes": [_noted(a)]},
            prepare=_UNKNOWN,
            expect=lambda rows: rows[0]["stored"] == 1,
        ),
    ],
    "release_extractions": [Probe(lambda a, b: {}, prepare=_DUE)],
    "age_memories": [
        Probe(lambda a, b: _AGES, prepare=_OLD, expect=lambda rows: rows == [{"is": "fades", "times": 1}])
    ],
    "remember_facts": [
        Probe(lambda a, b: {"facts": [_fact(a, "another", message=b.question)]}),
    ],
    "recall_facts": [
        Probe(lambda a, b: {"clause": None, **_ASKED}, prepare=_FACTS, shares=True),
        Probe(lambda a, b: {**_words(b), **_ASKED}, prepare=_FACTS, shares=True),
        Probe(lambda a, b: {"clause": None, **_ASKED}, prepare=_FACT_OF_A, shares=True),
        Probe(
            lambda a, b: {"clause": None, **_ASKED},
            prepare=f"{_FACT_OF_A} WITH count(*) AS made {ELSEWHERE}",
            shares=True,
        ),
        Probe(
            lambda a, b: {"clause": None, **_ASKED},
            prepare=f"{_FACT_OF_A} WITH count(*) AS made {_UNSEEN}",
            expect=_unseen,
            shares=True,
        ),
    ],
    "memories": [
        Probe(
            lambda a, b: {"before": "9999-01-01T00:00:00Z", "kinds": None, "include_inactive": True},
            prepare=ELSEWHERE,
            shares=True,
        ),
        Probe(lambda a, b: {"before": "9999-01-01T00:00:00Z", "kinds": None, "include_inactive": True}, shares=True),
        Probe(
            lambda a, b: {"before": "9999-01-01T00:00:00Z", "kinds": None, "include_inactive": True},
            prepare=STRANGE,
            shares=True,
        ),
        Probe(
            lambda a, b: {"before": "9999-01-01T00:00:00Z", "kinds": None, "include_inactive": True},
            prepare=_UNSEEN,
            expect=_unseen,
            shares=True,
        ),
    ],
    "memory_by_uuid": [
        Probe(lambda a, b: {"uuid": b.memory}, expect=nothing, shares=True),
        Probe(lambda a, b: {"uuid": a.memory}, prepare=STRANGE, shares=True),
        Probe(lambda a, b: {"uuid": a.memory}, prepare=_UNSEEN, expect=_unseen, shares=True),
        Probe(lambda a, b: {"uuid": a.memory}, prepare=ELSEWHERE, shares=True),
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
        Probe(
            lambda a, b: {"uuid": b.memory, "operation": FRESH_ID, "asked_at": None, "reason": ""},
            expect=nothing,
            shares=True,
        )
    ],
    "add_memory": [
        Probe(
            lambda a, b: _added(a),
            prepare="MATCH (m:Memory {uuid: $a_memory}) SET m.words_key = 'others'",
            expect=lambda rows: rows == [{"uuid": FRESH_ID}],
            shares=True,
        ),
    ],
    "restore_memory": [
        Probe(lambda a, b: {"uuid": b.memory, **_AGAIN}, prepare=_FORGOTTEN, expect=nothing, shares=True),
        Probe(lambda a, b: {"uuid": a.memory, **_AGAIN}, prepare=_FORGOTTEN, expect=_restored, shares=True),
        Probe(
            lambda a, b: {"uuid": a.memory, **_AGAIN},
            prepare=f"{_FORGOTTEN}, n.words_key = 'others' {_AGAINST}",
            expect=_restored,
            shares=True,
        ),
    ],
    "memory_changes": [
        Probe(lambda a, b: {"uuid": b.question}, expect=nothing),
        Probe(
            lambda a, b: {"uuid": a.question},
            prepare=_CHANGED,
            expect=lambda rows: rows == [{"saved": False, "took": []}],
        ),
    ],
    "tie_memory": [
        Probe(lambda a, b: {"uuid": b.memory, "scopes": ["probe"]}, prepare=_SCOPE, expect=nothing),
        Probe(
            lambda a, b: {"uuid": a.memory, "scopes": ["probe"]},
            prepare=_SCOPE,
            expect=lambda rows: [row["tied"] for row in rows] == [1],
        ),
        Probe(
            lambda a, b: {"uuid": a.memory, "scopes": [b.only_here]},
            prepare="MATCH (s:Scope {uuid: $b_only_here}) SET s.anchor_key = 'probe'",
        ),
    ],
    "pending_memories": [
        Probe(lambda a, b: {"uuid": b.question, "without": []}, prepare=_PENDING, expect=nothing),
        Probe(lambda a, b: {"uuid": None, "without": []}, prepare=_PENDING, expect=something),
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
    "pending_tool_memories": [
        Probe(lambda a, b: {"filed": False}, prepare=_CALLED, expect=something),
    ],
    "remember_tool_calls": [
        Probe(lambda a, b: _turn(a, b.answer), prepare=_CALLED),
        Probe(lambda a, b: _turn(a, a.answer, b.memory, failed=False), prepare=_CALLED),
    ],
    "tool_failure": [Probe(lambda a, b: {"uuid": b.memory}, prepare=_FAILED, expect=nothing)],
    "recall": [
        Probe(lambda a, b: _asked(b), shares=True),
        Probe(lambda a, b: {**_asked(a, clauses=[]), "mentions": []}, prepare=_FAILED, shares=True),
        Probe(lambda a, b: _asked(b), prepare=STRANGE, shares=True),
        Probe(lambda a, b: _asked(b), prepare=_UNSEEN, expect=_unseen, shares=True),
        Probe(lambda a, b: _asked(b, named=b.rare), prepare=ELSEWHERE, shares=True),
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
    "memory_contents": [
        Probe(lambda a, b: {"uuids": [b.memory]}, expect=nothing, shares=True),
        Probe(lambda a, b: {"uuids": [b.summary]}, expect=nothing),
    ],
    "pending_memory_embeddings": [
        Probe(lambda a, b: {}, shares=True),
        Probe(lambda a, b: {}, prepare=_OF_EVERY_PROJECT, shares=True),
    ],
    "store_memory_embeddings": [
        Probe(lambda a, b: {"rows": [{"uuid": b.memory, "content": b.word, "vector": VECTOR}]}, shares=True),
    ],
    "fail_memory_embeddings": [Probe(lambda a, b: {"uuids": [b.memory]}, shares=True)],
    "count_pending_memory_embeddings": [Probe(lambda a, b: {}, shares=True)],
    "near_memories": [
        Probe(lambda a, b: {"vector": VECTOR}, prepare=f"{_NEAR} RETURN near", shares=True),
        Probe(lambda a, b: {"vector": VECTOR}, prepare=f"{_NEAR} {STRANGE}", shares=True),
        Probe(lambda a, b: {"vector": VECTOR}, prepare=f"{_NEAR} {_UNSEEN}", expect=_unseen, shares=True),
        Probe(lambda a, b: {"vector": VECTOR}, prepare=f"{_NEAR} {ELSEWHERE}", shares=True),
    ],
    # Below whatever asks, and above it.
    "near_summaries": [
        Probe(lambda a, b: {"vector": VECTOR, "conversation_id": "", "least": 0.0}, prepare=f"{_NEAR} RETURN near"),
        Probe(lambda a, b: {"vector": VECTOR, "conversation_id": "zzzz", "least": 0.0}, prepare=f"{_NEAR} RETURN near"),
    ],
}
