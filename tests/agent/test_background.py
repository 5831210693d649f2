"""Vectors come in the background, and what a crash leaves is found again."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from ragforge_memory.agent.upkeep import vectors
from ragforge_memory.config import RagforgeConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.embeddings.port import Embedder
from ragforge_memory.errors import EmbeddingError
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio


SETTINGS = {"embed_messages": True}
_STATE = """MATCH (m:Message {conversation_id: $uuid})
    RETURN m.seq AS seq, labels(m) AS labels, keys(m) AS keys ORDER BY m.seq"""


def states(cypher: Cypher, uuid: str) -> list[str]:
    """What became of each message's vector: waiting, failed, embedded."""
    found = []
    for row in cypher(_STATE, uuid=uuid):
        labels = set(row["labels"])
        vector = any(key.startswith("embedding") for key in row["keys"])
        found.append(
            "waiting" if "PendingEmbedding" in labels else "failed" if "FailedEmbedding" in labels else "embedded"
        )
        assert vector == (found[-1] == "embedded")
    return found


async def test_turns_that_follow_each_other_share_a_write(
    make_agent: MakeAgent, cypher: Cypher, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of vectors each write costs the server as much as dozens of them; nobody need ask for them."""
    async with make_agent(*["Yes."] * 4, embedder=HashingEmbedder(dimension=64), settings=SETTINGS) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Well?")
        for _ in range(1_200):
            if "waiting" not in states(cypher, conversation.uuid):
                break
            await asyncio.sleep(0.05)
        assert states(cypher, conversation.uuid) == ["embedded", "embedded"]
        await agent.drain()
        writes: list[str] = []
        graph = (await agent.open()).stores.graph
        write = graph.write

        async def named(name: str, /, **parameters: Any) -> Any:
            writes.append(name)
            return await write(name, **parameters)

        monkeypatch.setattr(graph, "write", named)
        monkeypatch.setattr(vectors, "_REST", 600.0)
        for _ in range(3):
            await conversation.send_message("And now?")
        assert "store_message_embeddings" not in writes
        await agent.drain()
        assert states(cypher, conversation.uuid) == ["embedded"] * 8
    assert writes.count("store_message_embeddings") == 1


async def test_what_another_process_left_is_taken_up(make_agent: MakeAgent, cypher: Cypher) -> None:
    class Broken(HashingEmbedder):
        async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
            raise EmbeddingError("no luck")

    async with make_agent("Yes.", embedder=Broken(dimension=64), settings=SETTINGS) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Well?")
        assert await agent.drain(timeout=0.01) == {"messages": 2, "conversation_vectors": 1}
    assert states(cypher, conversation.uuid) == ["waiting", "waiting"]
    async with make_agent(embedder=HashingEmbedder(dimension=64), settings=SETTINGS) as another:
        assert await another.drain() == {}
    assert states(cypher, conversation.uuid) == ["embedded", "embedded"]


def _raises(texts: Sequence[str]) -> list[list[float]]:
    raise ConnectionError("my server is down")


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (_raises, "ConnectionError: my server is down"),
        (lambda texts: [[1.0] * 7 for _ in texts], "a vector of 7 numbers, and says that its dimension is 64"),
    ],
)
async def test_nobody_waits_for_ever_for_an_embedder_that_goes_on_failing(
    made: Callable[[Sequence[str]], list[list[float]]],
    says: str,
    make_agent: MakeAgent,
    cypher: Cypher,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Own(HashingEmbedder):
        fails = True

        async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
            return made(texts) if self.fails else await super().embed_passages(texts)

    monkeypatch.setattr(vectors, "_PAUSE_AFTER_FAILURE", 0.0)
    own = Own(dimension=64)
    async with make_agent("Yes.", embedder=own, settings=SETTINGS) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Well?")
        assert (await agent.drain()).keys() == {"messages", "conversation_vectors"}
        own.fails = False
        assert await agent.drain() == {}
    assert set(states(cypher, conversation.uuid)) == {"embedded"}
    assert says in caplog.text
    assert sum(bool(record.exc_info) for record in caplog.records) <= 1


def brief(config: Neo4jConfig, owner: Owner, embedder: Embedder, *steps: Any) -> AsyncConversationAgent:
    """An agent of a process that ends after one answer."""
    return AsyncConversationAgent.from_settings(
        RagforgeConfig(neo4j=config),
        llm_provider=ScriptedProvider(steps),
        tools=(),
        embedder=embedder,
        user_id=owner.user_id,
        project=owner.project,
        brief=True,
    )


async def test_a_process_that_ends_after_one_answer_leaves_vectors_to_others(
    make_agent: MakeAgent, cypher: Cypher, neo4j_config: Neo4jConfig, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Never(HashingEmbedder):
        async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
            raise AssertionError("its model would be loaded")

    monkeypatch.setattr("ragforge_memory.agent.upkeep.vectors.LOOK_AGAIN", 0.05)
    embedded = asyncio.Event()

    class Told(HashingEmbedder):
        async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
            asyncio.get_running_loop().call_soon(embedded.set)
            return await super().embed_passages(texts)

    async with make_agent(embedder=Told(dimension=64), settings=SETTINGS) as lives_on:
        async with brief(neo4j_config, owner, Never(dimension=64), "Yes.") as agent:
            conversation = await agent.create_conversation()
            await conversation.send_message("Well?")
            assert await agent.drain() == {}
        async with asyncio.timeout(20):
            await embedded.wait()
        await lives_on.drain()
    assert states(cypher, conversation.uuid) == ["embedded", "embedded"]


async def test_when_too_many_wait_such_a_process_embeds_them_all(
    cypher: Cypher, neo4j_config: Neo4jConfig, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.agent.opening.LEFT_BY_BRIEF", 2)
    embedder = HashingEmbedder(dimension=64)
    async with brief(neo4j_config, owner, embedder, "One.") as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Well?")
    assert states(cypher, conversation.uuid) == ["waiting", "waiting"]
    async with brief(neo4j_config, owner, embedder, "Two.") as agent:
        await (await agent.load_conversation(conversation.uuid)).send_message("And now?")
    assert states(cypher, conversation.uuid) == ["embedded"] * 4


async def test_a_delete_that_a_crash_cut_off_is_finished_by_the_next_process(
    make_agent: MakeAgent, cypher: Cypher
) -> None:
    async with make_agent("Yes.", "No.") as agent:
        kept, deleted = await agent.create_conversation("kept"), await agent.create_conversation("deleted")
        for conversation in (kept, deleted):
            await conversation.send_message("Well?")
        services = await agent.open()
        await services.stores.graph.write(
            "begin_delete", uuid=deleted.uuid, token="t", **services.place.owner.parameters
        )
    assert _left(cypher, deleted.uuid) == 3
    async with make_agent() as another:
        await another.drain()
        assert _left(cypher, deleted.uuid) == 0
        assert [info.uuid for info in await another.list_conversations()] == [kept.uuid]
        assert _left(cypher, kept.uuid) == 3


def _left(cypher: Cypher, uuid: str) -> int:
    """How many nodes there are of a conversation: itself and its messages."""
    found = cypher(
        "MATCH (n) WHERE (n:Conversation AND n.uuid = $uuid) OR (n:Message AND n.conversation_id = $uuid) "
        "RETURN count(n) AS left",
        uuid=uuid,
    )
    return int(found[0]["left"])
