"""Probes for the statements that move a project's vectors to another space; see `probes`."""

from __future__ import annotations

from typing import Any

from tests.owners.graph import VECTOR, Data
from tests.owners.probes import EMBEDDING, Probe, Rows

_TOKEN = "token-of-probes"
_NEXT = "embedding_of_the_next_probes"

_CLAIMED = (
    "MATCH (p:RagforgeMeta {key: 'project/' + $a_project}) "
    f"SET p.reembed_token = '{_TOKEN}', p.next_model = 'm', p.next_dimension = 7, p.reembed_listed = true "
)
_EMBEDDED = (
    "MATCH (c:Conversation {uuid: $b_conversation}), (m:Message {uuid: $b_question}), (x:Summary {uuid: $b_summary}), "
    "(y:Memory {uuid: $b_memory}), (k:Chunk {uuid: $b_chunk}), "
    f"(s:Scope {{uuid: $b_caller}}) FOREACH (n IN [c, m, x, y, k, s] | SET n.{EMBEDDING} = 1) "
)
_LABELLED = _EMBEDDED + "FOREACH (n IN [c, m, x, y, k, s] | SET n:PendingReembedding) "


def _given(data: Data, **given: Any) -> dict[str, Any]:
    versions: dict[str, tuple[str, list[Any]]] = {
        "Message": (data.question, []),
        "Summary": (data.summary, []),
        "Conversation": (data.conversation, [data.title, data.word, 3]),
        "Memory": (data.memory, [data.word]),
        "Chunk": (data.chunk, []),
        "Scope": (data.caller, ["h1"]),
    }
    return {
        "token": _TOKEN,
        "model": "m",
        "dimension": 7,
        "old_property": EMBEDDING,
        "old_conversation_property": EMBEDDING,
        "property": _NEXT,
        "conversation_property": _NEXT,
        "rows": [
            {"uuid": uuid, "label": label, "version": version, "vector": VECTOR}
            for label, (uuid, version) in versions.items()
        ],
        **given,
    }


def _none(name: str) -> Any:
    def expect(rows: Rows) -> bool:
        return [row[name] for row in rows] == [0]

    return expect


SPACES: dict[str, list[Probe]] = {
    "reembedding_state": [Probe(lambda a, b: _given(b), prepare=_LABELLED, expect=_none("left"))],
    "label_reembedding": [Probe(lambda a, b: _given(b), prepare=_EMBEDDED)],
    "reembedding_listed": [
        Probe(lambda a, b: _given(b), prepare=f"{_CLAIMED} WITH p {_LABELLED}", expect=_none("total"))
    ],
    "pending_reembedding": [Probe(lambda a, b: _given(b), prepare=_LABELLED, expect=lambda rows: not rows)],
    "store_reembedded": [
        Probe(lambda a, b: _given(b), prepare=f"{_CLAIMED} WITH p {_LABELLED}", expect=_none("stored"))
    ],
    "fail_reembedding": [Probe(lambda a, b: _given(b), prepare=_LABELLED, expect=_none("failed"))],
    # What another project lacks holds up no switch.
    "switch_space": [Probe(lambda a, b: _given(b), prepare=f"{_CLAIMED} WITH p {_LABELLED}", expect=bool)],
    "clear_space": [
        Probe(lambda a, b: _given(b, property=EMBEDDING, conversation_property=EMBEDDING), prepare=_EMBEDDED)
    ],
}
"""Statements on all that a project has embedded, whoever its users are."""
