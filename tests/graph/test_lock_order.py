"""An answer and the vectors of what it was given: whoever comes second waits, and nobody has to begin anew."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph import retries
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import Answer, MessageStore, NewMessage
from ragforge_memory.graph.receipts import Receipt, Used
from ragforge_memory.models.owner import Owner

pytestmark = pytest.mark.anyio

# One that waits for its commit shows no parameters any more.
WAITING = """
SHOW TRANSACTIONS YIELD status, parameters
WHERE status STARTS WITH 'Blocked' AND parameters.given.project = $project OR status = 'Closing'
RETURN count(*) AS waiting
"""
# As whoever stores vectors, in order of uuid: the property first, the label last.
VECTOR = "MATCH (m:Message {uuid: $uuid}) SET m.role = m.role"
LABEL = "MATCH (m:Message {uuid: $uuid}) REMOVE m:PendingEmbedding"


async def test_an_answer_waits_for_a_vector(
    messages: MessageStore, conversations: ConversationStore, owner: Owner, neo4j_config: Neo4jConfig
) -> None:
    conversation = (await conversations.create(title="order")).uuid
    uuids = sorted(uuid4().hex for _ in range(6))
    for uuid in uuids:
        await messages.append(conversation, NewMessage(uuid=uuid, role="user", content="said"))
    used = tuple(Used(uuid, "recent", rank, 1) for rank, uuid in enumerate(reversed(uuids)))
    answer = NewMessage(uuid=uuid4().hex, role="assistant", content="so it is")
    auth = (neo4j_config.username or "neo4j", neo4j_config.password or "")
    async with (
        neo4j.AsyncGraphDatabase.driver(neo4j_config.uri, auth=auth) as driver,
        driver.session(database="neo4j") as session,
        await session.begin_transaction() as vectors,
    ):
        await vectors.run(VECTOR, uuid=uuids[0])
        writing = asyncio.ensure_future(
            messages.complete_turn(conversation, Answer(answer, receipt=Receipt(used=used)), timeout=60)
        )
        async with asyncio.timeout(60):
            while not (await driver.execute_query(WAITING, project=owner.project)).records[0]["waiting"]:
                assert not writing.done()
                await asyncio.sleep(0.05)
        for uuid in uuids:
            await vectors.run(VECTOR, uuid=uuid)
            await vectors.run(LABEL, uuid=uuid)
        await vectors.commit()
        assert await writing == 7


@pytest.mark.parametrize("kind", ["message", "summary", "conversation", "scope"])
async def test_vectors_pass_over_what_is_deleted_before_their_lock(
    kind: str,
    either_client: GraphClient,
    either_config: Neo4jConfig,
    owner: Owner,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without a second attempt: many deletes in a row would use up however many there are."""
    monkeypatch.setattr(retries, "met_a_deleted_node", lambda error: False)
    gone, stays = sorted(uuid4().hex for _ in range(2))
    label = f"{kind.title()}:PendingEmbedding"
    node = f"{label} {{uuid: $uuid, user_id: $user_id, project: $project, hash: 'h', head_seq: 0, message_count: 0}}"
    for uuid in (gone, stays):
        await either_client.run_schema(f"CREATE (:{node})", uuid=uuid, **owner.parameters)
    row: dict[str, Any] = {"vector": [0.6, 0.8], "title": "", "summary": "", "first": 0, "hash": "h"}
    auth = (either_config.username or "neo4j", either_config.password or "")
    async with (
        neo4j.AsyncGraphDatabase.driver(either_config.uri, auth=auth) as driver,
        driver.session(database="neo4j") as session,
        await session.begin_transaction() as deleting,
    ):
        await deleting.run(f"MATCH (n:{kind.title()} {{uuid: $uuid}}) DETACH DELETE n", uuid=gone)
        storing = asyncio.ensure_future(
            either_client.write(
                f"store_{kind}_embeddings",
                timeout=60,
                property="embedding_of_nobody",
                rows=[{**row, "uuid": uuid} for uuid in (gone, stays)],
                space_model="m",
                space_dimension=2,
                **owner.parameters,
            )
        )
        async with asyncio.timeout(60):
            while not (await driver.execute_query(WAITING, project=owner.project)).records[0]["waiting"]:
                assert not storing.done()
                await asyncio.sleep(0.05)
        await deleting.commit()
        assert await storing == [{"stored": 1, "moved": False}]
        await driver.execute_query(f"MATCH (n:{kind.title()} {{uuid: $uuid}}) DETACH DELETE n", uuid=stays)
