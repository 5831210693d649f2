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
        shares: what is nobody's, or of no project, is everybody's here.
    """

    parameters: Callable[[Data, Data], Parameters]
    expect: Callable[[Rows], bool] = lambda rows: True
    prepare: str | None = None
    taken: bool = False
    shares: bool = False

    def given(self, mine: Data, other: Data) -> Parameters:
        """All that the statement is given, but whose it is."""
        return {**COMMON, **self.parameters(mine, other)}


def nothing(rows: Rows) -> bool:
    """No row came back."""
    return not rows


def something(rows: Rows) -> bool:
    """Rows came back."""
    return bool(rows)


FRESH = {"title": "stolen", "status": "active", "message_count": 0, "head_seq": 0}
FRESH_ID = "f" * 32
USED = {"tier": "recent", "tokens": 1, "rank": 1, "score": None, "cost": None}
MESSAGE = {"role": "user", "content": "hello", "state": "complete"}
VECTOR = [1.0] + [0.0] * (DIMENSION - 1)
EMBEDDING = "embedding_of_probes"


COMMON: Parameters = {
    **dict.fromkeys(("role", "since", "until", "tool", "tags", "before", "reader", "about", "asked", "words", "task")),
    **dict.fromkeys(("import_token", "created_at", "attempts", "title_source", "tool_name", "success", "status")),
    **dict.fromkeys(("summary", "message_id")),
    **{
        name: []
        for name in (
            "used_messages",
            "used_summaries",
            "used_memories",
            "prompts",
            "tool_calls",
            "touched",
            "mentions",
            "told",
        )
    },
    **{name: [] for name in ("mentioned_files", "known", "known_restored", "messages", "summaries", "uncommitted")},
    "unread": [],
    "hidden": [],
    "places": [],
    "marks": [],
    "kept": {},
    "corrects": {"uuid": None, "how": None},
    "recent": 98,
    "top": 99,
    "candidates": 9,
    "relevant": 9,
    "important": 9,
    "limit": 1_000_000,
    "patience": 0,
    "watermark": 0,
    "new_watermark": 3,
    "level": 2,
    "from_seq": 1,
    "summary_seq": 3,
    "every": 1,
    "pause": 0,
    "tokens": 1,
    "summarize_every": 1,
    "seconds": 30,
    "lease": 60_000,
    "before_seq": 0,
    "edges": 1,
    "sample": 100,
    "take": 100,
    "scan": 2_000,
    "overfetch": 200,
    "compared": 10,
    "most": 100,
    "dimension": DIMENSION,
    "floor": 100,
    "above": 0,
    "up_to": 100,
    "step": 1,
    "vector": VECTOR,
    "origin": [0.0] * DIMENSION,
    "worded": True,
    "extract": True,
    "done": True,
    "gives_way": True,
    "include_tool_calls": True,
    "filed": True,
    "eager": True,
    "broken_off": False,
    "filtered": False,
    "refresh": False,
    "uuid": FRESH_ID,
    "user": FRESH_ID,
    "token": "stolen",
    "holder": "h",
    "attempt": "t",
    "owner_token": "t",
    "commit": "c",
    "before_time": "9999-01-01T00:00:00Z",
    "before_uuid": "~",
    "before_conversation": "",
    "folder": "//",
    "message": MESSAGE,
    "title": "stolen",
    "property": EMBEDDING,
    "properties": FRESH,
}
"""What statements take besides what a probe is about."""


def turn(conversation_id: str, **ties: Any) -> Parameters:
    """What an answer, or a message, is written with."""
    return {"conversation_id": conversation_id, **ties}


def one_row(rows: Rows) -> bool:
    """One row came back."""
    return len(rows) == 1


# What was deleted and is still shared by a branch that lives.
SHARED = (
    "MATCH (c:Conversation {uuid: $b_conversation}) SET c.status = 'deleting', c.kept_to = 3 "
    "CREATE (c)-[:HAS_BRANCH {from_seq: 3}]->(:Conversation {uuid: 'probe', status: 'active', head_seq: 3, "
    "message_count: 0, lineage_ids: [c.uuid], lineage_tops: [3], user_id: c.user_id, project: c.project, "
    "created_at: datetime(), updated_at: datetime()})"
)


# Another owner's message is said against one of who asks.
CORRECTED = """
MATCH (m:Message {uuid: $a_question}), (x:Message {uuid: $b_question})
CREATE (x)-[:CORRECTS {how: 'corrects'}]->(m)
"""

UNOWNED: dict[str, str] = {
    "schema_state": "the schema is the server's",
    "taken_nodes": "whether a uuid is anybody's, so that an import gives another; nothing is told of whose",
    "begin_new_restore": "whether a uuid is anybody's, in which case nothing is begun; it makes what is the owner's",
    "filed_anywhere": "whether a uuid is anybody's conversation, whose file must stay; nothing is told of whose",
    "taken_anchors": "whether a uuid is another anchor's, so that an import gives another; nothing is told of whose",
    "claim_schema": "the schema is the server's",
    "record_schema": "the schema is the server's; fenced by the token of who makes it",
    "release_schema": "the schema is the server's; fenced by the token of who makes it",
    "await_indexes": "indexes are the server's",
    "schema_indexes": "indexes are the server's",
    "schema_constraints": "constraints are the server's",
    "vector_indexes": "indexes are the server's",
    "create_message_vector_index": "indexes are the server's",
    "create_scope_vector_index": "indexes are the server's",
    "create_conversation_vector_index": "indexes are the server's",
    "create_summary_vector_index": "indexes are the server's",
    "create_memory_vector_index": "indexes are the server's",
    "create_chunk_vector_index": "indexes are the server's",
    **dict.fromkeys(
        ("graph_labels", "label_properties", "graph_relationships", "graph_indexes"),
        "what a graph is made of, whoever made it: names and counts, no value",
    ),
    "server_answers": "touches no data",
    "nobodys_conversations": "what nobody owns becomes a project's; nothing is told of it but uuids",
    **dict.fromkeys(
        ("named_project", "similar_projects", "projects_called", "name_project", "all_projects"),
        "a name leads to a project, before there is an owner: names, places and counts, nothing that was said",
    ),
    "count_connections": "touches no data",
    "database_birth": "touches no data",
    "space_of_project": "which model's vectors are where is the server's; a project's choice is found by its own key",
    "chosen_space": "a project's choice is found by its own key",
    "claim_space": "a project's choice is found by its own key",
    "leave_space": "a project's choice is found by its own key",
    "space_ready": "a space is the server's",
    "space_by_key": "a space is the server's",
    "number_space": "a space is the server's",
    "last_space": "a space is the server's",
    "other_vectors": "which properties others have vectors in is the server's; nothing is told of whose",
    "retire_space": "a space is the server's, and retired where no project has it",
    "retired_spaces": "a space is the server's",
    "space_dropped": "a space is the server's",
    "drop_vector_index": "indexes are the server's",
    "claim_reembedding": "a project's choice is found by its own key",
    "renew_reembedding": "a project's choice is found by its own key; fenced by the token",
    "release_reembedding": "a project's choice is found by its own key; fenced by the token",
    **dict.fromkeys(
        ("begin_erasure", "note_erasure", "release_erasure", "pending_erasures"),
        "an erasure is found by its uuid, or whoever's by whoever opens the graph: who asked may never come back",
    ),
    **dict.fromkeys(
        ("count_of_user", "projects_of_user", "user_conversations", "erase_user", "left_of_user"),
        "a user is erased in every project; $user is the key",
    ),
    **dict.fromkeys(
        ("left_hanging", "left_of_memory", "left_operations", "left_statements"),
        "a number that proves an erasure, for anyone; nothing is told of whose",
    ),
    "count_memory_calls": "a counter is found by its key, a hash of its owner and its name",
    **dict.fromkeys(
        ("set_user_context", "count_usage"), "a user is the same in every project; $user is the key of the MERGE"
    ),
    "create_api_key": "a new key is found by its id, and told where the hash is the new one's",
    "record_audit": "a record is found by its uuid, and nothing is told of it",
    "space_cleared": "a project's choice is found by its own key; fenced by the token",
}
"""Statements without any owner filter, each with its reason."""

IDENTITY: dict[str, str] = {
    "take_ingest_lease": "the project is the key of its MERGE: without it there is nothing to merge on",
}
"""Statements whose filter cannot be taken away, because it is what they are about; they have probes nevertheless."""

PROJECT_ALONE: dict[str, str] = {
    "resolve_anchors": "an anchor is the project's, and all messages that are tied to it follow it",
    "forget_anchors": "an anchor is the project's, and goes when no user's message is tied to it",
    "anchor_anew": "what is said of code stands on the project's anchors, whoever said it",
    "untied_messages": "what all users said is tied to the project's code; the texts are read for names and go nowhere",
    "project_has_vectors": "a space belongs to the whole project, whichever users have messages in it",
    "label_reembedding": "a space belongs to the whole project",
    "clear_space": "a space belongs to the whole project",
    "pending_reembedding": "a space belongs to the whole project; the texts go to its model and nowhere else",
    "store_reembedded": "a space belongs to the whole project",
    "fail_reembedding": "a space belongs to the whole project",
    "write_files": "messages at the other end of an edge that goes are locked, and nothing else is done to them",
    "project_is_used": "whether there is anything of a project, whosever; nothing is told of what",
    "remove_files": "messages at the other end of an edge that goes are locked, and nothing else is done to them",
}
"""Statements that touch conversations or messages of every user of a project."""
