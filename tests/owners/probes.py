"""For each statement with an owner filter: parameters of one owner, aimed at what another one has.

`Probe.parameters` gets the data of the owner who asks and of the other one. A probe passes where the statement
returns what it would return if the other owner had nothing, and changes nothing of the other's. ``expect`` says more
where that is not enough: it is given the rows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.owners.graph import DIMENSION, Data

Rows = list[dict[str, Any]]
Parameters = dict[str, Any]


@dataclass(frozen=True)
class Probe:
    """One way to ask.

    Args:
        parameters: from the data of who asks and of the other.
        expect: whether the rows are right.
        prepare: run before, in the same transaction, with the names of both (``$a_…``, ``$b_…``).
        taken: it asks to create something under a uuid that the other has, so "as if the other had nothing" cannot be.
    """

    parameters: Callable[[Data, Data], Parameters]
    expect: Callable[[Rows], bool] = lambda rows: True
    prepare: str | None = None
    taken: bool = False


def _nothing(rows: Rows) -> bool:
    return not rows


def _something(rows: Rows) -> bool:
    return bool(rows)


FRESH = {"title": "stolen", "status": "active", "message_count": 0, "head_seq": 0}
FRESH_ID = "f" * 32
USED = {"tier": "recent", "tokens": 1, "rank": 1, "score": None, "cost": None}
MESSAGE = {"role": "user", "content": "hello", "state": "complete"}
VECTOR = [1.0] + [0.0] * (DIMENSION - 1)
EMBEDDING = "embedding_of_probes"


def _turn(conversation_id: str, **ties: Any) -> Parameters:
    return {
        "conversation_id": conversation_id,
        "uuid": FRESH_ID,
        "message": MESSAGE,
        "embed": True,
        "summarize_every": 1,
        "tokens": 1,
        "used_messages": [],
        "used_summaries": [],
        "prompts": [],
        "title": "stolen",
        "title_source": "provisional",
        "tool_calls": [],
        "touched": [],
        "mentions": [],
        "mentioned_files": [],
        "told": [],
        **ties,
    }


def _context(conversation_id: str, **given: Any) -> Parameters:
    return {
        "conversation_id": conversation_id,
        "floor": 0,
        "top": 99,
        "words": None,
        "owner_token": "",
        "candidates": 9,
        "relevant": 9,
        "important": 9,
        "prompts": [],
        **given,
    }


def _summary(conversation_id: str, token: str, **members: list[str]) -> Parameters:
    return {
        "conversation_id": conversation_id,
        "token": token,
        "watermark": 0,
        "new_watermark": 3,
        "level": 2,
        "from_seq": 1,
        "properties": {"uuid": FRESH_ID, "to_seq": 3, "content": "stolen"},
        "summary": "stolen",
        "summary_seq": 3,
        "messages": [],
        "summaries": [],
        "embed": True,
        "lease": 1_000,
        **members,
    }


def _release(conversation_id: str, token: str) -> Parameters:
    return {
        "conversation_id": conversation_id,
        "token": token,
        "done": True,
        "watermark": 3,
        "summary": "stolen",
        "summary_seq": 3,
        "embed": True,
        "attempts": None,
        "pause": 0,
        "every": 1,
    }


def _branch(conversation_id: str, parent_id: str) -> Parameters:
    return {
        "conversation_id": conversation_id,
        "uuid": FRESH_ID,
        "seq": 1,
        "summary": None,
        "embed": True,
        "lineage_ids": [parent_id],
        "lineage_tops": [1],
        "properties": FRESH,
    }


def _history(conversation_id: str, before: str | None) -> Parameters:
    return {"conversation_id": conversation_id, "before": before, "limit": 50, "include_tool_calls": True}


def _files(data: Data, other: Data) -> list[dict[str, Any]]:
    """One's own file, from which another's scope is said to be gone, and with another's scope in it."""
    scopes = [{"uuid": other.caller, "properties": {"name": "stolen"}, "pending": True, "moved": True}]
    return [
        {"uuid": data.file_uuid, "properties": {"path": data.file}, "removed": [other.callee], "scopes": scopes},
        {"uuid": other.file_uuid, "properties": {"path": data.file}, "removed": [], "scopes": []},
    ]


# Another owner's message is tied to code of who asks.
ANCHORED = """
MATCH (m:Message {uuid: $b_answer})
CREATE (m)-[:ANCHORED_AT {kind: 'read'}]->(:CodeAnchor {uuid: 'probe', key: 'probe', project: $a_project, name: 'probe',
  qualified_name: 'probe', file: 'probe', at_file: 'probe', at_key: 'probe'})
"""


CONVERSATIONS: dict[str, list[Probe]] = {
    "create_conversation": [
        Probe(
            lambda a, b: {"uuid": b.conversation, "properties": FRESH, "owner_token": "t"},
            expect=_nothing,
            taken=True,
        ),
    ],
    "open_conversation": [
        Probe(lambda a, b: {"uuid": FRESH_ID, "session_id": b.session, "properties": FRESH, "owner_token": "t"}),
        Probe(
            lambda a, b: {"uuid": FRESH_ID, "session_id": "of b", "properties": FRESH, "owner_token": "t"},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) SET c.session_id = 'of b'",
        ),
    ],
    "get_conversation": [Probe(lambda a, b: {"uuid": b.conversation}, expect=_nothing)],
    "find_conversations": [
        Probe(lambda a, b: {"reference": b.conversation}, expect=_nothing),
        Probe(lambda a, b: {"reference": b.title}, expect=_something),
    ],
    "list_conversations": [
        Probe(
            lambda a, b: {
                "before_time": "9999-01-01T00:00:00Z",
                "before_uuid": "~",
                "status": None,
                "tags": None,
                "limit": 1_000,
                "since": None,
                "until": None,
            },
            expect=_something,
        )
    ],
    "update_conversation": [
        Probe(lambda a, b: {"uuid": b.conversation, "changes": {"title": "stolen"}, "embed": True}, expect=_nothing)
    ],
    "branch_point": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "message_id": None}, expect=_nothing),
        Probe(
            lambda a, b: {"conversation_id": a.conversation, "message_id": b.question},
            expect=lambda rows: rows[0]["message"] is None,
        ),
    ],
    "create_branch": [
        Probe(lambda a, b: _branch(b.conversation, b.conversation), expect=_nothing),
        Probe(lambda a, b: _branch(a.conversation, b.conversation), expect=_nothing),
        Probe(
            lambda a, b: {**_branch(a.conversation, a.conversation), "uuid": b.conversation},
            expect=_nothing,
            taken=True,
        ),
    ],
    "branch_tree": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation},
            prepare="MATCH (x:Conversation {uuid: $b_conversation}) MATCH (y:Conversation {uuid: $a_conversation}) "
            "CREATE (x)-[:HAS_BRANCH {from_seq: 1}]->(y)",
            expect=_nothing,
        ),
        Probe(
            lambda a, b: {"conversation_id": a.conversation},
            prepare="MATCH (x:Conversation {uuid: $a_conversation}) MATCH (y:Conversation {uuid: $b_conversation}) "
            "CREATE (x)-[:HAS_BRANCH {from_seq: 1}]->(y)",
            expect=lambda rows: len(rows) == 1,
        ),
    ],
    "keep_shared": [Probe(lambda a, b: {"uuid": b.deleting, "import_token": None}, expect=_nothing)],
    "begin_delete": [Probe(lambda a, b: {"uuid": b.conversation}, expect=_nothing)],
    "delete_messages": [
        Probe(
            lambda a, b: {"uuid": b.deleting},
            prepare="MATCH (m:Message {uuid: $b_question}) SET m.conversation_id = $b_deleting",
        )
    ],
    "finish_delete": [Probe(lambda a, b: {"uuid": b.deleting})],
    "unfinished_deletes": [Probe(lambda a, b: {}, expect=_something)],
    "append_message": [Probe(lambda a, b: _turn(b.conversation), expect=_nothing)],
    "complete_turn": [
        Probe(lambda a, b: _turn(b.conversation), expect=_nothing),
        Probe(
            lambda a, b: _turn(a.conversation, used_messages=[{"uuid": b.question, **USED}]),
            expect=_something,
        ),
        Probe(
            lambda a, b: _turn(a.conversation, used_summaries=[{"uuid": b.summary, **USED}]),
            expect=_something,
        ),
    ],
    "reference_code": [
        Probe(lambda a, b: {"message_id": b.answer, "scopes": [b.caller], "kind": "read"}, expect=_nothing)
    ],
    "referenced_code": [
        Probe(lambda a, b: {"conversation_id": b.conversation}, prepare=ANCHORED, expect=_nothing),
    ],
    "code_of_messages": [Probe(lambda a, b: {"uuids": [b.question, b.answer]}, prepare=ANCHORED, expect=_nothing)],
    "messages_about": [Probe(lambda a, b: {"about": "probe", "limit": 50}, prepare=ANCHORED, expect=_nothing)],
    "messages_on_places": [
        Probe(
            lambda a, b: {"places": [{"file": "probe", "key": "probe"}], "marks": []},
            prepare=ANCHORED,
            expect=_nothing,
        )
    ],
    "turn_context": [
        Probe(lambda a, b: _context(b.conversation), expect=_nothing),
        # Shared texts are asked for by a hash, and another's are as unknown as those of nobody.
        Probe(
            lambda a, b: _context(a.conversation, prompts=[FRESH_ID]),
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) "
            f"CREATE (:Prompt {{uuid: '{FRESH_ID}', text: 'x', user_id: c.user_id, project: c.project}})",
            expect=lambda rows: rows[0]["missing"] == [FRESH_ID],
        ),
    ],
    "answered_message": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "message_id": None}, expect=_nothing),
        Probe(lambda a, b: {"conversation_id": a.conversation, "message_id": b.question}, expect=_nothing),
    ],
    "messages_at": [Probe(lambda a, b: {"conversation_id": b.conversation, "seqs": [1, 2]}, expect=_nothing)],
    "messages_between": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "floor": 0, "to_seq": 9}, expect=_nothing)
    ],
    "kept_prompts": [
        Probe(
            lambda a, b: {"uuids": [FRESH_ID]},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) "
            f"CREATE (:Prompt {{uuid: '{FRESH_ID}', text: 'x', user_id: c.user_id, project: c.project}})",
            expect=_nothing,
        )
    ],
    "compression": [
        Probe(
            lambda a, b: {"uuid": FRESH_ID},
            prepare=f"MATCH (c:Conversation {{uuid: $b_conversation}}) CREATE (:Summary {{uuid: '{FRESH_ID}', "
            "user_id: c.user_id, project: c.project})",
            expect=_nothing,
        )
    ],
    "keep_compression": [
        Probe(
            lambda a, b: {
                "conversation_id": b.conversation,
                "from_seq": 1,
                "kept_tokens": 0,
                "properties": {"uuid": FRESH_ID, "to_seq": 2, "content": "stolen"},
            },
            expect=_nothing,
        )
    ],
    "forget_prompts": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) "
            f"CREATE (:Prompt {{uuid: '{FRESH_ID}', text: 'x', user_id: c.user_id, project: c.project}})",
            expect=lambda rows: rows == [{"forgotten": 0}],
            taken=True,
        )
    ],
    "tool_result": [Probe(lambda a, b: {"uuid": b.call}, expect=_nothing)],
    "history": [
        Probe(lambda a, b: _history(b.conversation, None), expect=_nothing),
        Probe(lambda a, b: _history(a.conversation, b.unanswered)),
    ],
    "tool_calls": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "tool_name": None, "success": None, "limit": 50},
            expect=_nothing,
        )
    ],
    "known_messages": [Probe(lambda a, b: {"uuids": [b.question, b.answer]}, expect=_nothing)],
    "mark_unanswered": [Probe(lambda a, b: {"uuid": b.unanswered}, expect=_nothing)],
    "settle_questions": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "patience": 0},
            prepare="MATCH (m:Message {uuid: $b_unanswered}) SET m.timestamp = m.timestamp - duration('PT1H')",
            expect=_nothing,
        )
    ],
    "pending_embeddings": [Probe(lambda a, b: {"limit": 1_000, "filed": True}, expect=_something)],
    "store_message_embeddings": [
        Probe(lambda a, b: {"property": EMBEDDING, "rows": [{"uuid": b.question, "vector": VECTOR}]})
    ],
    "fail_message_embeddings": [Probe(lambda a, b: {"uuids": [b.question]})],
    "count_pending": [Probe(lambda a, b: {}, expect=_something)],
    "due_summaries": [Probe(lambda a, b: {"every": 1, "limit": 1_000, "filed": False}, expect=_something)],
    "claim_summary": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "token": "stolen", "eager": True, "lease": 1_000},
            expect=_nothing,
        )
    ],
    "renew_summary_lease": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "token": b.token, "lease": 1_000}, expect=_nothing)
    ],
    "summary_levels": [Probe(lambda a, b: {"conversation_id": b.conversation, "most": 3}, expect=_nothing)],
    "rolling_summaries": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "level": 1, "floor": 0, "before": None}, expect=_nothing)
    ],
    "stretch_messages": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "from_seq": 1, "to_seq": 3, "characters": 100},
            expect=_nothing,
        )
    ],
    "write_summary": [
        Probe(lambda a, b: _summary(b.conversation, b.token), expect=_nothing),
        Probe(
            lambda a, b: _summary(a.conversation, a.token, messages=[b.question], summaries=[b.summary]),
            expect=_something,
        ),
    ],
    "settle_title": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "token": b.token, "title": "stolen", "embed": True},
            expect=_nothing,
        )
    ],
    "release_summary": [Probe(lambda a, b: _release(b.conversation, b.token), expect=_nothing)],
    "pending_summary_embeddings": [Probe(lambda a, b: {"limit": 1_000}, expect=_something)],
    "store_summary_embeddings": [
        Probe(lambda a, b: {"property": EMBEDDING, "rows": [{"uuid": b.summary, "vector": VECTOR}]})
    ],
    "fail_summary_embeddings": [Probe(lambda a, b: {"uuids": [b.summary]})],
    "count_pending_summaries": [Probe(lambda a, b: {}, expect=_something)],
    "project_health": [Probe(lambda a, b: {"property": EMBEDDING}, expect=_something)],
}
"""Statements on what a user has in a project."""


# Of who asks one message is tied to its own anchor, to another's, and to one that only another's scope resolves.
CROSSED = """
MATCH (m:Message {uuid: $a_answer}), (own:CodeAnchor {uuid: $a_anchor}), (theirs:CodeAnchor {uuid: $b_anchor}),
  (s:Scope {uuid: $b_caller})
CREATE (m)-[:ANCHORED_AT {kind: 'read'}]->(own), (m)-[:ANCHORED_AT {kind: 'tested'}]->(theirs),
  (m)-[:ANCHORED_AT {kind: 'edited'}]->(:CodeAnchor {uuid: 'hidden', key: 'hidden', project: $a_project, name: 'hidden',
    qualified_name: 'hidden', file: 'hidden', at_file: 'hidden', at_key: 'hidden'})-[:RESOLVES_TO]->(s)
"""


def _about(what: str) -> Callable[[Data, Data], Parameters]:
    """Asks for what another owner's code is called; ``qualified`` is its qualified name."""
    return lambda a, b: {"about": f"Q.{b.word}" if what == "qualified" else getattr(b, what), "limit": 50}


def _resolved(token: str, anchor: str, scope: str) -> Parameters:
    standing = {"status": "moved", "changed": True, "similarity": 0.5, "at_file": "f", "at_key": "k", "at_commit": "c"}
    row = {"uuid": anchor, "scope": scope, "moves": True, "standing": standing, "been": ["f\nk"], "been_code": ["h s"]}
    return {"token": token, "anchors": [row], "commit": "c", "seconds": 30}


CODE: dict[str, list[Probe]] = {
    "complete_turn": [
        Probe(lambda a, b: _turn(a.conversation, touched=[{"scope": b.caller, "kind": "read"}]), expect=_something),
        Probe(
            lambda a, b: _turn(a.conversation, touched=[{"scope": a.caller, "kind": "read"}]),
            expect=lambda rows: [row["referenced"] for row in rows] == [1],
        ),
        Probe(
            lambda a, b: _turn(
                a.conversation, mentions=[{"name": name, "qualified_name": None} for name in (b.word, b.rare)]
            ),
            expect=_something,
        ),
        Probe(
            lambda a, b: _turn(
                a.conversation,
                message={**MESSAGE, "in_reply_to": b.question},
                told=[{"name": name, "qualified_name": None} for name in (a.word, a.rare, b.word, b.rare)],
            ),
            expect=lambda rows: [row["referenced"] for row in rows] == [0],
        ),
    ],
    "project_health": [Probe(lambda a, b: {"property": "marked"}, expect=_something)],
    "last_ingest": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (p:Project) WHERE p.uuid IN [$a_project_uuid, $b_project_uuid] "
            "SET p.indexedAt = datetime('2026-01-02')",
            expect=lambda rows: len(rows) == 1,
        )
    ],
    "ingest_state": [
        Probe(lambda a, b: {}, expect=_something),
        Probe(
            lambda a, b: {},
            prepare="MATCH (x:CodeAnchor {uuid: $a_anchor}) DETACH DELETE x",
            expect=lambda rows: [row["anchored"] for row in rows] == [False],
        ),
    ],
    "anchors_of_files": [
        Probe(lambda a, b: {"files": [b.file]}, expect=_something),
        Probe(
            lambda a, b: {"files": ["elsewhere"]},
            prepare="MATCH (x:CodeAnchor {uuid: $b_anchor}) SET x.at_file = 'elsewhere'",
            expect=_nothing,
        ),
        Probe(
            lambda a, b: {"files": ["else where"]},
            prepare="MATCH (x:CodeAnchor {uuid: $b_anchor}) SET x:UndecidedAnchor, x.candidates = ['else where it']",
            expect=_nothing,
        ),
        # An orphan of one owner and a definition of its name that another has.
        *(
            Probe(
                lambda a, b: {"files": ["found again"]},
                prepare=f"MATCH (x:CodeAnchor {{uuid: ${anchor}}}), (s:Scope {{uuid: ${scope}}}) "
                "SET x.status = 'orphaned', x.name = 'again', s.name = 'again', s.file = 'found again'",
                expect=_nothing,
            )
            for anchor, scope in (("a_anchor", "b_caller"), ("b_anchor", "a_caller"))
        ),
    ],
    "anchored_files": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (x:CodeAnchor {uuid: $b_anchor}) SET x.at_file = 'elsewhere'",
            expect=lambda rows: not any(row["file"] == "elsewhere" for row in rows),
        )
    ],
    "definitions_of_files": [
        Probe(
            lambda a, b: {"files": [b.file]},
            prepare="MATCH (s:Scope) WHERE s.uuid IN [$a_caller, $b_caller] SET s.body_hash = 'b'",
            expect=_something,
        )
    ],
    "definitions_of_tokens": [
        Probe(
            lambda a, b: {"hashes": ["b"], "most": 10},
            prepare="MATCH (s:Scope) WHERE s.uuid IN [$a_caller, $b_caller] SET s.body_hash = 'b'",
            expect=lambda rows: [len(row["definitions"]) for row in rows] == [1],
        )
    ],
    "resolve_anchors": [
        Probe(lambda a, b: _resolved(b.token, b.anchor, b.caller), expect=_nothing),
        Probe(lambda a, b: _resolved(a.token, b.anchor, a.caller), expect=_something),
        Probe(lambda a, b: _resolved(a.token, a.anchor, b.caller), expect=_something),
    ],
    "reference_code": [
        Probe(
            lambda a, b: {"message_id": a.answer, "scopes": [b.caller, b.rare], "kind": "read"},
            expect=lambda rows: [row["tied"] for row in rows] == [0],
        ),
        Probe(
            lambda a, b: {"message_id": a.answer, "scopes": [a.caller], "kind": "read"},
            expect=lambda rows: len(rows) == 1,
        ),
    ],
    "messages_about": [
        *(
            Probe(_about(what), prepare=CROSSED, expect=lambda rows: len(rows) == 1)
            for what in ("word", "qualified", "file")
        ),
        Probe(_about("caller"), prepare=CROSSED, expect=_nothing),
        Probe(
            lambda a, b: {"about": "far.off", "limit": 50},
            prepare=CROSSED + "SET theirs.name = 'off', theirs.qualified_name = 'off', theirs.file = 'far/x.py'",
            expect=_nothing,
        ),
    ],
    "messages_on_places": [
        Probe(
            lambda a, b: {"places": [{"file": b.file, "key": "k1"}], "marks": []},
            prepare=CROSSED,
            expect=lambda rows: len(rows) == 1,
        ),
        Probe(
            lambda a, b: {"places": [], "marks": ["f\nk"]},
            prepare=CROSSED + "WITH own, theirs UNWIND [own, theirs] AS moved "
            "SET moved:MovedAnchor, moved.been = ['f\\nk'], moved.been_code = ['h s']",
            expect=lambda rows: len(rows) == 1,
        ),
    ],
    "claim_project": [
        Probe(
            lambda a, b: {"root": "/unclaimed", "uuid": FRESH_ID},
            # the other project is there, this one is not: it may take over what nobody has
            prepare="MATCH (p:Project {uuid: $a_project_uuid}) DETACH DELETE p "
            "CREATE (:Project {rootPath: '/unclaimed'})",
            expect=_something,
        )
    ],
    "take_ingest_lease": [
        Probe(
            lambda a, b: {
                "uuid": FRESH_ID,
                "root": b.root,
                "adopt": True,
                "token": "stolen",
                "holder": "h",
                "dead": b.token,
                "seconds": 30,
            }
        )
    ],
    "renew_ingest_lease": [Probe(lambda a, b: {"token": b.token, "seconds": 30}, expect=_nothing)],
    "release_ingest_lease": [Probe(lambda a, b: {"token": b.token}, expect=_nothing)],
    "finish_ingest": [
        Probe(
            lambda a, b: {"token": b.token, "commit": "x", "uncommitted": [], "facts_version": "1", "unresolved": 0},
            expect=_nothing,
        ),
        Probe(
            lambda a, b: {"token": a.token, "commit": "x", "uncommitted": [], "facts_version": "1", "unresolved": 0},
            expect=_something,
        ),
    ],
    "set_head_commit": [
        Probe(
            lambda a, b: {"commit": "stolen", "uncommitted": []},
            prepare="MATCH (p:Project {uuid: $b_project_uuid}) REMOVE p.ingest_token",
        )
    ],
    "stored_scopes": [Probe(lambda a, b: {"files": [b.file]}, expect=_something)],
    "write_files": [
        Probe(
            lambda a, b: {"token": a.token, "files": _files(a, b), "seconds": 30},
            expect=lambda rows: rows == [{"written": 1}],
            taken=True,
        ),
        Probe(lambda a, b: {"token": b.token, "files": _files(a, b), "seconds": 30}, expect=_nothing),
    ],
    "remove_files": [
        Probe(
            lambda a, b: {"token": a.token, "paths": [b.file], "seconds": 30},
            expect=_something,
            # what goes takes its edges along, and here some of them lead to the other's scopes
            prepare="MATCH (:Scope {uuid: $a_caller})-[r]-(:Scope {uuid: $b_callee}) DELETE r WITH DISTINCT 1 AS done "
            "MATCH (:Scope {uuid: $b_caller})-[r]-(:Scope {uuid: $a_callee}) DELETE r",
        ),
        Probe(lambda a, b: {"token": b.token, "paths": [b.file], "seconds": 30}, expect=_nothing),
    ],
    "scope_places": [Probe(lambda a, b: {"files": [b.file]}, expect=_something)],
    "edges_of_files": [Probe(lambda a, b: {"files": [b.file]}, expect=_something)],
    "write_edges": [
        Probe(
            lambda a, b: {
                "token": a.token,
                "seconds": 30,
                "edges": [
                    {"source": a.only_here, "target": b.only_here, "properties": {}},
                    {"source": b.only_here, "target": a.only_here, "properties": {}},
                ],
            },
            expect=_something,
        ),
        Probe(lambda a, b: {"token": b.token, "edges": [], "seconds": 30}, expect=_nothing),
    ],
    "remove_edges": [
        Probe(
            lambda a, b: {
                "token": a.token,
                "seconds": 30,
                "edges": [
                    {"source": a.caller, "target": b.callee, "type": "CONSUMES"},
                    {"source": b.caller, "target": a.callee, "type": "CONSUMES"},
                ],
            },
            expect=_something,
        ),
        Probe(lambda a, b: {"token": b.token, "edges": [], "seconds": 30}, expect=_nothing),
    ],
    "search_scopes_text": [
        Probe(lambda a, b: {"query": f'name:"{b.word}"', "limit": 100}, expect=_something),
    ],
    "search_scopes_vector": [
        Probe(lambda a, b: {"vector": VECTOR, "limit": 20, "overfetch": 200}, expect=_something),
    ],
    "scopes_by_name": [
        Probe(lambda a, b: {"name": b.rare, "limit": 100}, expect=_nothing),
        Probe(lambda a, b: {"name": f"Q.{b.word}", "limit": 100}, expect=_something),
        Probe(lambda a, b: {"name": b.word, "limit": 100}, expect=_something),
    ],
    "scopes_by_uuid": [Probe(lambda a, b: {"uuids": [b.caller, b.callee]}, expect=_nothing)],
    "scopes_of_file": [Probe(lambda a, b: {"file": b.file}, expect=_something)],
    "project_files": [Probe(lambda a, b: {}, expect=lambda rows: len(rows) == 1)],
    "scope_callers": [
        Probe(lambda a, b: {"uuid": b.callee, "limit": 100}, expect=_nothing),
        Probe(lambda a, b: {"uuid": a.callee, "limit": 100}, expect=_something),
    ],
    "scope_callees": [
        Probe(lambda a, b: {"uuid": b.caller, "limit": 100}, expect=_nothing),
        Probe(lambda a, b: {"uuid": a.caller, "limit": 100}, expect=_something),
    ],
    "scope_inheritors": [
        Probe(lambda a, b: {"uuid": b.callee, "limit": 100}, expect=_nothing),
        Probe(lambda a, b: {"uuid": a.callee, "limit": 100}, expect=_something),
    ],
    "scope_bases": [
        Probe(lambda a, b: {"uuid": b.caller, "limit": 100}, expect=_nothing),
        Probe(lambda a, b: {"uuid": a.caller, "limit": 100}, expect=_something),
    ],
    "scope_names": [Probe(lambda a, b: {}, expect=_something)],
    "project_revision": [Probe(lambda a, b: {}, expect=lambda rows: len(rows) == 1)],
    "scope_counts": [Probe(lambda a, b: {"property": "marked"}, expect=lambda rows: len(rows) == 1)],
    "pending_scopes": [Probe(lambda a, b: {"limit": 1_000}, expect=lambda rows: len(rows) == 1)],
    "count_pending_scopes": [Probe(lambda a, b: {}, expect=lambda rows: len(rows) == 1)],
    "store_scope_embeddings": [
        Probe(lambda a, b: {"property": EMBEDDING, "rows": [{"uuid": b.caller, "vector": VECTOR, "hash": "h1"}]})
    ],
    "fail_scope_embeddings": [Probe(lambda a, b: {"uuids": [b.caller]})],
    "project_has_vectors": [
        Probe(
            lambda a, b: {"property": EMBEDDING, "conversation_property": EMBEDDING},
            prepare=f"MATCH (n:{label} {{uuid: $b_{key}}}) SET n.{EMBEDDING} = 1",
            expect=lambda rows: rows == [{"used": False}],
        )
        for label, key in (("Scope", "caller"), ("Message", "question"), ("Conversation", "conversation"))
    ],
}
"""Statements on code, which belongs to a project alone."""

UNOWNED: dict[str, str] = {
    "schema_state": "the schema is the server's",
    "taken_nodes": "whether a uuid is anybody's, so that an import gives another; nothing is told of whose",
    "filed_anywhere": "whether a uuid is anybody's conversation, whose file must stay; nothing is told of whose",
    "taken_anchors": "whether a uuid is another anchor's, so that an import gives another; nothing is told of whose",
    "claim_migration": "the schema is the server's",
    "record_migration": "the schema is the server's; fenced by the migrator's token",
    "release_migration": "the schema is the server's; fenced by the migrator's token",
    "await_indexes": "indexes are the server's",
    "vector_indexes": "indexes are the server's",
    "create_message_vector_index": "indexes are the server's",
    "create_scope_vector_index": "indexes are the server's",
    "create_conversation_vector_index": "indexes are the server's",
    "create_summary_vector_index": "indexes are the server's",
    "server_answers": "touches no data",
    "count_connections": "touches no data",
    "database_birth": "touches no data",
    "space_of_project": "which model's vectors are where is the server's; a project's choice is found by its own key",
    "chosen_space": "a project's choice is found by its own key",
    "claim_space": "a project's choice is found by its own key",
    "leave_space": "a project's choice is found by its own key",
    "space_ready": "a space is the server's",
    "space_by_key": "a space is the server's",
    "number_space": "a space is the server's",
    "retire_space": "a space is the server's, and retired where no project has it",
    "retired_spaces": "a space is the server's",
    "space_dropped": "a space is the server's",
    "drop_vector_index": "indexes are the server's",
    "claim_reembedding": "a project's choice is found by its own key",
    "renew_reembedding": "a project's choice is found by its own key; fenced by the token",
    "release_reembedding": "a project's choice is found by its own key; fenced by the token",
    "space_cleared": "a project's choice is found by its own key; fenced by the token",
    "unclaimed_scopes": "asks for scopes that have no owner yet, by the root that they were made in",
}
"""Statements without any owner filter, each with its reason."""

IDENTITY: dict[str, str] = {
    "take_ingest_lease": "the project is the key of its MERGE: without it there is nothing to merge on",
}
"""Statements whose filter cannot be taken away, because it is what they are about; they have probes nevertheless."""

PROJECT_ALONE: dict[str, str] = {
    "resolve_anchors": "an anchor is the project's, and all messages that are tied to it follow it",
    "forget_anchors": "an anchor is the project's, and goes when no user's message is tied to it",
    "project_has_vectors": "a space belongs to the whole project, whichever users have messages in it",
    "label_reembedding": "a space belongs to the whole project",
    "clear_space": "a space belongs to the whole project",
    "pending_reembedding": "a space belongs to the whole project; the texts go to its model and nowhere else",
    "store_reembedded": "a space belongs to the whole project",
}
"""Statements that touch conversations or messages of every user of a project."""
