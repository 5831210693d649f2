"""Probes for the statements of deletion and retention; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import Probe, Rows, nothing

_LOOSE = "MATCH (x:CodeAnchor) WHERE x.uuid IN [$b_anchor] SET x:LooseAnchor"
_OLD = (
    "MATCH (c:Conversation) WHERE c.uuid IN [$a_conversation, $b_conversation] "
    "SET c.updated_at = datetime('2020-01-01T00:00:00Z')"
)


def _expired(age: int | None, keep: int | None) -> dict[str, Any]:
    return {"age": age, "keep": keep, "open": [], "patience": 0, "limit": 100}


def _stamped(data: Data) -> dict[str, Any]:
    return {"uuid": data.conversation, "stamp": "2020-01-01T00:00:00Z", "patience": 0, "token": "t"}


def _own_alone(rows: Rows) -> bool:
    return len(rows) == 1


DELETION: dict[str, list[Probe]] = {
    "expired_conversations": [
        Probe(lambda a, b: _expired(3_600, None), prepare=_OLD, expect=_own_alone),
        Probe(lambda a, b: _expired(None, 0), prepare=_OLD, expect=bool),
    ],
    "begin_expiry": [Probe(lambda a, b: _stamped(b), prepare=_OLD, expect=nothing)],
}
"""Statements on conversations, which belong to a user in a project."""

DELETION_CODE: dict[str, list[Probe]] = {
    "forget_anchors": [
        Probe(lambda a, b: {"limit": 1_000_000}, prepare=_LOOSE, expect=lambda rows: rows == [{"settled": 0}])
    ],
}
"""Statements on code, which belongs to a project alone."""
