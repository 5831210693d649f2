"""Parameters for the statements that write keys, the audit and users; see `writes`."""

from __future__ import annotations

from tests.locks.ground import Ground, Parameters
from tests.locks.way import Way


def _used(g: Ground, day: str) -> Parameters:
    return {"uuid": g.fresh(), "day": day, "turns": 1, "input_tokens": 2, "output_tokens": 3, "cost_usd": 0.5}


def _recorded(uuid: str) -> Parameters:
    return {"uuid": uuid, "action": "read", "whose": "", "detail": "", "key_id": None, "key_user": None}


ACCESS: dict[str, list[Way]] = {
    "create_api_key": [
        lambda g: {"uuid": g.fresh(), "digest": "d", "scope": "user", "name": ""},
        lambda g: {"uuid": g["q1"], "digest": "another", "scope": "user", "name": ""},
    ],
    "use_api_key": [lambda g: {"uuid": g["q1"]}],
    "revoke_api_key": [lambda g: {"uuid": g["q1"]}],
    "record_audit": [lambda g: _recorded(g.fresh()), lambda g: _recorded(g["u1"])],
    "set_user_context": [lambda g: {"before": "{}", "preferences": '{"tone":"brief"}', "plan": "team"}],
    "count_usage": [lambda g: _used(g, "2020-01-01"), lambda g: _used(g, "2020-01-03")],
}
