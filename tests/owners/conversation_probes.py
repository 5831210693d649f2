"""Probes for the statements on what a user has in a project; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.probes import (
    CORRECTED,
    FRESH_ID,
    USED,
    VECTOR,
    Parameters,
    Probe,
    nothing,
    one_row,
    something,
    turn,
)


def _context(conversation_id: str, **given: Any) -> Parameters:
    return {"conversation_id": conversation_id, **given}


def _summary(conversation_id: str, token: str, **members: list[str]) -> Parameters:
    properties = {"uuid": FRESH_ID, "to_seq": 3, "content": "stolen"}
    return {
        "conversation_id": conversation_id,
        "token": token,
        "properties": properties,
        "summary": "stolen",
        **members,
    }


def _release(conversation_id: str, token: str) -> Parameters:
    return {"conversation_id": conversation_id, "token": token, "watermark": 3, "summary": "stolen"}


def _branch(conversation_id: str, parent_id: str) -> Parameters:
    return {"conversation_id": conversation_id, "seq": 1, "lineage_ids": [parent_id], "lineage_tops": [1]}


def _history(conversation_id: str, before: str | None) -> Parameters:
    return {"conversation_id": conversation_id, "before": before, "limit": 50}


# Another owner's message is tied to code of who asks.
ANCHORED = """
MATCH (m:Message {uuid: $b_answer})
CREATE (m)-[:ANCHORED_AT {kind: 'read'}]->(:CodeAnchor {uuid: 'probe', key: 'probe', project: $a_project, name: 'probe',
  qualified_name: 'probe', file: 'probe', at_file: 'probe', at_key: 'probe'})
"""


_PROMPTED = (
    "MATCH (c:Conversation {uuid: $b_conversation}) "
    f"CREATE (:Prompt {{uuid: '{FRESH_ID}', text: 'x', user_id: c.user_id, project: c.project}})"
)
_AN_HOUR_AGO = "MATCH (m:Message {uuid: $b_unanswered}) SET m.timestamp = m.timestamp - duration('PT1H')"

CONVERSATIONS: dict[str, list[Probe]] = {
    "create_conversation": [Probe(lambda a, b: {"uuid": b.conversation}, expect=nothing, taken=True)],
    "open_conversation": [
        Probe(lambda a, b: {"session_id": b.session}),
        Probe(
            lambda a, b: {"session_id": "of b"},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) SET c.session_id = 'of b'",
        ),
    ],
    "session_conversation": [
        Probe(lambda a, b: {"session_id": b.session}, expect=one_row),
        Probe(
            lambda a, b: {"session_id": "of b"},
            prepare="MATCH (c:Conversation {uuid: $b_conversation}) SET c.session_id = 'of b'",
            expect=nothing,
        ),
    ],
    "get_conversation": [Probe(lambda a, b: {"uuid": b.conversation}, expect=nothing)],
    "find_conversations": [
        Probe(lambda a, b: {"reference": b.conversation}, expect=nothing),
        Probe(lambda a, b: {"reference": b.title}, expect=something),
    ],
    "list_conversations": [Probe(lambda a, b: {}, expect=something)],
    "update_conversation": [
        Probe(lambda a, b: {"uuid": b.conversation, "changes": {"title": "stolen"}}, expect=nothing)
    ],
    "tie_messages": [
        Probe(
            lambda a, b: {"rows": [{"message": b.question, "scopes": [FRESH_ID]}]},
            prepare=f"CREATE (:Scope {{uuid: '{FRESH_ID}', project: $a_project}})",
            expect=lambda rows: rows == [{"tied": 0}],
        )
    ],
    "branch_point": [
        Probe(lambda a, b: {"conversation_id": b.conversation}, expect=nothing),
        Probe(
            lambda a, b: {"conversation_id": a.conversation, "message_id": b.question},
            expect=lambda rows: rows[0]["message"] is None,
        ),
    ],
    "create_branch": [
        Probe(lambda a, b: _branch(b.conversation, b.conversation), expect=nothing),
        Probe(lambda a, b: _branch(a.conversation, b.conversation), expect=nothing),
        Probe(lambda a, b: _branch(b.conversation, a.conversation), expect=nothing),
        Probe(
            lambda a, b: {**_branch(a.conversation, a.conversation), "uuid": b.conversation}, expect=nothing, taken=True
        ),
    ],
    "branch_tree": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation},
            prepare="MATCH (x:Conversation {uuid: $b_conversation}) MATCH (y:Conversation {uuid: $a_conversation}) "
            "CREATE (x)-[:HAS_BRANCH {from_seq: 1}]->(y)",
            expect=nothing,
        ),
        Probe(
            lambda a, b: {"conversation_id": a.conversation},
            prepare="MATCH (x:Conversation {uuid: $a_conversation}) MATCH (y:Conversation {uuid: $b_conversation}) "
            "CREATE (x)-[:HAS_BRANCH {from_seq: 1}]->(y)",
            expect=one_row,
        ),
    ],
    "keep_shared": [Probe(lambda a, b: {"uuid": b.deleting}, expect=nothing)],
    "begin_delete": [Probe(lambda a, b: {"uuid": b.conversation, "token": "t"}, expect=nothing)],
    "delete_messages": [
        Probe(
            lambda a, b: {"uuid": b.deleting},
            prepare="MATCH (m:Message {uuid: $b_question}) SET m.conversation_id = $b_deleting",
        )
    ],
    "finish_delete": [Probe(lambda a, b: {"uuid": b.deleting})],
    "unfinished_deletes": [Probe(lambda a, b: {}, expect=something)],
    "append_message": [
        Probe(lambda a, b: turn(b.conversation), expect=nothing),
        Probe(lambda a, b: turn(a.conversation, corrects={"uuid": b.question, "how": "corrects"}), expect=something),
    ],
    "complete_turn": [
        Probe(lambda a, b: turn(b.conversation), expect=nothing),
        Probe(lambda a, b: turn(a.conversation, used_messages=[{"uuid": b.question, **USED}]), expect=something),
        Probe(lambda a, b: turn(a.conversation, used_summaries=[{"uuid": b.summary, **USED}]), expect=something),
        Probe(lambda a, b: turn(a.conversation, used_memories=[{"uuid": b.memory, **USED}]), shares=True),
    ],
    "reference_code": [
        Probe(lambda a, b: {"message_id": b.answer, "scopes": [b.caller], "kind": "read"}, expect=nothing)
    ],
    "referenced_code": [Probe(lambda a, b: {"conversation_id": b.conversation}, prepare=ANCHORED, expect=nothing)],
    "code_of_messages": [Probe(lambda a, b: {"uuids": [b.question, b.answer]}, prepare=ANCHORED, expect=nothing)],
    "messages_about": [Probe(lambda a, b: {"about": "probe", "limit": 50}, prepare=ANCHORED, expect=nothing)],
    "told_messages": [
        Probe(lambda a, b: {"uuids": [b.question, b.answer]}, prepare=ANCHORED, expect=nothing),
        Probe(
            lambda a, b: {"uuids": [a.question]},
            prepare=CORRECTED,
            expect=lambda rows: [row["corrected"] for row in rows] == [None],
        ),
    ],
    "ties_on_places": [
        Probe(lambda a, b: {"places": [{"file": "probe", "key": "probe"}]}, prepare=ANCHORED, expect=nothing)
    ],
    "turn_context": [
        Probe(lambda a, b: _context(b.conversation), expect=nothing),
        Probe(lambda a, b: _context(b.conversation, known=[b.question, b.answer]), expect=nothing),
        # Shared texts are asked for by a hash, and another's are as unknown as those of nobody.
        Probe(
            lambda a, b: _context(a.conversation, prompts=[FRESH_ID]),
            prepare=_PROMPTED,
            expect=lambda rows: rows[0]["missing"] == [FRESH_ID],
        ),
    ],
    "answered_message": [
        Probe(lambda a, b: {"conversation_id": b.conversation}, expect=nothing),
        Probe(lambda a, b: {"conversation_id": a.conversation, "message_id": b.question}, expect=nothing),
    ],
    "calls_before_copy": [
        Probe(
            lambda a, b: {"uuids": [b.call]},
            prepare="MATCH (call:ToolCall {uuid: $b_call}) SET call.source_uuid = 'source'",
            expect=nothing,
        )
    ],
    "messages_at": [Probe(lambda a, b: {"conversation_id": b.conversation, "seqs": [1, 2]}, expect=nothing)],
    "messages_between": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "floor": 0, "to_seq": 9}, expect=nothing)
    ],
    "kept_prompts": [Probe(lambda a, b: {"uuids": [FRESH_ID]}, prepare=_PROMPTED, expect=nothing)],
    "compression": [
        Probe(
            lambda a, b: {"uuid": FRESH_ID},
            prepare=f"MATCH (c:Conversation {{uuid: $b_conversation}}) CREATE (:Summary {{uuid: '{FRESH_ID}', "
            "user_id: c.user_id, project: c.project})",
            expect=nothing,
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
            expect=nothing,
        )
    ],
    "forget_prompts": [
        Probe(lambda a, b: {}, prepare=_PROMPTED, expect=lambda rows: rows == [{"forgotten": 0}], taken=True)
    ],
    "tool_result": [Probe(lambda a, b: {"uuid": b.call}, expect=nothing)],
    "history": [
        Probe(lambda a, b: _history(b.conversation, None), expect=nothing),
        Probe(lambda a, b: _history(a.conversation, b.unanswered)),
    ],
    "tool_calls": [Probe(lambda a, b: {"conversation_id": b.conversation}, expect=nothing)],
    "known_messages": [Probe(lambda a, b: {"uuids": [b.question, b.answer]}, expect=nothing)],
    "mark_unanswered": [Probe(lambda a, b: {"uuid": b.unanswered}, expect=nothing)],
    "unsettled_questions": [
        Probe(lambda a, b: {"conversation_id": b.conversation}, prepare=_AN_HOUR_AGO, expect=nothing)
    ],
    "settle_questions": [Probe(lambda a, b: {"conversation_id": b.conversation}, prepare=_AN_HOUR_AGO, expect=nothing)],
    "claim_question": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "uuid": b.unanswered, "seq": 3, "answer": FRESH_ID},
            expect=nothing,
        )
    ],
    "release_question": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "answer": FRESH_ID},
            prepare=f"MATCH (c:Conversation {{uuid: $b_conversation}}) SET c.asked_again_by = '{FRESH_ID}'",
            expect=nothing,
        )
    ],
    "pending_message_embeddings": [Probe(lambda a, b: {}, expect=something)],
    "store_message_embeddings": [Probe(lambda a, b: {"rows": [{"uuid": b.question, "vector": VECTOR}]})],
    "fail_message_embeddings": [Probe(lambda a, b: {"uuids": [b.question]})],
    "count_pending_message_embeddings": [Probe(lambda a, b: {}, expect=something)],
    "due_summaries": [Probe(lambda a, b: {"filed": False}, expect=something)],
    "claim_summary": [Probe(lambda a, b: {"conversation_id": b.conversation, "token": "stolen"}, expect=nothing)],
    "renew_summary_lease": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "token": b.token, "asked": 3}, expect=nothing)
    ],
    "summary_levels": [Probe(lambda a, b: {"conversation_id": b.conversation, "most": 3}, expect=nothing)],
    "rolling_summaries": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "level": 1, "floor": 0}, expect=nothing)
    ],
    "stretch_messages": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "from_seq": 1, "to_seq": 3, "characters": 100},
            expect=nothing,
        )
    ],
    "write_summary": [
        Probe(lambda a, b: _summary(b.conversation, b.token), expect=nothing),
        Probe(
            lambda a, b: _summary(a.conversation, a.token, messages=[b.question], summaries=[b.summary]),
            expect=something,
        ),
    ],
    "settle_title": [
        Probe(lambda a, b: {"conversation_id": b.conversation, "token": b.token, "title": "stolen"}, expect=nothing)
    ],
    "release_summary": [Probe(lambda a, b: _release(b.conversation, b.token), expect=nothing)],
    "pending_summary_embeddings": [Probe(lambda a, b: {}, expect=something)],
    "store_summary_embeddings": [Probe(lambda a, b: {"rows": [{"uuid": b.summary, "vector": VECTOR}]})],
    "fail_summary_embeddings": [Probe(lambda a, b: {"uuids": [b.summary]})],
    "count_pending_summary_embeddings": [Probe(lambda a, b: {}, expect=something)],
    "project_health": [Probe(lambda a, b: {}, expect=something)],
}
"""Statements on what a user has in a project."""
