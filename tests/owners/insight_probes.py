"""Probes for the statements on insights; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.probes import Probe, nothing, one_row

KEY = "key-of-probes"


def _asked(data: Data, **scope: Any) -> dict[str, Any]:
    return {"conversation_id": data.conversation, "conversations": [data.conversation], "key": KEY, **scope}


def _insights(*whose: str) -> str:
    """Gives these conversations an insight each, of the same task."""
    made = ", ".join(f"${name}_conversation" for name in whose)
    return (
        f"MATCH (c:Conversation) WHERE c.uuid IN [{made}] CREATE (c)-[:HAS_INSIGHT]->(:Insight {{uuid: 'i' + c.uuid, "
        f"conversation_id: c.uuid, user_id: c.user_id, project: c.project, key: '{KEY}', task: 'task', "
        "schema: '{}', data: '1', to_seq: 3, created_at: datetime('2026-01-02T00:00:00Z')})"
    )


_CLAIMED = (
    "MATCH (c:Conversation {uuid: $b_conversation}) "
    "SET c.insight_token = $b_token, c.insight_until = datetime() + duration('PT1H')"
)

INSIGHTS: dict[str, list[Probe]] = {
    "known_insights": [Probe(lambda a, b: _asked(b), prepare=_insights("b"), expect=nothing)],
    "claim_insight": [
        Probe(lambda a, b: _asked(b), expect=nothing),
        Probe(lambda a, b: _asked(b), prepare=_insights("b"), expect=nothing),
    ],
    "renew_insight_lease": [Probe(lambda a, b: _asked(b, token=b.token), prepare=_CLAIMED, expect=nothing)],
    "write_insight": [Probe(lambda a, b: _asked(b, token=b.token), prepare=_CLAIMED, expect=nothing)],
    "release_insight": [Probe(lambda a, b: _asked(b, token=b.token), prepare=_CLAIMED, expect=nothing)],
    "list_insights": [
        Probe(lambda a, b: _asked(b), prepare=_insights("b"), expect=nothing),
        Probe(lambda a, b: _asked(b), prepare=_insights("a", "b"), expect=one_row),
    ],
    "conversation_insights": [Probe(lambda a, b: _asked(b), prepare=_insights("b"), expect=nothing)],
}
"""Statements on insights, which belong to a conversation's owner."""
