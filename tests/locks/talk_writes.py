"""Parameters for the statements that write what was said, and what is kept of it; see `writes`."""

from __future__ import annotations

from typing import Any

from tests.locks.ground import DIMENSION, STAMP, VECTOR, Ground, Parameters
from tests.locks.way import Way

_PROPERTY = "embedding_of_locks"


def _message(g: Ground, role: str = "user", **more: Any) -> Parameters:
    message = {"role": role, "content": "said", "state": "complete", "importance": 0.9, "timestamp": None, **more}
    return {"conversation_id": g["main"], "uuid": g.fresh(), "message": message}


def _used(g: Ground, *names: str) -> list[Parameters]:
    return [
        {"uuid": g[name], "tier": "recent", "tokens": 1, "rank": rank, "score": None, "cost": None}
        for rank, name in enumerate(names)
    ]


def _mention(name: str) -> Parameters:
    return {"name": name, "qualified_name": None, "types": None}


def _turn(g: Ground, **more: Any) -> Parameters:
    call = {"uuid": g.fresh(), "index": 0, "tool_name": "look", "arguments": "{}", "success": True}
    return {
        **_message(g, "assistant", in_reply_to=g["m7"]),
        "used_messages": _used(g, "m7", "m5", "m2", "m1", "x2"),
        "used_summaries": _used(g, "s1", "s2"),
        "used_memories": _used(g, "y1", "y3", "y2"),
        "prompts": [{"uuid": g[name], "text": "be short"} for name in ("p1", "p8", "p2", "p7")],
        "tool_calls": [{"call": call, "result": {"uuid": g.fresh(), "success": True, "result": "seen"}}],
        "touched": [{"scope": g[name], "kind": "read"} for name in ("f4", "f1", "f5", "f2")],
        "mentions": [_mention("three"), _mention("two")],
        "told": [_mention("two"), _mention("one")],
        **more,
    }


def _memory(g: Ground, name: str, **more: Any) -> Parameters:
    memory = {"uuid": g[name], "message": g[name], "project": g.project, "owner_token": "t", "stands": True}
    memory |= {"words_key": g.word, "order_key": "another", "against": None, "how": None}
    return {**memory, "properties": {"kind": "rule", "content": "said", "importance": 0.8}, **more}


def _fact(g: Ground, key: str, **more: Any) -> Parameters:
    fact = {"uuid": g.fresh(), "fact_key": f"{g.word} {key}", "version": g.fresh(), "reason": "update", "message": None}
    fact |= {"project": g.project, "owner_token": "t", "said_at": None, "stands": True}
    return {**fact, "properties": {"kind": "fact", "value": "said", "confidence": 1.0}, **more}


def _noted(g: Ground, words_key: str) -> Parameters:
    properties = {"kind": "note", "content": "said", "tags": [], "tier": "short", "source": "controller"}
    return {"uuid": g.fresh(), "words_key": words_key, "order_key": "another", "ttl": 60, "properties": properties}


def _branch(g: Ground, conversation: str, parent: str, seq: int) -> Parameters:
    return {
        "conversation_id": g[conversation],
        "uuid": g.fresh(),
        "seq": seq,
        "lineage_ids": [g[parent]],
        "lineage_tops": [seq],
        "properties": {"title": "another", "status": "active", "message_count": 0},
    }


def _merge(g: Ground, conversation: str, other: str) -> Parameters:
    return {
        "conversation_id": g[conversation],
        "other_id": g[other],
        "uuid": g.fresh(),
        "message": {"role": "user", "content": "merged", "metadata": g.fresh()},
        "fork_seq": 0,
        "to_seq": 10_000,
    }


def _summary(g: Ground, level: int, from_seq: int, *, messages: list[str], summaries: list[str]) -> Parameters:
    return {
        "conversation_id": g["main"],
        "watermark": 4,
        "new_watermark": 4,
        "level": level,
        "from_seq": from_seq,
        "properties": {"uuid": g.fresh(), "to_seq": 7, "content": "said"},
        "summary": "said",
        "summary_seq": 7,
        "messages": messages,
        "summaries": summaries,
    }


def _released(g: Ground, *, done: bool) -> Parameters:
    summary = {"watermark": 4, "summary": "said", "summary_seq": 4}
    return {"conversation_id": g["main"], "done": done, "every": 100, **summary}


def _insight(g: Ground, key: str = "topics") -> Parameters:
    properties = {"data": "1", "to_seq": 7}
    return {"conversation_id": g["main"], "key": key, "refresh": True, "uuid": g.fresh(), "properties": properties}


def _vectors(g: Ground, *names: str, **more: Any) -> Parameters:
    rows = [{"uuid": g[name], "vector": VECTOR, **more} for name in names]
    return {"property": _PROPERTY, "rows": rows, "space_dimension": DIMENSION}


def _failed(g: Ground, *names: str) -> Parameters:
    return {"uuids": g.all(*names), "attempt": g.fresh()}


_NEW = {"title": "Prices", "status": "active", "message_count": 0, "head_seq": 0}

TALK: dict[str, list[Way]] = {
    "append_message": [
        lambda g: _message(g),
        lambda g: {**_message(g), "conversation_id": g["second"], "title_source": "provisional"},
        lambda g: {**_message(g, kind="note"), "corrects": {"uuid": g["m1"], "how": "corrects"}},
    ],
    "remember_messages": [
        lambda g: {"memories": [_memory(g, "m5"), _memory(g, "m6", words_key="others"), _memory(g, "m1")]},
        lambda g: {"memories": [_memory(g, "m4", against=g["m3"], how="retracts", properties=None)]},
        lambda g: {"memories": [_memory(g, "m6", against=g["m1"], how="corrects", words_key="others")]},
    ],
    "remember_facts": [
        lambda g: {"facts": [_fact(g, "key of y2"), _fact(g, g.fresh()), _fact(g, "key of y1", message=g["m1"])]},
    ],
    "claim_extractions": [lambda g: {"limit": 9, "near": 9, "patience": 0, "token": g.fresh()}],
    "finish_extraction": [
        lambda g: {"uuid": g["m4"], "pause": 0, "notes": [_noted(g, g.fresh()), _noted(g, g.word)]},
        lambda g: {"uuid": g["m1"], "pause": 0, "notes": []},
    ],
    "release_extractions": [lambda g: {}],
    "age_memories": [lambda g: {"pause": 0, "half_life": 30.0, "least": 0.1, "uses": 2, "limit": 9}],
    "forget_memory": [lambda g: {"uuid": g["y1"], "version": g.fresh(), "reason": "said so"}],
    "complete_turn": [lambda g: _turn(g), lambda g: _turn(g, uuid=g["m4"])],
    "mark_unanswered": [lambda g: {"uuid": g["m5"]}],
    "settle_questions": [lambda g: {"conversation_id": g["main"], "patience": 0}],
    "store_message_embeddings": [
        lambda g: _vectors(g, "m1", "m4", "m3"),
        lambda g: {**_vectors(g, "m1", "m4", "m3"), "project": g.quiet},
    ],
    "fail_message_embeddings": [lambda g: _failed(g, "m1", "m4", "m3")],
    "create_conversation": [
        lambda g: {"uuid": g.fresh(), "properties": _NEW},
        lambda g: {"uuid": g["main"], "properties": _NEW},
    ],
    "open_conversation": [
        lambda g: {"uuid": g.fresh(), "session_id": g.fresh(), "properties": _NEW},
        lambda g: {"uuid": g.fresh(), "session_id": g["main"], "properties": _NEW},
    ],
    "update_conversation": [lambda g: {"uuid": g["main"], "changes": {"title": "Taxes"}}],
    "mark_filed": [lambda g: {"uuid": g["main"], "file_path": "main.jsonl", "fresh": True}],
    "begin_delete": [lambda g: {"uuid": g["main"], "token": g.fresh()}],
    "begin_expiry": [lambda g: {"uuid": g["main"], "token": g.fresh(), "stamp": STAMP, "patience": 0}],
    "keep_shared": [lambda g: {"uuid": g["gone"], "import_token": None}],
    "delete_messages": [lambda g: {"uuid": g["gone"]}],
    "finish_delete": [lambda g: {"uuid": g["emptied"]}],
    "forget_anchors": [lambda g: {"limit": 100}],
    "forget_prompts": [lambda g: {}],
    "create_branch": [
        lambda g: _branch(g, "main", "main", 3),
        lambda g: _branch(g, "branch", "main", 3),
        lambda g: {**_branch(g, "main", "main", 4), "uuid": g["branch"]},
    ],
    "merge_branch": [lambda g: _merge(g, "main", "second"), lambda g: _merge(g, "second", "main")],
    "keep_compression": [
        lambda g: {
            "conversation_id": g["main"],
            "from_seq": 1,
            "kept_tokens": 0,
            "properties": {"uuid": g.fresh(), "to_seq": 4, "content": "said"},
        }
    ],
    "claim_summary": [lambda g: {"conversation_id": g["main"]}],
    "renew_summary_lease": [lambda g: {"conversation_id": g["main"], "asked": 7}],
    "write_summary": [
        lambda g: _summary(g, 1, 5, messages=g.all("m5", "m6", "m7"), summaries=[]),
        lambda g: _summary(g, 2, 1, messages=[], summaries=g.all("s1", "s2")),
        lambda g: _summary(g, 1, 1, messages=g.all("m1", "m2", "m3"), summaries=[]),
    ],
    "settle_title": [lambda g: {"conversation_id": g["main"], "title": "Taxes"}],
    "release_summary": [lambda g: _released(g, done=True), lambda g: _released(g, done=False)],
    "store_summary_embeddings": [lambda g: _vectors(g, "s1", "s2")],
    "fail_summary_embeddings": [lambda g: _failed(g, "s1", "s2")],
    "store_conversation_embeddings": [
        lambda g: {
            **_vectors(g),
            "rows": [
                {"uuid": g["main"], "title": "Prices", "summary": "said", "first": 4, "vector": VECTOR},
                {"uuid": g["second"], "title": "Prices", "summary": "", "first": 2, "vector": VECTOR},
            ],
        }
    ],
    "fail_conversation_embeddings": [lambda g: _failed(g, "main", "second")],
    "claim_insight": [lambda g: _insight(g)],
    "renew_insight_lease": [lambda g: _insight(g)],
    "write_insight": [lambda g: _insight(g), lambda g: _insight(g, "ends")],
    "release_insight": [lambda g: _insight(g)],
}
"""Statements on conversations, messages, summaries and insights."""
