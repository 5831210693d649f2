"""Vectors and deletes of the same nodes: whoever comes second waits, and nobody has to begin anew."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph import retries
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.models.owner import Owner

pytestmark = pytest.mark.anyio

# One that waits for its commit shows no parameters any more.
WAITING = """
SHOW TRANSACTIONS YIELD status, parameters
WHERE status STARTS WITH 'Blocked' AND parameters.given.project = $project OR status = 'Closing'
RETURN count(*) AS waiting
"""


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
