"""Probes for the statements that look definitions up, and that embed them; see `probes`."""

from __future__ import annotations

from tests.owners.probes import EMBEDDING, VECTOR, Probe, nothing, one_row, something

_MEMBER = (
    "MATCH (member:Scope {{uuid: ${member}}}), (type:Scope {{uuid: ${type}}}) "
    "SET member.file = type.file + '2' MERGE (member)-[:HAS_PARENT]->(type)"
)

SCOPES: dict[str, list[Probe]] = {
    "search_code_words": [Probe(lambda a, b: {"query": f'words:"{b.word}"'}, expect=something)],
    "count_code_words": [
        Probe(
            lambda a, b: {"words": [{"stem": b.word, "query": f'words:"{b.word}"'}]},
            expect=lambda rows: [row["texts"] for row in rows] == [1],
        )
    ],
    "own_texts": [
        Probe(
            lambda a, b: {"uuids": [b.caller, b.file_uuid]},
            prepare="MATCH (f:File) SET f.outside = 'x', f.outside_lines = [1, 1]",
            expect=nothing,
        ),
        Probe(
            lambda a, b: {"uuids": [a.caller]},
            prepare="MATCH (s:Scope {uuid: $a_caller}), (x:Scope {uuid: $b_caller}) SET x.parentUUID = s.uuid, "
            "x.file = s.file",
            expect=lambda rows: [row["inner"] for row in rows] == [[]],
        ),
    ],
    "search_scopes_vector": [Probe(lambda a, b: {"limit": 20}, expect=something)],
    "scopes_by_name": [
        Probe(lambda a, b: {"name": b.rare}, expect=nothing),
        Probe(lambda a, b: {"name": f"Q.{b.word}"}, expect=something),
        Probe(lambda a, b: {"name": b.word}, expect=something),
    ],
    "scopes_by_uuid": [Probe(lambda a, b: {"uuids": [b.caller, b.callee], "source": True}, expect=nothing)],
    "scopes_of_file": [Probe(lambda a, b: {"file": b.file}, expect=something)],
    "unread_files": [
        Probe(lambda a, b: {}, prepare="MATCH (f:File) SET f.broken = 'why'", expect=one_row),
        Probe(lambda a, b: {}, prepare="MATCH (p:Project) SET p.unread_files = ['a.py\\twhy']", expect=one_row),
    ],
    "project_files": [Probe(lambda a, b: {}, expect=one_row)],
    "scope_callers": [
        Probe(lambda a, b: {"uuid": b.callee}, expect=nothing),
        Probe(lambda a, b: {"uuid": a.callee}, expect=something),
    ],
    "scope_callees": [
        Probe(lambda a, b: {"uuid": b.caller}, expect=nothing),
        Probe(lambda a, b: {"uuid": a.caller}, expect=something),
    ],
    "scope_inheritors": [
        Probe(lambda a, b: {"uuid": b.callee}, expect=nothing),
        Probe(lambda a, b: {"uuid": a.callee}, expect=something),
    ],
    "scope_bases": [
        Probe(lambda a, b: {"uuid": b.caller}, expect=nothing),
        Probe(lambda a, b: {"uuid": a.caller}, expect=something),
    ],
    "scope_members": [
        Probe(
            lambda a, b: {"uuid": b.callee}, prepare=_MEMBER.format(member="a_caller", type="b_callee"), expect=nothing
        ),
        Probe(
            lambda a, b: {"uuid": a.callee}, prepare=_MEMBER.format(member="b_caller", type="a_callee"), expect=nothing
        ),
        Probe(
            lambda a, b: {"uuid": a.callee},
            prepare=_MEMBER.format(member="a_caller", type="a_callee"),
            expect=something,
        ),
    ],
    "scope_names": [Probe(lambda a, b: {}, expect=something)],
    "project_revision": [Probe(lambda a, b: {}, expect=one_row)],
    "scope_counts": [
        Probe(lambda a, b: {"property": "marked"}, expect=one_row),
        Probe(
            lambda a, b: {"property": "marked"},
            prepare="MATCH (f:File {uuid: $b_file_uuid}) SET f.language = 'cobol'",
            expect=lambda rows: rows[0]["languages"] == [],
        ),
    ],
    "pending_scopes": [Probe(lambda a, b: {}, expect=one_row)],
    "count_pending_scopes": [Probe(lambda a, b: {}, expect=one_row)],
    "store_scope_embeddings": [Probe(lambda a, b: {"rows": [{"uuid": b.caller, "vector": VECTOR, "hash": "h1"}]})],
    "fail_scope_embeddings": [Probe(lambda a, b: {"uuids": [b.caller]})],
    "project_has_vectors": [
        Probe(
            lambda a, b: {"conversation_property": EMBEDDING},
            prepare=f"MATCH (n:{label} {{uuid: $b_{key}}}) SET n.{EMBEDDING} = 1",
            expect=lambda rows: rows == [{"used": False}],
        )
        for label, key in (
            ("Scope", "caller"),
            ("Message", "question"),
            ("Chunk", "chunk"),
            ("Memory", "memory"),
            ("Conversation", "conversation"),
        )
    ],
}
