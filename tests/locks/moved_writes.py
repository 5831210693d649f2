"""Parameters for the statements that take in what comes from elsewhere; see `writes`."""

from __future__ import annotations

from typing import Any

from tests.locks.ground import STAMP, TOKEN, VECTOR, Ground, Parameters
from tests.locks.way import Way


def _batches(g: Ground, **rows: Any) -> Parameters:
    """The same rows for the first of two conversations, and none for the other one."""
    none: Parameters = {name: [] for name in rows}
    first, other = ({"conversation_id": g[name], "step": 0} for name in ("begun", "also"))
    return {"batches": [{**first, **rows}, {**other, **none}]}


def _message(g: Ground, seq: int) -> Parameters:
    result = {"properties": {"uuid": g.fresh()}, "timestamp": STAMP}
    call = {"properties": {"uuid": g.fresh(), "index": 0}, "timestamp": STAMP, "results": [result]}
    return {
        "properties": {"uuid": g.fresh(), "seq": seq},
        "timestamp": STAMP,
        "important": True,
        "worded": True,
        "tool_calls": [call],
        "vector": VECTOR,
    }


def _imported(g: Ground, conversation: str, after: int, token: str | None, *, fresh: bool = False) -> Parameters:
    uuid = g.fresh() if fresh else g[conversation]
    message = {"tokens": 1, "uuid": g.fresh(), "role": "user", "content": "x", "timestamp": None, "blank": False}
    call = {"call": {"uuid": g.fresh(), "index": 0}, "result": {"uuid": g.fresh()}, "timestamp": None}
    new = {
        "uuid": uuid,
        "user_id": g.user_id,
        "project": g.project,
        "status": "active",
        "head_seq": 0,
        "message_count": 0,
    }
    return {
        "conversation_id": uuid,
        "fresh": [new] if fresh else [],
        "created_at": None,
        "token": token,
        "after": after,
        "title": None,
        "messages": [{**message, "tool_calls": [call], "corrects": {"uuid": g["m1"], "how": "corrects"}}],
    }


def _grown(g: Ground, name: str, *, calls: int) -> Parameters:
    call = {"timestamp": None, "result": {"uuid": g.fresh(), "success": True, "result": "x"}}
    return {
        "uuid": g[name],
        "conversation_id": g["main"],
        "before": "some",
        "properties": {"content": g.fresh(), "importance": 0.9},
        "reworded": True,
        "tool_calls": [{**call, "call": {"uuid": g.fresh(), "index": index}} for index in range(calls)],
    }


def _place(number: int) -> Parameters:
    return {"file": "prices.py" if number < 3 else "taxes.py", "key": f"k{number}", "hash": f"h{number}"}


def _ties(g: Ground) -> Parameters:
    kind = {"kind": "edited"}
    return _batches(
        g,
        references=[
            {"message": g["r1"], "scope": _place(1), "properties": kind},
            {"message": g["r2"], "scope": _place(2), "properties": kind},
        ],
        anchored=[
            {"message": g["r1"], "key": g.key("a1"), "properties": {**kind, "scope_hash": "h1", "commit": None}},
            {"message": g["r2"], "key": g.key("a2"), "properties": {**kind, "scope_hash": "h2", "commit": None}},
        ],
        reads=[
            {"message": g["m2"], "call": g["k2"], "key": g.key("a1"), "hash": "h"},
            {"message": g["m4"], "call": g["k4"], "key": g.key("a2"), "hash": "h"},
        ],
    )


def _anchors(g: Ground) -> Parameters:
    def row(name: str, number: int) -> Parameters:
        return {
            "key": g.key(name),
            "uuid": g.fresh(),
            "conversation_id": g["begun"],
            "properties": {"status": "fresh"},
            "scope": _place(number),
            "stands": {"status": "fresh"},
            "first_seen": STAMP,
            "checked_at": None,
            "stood_at": None,
        }

    return {"anchors": [row("a3", 1), row("a6", 4), row("a2", 2), row("a5", 3)]}


def _summaries(g: Ground) -> Parameters:
    def row(from_seq: int) -> Parameters:
        return {
            "uuid": g.fresh(),
            "kind": "rolling",
            "level": 1,
            "from_seq": from_seq,
            "properties": {"to_seq": from_seq + 1},
            "messages": g.all("r1", "r2"),
            "summaries": g.all("s1", "s2"),
            "created_at": STAMP,
        }

    return _batches(g, summaries=[row(1), row(3)])


def _finish(g: Ground) -> Parameters:
    times = dict.fromkeys(("created_at", "updated_at", "branched_at", "summary_until"))

    def row(name: str, messages: int, parent: str | None, *, as_begun: bool) -> Parameters:
        return {
            "uuid": g[name],
            "messages": messages,
            "as_begun": as_begun,
            "branch": {"parent": parent and g[parent], "properties": {"from_seq": 1}},
            "properties": {"status": "active", "head_seq": messages, "session_id": g.fresh(), "file_path": None},
            **times,
        }

    return {
        "conversations": [row("begun", 2, "main", as_begun=False), row("also", 0, "second", as_begun=True)],
        "summarize_every": 1,
    }


def _new(g: Ground) -> Parameters:
    properties = {"status": "active", "head_seq": 0}
    times = dict.fromkeys(("created_at", "updated_at", "branched_at", "summary_until"))
    return {
        "conversations": [{"uuid": g.fresh(), "properties": properties, **times} for _ in range(2)],
        "holder": "h",
    }


def _used(g: Ground, *ends: str) -> Parameters:
    rank = hash(g.fresh())  # one that no edge has
    return {
        "rows": [
            {
                "message": g[message],
                "ends": [{"uuid": end, "properties": {"rank": rank}, "number": 0} for end in ends],
            }
            for message in ("m6", "r2")
        ]
    }


MOVED: dict[str, list[Way]] = {
    "import_messages": [
        lambda g: {
            "batches": [_imported(g, "begun", 2, TOKEN), _imported(g, "main", 7, None), _imported(g, "also", 0, TOKEN)],
            "summarize_every": 1,
        },
        lambda g: {"batches": [_imported(g, "", 0, None, fresh=True)], "summarize_every": 1},
    ],
    "complete_imported": [lambda g: {"rows": [_grown(g, "m4", calls=2), _grown(g, "m2", calls=1)]}],
    "finish_import": [
        lambda g: {"conversation_id": g["begun"], "properties": {"title": "Prices"}, "created_at": STAMP}
    ],
    "begin_restore": [lambda g: {"uuids": [*g.all("begun", "also"), g.fresh()], "holder": "h"}],
    "begin_new_restore": [_new],
    "restore_messages": [lambda g: _batches(g, messages=[_message(g, 10), _message(g, 11)])],
    "restore_messages_with_vectors": [
        lambda g: {**_batches(g, messages=[_message(g, 12)]), "property": "embedding_of_locks"}
    ],
    "restore_anchors": [_anchors],
    "restore_ties": [_ties],
    "restore_summaries": [_summaries],
    "restore_insights": [
        lambda g: _batches(g, insights=[{"uuid": g.fresh(), "properties": {"key": g.fresh()}, "created_at": STAMP}])
    ],
    "restore_prompts": [
        lambda g: {
            "prompts": [
                {"uuid": g[name], "text": "x", "created_at": STAMP, "conversations": g.all("begun", "second", "main")}
                for name in ("p1", "p8", "p2", "p7")
            ]
        }
    ],
    "finish_restore": [_finish],
    "restore_used_messages": [lambda g: _used(g, *g.all("m5", "m1", "m2", "r1"))],
    "restore_used_summaries": [lambda g: _used(g, *g.all("s1", "s2"))],
    "restore_used_anchors": [lambda g: _used(g, g.key("a1"), g.key("a2"))],
    "restore_used_memories": [lambda g: _used(g, *g.all("y2", "y1", "y3"))],
    "restore_merges": [
        lambda g: {
            "rows": [
                {"message": g[message], "uuid": g[other], "number": 0, "properties": {"to_seq": 1}}
                for message, other in (("r1", "main"), ("r2", "second"))
            ]
        }
    ],
    "restore_corrections": [
        lambda g: {
            "rows": [{"message": g["m5"], "uuid": g["m1"], "number": 0, "properties": {"how": "done"}}],
        }
    ],
    "restore_reuse": [
        lambda g: {
            "rows": [
                {"message": g["m2"], "call": g["k2"], "uuid": g["k4"], "number": 0},
                {"message": g["x2"], "call": g["kx"], "uuid": g["k2"], "number": 1},
            ]
        }
    ],
}
"""Statements of imports and of archives."""
