"""Probes for the statements on what messages are tied to: code and anchors; see `probes`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import MESSAGE, Parameters, Probe, nothing, one_row, something, turn

# Of who asks one message is tied to its own anchor, to another's, and to one that only another's scope resolves.
CROSSED = """
MATCH (m:Message {uuid: $a_answer}), (own:CodeAnchor {uuid: $a_anchor}), (theirs:CodeAnchor {uuid: $b_anchor}),
  (s:Scope {uuid: $b_caller})
CREATE (m)-[:ANCHORED_AT {kind: 'read'}]->(own), (m)-[:ANCHORED_AT {kind: 'tested'}]->(theirs),
  (m)-[:ANCHORED_AT {kind: 'edited'}]->(:CodeAnchor {uuid: 'hidden', key: 'hidden', project: $a_project, name: 'hidden',
    qualified_name: 'hidden', file: 'hidden', at_file: 'hidden', at_key: 'hidden'})-[:RESOLVES_TO]->(s)
"""

# What a message of who asks is tied to stands on nothing, and only the other's project was ingested.
INGESTED_ELSEWHERE = """
MATCH (m:Message {uuid: $a_answer}), (own:CodeAnchor {uuid: $a_anchor})-[stands:RESOLVES_TO]->(),
  (p:Project {uuid: $b_project_uuid})
CREATE (m)-[:ANCHORED_AT {kind: 'read'}]->(own)
SET p.indexedAt = datetime()
DELETE stands
"""


# A message of who asks was tied to both anchors when its scope had this hash.
SAID_OF_NOW = """
MATCH (m:Message {uuid: $a_answer}), (own:CodeAnchor {uuid: $a_anchor}), (theirs:CodeAnchor {uuid: $b_anchor})
CREATE (m)-[:ANCHORED_AT {kind: 'edited', scope_hash: 'then'}]->(own),
  (m)-[:ANCHORED_AT {kind: 'edited', scope_hash: 'then'}]->(theirs)
"""


def _said_of_now(token: str, scope: str, anchor: str) -> Parameters:
    return {"token": token, "scopes": [{"scope": scope, "anchor": anchor, "hash": "then"}]}


def _not_looked_for(parameters: Callable[[Data, Data], Parameters]) -> Probe:
    """Asks for what such a tie became: in one's own project nobody knows."""
    return Probe(parameters, prepare=INGESTED_ELSEWHERE, expect=lambda rows: [row["became"] for row in rows] == [None])


def _about(what: str) -> Callable[[Data, Data], Parameters]:
    """Asks for what another owner's code is called; ``qualified`` is its qualified name, ``place`` that in its file."""

    def asked(a: Data, b: Data) -> Parameters:
        names = {"qualified": f"Q.{b.word}", "place": f"{b.file}:Q.{b.word}"}
        return {"about": names.get(what) or getattr(b, what)}

    return asked


def _resolved(token: str, anchor: str, scope: str) -> Parameters:
    standing = {"status": "moved", "changed": True, "similarity": 0.5, "at_file": "f", "at_key": "k", "at_commit": "c"}
    row = {"uuid": anchor, "scope": scope, "moves": True, "standing": standing, "been": ["f\nk"], "been_code": ["h s"]}
    return {"token": token, "anchors": [row]}


def _mention(name: str) -> Parameters:
    return {"name": name, "qualified_name": None, "types": None}


def _named(name: str) -> list[Parameters]:
    return [{"place": 0, "mentions": [_mention(name)], "files": [], "read": []}]


def _ties(data: Data, scope: str) -> Parameters:
    """Ties the question of one owner to a scope."""
    return {"rows": [{"message": data.question, "scopes": [scope]}]}


def _tied(count: int) -> Callable[[list[dict[str, Any]]], bool]:
    return lambda rows: [row["tied"] for row in rows] == [count]


TIES: dict[str, list[Probe]] = {
    "complete_turn": [
        Probe(lambda a, b: turn(a.conversation, touched=[{"scope": b.caller, "kind": "read"}]), expect=something),
        Probe(
            lambda a, b: turn(a.conversation, touched=[{"scope": a.caller, "kind": "read"}]),
            expect=lambda rows: [row["referenced"] for row in rows] == [1],
        ),
        Probe(
            lambda a, b: turn(
                a.conversation,
                mentions=[_mention(name) for name in (b.word, b.rare)],
            ),
            expect=something,
        ),
        Probe(
            lambda a, b: turn(
                a.conversation,
                message={**MESSAGE, "in_reply_to": b.question},
                told=[_mention(name) for name in (a.word, a.rare, b.word, b.rare)],
            ),
            expect=lambda rows: [row["referenced"] for row in rows] == [0],
        ),
    ],
    "named_scopes": [
        Probe(lambda a, b: {"named": _named(a.word)}, expect=lambda rows: [len(row["scopes"]) for row in rows] == [1])
    ],
    "tie_messages": [
        Probe(lambda a, b: _ties(a, a.caller), expect=_tied(1)),
        Probe(lambda a, b: _ties(a, b.caller), expect=_tied(0)),
    ],
    "untied_since": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (p:Project) WHERE p.uuid IN [$a_project_uuid, $b_project_uuid] "
            "SET p.untied_since = datetime('2026-01-02'), p.finished_at = datetime('2026-01-03')",
            expect=one_row,
        )
    ],
    "untied_messages": [
        Probe(
            # Said after all else that is on the server: a page has room for no more.
            lambda a, b: {"since": "2999-01-01T00:00:00Z", "after": ""},
            prepare="MATCH (m:Message) WHERE m.uuid IN [$a_answer, $b_answer] "
            "SET m.timestamp = datetime('2999-01-02') WITH m MATCH (m)-[tie:ANCHORED_AT]->() DELETE tie",
            expect=something,
        )
    ],
    "tied_again": [
        Probe(
            lambda a, b: {"finished": "2026-01-03T00:00:00Z"},
            prepare="MATCH (p:Project {uuid: $b_project_uuid}) "
            "SET p.untied_since = datetime('2026-01-02'), p.finished_at = datetime('2026-01-03')",
        )
    ],
    "files_of_scopes": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (s:Scope {uuid: $b_caller}) SET s.body_hash = 'b', s.file = 'elsewhere'",
            expect=lambda rows: not any(row["path"] == "elsewhere" for row in rows),
        )
    ],
    "anchors_of_files": [
        Probe(lambda a, b: {"files": [b.file]}, expect=something),
        Probe(
            lambda a, b: {"files": ["elsewhere"]},
            prepare="MATCH (x:CodeAnchor {uuid: $b_anchor}) SET x.at_file = 'elsewhere'",
            expect=nothing,
        ),
        Probe(
            lambda a, b: {"files": ["else where"]},
            prepare="MATCH (x:CodeAnchor {uuid: $b_anchor}) SET x:UndecidedAnchor, x.candidates = ['else where it']",
            expect=nothing,
        ),
        # An orphan of one owner and a definition of its name that another has.
        *(
            Probe(
                lambda a, b: {"files": ["found again"]},
                prepare=f"MATCH (x:CodeAnchor {{uuid: ${anchor}}}), (s:Scope {{uuid: ${scope}}}) "
                "SET x.status = 'orphaned', x.name = 'again', s.name = 'again', s.file = 'found again'",
                expect=nothing,
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
            expect=something,
        )
    ],
    "definitions_of_tokens": [
        Probe(
            lambda a, b: {"hashes": ["b"]},
            prepare="MATCH (s:Scope) WHERE s.uuid IN [$a_caller, $b_caller] SET s.body_hash = 'b'",
            expect=lambda rows: [len(row["definitions"]) for row in rows] == [1],
        )
    ],
    "anchor_anew": [
        Probe(lambda a, b: _said_of_now(b.token, a.caller, a.anchor), prepare=SAID_OF_NOW, expect=nothing),
        Probe(lambda a, b: _said_of_now(a.token, a.caller, a.anchor), prepare=SAID_OF_NOW, expect=_tied(1)),
        Probe(lambda a, b: _said_of_now(a.token, b.caller, a.anchor), prepare=SAID_OF_NOW, expect=_tied(0)),
        Probe(lambda a, b: _said_of_now(a.token, a.caller, b.anchor), prepare=SAID_OF_NOW, expect=_tied(0)),
    ],
    "resolve_anchors": [
        Probe(lambda a, b: _resolved(b.token, b.anchor, b.caller), expect=nothing),
        Probe(lambda a, b: _resolved(a.token, b.anchor, a.caller), expect=something),
        Probe(lambda a, b: _resolved(a.token, a.anchor, b.caller), expect=something),
    ],
    "reference_code": [
        Probe(
            lambda a, b: {"message_id": a.answer, "scopes": [b.caller, b.rare], "kind": "read"},
            prepare="MATCH (s:Scope) WHERE s.uuid IN [$a_caller, $b_caller] SET s.anchor_key = 'k'",
            expect=lambda rows: [len(row["unclear"]) for row in rows] == [2],
        ),
        Probe(lambda a, b: {"message_id": a.answer, "scopes": [a.caller], "kind": "read"}, expect=one_row),
    ],
    "code_of_messages": [_not_looked_for(lambda a, b: {"uuids": [a.answer]})],
    "referenced_code": [_not_looked_for(lambda a, b: {"conversation_id": a.conversation})],
    "history": [
        Probe(
            lambda a, b: {"conversation_id": a.conversation, "limit": 50, "include_tool_calls": False},
            prepare=INGESTED_ELSEWHERE,
            expect=lambda rows: "'read'" in repr(rows) and "'status': 'fresh'" not in repr(rows),
        )
    ],
    "messages_about": [
        _not_looked_for(lambda a, b: {"about": a.word}),
        *(Probe(_about(what), prepare=CROSSED, expect=one_row) for what in ("word", "qualified", "file", "place")),
        Probe(_about("caller"), prepare=CROSSED, expect=nothing),
        Probe(
            lambda a, b: {"about": "far.off"},
            prepare=CROSSED + "SET theirs.name = 'off', theirs.qualified_name = 'off', theirs.file = 'far/x.py'",
            expect=nothing,
        ),
        Probe(
            lambda a, b: {"about": "far.off"},
            prepare=CROSSED + "SET s.name = 'off', s.qualified_name = 'off', s.file = 'far/x.py'",
            expect=nothing,
        ),
    ],
    "ties_on_places": [
        _not_looked_for(lambda a, b: {"places": [{"file": a.file, "key": "k1"}]}),
        Probe(lambda a, b: {"places": [{"file": b.file, "key": "k1"}]}, prepare=CROSSED, expect=one_row),
        Probe(
            lambda a, b: {"marks": ["f\nk"]},
            prepare=CROSSED + "WITH own, theirs UNWIND [own, theirs] AS moved "
            "SET moved:MovedAnchor, moved.been = ['f\\nk'], moved.been_code = ['h s']",
            expect=one_row,
        ),
    ],
}
"""Statements on what messages are tied to."""
