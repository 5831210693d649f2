"""Probes for the statements of an ingest, which are about a project alone; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import Probe, nothing, one_row, something


def _files(data: Data, other: Data) -> list[dict[str, Any]]:
    """One's own file, from which another's scope is said to be gone, and with another's scope in it."""
    scopes = [{"uuid": other.caller, "properties": {"name": "stolen"}, "pending": True, "moved": True}]
    return [
        {"uuid": data.file_uuid, "properties": {"path": data.file}, "removed": [other.callee], "scopes": scopes},
        {"uuid": other.file_uuid, "properties": {"path": data.file}, "removed": [], "scopes": []},
    ]


FINISHED = {"facts_version": "1", "unresolved": 0, "again": True}

INGEST: dict[str, list[Probe]] = {
    "project_health": [Probe(lambda a, b: {"property": "marked"}, expect=something)],
    "last_ingest": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (p:Project) WHERE p.uuid IN [$a_project_uuid, $b_project_uuid] "
            "SET p.indexedAt = datetime('2026-01-02')",
            expect=one_row,
        )
    ],
    "ingest_state": [
        Probe(
            lambda a, b: {},
            prepare="MATCH (s:Scope) WHERE s.uuid IN [$a_caller, $b_caller] SET s.body_hash = 'b'",
            expect=something,
        ),
        # Only another's anchor stands on nothing any more.
        Probe(
            lambda a, b: {},
            prepare="MATCH (own:CodeAnchor {uuid: $a_anchor}) "
            "MATCH (theirs:CodeAnchor {uuid: $b_anchor})-[stands:RESOLVES_TO]->() "
            "SET own.status = 'orphaned', theirs.status = 'fresh' DELETE stands",
            expect=lambda rows: [row["untied"] for row in rows] == [False],
        ),
        Probe(
            lambda a, b: {},
            prepare="MATCH (x:CodeAnchor {uuid: $a_anchor}) DETACH DELETE x",
            expect=lambda rows: [row["anchored"] for row in rows] == [False],
        ),
    ],
    "take_ingest_lease": [
        Probe(
            lambda a, b: {
                "root": b.root,
                "adopt": True,
                "dead": b.token,
            }
        ),
        Probe(
            lambda a, b: {
                "root": "/unclaimed",
                "adopt": False,
                "token": "own",
                "dead": None,
            },
            # the other project is there, this one is not: it may take over what nobody has
            prepare="MATCH (p:Project {uuid: $a_project_uuid}) DETACH DELETE p "
            "CREATE (:Project {rootPath: '/unclaimed'})",
            expect=something,
        ),
    ],
    "renew_ingest_lease": [Probe(lambda a, b: {"token": b.token}, expect=nothing)],
    "release_ingest_lease": [Probe(lambda a, b: {"token": b.token}, expect=nothing)],
    "finish_ingest": [
        Probe(lambda a, b: {**FINISHED, "token": b.token}, expect=nothing),
        Probe(lambda a, b: {**FINISHED, "token": a.token}, expect=something),
    ],
    "note_unchanged": [
        Probe(
            lambda a, b: {"commit": "stolen"}, prepare="MATCH (p:Project {uuid: $b_project_uuid}) REMOVE p.ingest_token"
        ),
        # Of three edges, and two that lead to or from another's.
        Probe(
            lambda a, b: {"edges": 4},
            prepare="MATCH (p:Project {uuid: $a_project_uuid}) REMOVE p.ingest_token",
            expect=lambda rows: [row["complete"] for row in rows] == [False],
        ),
    ],
    "stored_scopes": [Probe(lambda a, b: {"files": [b.file]}, expect=something)],
    "unclaimed_scopes": [
        Probe(
            lambda a, b: {"root": a.root, "files": [b.file]},
            # another tool's scope, of the other's project
            prepare="MATCH (p:Project {uuid: $b_project_uuid}) "
            "CREATE (:Scope {uuid: 'unclaimed', file: $b_file})-[:BELONGS_TO]->(p)",
            expect=nothing,
        ),
        Probe(
            lambda a, b: {"root": a.root, "files": [b.file]},
            prepare="CREATE (:Scope {uuid: 'unclaimed', file: $b_file, project: $b_project, "
            "absolutePath: $a_root + '/' + $b_file})",
            expect=nothing,
        ),
    ],
    "unclaimed_files": [
        Probe(
            lambda a, b: {"root": a.root, "files": [b.file]},
            prepare="MATCH (p:Project {uuid: $b_project_uuid}) "
            "CREATE (:File {uuid: 'unclaimed', path: $b_file})-[:BELONGS_TO]->(p)",
            expect=nothing,
        ),
        Probe(
            lambda a, b: {"root": a.root, "files": [b.file]},
            prepare="CREATE (:File {uuid: 'unclaimed', path: $b_file, project: $b_project, "
            "absolutePath: $a_root + '/' + $b_file})",
            expect=nothing,
        ),
    ],
    "name_claimed": [Probe(lambda a, b: {"token": b.token, "claimed": []}, expect=nothing)],
    "write_files": [
        Probe(
            lambda a, b: {"token": a.token, "files": _files(a, b)},
            expect=lambda rows: rows == [{"written": 1, "tied": False}],
            taken=True,
        ),
        Probe(lambda a, b: {"token": b.token, "files": _files(a, b)}, expect=nothing),
    ],
    "remove_files": [
        Probe(
            lambda a, b: {"token": a.token, "paths": [b.file]},
            expect=something,
            # what goes takes its edges along, and here some of them lead to the other's scopes
            prepare="MATCH (:Scope {uuid: $a_caller})-[r]-(:Scope {uuid: $b_callee}) DELETE r WITH DISTINCT 1 AS done "
            "MATCH (:Scope {uuid: $b_caller})-[r]-(:Scope {uuid: $a_callee}) DELETE r",
        ),
        Probe(lambda a, b: {"token": b.token, "paths": [b.file]}, expect=nothing),
    ],
    "scope_places": [Probe(lambda a, b: {"files": [b.file]}, expect=something)],
    "edges_of_files": [Probe(lambda a, b: {"files": [b.file]}, expect=something)],
    "count_edges": [
        Probe(lambda a, b: {"token": a.token, "counts": [{"path": b.file, "edges": 99}]}, expect=something),
        Probe(lambda a, b: {"token": b.token, "counts": []}, expect=nothing),
        # Of three edges, and two that lead to or from another's file of the same path.
        Probe(
            lambda a, b: {"token": a.token, "counts": [{"path": a.file, "edges": None}]},
            expect=lambda rows: [row["counted"] for row in rows] == [3],
        ),
    ],
    "write_edges": [
        Probe(
            lambda a, b: {
                "token": a.token,
                "edges": [
                    {"source": a.only_here, "target": b.only_here, "properties": {}},
                    {"source": b.only_here, "target": a.only_here, "properties": {}},
                ],
            },
            expect=something,
        ),
        Probe(lambda a, b: {"token": b.token, "edges": []}, expect=nothing),
    ],
    "remove_edges": [
        Probe(
            lambda a, b: {
                "token": a.token,
                "edges": [
                    {"source": a.caller, "target": b.callee, "type": "CONSUMES"},
                    {"source": b.caller, "target": a.callee, "type": "CONSUMES"},
                ],
            },
            expect=something,
        ),
        Probe(lambda a, b: {"token": b.token, "edges": []}, expect=nothing),
    ],
}
"""Statements on a project, its files, definitions and edges."""
