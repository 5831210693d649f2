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


_HASHED = "MATCH (m:Message) WHERE m.uuid IN [$a_answer, $b_answer] SET m.source_hash = 'said'"


def _against(given: dict[str, Any], uuid: str) -> dict[str, Any]:
    for message in given["batches"][0]["messages"]:
        message["corrects"] = {"uuid": uuid, "how": "corrects"}
    return given


def _grown(conversation_id: str, uuid: str) -> dict[str, Any]:
    row = {"uuid": uuid, "conversation_id": conversation_id, "before": "said", "properties": {"content": "stolen"}}
    return {"rows": [row | {"reworded": True, "tool_calls": []}]}


def _batch(data: Data, conversation_id: str, **more: Any) -> dict[str, Any]:
    message = {"tokens": 1, "uuid": FRESH_ID, "role": "user", "content": "x", "timestamp": None, "tool_calls": []}
    batch = {
        "conversation_id": conversation_id,
        "fresh": [],
        "created_at": None,
        "token": None,
        "after": 3,
        "title": None,
    }
    batch |= {"messages": [message | {"blank": False}], **more}
    return {"batches": [batch], "owner_token": owner_token(data.owner.user_id, data.owner.project), "lease": 60}


IMPORTS: dict[str, list[Probe]] = {
    "import_messages": [
        Probe(lambda a, b: _batch(a, b.conversation), expect=nothing),
        Probe(lambda a, b: _batch(a, b.conversation, fresh=[FRESH]), expect=nothing, taken=True),
        Probe(lambda a, b: _against(_batch(a, a.conversation, after=None), b.question)),
        Probe(lambda a, b: _batch(a, b.deleting, token=_TOKEN, after=0), prepare=_RUNS, expect=nothing),
    ],
    "complete_imported": [
        Probe(lambda a, b: _grown(b.conversation, b.answer), prepare=_HASHED, expect=nothing),
        Probe(lambda a, b: _grown(a.conversation, b.answer), prepare=_HASHED, expect=nothing),
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
