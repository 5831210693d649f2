"""Parameters for the statements that write code and what messages are tied to; see `writes`."""

from __future__ import annotations

from typing import Any

from tests.locks.ground import DIMENSION, STAMP, VECTOR, Ground, Parameters
from tests.locks.way import Way


def _edges(g: Ground) -> list[Parameters]:
    pairs = (("f1", "f2"), ("f2", "f3"), ("f3", "f4"), ("f5", "f1"))
    return [
        {"source": g[source], "target": g[target], "type": "CONSUMES", "properties": {"lines": [7]}}
        for source, target in pairs
    ]


def _scopes(g: Ground, *names: str) -> list[Parameters]:
    properties = {"file": "prices.py", "body_hash": "b9"}
    return [{"uuid": g[name], "properties": properties, "pending": True, "moved": True} for name in names]


def _files(g: Ground) -> list[Parameters]:
    new = {"uuid": g.fresh(), "properties": {"name": "six", "file": "new.py"}, "pending": True, "moved": True}
    return [
        {
            "uuid": g["prices"],
            "properties": {"path": "prices.py", "hash": "h9"},
            "removed": g.all("f2"),
            "scopes": _scopes(g, "f1", "f3"),
        },
        {
            "uuid": g["taxes"],
            "properties": {"path": "taxes.py", "hash": "h9"},
            "removed": [],
            "scopes": _scopes(g, "f4", "f5"),
        },
        {"uuid": g.fresh(), "properties": {"path": "new.py", "hash": "h9"}, "removed": [], "scopes": [new]},
    ]


def _standing(g: Ground, anchor: str, scope: str | None, **more: Any) -> Parameters:
    standing = {"status": "moved" if scope else "orphaned", "changed": True, "similarity": 0.5, **more}
    place = {"been": ["taxes.py\nk3"], "been_code": ["h s"]} if scope else {"been": [], "been_code": []}
    return {"uuid": g[anchor], "scope": scope and g[scope], "moves": bool(scope), "standing": standing, **place}


def _taken(g: Ground, project: str, **more: Any) -> Parameters:
    return {
        "project": project,
        "uuid": g.fresh(),
        "root": f"/somewhere/{project}",
        "adopt": False,
        "holder": "h",
        "dead": None,
        **more,
    }


_FINISHED = {"commit": "c", "uncommitted": [], "unread": [], "facts_version": "1", "unresolved": 0, "again": True}

CODE: dict[str, list[Way]] = {
    "take_ingest_lease": [
        lambda g: _taken(g, g.project),
        lambda g: _taken(g, g.quiet),
        lambda g: _taken(g, g.young),
        lambda g: _taken(g, g.fresh()),
    ],
    "renew_ingest_lease": [lambda g: {}],
    "release_ingest_lease": [lambda g: {}, lambda g: {"project": g.young}],
    "borrow_ingest_lease": [lambda g: {"project": g.quiet, "holder": "h"}],
    "look_at_anchors_again": [lambda g: {}],
    "finish_ingest": [lambda g: _FINISHED],
    "note_unchanged": [lambda g: {"project": g.quiet, "commit": "c", "uncommitted": [], "unread": [], "edges": 0}],
    "name_claimed": [lambda g: {"claimed": [{"element": g.unclaimed, "uuid": g.fresh()}]}],
    "write_files": [lambda g: {"files": _files(g), "gives_way": True}],
    "remove_files": [lambda g: {"paths": ["taxes.py", "prices.py"], "gives_way": True}],
    "write_edges": [lambda g: {"edges": _edges(g)}],
    "remove_edges": [lambda g: {"edges": _edges(g)}],
    "count_edges": [lambda g: {"counts": [{"path": "prices.py", "edges": 1}, {"path": "taxes.py", "edges": None}]}],
    "anchor_anew": [
        lambda g: {
            "scopes": [
                {"scope": g["f4"], "anchor": g.key("a1"), "hash": "h0"},
                {"scope": g["f1"], "anchor": g.key("a1"), "hash": "h0"},
                {"scope": g["f2"], "anchor": g.key("a2"), "hash": "h0"},
            ]
        }
    ],
    "resolve_anchors": [
        lambda g: {
            "anchors": [
                _standing(g, "a1", "f3"),
                _standing(g, "a2", "f1"),
                _standing(g, "a4", None, candidates=["taxes.py k3"]),
            ],
            "commit": "c",
        }
    ],
    "reference_code": [
        lambda g: {"message_id": g["m4"], "scopes": g.all("f4", "f1", "f5", "f2"), "kind": "edited"},
    ],
    "tie_messages": [
        lambda g: {
            "rows": [
                {"message": g["m3"], "scopes": g.all("f4", "f1", "f5")},
                {"message": g["m6"], "scopes": g.all("f1", "f2")},
            ]
        }
    ],
    "tied_again": [lambda g: {"finished": STAMP}],
    "store_scope_embeddings": [
        lambda g: {
            "property": "embedding_of_locks",
            "rows": [
                {"uuid": g["f1"], "hash": "h1", "vector": VECTOR},
                {"uuid": g["f2"], "hash": "h2", "vector": VECTOR},
            ],
        }
    ],
    "fail_scope_embeddings": [lambda g: {"uuids": g.all("f1", "f2"), "attempt": g.fresh()}],
}
"""Statements on a project, its files, definitions and anchors."""


def _moving(g: Ground, **more: Any) -> Parameters:
    versions: dict[str, tuple[str, list[Any]]] = {
        "m1": ("Message", []),
        "m4": ("Message", []),
        "s1": ("Summary", []),
        "s2": ("Summary", []),
        "y1": ("Memory", ["said"]),
        "y2": ("Memory", ["said"]),
        "c1": ("Chunk", []),
        "c2": ("Chunk", []),
        "main": ("Conversation", ["Prices", "said", 4]),
        "second": ("Conversation", ["Prices", "", 2]),
        "f1": ("Scope", ["h1"]),
        "f2": ("Scope", ["h2"]),
    }
    return {
        "model": f"{g.model}-next",
        "dimension": DIMENSION,
        "old_property": "uuid",
        "old_conversation_property": "uuid",
        "property": "embedding_of_locks",
        "conversation_property": "summary_embedding_of_locks",
        "space_key": "space/none/3",
        "rows": [
            {"uuid": g[name], "label": label, "version": version, "vector": VECTOR}
            for name, (label, version) in versions.items()
        ],
        **more,
    }


def _space(g: Ground, suffix: str = "", **more: Any) -> Parameters:
    return {
        "project_key": f"project/{g.young}",
        "space_key": g.space(suffix),
        "project": g.young,
        "model": f"{g.model}{suffix}",
        "dimension": DIMENSION,
        "least": 1,
        "made": ["index"],
        **more,
    }


SPACES: dict[str, list[Way]] = {
    "claim_reembedding": [lambda g: _moving(g), lambda g: _moving(g, model=f"{g.model}-old")],
    "renew_reembedding": [lambda g: {}],
    "release_reembedding": [lambda g: {}],
    "label_reembedding": [lambda g: _moving(g)],
    "reembedding_listed": [lambda g: {}],
    "store_reembedded": [lambda g: _moving(g)],
    "fail_reembedding": [lambda g: _moving(g)],
    "switch_space": [lambda g: _moving(g, project=g.quiet)],
    "clear_space": [lambda g: _moving(g, property="seq", conversation_property="session_id")],
    "space_cleared": [lambda g: _moving(g)],
    "claim_space": [lambda g: _space(g), lambda g: _space(g, "-next", project_key=f"project/{g.fresh()}")],
    "number_space": [lambda g: _space(g), lambda g: {**_space(g), "space_key": f"space/{g.fresh()}"}],
    "leave_space": [lambda g: _space(g)],
    "space_ready": [lambda g: _space(g, "-old")],
    "retire_space": [lambda g: _space(g, "-old")],
    "space_dropped": [lambda g: _space(g, "-old")],
    "claim_schema": [lambda g: {}],
    "record_schema": [lambda g: {"version": 2, "min_library_version": "0"}],
    "release_schema": [lambda g: {}],
}
"""Statements on what keeps books: which vectors are where, and the schema."""
