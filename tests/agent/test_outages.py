"""A graph that is away, hangs, or goes in the middle of a turn."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragforge_memory import AsyncConversationAgent, GraphUnavailable, Neo4jConfig, TurnCancelled, tool
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
        self._server: asyncio.Server | None = None
        self.port = 0

    def hang(self) -> None:
        self._flowing.clear()

    def recover(self) -> None:
        self._flowing.set()

    async def serve(self) -> asyncio.Server:
        server = self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
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

    async def end(self) -> None:
        """Goes, as a server that is killed: nobody listens any more, and who is connected is cut off."""
        assert self._server is not None
        self._server.close()
        await self.stop()

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


def managed(
    agent_services: Any, recover: Callable[[], Awaitable[Neo4jConfig]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Has the services' server looked after as the managed one is."""
    monkeypatch.setattr(agent_services.graph, "_recover", recover)


async def test_a_managed_server_that_went_away_is_said_and_waited_for(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = asyncio.Event()

    async def recover() -> Neo4jConfig:
        await started.wait()
        return neo4j_config

    async with proxied(neo4j_config) as (proxy, config), make_agent("One.", "Two.", neo4j=config) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("first")
        managed(await agent.open(), recover, monkeypatch)
        await proxy.end()
        async with asyncio.timeout(20), conversation.stream_message("second") as stream:
            said = await anext(stream)
            assert (said.type, said.what) == ("degraded", "graph")
            assert "waiting up to 60 s" in said.detail
            started.set()
            kinds = [event.type async for event in stream]
        assert kinds[0] == "message_started"
        assert stream.response.degraded == ()
        assert [message.content for message in await conversation.get_history()] == ["first", "One.", "second", "Two."]


async def test_a_cancel_does_not_wait_for_a_server_that_went_away(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never() -> Neo4jConfig:
        await asyncio.Event().wait()
        raise AssertionError

    async with proxied(neo4j_config) as (proxy, config), make_agent("One.", neo4j=config) as agent:
        conversation = await agent.create_conversation()
        managed(await agent.open(), never, monkeypatch)
        await proxy.end()
        async with asyncio.timeout(20), conversation.stream_message("first") as stream:
            await anext(stream)
            assert await conversation.cancel()
            with pytest.raises(TurnCancelled):
                [event async for event in stream]


async def test_a_question_that_is_asked_again_is_the_same_one(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server took the question, but its word did not come back, and nobody started it again in time."""
    back = False

    async def recover() -> Neo4jConfig:
        if not back:
            await asyncio.Event().wait()
        return neo4j_config

    async with proxied(neo4j_config) as (proxy, config), make_agent("One.", neo4j=config) as agent:
        conversation = await agent.create_conversation()
        services = await agent.open()
        managed(services, recover, monkeypatch)
        monkeypatch.setattr("ragforge_memory.graph.client.RESTART_TIMEOUT", 0.05)
        append = services.messages.append

        async def taken(*arguments: Any, **options: Any) -> int:
            await append(*arguments, **options)
            await proxy.end()
            return await append(*arguments, **options)

        monkeypatch.setattr(type(services.messages), "append", lambda self, *a, **o: taken(*a, **o))
        with pytest.raises(GraphUnavailable, match="was not back within"):
            async with asyncio.timeout(20):
                await conversation.send_message("first")
        monkeypatch.setattr(type(services.messages), "append", lambda self, *a, **o: append(*a, **o))
        back = True
        await conversation.send_message("first")
        history = await conversation.get_history()
        assert [(message.content, message.state) for message in history] == [
            ("first", "complete"),
            ("One.", "complete"),
        ]
