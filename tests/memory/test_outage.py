"""What is ordered to be remembered while Neo4j is away is kept, and done when it is back."""

from __future__ import annotations

import asyncio

import pytest

from ragforge_memory import Neo4jConfig
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.memory.tools import MEMORY_CORE
from tests.agent.conftest import MakeAgent
from tests.agent.outages import LONGEST_TURN, proxied

pytestmark = pytest.mark.anyio

FACT = {"type": "personal", "key": "location", "value": "Lviv"}


async def test_what_is_ordered_while_neo4j_is_away_is_carried_out_when_it_is_back(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    steps = ("One.", [ToolRequest("1", "remember_fact", FACT)], "Two.")
    async with (
        proxied(neo4j_config) as (proxy, config),
        make_agent(*steps, neo4j=config, tools=MEMORY_CORE) as agent,
    ):
        talk = await agent.create_conversation()
        await talk.send_message("first")
        await proxy.end()
        async with asyncio.timeout(2 * LONGEST_TURN):
            ordered = await talk.send_message("/remember the parser keeps comments")
            called = await talk.send_message("I live in Lviv.")
        assert ordered.content == "That is kept, and carried out as soon as Neo4j can take it."
        assert (ordered.degraded, called.content) == (("graph",), "Two.")
        [call] = called.tool_calls
        assert call.result["error_type"] == "unreachable"
        assert called.context_used.memories == ()
        await proxy.recover()
        async with asyncio.timeout(60):
            await talk.get_history()
            await agent.drain()
        # The tool was not reached, so the fact is taken from what was said.
        kept = await agent.memory.list(kinds=["note", "fact"])
        assert {each.content for each in kept} == {"the parser keeps comments", "location: Lviv"}
