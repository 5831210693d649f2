"""Parameters for the statements that claim what others wrote, and that name projects; see `writes`."""

from __future__ import annotations

from typing import Any

from tests.locks.ground import STAMP, Ground, Parameters
from tests.locks.way import Way


def _claimed(g: Ground, name: str, place: int, **more: Any) -> Parameters:
    row = {"uuid": g[name], "place": place, "properties": {"state": "complete", "importance": 0.9}, "timestamp": STAMP}
    return {**row, "blank": False, "kind": None, "corrects": None, "tool_calls": [], **more}


def _claim(g: Ground) -> Parameters:
    call = {"call": {"index": 0, "success": True}, "timestamp": STAMP, "size": 4, "result_uuid": g.fresh()}
    rows = [
        _claimed(g, "v1", 1, tool_calls=[{**call, "uuid": g[name]} for name in ("k2", "k4")]),
        _claimed(g, "v2", 2, kind="note", corrects={"uuid": g["n1"], "how": "corrects"}),
    ]
    found = {"conversation_id": g["second"], "head": 2, "is_nobodys": False}
    return {**found, "messages": rows, "said_at": STAMP, "created_at": STAMP}


def _named(name: str, **more: Any) -> Parameters:
    place = {"root": "/somewhere/else", "inside": "", "remote": "", "first_commit": ""}
    return {"name": name, "of_project": "another", "most": 20, "places": [place], "left": [place["root"]], **more}


PROJECTS: dict[str, list[Way]] = {
    "claim_messages": [
        lambda g: {**_claim(g), "title": "Prices", "title_source": "provisional"},
        lambda g: {**_claim(g), "conversation_id": g["main"], "head": 7, "messages": []},
    ],
    "clear_places": [lambda g: {"conversation_id": g["second"], "limit": 9}],
    "name_project": [lambda g: _named(g["z1"], uuid=g.fresh()), lambda g: _named(g.fresh(), uuid=g.fresh())],
    "forget_project_name": [lambda g: {"name": g["z1"]}],
    "move_project": [lambda g: {"old_root": "/somewhere", "new_root": "/elsewhere"}],
}
