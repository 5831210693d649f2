"""A sweep that looks for what a crash left, while another agent takes that away and imports the same anew."""

from __future__ import annotations

import asyncio
from contextlib import aclosing
from typing import Any

import neo4j
import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.restore import RestoreStore
from tests.archive.conftest import Graph, MakeAgent
from tests.graph.test_lock_order import WAITING

pytestmark = pytest.mark.anyio

HALF = "MATCH (c:Conversation {project: $project}) SET c.status = 'deleting' RETURN c.uuid AS uuid"
BEGUN = """MATCH (c:Conversation {project: $project})
SET c.status = 'deleting', c.import_token = 'its', c.import_until = datetime() + duration('PT1H')"""
IMPORTED = """MATCH (c:Conversation {project: $project}) SET c.status = 'active'
REMOVE c.import_token, c.import_until RETURN c.uuid AS uuid"""
SETTINGS = {"enable_summarization": False}


@pytest.mark.parametrize(
    ("statement", "begun"), [("keep_shared", False), ("delete_messages", True), ("finish_delete", False)]
)
async def test_it_leaves_an_import_alone(
    statement: str,
    begun: bool,
    make_agent: MakeAgent,
    graph: Graph,
    neo4j_config: Neo4jConfig,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has listed what is to be taken away, and comes to ``statement`` when the import has begun."""
    async with make_agent("one", "two", "three", settings=SETTINGS) as agent:
        conversation = await agent.create_conversation("half gone")
        for n in range(3):
            await conversation.send_message(f"question {n}")
        document = await conversation.export()
        seen = graph.seen()
    arrived, goes_on = asyncio.Event(), asyncio.Event()

    class Halting(GraphClient):
        """The sweep's: halts before its first of these statements."""

        async def write(self, name: str, /, **options: Any) -> Any:
            await self.halt(name)
            return await super().write(name, **options)

        async def autocommit(self, name: str, /, **options: Any) -> Any:
            await self.halt(name)
            return await super().autocommit(name, **options)

        async def halt(self, name: str) -> None:
            if name == statement:
                arrived.set()
                await goes_on.wait()

    async with make_agent(settings=SETTINGS) as agent, aclosing(await connect(neo4j_config)) as client:
        await agent.open()
        assert len(graph.run(HALF)) == 1
        monkeypatch.setattr(client, "__class__", Halting)
        sweeping = asyncio.create_task(ConversationStore(client, graph.owner).sweep())
        await arrived.wait()

        async def swept() -> None:
            if not goes_on.is_set():
                goes_on.set()
                await sweeping

        class Watched(RestoreStore):
            """The import's: lets the sweep run to its end as soon as this one has come so far."""

            async def begin(self, *arguments: Any) -> None:
                await super().begin(*arguments)
                if begun:
                    await swept()

            async def messages(self, *arguments: Any, **options: Any) -> None:
                await super().messages(*arguments, **options)
                await swept()

        monkeypatch.setattr("ragforge_memory.archive.restoring.RestoreStore", Watched)
        await agent.import_conversation(document)
        assert sweeping.done()
        assert graph.seen().differs(seen) == []


@pytest.mark.parametrize("statement", ["keep_shared", "delete_messages", "finish_delete"])
async def test_it_leaves_what_is_imported_before_its_lock(
    statement: str, make_agent: MakeAgent, graph: Graph, neo4j_config: Neo4jConfig
) -> None:
    """An import that a killed process has sent is finished by the server while somebody takes it away."""
    async with make_agent("one", "two", settings=SETTINGS) as agent:
        conversation = await agent.create_conversation()
        for n in range(2):
            await conversation.send_message(f"question {n}")
    seen = graph.seen()
    graph.run(BEGUN)
    auth = (neo4j_config.username or "neo4j", neo4j_config.password)
    async with (
        aclosing(await connect(neo4j_config)) as client,
        neo4j.AsyncGraphDatabase.driver(neo4j_config.uri, auth=auth) as driver,
        driver.session(database="neo4j") as session,
        await session.begin_transaction() as finishing,
    ):
        await (await finishing.run(IMPORTED, graph.owner.parameters)).consume()  # it has the locks from here on
        given: dict[str, Any] = {"uuid": conversation.uuid, **graph.owner.parameters}
        if statement == "keep_shared":
            given["import_token"] = "its"
        send = client.autocommit if statement == "delete_messages" else client.write
        taking = asyncio.ensure_future(send(statement, timeout=60, **given))
        async with asyncio.timeout(60):
            while not (await driver.execute_query(WAITING, project=graph.owner.project)).records[0]["waiting"]:
                assert not taking.done()
                await asyncio.sleep(0.05)
        await finishing.commit()
        await taking
    assert graph.seen().differs(seen) == []
