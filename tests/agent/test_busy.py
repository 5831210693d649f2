"""A server that answers and does not take a statement is busy: no outage, nothing lost, nobody else held up."""

from __future__ import annotations

import asyncio
from typing import Any

import neo4j
import pytest
from neo4j.exceptions import TransientError

from benchmarks.counting import CountingDriver
from ragforge_memory import GraphBusy, Neo4jConfig, tool
from ragforge_memory.graph import liveness, retries
from ragforge_memory.graph.client import GraphClient, open_driver
from ragforge_memory.graph.messages import MessageStore, NewMessage
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.agent.outages import proxied
from tests.graph.failing import failing_while

pytestmark = pytest.mark.anyio


class Locked:
    """Conversations whose messages the server does not take for now."""

    def __init__(self, config: Neo4jConfig) -> None:
        self.uuids: set[str] = set()
        self.met = 0
        self._config = config

    def driver(self) -> neo4j.AsyncDriver:
        return failing_while(open_driver(self._config), TransientError("a deadlock"), self._meets)

    def _meets(self, text: str, given: dict[str, Any]) -> bool:
        meets = "[:HAS_MESSAGE]" in text and given.get("conversation_id") in self.uuids and "SET c.updated_at" in text
        self.met += meets
        return meets


@pytest.fixture
def locked(neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch) -> Locked:
    monkeypatch.setattr(retries, "RETRY_TIME", 0.05)
    return Locked(neo4j_config)


async def test_a_lock_holds_up_its_conversation_alone(make_agent: MakeAgent, locked: Locked) -> None:
    async with make_agent("One.", "Two.", "Three.", neo4j=locked.driver) as agent:
        first, second = await agent.create_conversation(), await agent.create_conversation()
        breaker = (await agent.open()).stores.graph.breaker
        locked.uuids.add(first.uuid)
        assert (await first.send_message("first")).degraded == ("graph",)
        assert locked.met > 1
        assert not breaker.is_open
        assert (await second.send_message("second")).degraded == ()
        assert (await agent.drain(0.05)) == {"turns": 1}
        locked.uuids.clear()
        assert (await first.send_message("third")).degraded == ()
        assert not breaker.is_open
        assert [each.content for each in await first.get_history()] == ["first", "One.", "third", "Three."]


async def test_what_was_not_taken_is_stored_when_the_turn_ends(make_agent: MakeAgent, locked: Locked) -> None:
    @tool
    async def unlock() -> str:
        """Has the server take messages again."""
        locked.uuids.clear()
        return "unlocked"

    asked = [ToolRequest("a", "unlock", {})]
    async with make_agent(asked, "One.", neo4j=locked.driver, tools=[unlock]) as agent:
        conversation = await agent.create_conversation()
        locked.uuids.add(conversation.uuid)
        await conversation.send_message("first")
        history = await (await agent.open()).stores.messages.history(conversation.uuid)
        assert [each.content for each in history] == ["first", "One."]
        assert history[1].in_reply_to == history[0].uuid


async def test_drain_says_what_waits_on_disk(make_agent: MakeAgent, neo4j_config: Neo4jConfig) -> None:
    async with proxied(neo4j_config) as (proxy, config), make_agent("One.", "Two.", neo4j=config) as agent:
        conversation = await agent.create_conversation()
        await proxy.end()
        assert (await conversation.send_message("first")).degraded == ("graph",)
        assert await agent.drain(0.01) == {"turns": 1}
        await proxy.recover()
        assert await agent.drain(60) == {}
        history = await (await agent.open()).stores.messages.history(conversation.uuid)
        assert [each.content for each in history] == ["first", "One."]


async def test_a_session_that_is_there_is_opened_without_a_write(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    counted: list[CountingDriver] = []

    def counting() -> Any:
        counted.append(CountingDriver(open_driver(neo4j_config)))
        return counted[0]

    async with make_agent("One.", neo4j=counting) as agent:
        begun = await agent.open_conversation("the-session")
        await begun.send_message("first")
        await agent.drain()
        counted[0].statements.clear()
        found = await agent.open_conversation("the-session")
        assert found.uuid == begun.uuid
        assert counted[0].statements == {"read": 2}


async def test_a_slow_statement_of_a_server_that_answers_is_busy(
    neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "ASKED_AFTER", 0.01)
    monkeypatch.setattr(liveness, "SLOW_TIMEOUT", 0.5)
    slow = GraphClient(open_driver(neo4j_config))
    try:
        assert await slow.server_version()

        async def never(*given: Any, **more: Any) -> Any:
            await asyncio.Event().wait()

        monkeypatch.setattr(slow, "_collect", never)
        new = NewMessage("f" * 32, "user", "said")
        with pytest.raises(GraphBusy, match="answers, but did not take append_message"):
            await MessageStore(slow, Owner("", "busy")).append("nowhere", new, recover=False)
    finally:
        await slow.aclose()
