"""Texts that cannot be read here, since they are in another folder's files or lost: nothing is made of nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import EmbeddingError
from ragforge_memory.models.owner import Owner
from tests.persistence.conftest import Keeping

Cypher = Callable[..., list[dict[str, Any]]]

pytestmark = pytest.mark.anyio

_VECTORS = """MATCH (m:Message {conversation_id: $uuid})
    RETURN m.seq AS seq, labels(m) AS labels, [k IN keys(m) WHERE k STARTS WITH 'embedding'] AS keys ORDER BY m.seq"""


class Noting(HashingEmbedder):
    """Keeps what it was asked to embed."""

    def __init__(self, dimension: int) -> None:
        super().__init__(dimension)
        self.texts: list[str] = []

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.texts += texts
        return await super().embed_passages(texts)


def _lose(root: Path, uuid: str) -> None:
    (root / "conversations" / f"{uuid}.jsonl").unlink()


# --- vectors ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["files", "neo4j"])
async def test_a_move_of_vectors_embeds_no_text_that_it_cannot_read(
    kind: str, keeping: Keeping, tmp_path: Path, cypher: Cypher
) -> None:
    elsewhere = tmp_path / "bob"
    async with keeping("files", "Through the kitchen.", user_id="bob", root=elsewhere) as bob:
        his = await bob.create_conversation(title="Windows")
        await his.send_message("where are the windows?")
        await bob.drain()
    new = Noting(32)
    async with keeping(kind, "Behind the shed.") as ada:
        hers = await ada.create_conversation(title="Doors")
        await hers.send_message("where are the doors?")
        await ada.drain()
        report = await ada.reembed(new)
    assert (report.messages, report.conversations, report.failed, report.switched) == (2, 1, 3, True)
    assert new.texts
    assert all(text.strip() for text in new.texts)
    assert all(row["keys"] == [] and "FailedEmbedding" in row["labels"] for row in cypher(_VECTORS, uuid=his.uuid))
    assert all(len(row["keys"]) == 1 and "FailedEmbedding" not in row["labels"]
               for row in cypher(_VECTORS, uuid=hers.uuid))  # fmt: skip


async def test_vectors_of_the_old_model_stay_until_that_is_cleared(
    keeping: Keeping, tmp_path: Path, cypher: Cypher
) -> None:
    async with keeping("files", "Behind the shed.", "Behind the house.") as agent:
        lost, kept = await agent.create_conversation(title="Doors"), await agent.create_conversation(title="Gates")
        await lost.send_message("where are the doors?")
        await kept.send_message("where are the gates?")
        await agent.drain()
        before = cypher(_VECTORS, uuid=lost.uuid)
        _lose(tmp_path, lost.uuid)

        class Broken(HashingEmbedder):
            async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
                raise EmbeddingError("no luck")

        with pytest.raises(EmbeddingError):
            await agent.reembed(Broken(32))
        assert [row["keys"] for row in cypher(_VECTORS, uuid=lost.uuid)] == [row["keys"] for row in before]


async def test_what_waits_in_files_is_left_to_who_can_read_them(keeping: Keeping, cypher: Cypher, owner: Owner) -> None:
    waiting = """MATCH (n:Message|Conversation {project: $project}) WHERE n.uuid = $uuid OR n.conversation_id = $uuid
        SET n:PendingEmbedding WITH n UNWIND [k IN keys(n) WHERE k STARTS WITH 'embedding'] AS key REMOVE n[key]"""
    labels = """MATCH (n:PendingEmbedding)
        WHERE n.uuid = $uuid OR n.conversation_id = $uuid RETURN count(n) AS count"""
    async with keeping("files", "Behind the shed.") as agent:
        conversation = await agent.create_conversation(title="Doors")
        await conversation.send_message("where are the doors?")
        await agent.drain()
    cypher(waiting, uuid=conversation.uuid, project=owner.project)
    async with keeping("neo4j") as agent:
        assert await agent.drain() == {}
    assert cypher(labels, uuid=conversation.uuid) == [{"count": 3}]
    async with keeping("files") as agent:
        assert await agent.drain() == {}
    assert cypher(labels, uuid=conversation.uuid) == [{"count": 0}]
    assert [len(row["keys"]) for row in cypher(_VECTORS, uuid=conversation.uuid)] == [1, 1]
