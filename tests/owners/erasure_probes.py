"""Probes for the statements of erasures; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import Data
from tests.owners.memory_probes import STRANGE
from tests.owners.probes import Probe, nothing

_EVER = {"before": "9999-01-01T00:00:00Z"}


def _texts(conversation: str, message: str) -> dict[str, Any]:
    row = {"uuid": message, "whole": True, "properties": {"content": "gone"}, "calls": []}
    return {"conversation_id": conversation, "rows": [row]}


def _looked_at(data: Data) -> dict[str, Any]:
    return {"conversation_id": data.conversation, "uuid": data.memory, "words": [data.word], "sources": [data.question]}


ERASURES: dict[str, list[Probe]] = {
    "hide_conversations": [Probe(lambda a, b: _EVER)],
    "erase_owned": [Probe(lambda a, b: _EVER)],
    "memory_to_erase": [
        Probe(lambda a, b: {"uuid": b.memory}, expect=nothing, shares=True),
        Probe(lambda a, b: {"uuid": a.memory}, prepare=STRANGE, shares=True),
    ],
    "hide_memory": [Probe(lambda a, b: {"uuid": b.memory}, expect=nothing, shares=True)],
    "owned_conversations": [Probe(lambda a, b: {}, expect=bool)],
    "erasable_texts": [Probe(lambda a, b: _looked_at(b), expect=nothing)],
    "erase_texts": [
        Probe(lambda a, b: _texts(b.conversation, b.question), expect=lambda rows: rows == [{"changed": 0}]),
        Probe(lambda a, b: _texts(a.conversation, b.question)),
    ],
    "erase_summaries": [Probe(lambda a, b: {"conversation_id": b.conversation, "from_seq": 1}, expect=nothing)],
    "erase_topics": [
        Probe(
            lambda a, b: {"conversation_id": b.conversation, "messages": [b.question], "topic_token": "new"},
            expect=nothing,
        )
    ],
    "erase_memory": [Probe(lambda a, b: {"uuid": b.memory}, expect=lambda rows: rows == [{"erased": 0}], shares=True)],
}
"""Statements on what a user has in a project."""
