"""A graph that is away, hangs, is slow, or goes in the middle of a turn: the turn goes on, and nothing is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import (
    AsyncConversationAgent,
    ConversationNotFound,
    GraphUnavailable,
    Neo4jConfig,
    TurnCancelled,
    events,
    tool,
)
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import Pause, ScriptedProvider
from tests.agent.conftest import MakeAgent
from tests.agent.outages import LONGEST_TURN, TenTurns, proxied

pytestmark = [pytest.mark.anyio, pytest.mark.long]


def journals(home: Path) -> list[Path]:
    return sorted((home / "journal").glob("*.jsonl"))


async def over(agent: AsyncConversationAgent) -> None:
    """Waits until the graph is back and has all that was said meanwhile."""
    async with asyncio.timeout(30):
        await (await agent.open()).background.outage.over()


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


@pytest.mark.parametrize("kind", ["hang", "slow"])
async def test_an_outage_in_the_middle_of_ten_turns(
    kind: str, make_agent: MakeAgent, neo4j_config: Neo4jConfig, home: Path
) -> None:
    async with proxied(neo4j_config) as (proxy, config):
        story = TenTurns(getattr(proxy, kind), proxy.recover)
        async with make_agent(*story.script(), neo4j=config, tools=story.tools) as agent:
            conversation = await agent.create_conversation()
            await story.run(conversation)
            assert story.degraded()[:4] == [4, 5, 6, 7]
            await over(agent)
            assert story.faults(await conversation.get_history()) == []
            assert (await conversation.refresh()).title == "Question 1"
            async with asyncio.timeout(30):
                while [path.read_text() for path in journals(home)] != [""]:  # noqa: ASYNC110 - 20 ms after the answer
                    await asyncio.sleep(0.01)


async def test_a_turn_says_it_once_and_knows_what_was_said(make_agent: MakeAgent, neo4j_config: Neo4jConfig) -> None:
    provider = ScriptedProvider(["One.", "Two.", "Three."])
    async with proxied(neo4j_config) as (proxy, config), make_agent(provider=provider, neo4j=config) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("first")
        await proxy.end()
        for text in ("second", "third"):
            async with asyncio.timeout(LONGEST_TURN), conversation.stream_message(text) as stream:
                seen = [event async for event in stream]
            said = [event for event in seen if isinstance(event, events.Degraded)]
            assert [(event.what, event.detail) for event in said] == [
                ("graph", "Neo4j is away; this turn is kept on disk until it is back")
            ]
            assert [event.kept for event in seen if isinstance(event, events.MessageStarted)] == [True]
            assert stream.response.degraded == ("graph",)
        told = [message.content for message in provider.requests[-1].messages]
        assert told == ["first", "One.", "second", "Two.", "third"]
        with pytest.raises(GraphUnavailable):
            await conversation.get_history()
        await proxy.recover()
        # An explicit read is right at once: what waits is stored before it.
        assert [message.content for message in await conversation.get_history()] == [*told, "Three."]
        # What an answer went by was right while the graph was away.
        snapshot = await conversation.as_of((await conversation.get_history())[-1].uuid)
        assert snapshot.exact
        assert [item.seq for item in (await conversation.receipt(stream.response.message_id)).items] == [4, 3, 2, 1]


async def test_a_tool_that_needs_the_graph_gets_an_error_at_once(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    asked = [ToolRequest("a", "search_code", {"query": "anything"}), ToolRequest("b", "search_code", {"query": "x"})]
    async with (
        proxied(neo4j_config) as (proxy, config),
        make_agent("One.", asked, "Two.", neo4j=config, tools=None) as agent,
    ):
        conversation = await agent.create_conversation()
        await conversation.send_message("first")
        await proxy.hang()
        async with asyncio.timeout(LONGEST_TURN):
            response = await conversation.send_message("second")
        assert response.content == "Two."
        assert [call.success for call in response.tool_calls] == [False, False]
        assert all("Neo4j" in str(call.error) for call in response.tool_calls)
        assert response.degraded == ("graph",)
        await proxy.recover()


async def test_without_a_model_the_answer_says_that_the_graph_is_away(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    async with (
        proxied(neo4j_config) as (proxy, config),
        make_agent(provider=ExtractiveProvider(), neo4j=config, tools=None) as agent,
    ):
        conversation = await agent.create_conversation()
        await conversation.send_message("hello")
        await proxy.hang()
        response = await conversation.send_message("who calls total_price?")
        assert response.content == "Neo4j is away, so nothing can be looked up; ask again when it is back."
        await proxy.recover()


async def test_a_conversation_that_is_begun_meanwhile(make_agent: MakeAgent, neo4j_config: Neo4jConfig) -> None:
    async with proxied(neo4j_config) as (proxy, config), make_agent("One.", "Two.", neo4j=config) as agent:
        known = await agent.open_conversation("known")
        await proxy.end()
        await known.send_message("in a conversation without a message")
        begun = await agent.create_conversation("Begun", tags=["t"], metadata={"a": 1})
        assert (await begun.send_message("hello")).degraded == ("graph",)
        unwanted = await agent.create_conversation()
        # What this process has used is found here; of anything else nobody can say whether it is there.
        assert (await agent.load_conversation(begun.uuid)).title == "Begun"
        assert (await agent.open_conversation("known")).uuid == known.uuid
        for unknown in (agent.load_conversation("nothing"), agent.open_conversation("other")):
            with pytest.raises(GraphUnavailable):
                await unknown
        await proxy.recover()
        await unwanted.delete()
        await over(agent)
        info = await begun.refresh()
        assert (info.title, info.tags, info.metadata, info.message_count) == ("Begun", ("t",), {"a": 1}, 2)
        assert {each.uuid for each in await agent.list_conversations()} == {known.uuid, begun.uuid}
        with pytest.raises(ConversationNotFound):
            await unwanted.refresh()


async def test_a_turn_that_is_cancelled_meanwhile(make_agent: MakeAgent, neo4j_config: Neo4jConfig) -> None:
    """What had been said is kept as a partial answer; a question that nothing followed is unanswered."""
    async with proxied(neo4j_config) as (proxy, config):
        inside = asyncio.Event()

        @tool
        async def wait() -> str:
            """Never comes back."""
            inside.set()
            await asyncio.Event().wait()
            return "never"

        script: list[Any] = [["So far.", ToolRequest("a", "wait", {})], [Pause(60.0), "never"]]
        async with make_agent(*script, neo4j=config, tools=[wait]) as agent:
            conversation = await agent.create_conversation()
            await proxy.end()
            asking = asyncio.ensure_future(conversation.send_message("first"))
            await inside.wait()
            assert await conversation.cancel()
            with pytest.raises(TurnCancelled):
                await asking
            async with conversation.stream_message("second") as stream:
                assert [(await anext(stream)).type for _ in range(2)] == ["degraded", "message_started"]
                assert await conversation.cancel()
                with pytest.raises(TurnCancelled):
                    [event async for event in stream]
            await proxy.recover()
            history = await conversation.get_history()
            assert [(each.content, each.state) for each in history] == [
                ("first", "complete"),
                ("So far.", "partial"),
                ("second", "unanswered"),
            ]


def managed(services: Any, recover: Callable[[], Awaitable[Neo4jConfig]], monkeypatch: pytest.MonkeyPatch) -> None:
    """Has the services' server looked after as the managed one is."""
    monkeypatch.setattr(services.stores.graph, "_recover", recover)


async def test_a_managed_server_is_waited_for_where_nothing_is_remembered(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = asyncio.Event()

    async def recover() -> Neo4jConfig:
        await started.wait()
        return neo4j_config

    async with make_agent("One.") as before:
        uuid = (await before.create_conversation()).uuid
        await (await before.load_conversation(uuid)).send_message("first")
    provider = ScriptedProvider(["Two."])
    async with proxied(neo4j_config) as (proxy, config), make_agent(provider=provider, neo4j=config) as agent:
        conversation = await agent.load_conversation(uuid)
        managed(await agent.open(), recover, monkeypatch)
        await proxy.end()
        async with asyncio.timeout(LONGEST_TURN), conversation.stream_message("second") as stream:
            said = await anext(stream)
            assert (said.type, said.what) == ("degraded", "graph")
            assert "waiting up to 15 s" in said.detail
            started.set()
            kinds = [event.type async for event in stream]
        assert kinds[0] == "message_started"
        assert stream.response.degraded == ()
        assert [message.content for message in provider.requests[0].messages] == ["first", "One.", "second"]
        assert [message.content for message in await conversation.get_history()] == ["first", "One.", "second", "Two."]


async def test_a_managed_server_is_not_waited_for_where_the_conversation_is_remembered(
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
        async with asyncio.timeout(LONGEST_TURN):
            assert (await conversation.send_message("second")).degraded == ("graph",)
        started.set()
        await over(agent)
        assert [message.content for message in await conversation.get_history()] == ["first", "One.", "second", "Two."]


async def test_a_cancel_does_not_wait_for_a_server_that_went_away(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never() -> Neo4jConfig:
        await asyncio.Event().wait()
        raise AssertionError

    async with make_agent("One.") as before:
        uuid = (await before.create_conversation()).uuid
        await (await before.load_conversation(uuid)).send_message("first")
    async with proxied(neo4j_config) as (proxy, config), make_agent("Two.", neo4j=config) as agent:
        conversation = await agent.load_conversation(uuid)
        managed(await agent.open(), never, monkeypatch)
        await proxy.end()
        async with asyncio.timeout(LONGEST_TURN), conversation.stream_message("second") as stream:
            await anext(stream)
            assert await conversation.cancel()
            with pytest.raises(TurnCancelled):
                [event async for event in stream]


async def test_an_imported_conversation_is_one_that_the_process_has_used(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    async with proxied(neo4j_config) as (proxy, config), make_agent("8123.", neo4j=config) as agent:
        conversation = await agent.import_conversation([{"role": "user", "content": "Our port is 8123."}])
        await proxy.end()
        loaded = await agent.load_conversation(conversation.uuid)
        assert "graph" in (await loaded.send_message("What is our port?")).degraded
        await proxy.recover()
        history = await loaded.get_history()
        assert [each.content for each in history] == ["Our port is 8123.", "What is our port?", "8123."]
