"""Probes for the statements on merges; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import FRESH_ID, MESSAGE, Probe, nothing


def _merge(conversation: str, other: str, **scope: Any) -> dict[str, Any]:
    return {
        "conversation_id": conversation,
        "other_id": other,
        "uuid": FRESH_ID,
        "message": MESSAGE | {"metadata": "{}"},
        "metadata": "{}",
        "tokens": 1,
        "fork_seq": 0,
        "to_seq": 3,
        "summarize_every": 1,
        **scope,
    }


def _into(a: Data, b: Data) -> dict[str, Any]:
    return _merge(b.conversation, a.conversation)


def _of(a: Data, b: Data) -> dict[str, Any]:
    return _merge(a.conversation, b.conversation)


MERGES: dict[str, list[Probe]] = {
    "merge_known": [Probe(_into, expect=nothing), Probe(_of, expect=nothing)],
    "merge_branch": [Probe(_into, expect=nothing), Probe(_of, expect=nothing)],
}
