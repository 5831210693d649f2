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


def _added(g: Ground, key: str) -> Parameters:
    row = {**_memory(g, "m1", words_key=key), "uuid": g.fresh()}
    return {name: row[name] for name in ("uuid", "properties", "words_key", "order_key", "stands")}


def _learned(g: Ground, message: str, *memories: str, failed: bool = True) -> Parameters:
    properties = {"kind": "tool_failure", "content": "failed"} if failed else None
    row = {"properties": properties, "about": ["one"], "lasts": "P30D"}
    uuids = [g[each] if len(each) == 2 else each for each in memories]
    return {"message": g[message], "memories": [{**row, "uuid": uuid} for uuid in uuids]}


def _fact(g: Ground, key: str, **more: Any) -> Parameters:
    fact = {
        "fact_key": f"{g.word} {key}",
        "operation": g.fresh(),
        "asked_at": None,
        "reason": "update",
        "message": None,
    }
    fact |= {"project": g.project, "owner_token": "t", "said_at": None, "stands": True}
    return {**fact, "properties": {"kind": "fact", "value": "said", "confidence": 1.0}, **more}


_OPERATION: Parameters = {"tool": "forget_fact", "arguments": "{}", "source": "{}", "memory_id": None}


def _episode(g: Ground, uuid: str, *messages: str) -> Parameters:
    given = {"uuid": uuid, "messages": sorted(g.all(*messages)), "words_key": g.fresh(), "order_key": "order"}
    return {**given, "properties": {"kind": "episode", "topic": "Prices", "summary": "Lower."}}


def _worker(g: Ground, **more: Any) -> Parameters:
    return {"token": f"{g.word} worker", "seconds": 20, **more}


def _restored(g: Ground, uuid: str, *, messages: list[str], anchors: list[str], **more: Any) -> Parameters:
    times = ("created_at", "last_used_at", "archived_at", "expires_at", "valid_from", "valid_to")
    row: Parameters = {**dict.fromkeys(times), "uuid": uuid, "other": g.fresh(), "version": g.fresh(), "before": []}
    row |= {"fact_key": None, "words_key": None, "order_key": "another", "project": g.project, "owner_token": "t"}
    version = {"uuid": g.fresh(), "other": g.fresh(), "properties": {"old_value": "said"}, "changed_at": STAMP}
    row |= {"stands": True, "changed_at": "2099-01-01T00:00:00Z", "now": "said", "versions": [version]}
    row |= {"properties": {"kind": "rule", "content": "said", "is_active": True}}
    return {**row, "messages": g.all(*messages), "anchors": [g.key(name) for name in anchors], **more}


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


def _erased(g: Ground, *names: str) -> Parameters:
    calls = [{"uuid": g["k2"], "call": {"arguments": "{}"}, "result": {"result": "gone"}}]
    rows = [
        {"uuid": g[name], "whole": name == "m1", "properties": {"content": "gone"}, "calls": calls} for name in names
    ]
    return {"conversation_id": g["main"], "title": None, "rows": rows}


def _document(g: Ground, name: str, *kept: str) -> Parameters:
    uuids = [*g.all(*kept), g.fresh(), g.fresh()]
    chunks = [{"uuid": uuid, "properties": {"content": "said", "position": "", "number": 1}} for uuid in uuids]
    return {"uuid": g[name], "properties": {"title": "Prices"}, "chunks": chunks, "chunk_ids": uuids}


def _failed(g: Ground, *names: str) -> Parameters:
    return {"uuids": g.all(*names), "attempt": g.fresh()}


_LATER = "9999-01-01T00:00:00Z"
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
    "forget_memory": [lambda g: {"uuid": g["y1"], "operation": g.fresh(), "asked_at": None, "reason": "said so"}],
    "merge_facts": [
        lambda g: {"uuids": [g["y2"], g["y1"]], "properties": {"value": "one"}, "operation": g.fresh()},
    ],
    "create_episode": [lambda g: _episode(g, g.fresh(), "m3", "m1", "m5"), lambda g: _episode(g, g["y3"], "m4", "m1")],
    "close_topics": [
        lambda g: {
            "conversation_id": g["main"],
            "after": 0,
            "topic_token": "",
            "to_seq": 0,  # so that every round writes
            "episodes": [{**_episode(g, g.fresh(), "m3", "m1", "m5"), "said_at": "2026-01-01T00:00:00Z"}],
        },
    ],
    "update_episode": [
        lambda g: {"uuid": g["y3"], "properties": {"summary": "over"}, "operation": g.fresh()},
    ],
    "mark_important": [lambda g: {"uuids": g.all("m3", "m1", "m5"), "importance": 0.9}],
    "queue_operation": [
        lambda g: {**_OPERATION, "uuid": g.fresh(), "most": 100},
        lambda g: {**_OPERATION, "uuid": g.fresh(), "most": 0},
    ],
    "claim_operations": [lambda g: _worker(g, limit=3, dead=None, holder="here")],
    "end_operation": [lambda g: _worker(g, uuid=g["w1"], status="done", result=None, error=None)],
    "rest_operations": [lambda g: _worker(g, uuid=g["w1"], rest_ms=5)],
    "drop_ended_operations": [lambda g: {}],
    "count_memory_calls": [
        lambda g: {"counts": [{"key": g.fresh(), "metric": "calls", "label": "a", "number": 2} for _ in range(3)]},
    ],
    "add_memory": [lambda g: _added(g, g.word), lambda g: _added(g, "others")],
    "restore_memory": [lambda g: {"uuid": g["yf"], "version": g.fresh(), "standing": ["rule"]}],
    "tie_memory": [lambda g: {"uuid": g["y1"], "scopes": g.all("f4", "f1", "f5", "f2")}],
    "remember_tool_calls": [
        lambda g: {"turns": [_learned(g, "m4", "y2", "y1"), _learned(g, "m2", "y3", failed=False)]},
        lambda g: {"turns": [_learned(g, "m2", g.fresh(), "y1")]},
    ],
    "restore_memories": [
        lambda g: {
            "memories": [
                _restored(g, g["y2"], messages=["m5", "m1"], anchors=["a1", "a2"]),
                _restored(g, g.fresh(), messages=["m3"], anchors=["a3"], words_key=g.word),
                _restored(g, g["y1"], messages=["m2"], anchors=[], fact_key=f"{g.word} key of y1"),
            ]
        }
    ],
    "restore_superseded": [
        lambda g: {
            "rows": [
                {"uuid": g["y1"], "later": g["y2"], "how": "corrects", "number": 0},
                {"uuid": g["y3"], "later": g["y1"], "how": "corrects", "number": 1},
            ]
        }
    ],
    "begin_erasure": [lambda g: {"uuid": g.fresh(), "memory_id": None, "of_project": "", "holder": "here"}],
    "release_erasure": [lambda g: {"uuid": g["e1"]}],
    "note_erasure": [lambda g: {"uuid": g["e1"], "counts": "{}", "plan": "{}", "queries": "[]"}],
    "hide_conversations": [lambda g: {"before": _LATER}],
    "erase_owned": [lambda g: {"before": _LATER}, lambda g: {"before": _LATER, "project": ""}],
    "erase_user": [lambda g: {"before": _LATER}],
    "hide_memory": [lambda g: {"uuid": g["y3"]}],
    "erase_texts": [lambda g: _erased(g, "m4", "m1", "m2")],
    "erase_summaries": [lambda g: {"conversation_id": g["main"], "from_seq": 2}],
    "erase_topics": [lambda g: {"conversation_id": g["gone"], "messages": g.all("x2", "x1"), "topic_token": "new"}],
    "erase_memory": [lambda g: {"uuid": g["y1"]}, lambda g: {"uuid": g["y2"]}],
    "claim_extractions": [lambda g: {"limit": 9, "near": 9, "patience": 0, "token": g.fresh()}],
    "finish_extraction": [
        lambda g: {"uuid": g["m4"], "pause": 0, "notes": [_noted(g, g.fresh()), _noted(g, g.word)]},
        lambda g: {"uuid": g["m1"], "pause": 0, "notes": []},
    ],
    "release_extractions": [lambda g: {}],
    "age_memories": [lambda g: {"pause": 0, "half_life": 30.0, "least": 0.1, "uses": 2, "limit": 9}],
    "complete_turn": [lambda g: _turn(g), lambda g: _turn(g, uuid=g["m4"])],
    "mark_unanswered": [lambda g: {"uuid": g["m5"]}],
    "claim_question": [lambda g: {"conversation_id": g["main"], "uuid": g["m7"], "seq": 7, "answer": g.fresh()}],
    "release_question": [lambda g: {"conversation_id": g["second"], "answer": g["second"]}],
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
    "store_memory_embeddings": [lambda g: _vectors(g, "y1", "y2", "y3", content="said")],
    "fail_memory_embeddings": [lambda g: _failed(g, "y1", "y2", "y3")],
    "store_chunk_embeddings": [lambda g: _vectors(g, "c1", "c2")],
    "fail_chunk_embeddings": [lambda g: _failed(g, "c1", "c2")],
    "write_document": [
        lambda g: _document(g, "d1", "c1"),
        lambda g: {**_document(g, "d1"), "uuid": g.fresh()},
    ],
    "remove_document": [lambda g: {"uuid": g["d1"]}],
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
