"""Probes for the statements of claims and of projects' names; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import Probe, nothing

_CONTINUED = "MATCH (c:Conversation {uuid: $b_conversation}) CREATE (c)-[:HAS_MESSAGE]->(:Message {uuid: 'more'})"
# Of nobody, with a place of its own.
_NUMBERED = (
    "MATCH (c:Conversation {uuid: $b_conversation}) CREATE (c)-[:HAS_MESSAGE]->(:Message {uuid: 'more', seq: 9})"
)
_EMPTIED = "MATCH (n:Conversation|Memory|Document) WHERE n.project = $a_project DETACH DELETE n"
# The other has one kind of thing alone.
_LEFT = {
    "Conversation": "MATCH (n:Memory|Document) WHERE n.project = $b_project DETACH DELETE n",
    "Memory": "MATCH (n:Conversation|Document) WHERE n.project = $b_project DETACH DELETE n",
    "Document": "MATCH (n:Conversation|Memory) WHERE n.project = $b_project DETACH DELETE n",
}
_NO_SESSION = "MATCH (c:Conversation {uuid: $b_conversation}) REMOVE c.session_id"


def _claim(data: Data) -> dict[str, Any]:
    given = {"conversation_id": data.conversation, "head": 3, "is_nobodys": False, "said_at": None}
    return {**given, "messages": [], "uuids": [], "limit": 100}


CLAIMS: dict[str, list[Probe]] = {
    "continued_conversations": [Probe(lambda a, b: {}, prepare=_CONTINUED, expect=nothing)],
    "clear_places": [Probe(lambda a, b: _claim(b), prepare=_NUMBERED, expect=nothing)],
    "unclaimed_times": [Probe(lambda a, b: _claim(b), prepare=_NUMBERED, expect=nothing)],
    "unclaimed_messages": [Probe(lambda a, b: _claim(b), expect=nothing)],
    "claim_messages": [Probe(lambda a, b: _claim(b), prepare=_NO_SESSION, expect=nothing)],
}
"""Statements on conversations, which belong to a user in a project."""

NAMES: dict[str, list[Probe]] = {
    "project_is_used": [
        Probe(
            lambda a, b: {},
            prepare=f"{_EMPTIED} WITH count(*) AS gone {left}",
            expect=lambda rows: rows == [{"used": False}],
        )
        for left in _LEFT.values()
    ],
    "forget_project_name": [
        Probe(
            lambda a, b: {"name": f"name of {b.word}"},
            prepare="CREATE (:ProjectName {name: 'name of ' + $b_word, project: $b_project})",
            expect=lambda rows: rows == [{"forgotten": 0}],
        )
    ],
    "move_project": [
        Probe(
            lambda a, b: {"old_root": "/moved", "new_root": "/elsewhere"},
            prepare="MATCH (p:Project {uuid: $b_project_uuid}) SET p.rootPath = '/moved'",
            expect=nothing,
        )
    ],
}
"""Statements on names and code, which belong to a project alone."""
