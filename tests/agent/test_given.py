"""What an agent closes: what it opened, and nothing that was given to it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import neo4j
import pytest

from ragforge_memory import (
    AsyncConversationAgent,
    ConfigError,
    ConversationAgent,
    GraphUnavailable,
    InvalidInput,
    Neo4jConfig,
)
from ragforge_memory.agent import parts
from ragforge_memory.agent.outages.outage import Outage
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.resolve import Resolution
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import MakeAgent
from tests.spaces.conftest import NEW, OLD, Configured, Models, configured, either_config, models, plain

__all__ = ["configured", "either_config", "models", "plain"]

pytestmark = pytest.mark.anyio

SETTINGS = {"embed_messages": True}
ONE_LINE = pytest.mark.parametrize("either_config", ["current"], indirect=True)


class Closing(HashingEmbedder):
    """An embedder that notes that it was closed, and works no more then."""

    closed = False

    async def embed_passages(self, texts: Any) -> list[list[float]]:
        assert not self.closed
        return await super().embed_passages(texts)

    async def aclose(self) -> None:
        self.closed = True


async def test_two_agents_share_what_was_given_and_leave_it_open(make_agent: MakeAgent) -> None:
    provider, embedder = ScriptedProvider(["One.", "Two."]), Closing(dimension=64)
    shared = {"provider": provider, "embedder": embedder, "settings": SETTINGS}
    async with make_agent(**shared) as longer:
        async with make_agent(**shared) as shorter:
            await (await shorter.create_conversation()).send_message("First?")
        assert not provider.closed
        assert not embedder.closed
        conversation = await longer.create_conversation()
        assert (await conversation.send_message("Second?")).content == "Two."
        assert await longer.drain() == {}
        assert all(found.similarity is not None for found in await conversation.search_history("Second?"))
    assert not provider.closed
    assert not embedder.closed


async def test_a_model_that_was_named_is_closed(make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch) -> None:
    closed = []

    async def aclose(provider: ExtractiveProvider) -> None:
        closed.append(provider)

    monkeypatch.setattr(ExtractiveProvider, "aclose", aclose)
    async with make_agent(provider="extractive") as agent:
        provider = (await agent.open()).models.provider
    assert closed == [provider]


async def test_what_cannot_be_closed_keeps_nothing_else_open(
    make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("it is stuck")

    closed = []

    async def noted(client: GraphClient, aclose: Any = GraphClient.aclose) -> None:
        await aclose(client)
        closed.append(client)

    monkeypatch.setattr(Outage, "aclose", broken)
    monkeypatch.setattr(ExtractiveProvider, "aclose", broken)
    monkeypatch.setattr(GraphClient, "aclose", noted)
    agent = make_agent(provider="extractive")
    services = await agent.open()
    await agent.aclose()
    assert closed == [services.stores.graph]
    assert "it is stuck" in caplog.text


async def test_a_driver_stays_open_and_that_of_a_function_does_not(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig
) -> None:
    made = []

    def driver() -> neo4j.AsyncDriver:
        login = (neo4j_config.username or "neo4j", neo4j_config.password)
        made.append(neo4j.AsyncGraphDatabase.driver(neo4j_config.uri, auth=login))
        return made[-1]

    async with make_agent(neo4j=driver) as agent:
        assert await agent.create_conversation()
    assert made[0]._closed
    async with driver() as given:
        for _ in range(2):
            async with make_agent(neo4j=given) as agent:
                assert await agent.create_conversation()
        assert not given._closed


async def test_a_driver_is_refused_where_the_loop_is_another(neo4j_config: Neo4jConfig) -> None:
    async with neo4j.AsyncGraphDatabase.driver(neo4j_config.uri) as driver:
        with pytest.raises(InvalidInput, match="event loop of its own") as refused:
            ConversationAgent(driver)  # type: ignore[arg-type]
    assert "function" in str(refused.value.hint)


@pytest.mark.parametrize(
    ("fails", "says"),
    [
        (lambda: neo4j.AsyncGraphDatabase.driver("nonsense"), "ConfigurationError: URI scheme"),
        (lambda: Path("/nonexistent/password").read_text(), "FileNotFoundError"),
    ],
)
async def test_a_function_that_makes_no_driver(make_agent: MakeAgent, fails: Any, says: str) -> None:
    for agent in (make_agent(neo4j=fails), ConversationAgent(fails)):
        with pytest.raises(ConfigError, match=says) as failed:
            await _opened(agent)
        assert failed.value.hint
        assert failed.value.__cause__ is not None


async def test_a_driver_that_is_closed(make_agent: MakeAgent, neo4j_config: Neo4jConfig) -> None:
    driver = neo4j.AsyncGraphDatabase.driver(neo4j_config.uri)
    await driver.close()
    with pytest.raises(GraphUnavailable, match="the given driver is closed") as failed:
        await make_agent(neo4j=driver).open()
    assert "open" in str(failed.value.hint)


async def _opened(agent: AsyncConversationAgent | ConversationAgent) -> None:
    if isinstance(agent, ConversationAgent):
        await asyncio.to_thread(agent.open)
    else:
        await agent.open()


@ONE_LINE
async def test_embedders_that_vectors_were_moved_to(configured: Configured, models: Models) -> None:
    first, second = Closing(OLD, model=models.old), Closing(NEW, model=models.new)
    async with configured("unused", 3, embedder=first) as agent:
        await agent.import_conversation([{"role": "user", "content": "The harbour has a lighthouse."}])
        await agent.drain()
        await agent.reembed(second)
        assert (await agent.search_messages("harbour")).answered == ("text", "meaning")
    assert not first.closed
    assert not second.closed


@ONE_LINE
async def test_an_embedder_of_the_settings_is_closed(
    configured: Configured, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    async def aclose(embedder: HashingEmbedder) -> None:
        closed.append(embedder.model)

    monkeypatch.setattr(HashingEmbedder, "aclose", aclose)
    async with configured(models.old, OLD) as agent:
        await agent.import_conversation([{"role": "user", "content": "The harbour has a lighthouse."}])
        await agent.drain()
        await agent.reembed(f"hashing:{models.new}", dimension=NEW)
    assert sorted(closed) == sorted([models.old, models.new])


async def test_an_agent_that_does_not_open_closes_what_it_made_and_leaves_what_it_was_given(
    make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    class Model(ScriptedProvider):
        async def aclose(self) -> None:
            closed.append("model")

    class Embedder(HashingEmbedder):
        async def aclose(self) -> None:
            closed.append("embedder")

    async def resolved(*_: object, **__: object) -> Resolution:
        return Resolution(Model(["hello"]), "scripted", "scripted", "it was found")

    async def refused(*_: object) -> None:
        raise GraphUnavailable("it went away")

    monkeypatch.setattr(parts, "open_space", refused)
    with pytest.raises(GraphUnavailable):
        await make_agent(provider=Model(["hello"]), embedder=Embedder(), settings=SETTINGS).open()
    assert closed == []  # they can be given to the next one
    monkeypatch.setattr(parts, "resolve_model", resolved)
    monkeypatch.setattr(parts, "resolve_embedder", lambda *_, **__: SimpleNamespace(embedder=Embedder()))
    with pytest.raises(GraphUnavailable):
        await make_agent(settings=SETTINGS).open()
    assert sorted(closed) == ["embedder", "model"]
