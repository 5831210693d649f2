"""A graph that is away, hangs, or goes in the middle of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragforge_memory import AsyncConversationAgent, GraphUnavailable, Neo4jConfig, tool
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider

pytestmark = pytest.mark.anyio

MakeAgent = Callable[..., AsyncConversationAgent]


class Proxy:
    """Stands between client and server: passes bytes on, or holds them back as a stopped server would."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.port = 0

    def hang(self) -> None:
        self._flowing.clear()

    def recover(self) -> None:
        self._flowing.set()

    async def serve(self) -> asyncio.Server:
        server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        far_reader, far_writer = await asyncio.open_connection(*self._target)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(reader, far_writer))
                group.create_task(self._pump(far_reader, writer))
        except* (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            far_writer.close()
            self._tasks.discard(task)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self._flowing.wait()
            writer.write(data)
            await writer.drain()
        writer.write_eof()

    async def stop(self) -> None:
        self._flowing.set()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)


@asynccontextmanager
async def proxied(config: Neo4jConfig) -> AsyncIterator[tuple[Proxy, Neo4jConfig]]:
    address = urlsplit(config.uri)
    proxy = Proxy(address.hostname or "", address.port or 7687)
    server = await proxy.serve()
    try:
        yield proxy, Neo4jConfig(f"bolt://127.0.0.1:{proxy.port}", username=config.username, password=config.password)
    finally:
        server.close()
        await proxy.stop()


async def test_no_server_is_said_before_the_model_is_asked(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(["never"])
    agent = make_agent(provider=provider, neo4j=Neo4jConfig("bolt://127.0.0.1:1", password="x"))
    with pytest.raises(GraphUnavailable) as caught:
        async with asyncio.timeout(10):
            await agent.create_conversation()
    assert caught.value.exit_code == 4
    assert caught.value.hint
    assert provider.requests == []
    await agent.aclose()


async def test_a_hanging_server_is_said_before_the_model_is_asked(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    provider = ScriptedProvider(["One.", "Two."])
    async with proxied(neo4j_config) as (proxy, config), make_agent(provider=provider, neo4j=config) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("first")
        proxy.hang()
        with pytest.raises(GraphUnavailable):
            async with asyncio.timeout(10):
                await conversation.send_message("second")
        assert len(provider.requests) == 1
        proxy.recover()
        assert (await conversation.send_message("third")).content == "Two."
        contents = [message.content for message in await conversation.get_history() if message.role == "assistant"]
        assert contents == ["One.", "Two."]


async def test_an_answer_that_the_graph_cannot_take_waits_in_the_journal(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    async with proxied(neo4j_config) as (proxy, config):

        @tool
        def cut_the_line() -> str:
            """Takes the graph away in the middle of the turn."""
            proxy.hang()
            return "cut"

        script: list[Any] = [[ToolRequest("c", "cut_the_line", {})], "The answer.", "Later."]
        async with make_agent(*script, neo4j=config, tools=[cut_the_line]) as agent:
            conversation = await agent.create_conversation()
            response = await conversation.send_message("first")
            assert response.content == "The answer."
            assert "graph" in response.degraded
            proxy.recover()
            await conversation.send_message("second")
            history = await conversation.get_history()
            assert [message.content for message in history] == ["first", "The answer.", "second", "Later."]
            assert history[1].in_reply_to == history[0].uuid
            assert [call.tool_name for call in history[1].tool_calls] == ["cut_the_line"]


async def test_the_next_process_stores_what_waited(make_agent: MakeAgent, neo4j_config: Neo4jConfig) -> None:
    async with proxied(neo4j_config) as (proxy, config):

        @tool
        def cut_the_line() -> str:
            """Takes the graph away in the middle of the turn."""
            proxy.hang()
            return "cut"

        agent = make_agent([ToolRequest("c", "cut_the_line", {})], "The answer.", neo4j=config, tools=[cut_the_line])
        conversation = await agent.create_conversation()
        await conversation.send_message("first")
        await agent.aclose()
        proxy.recover()
        async with make_agent("Later.", neo4j=config) as another:
            again = await another.load_conversation(conversation.uuid)
            assert [message.content for message in await again.get_history()] == ["first", "The answer."]
