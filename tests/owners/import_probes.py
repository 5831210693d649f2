"""Probes for the statements of an import; see `probes`."""

from __future__ import annotations

from typing import Any

from ragforge_memory.graph.text import owner_token
from tests.owners.graph import Data
from tests.owners.probes import FRESH, FRESH_ID, Probe, nothing

_TOKEN = "import"
_RUNS = (
    "MATCH (c:Conversation {uuid: $b_deleting}) "
    f"SET c.import_token = '{_TOKEN}', c.import_until = datetime() + duration('PT1H')"
)


def _batch(data: Data, conversation_id: str, **more: Any) -> dict[str, Any]:
    message = {"seq": 4, "uuid": FRESH_ID, "role": "user", "content": "x", "timestamp": None, "tool_calls": []}
    batch = {
        "conversation_id": conversation_id,
        "fresh": [],
        "created_at": None,
        "token": None,
        "after": 3,
        "tokens": 1,
    }
    batch |= {"messages": [message | {"blank": False}], **more}
    return {"batches": [batch], "owner_token": owner_token(data.owner.user_id, data.owner.project), "lease": 60}


IMPORTS: dict[str, list[Probe]] = {
    "import_messages": [
        Probe(lambda a, b: _batch(a, b.conversation), expect=nothing),
        Probe(lambda a, b: _batch(a, b.conversation, fresh=[FRESH]), expect=nothing, taken=True),
        Probe(lambda a, b: _batch(a, b.deleting, token=_TOKEN, after=0), prepare=_RUNS, expect=nothing),
    ],
    "finish_import": [
        Probe(
            lambda a, b: {"conversation_id": b.deleting, "token": _TOKEN, "properties": {"title": "stolen"}},
            prepare=_RUNS,
            expect=nothing,
        )
    ],
    "imported_messages": [
        Probe(
            lambda a, b: {"uuids": [b.question, b.answer]},
            expect=lambda rows: [row["conversation_id"] for row in rows] == [None, None],
            taken=True,
        )
    ],
}
