"""Whole agents: summaries and titles come in the background, and hold up nobody."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import ConversationNotFound, ModelError
from ragforge_memory.llm.scripted import Hang, ScriptedProvider
from tests.agent.conftest import Cypher, MakeAgent
from tests.summaries.desk import ALL, MARK, STATE, faults, stretch

pytestmark = pytest.mark.anyio


EVERY_4 = {"summarize_every": 4}


def _scripted(*summaries: Any, **purposes: Any) -> ScriptedProvider:
    given = {"summary": list(summaries) or [stretch], **purposes}
    return ScriptedProvider(["We found it in the store."], purposes=given, loop=True)


async def test_after_drain_all_is_there(make_agent: MakeAgent, cypher: Cypher) -> None:
    provider = _scripted()
    settings = {"summarize_every": 2, "embed_messages": True}
    async with make_agent(provider=provider, embedder=HashingEmbedder(dimension=64), settings=settings) as agent:
        conversation = await agent.create_conversation()
        for number in range(5):
            await conversation.send_message(f"Where is the lock? §{number}§")
        assert await agent.drain() == {}
        await conversation.refresh()
    found = cypher(ALL, uuid=conversation.uuid)
    assert faults(found, 2, 10) == []
    assert [row["level"] for row in found] == [1, 1, 1, 1, 1, 2, 2, 3]
    assert conversation.summary == "They did 1 to 8.\nThey did 9 to 10."
    sent = [
        mark
        for each in provider.requests
        if each.purpose == "summary"
        for mark in MARK.findall(each.messages[0].content)
    ]
    assert sent == ["0", "1", "2", "3", "4"]
    waiting = cypher(
        "MATCH (s:Summary {conversation_id: $uuid}) WHERE s:PendingEmbedding OR NOT any(k IN keys(s) WHERE "
        "k STARTS WITH 'embedding') RETURN s.uuid",
        uuid=conversation.uuid,
    )
    assert waiting == []


async def test_a_branch_of_a_deleted_conversation_gets_its_summary_without_a_further_word(
    make_agent: MakeAgent, cypher: Cypher
) -> None:
    async with make_agent(provider=_scripted(), settings={"summarize_every": 100}) as agent:
        trunk = await agent.create_conversation("A talk")
        for number in range(3):
            await trunk.send_message(f"Where is the zeppelin? §{number}§")
    settings = {"summarize_every": 4, "embed_messages": True}
    provider = _scripted("The airship is in the hangar.")
    async with make_agent(provider=provider, embedder=HashingEmbedder(dimension=64), settings=settings) as agent:
        trunk = await agent.load_conversation(trunk.uuid)
        branch = await trunk.branch()
        await trunk.delete()
        assert await agent.drain() == {}
        await branch.refresh()
        assert branch.summary == "The airship is in the hangar."
        [found] = await agent.find_similar_conversations("airship hangar", min_score=0.1)
        assert found.uuid == branch.uuid
    [vectors] = cypher(
        "MATCH (c:Conversation {uuid: $uuid}) RETURN any(k IN keys(c) WHERE k STARTS WITH 'summary_embedding') AS own",
        uuid=branch.uuid,
    )
    assert vectors == {"own": True}


async def test_what_one_answer_makes_due_is_summarised_beside_the_next(make_agent: MakeAgent, cypher: Cypher) -> None:
    """A process that ends after one answer begins no request that it would have to break off."""
    asked = []
    for question in ("Where is the lock?", "And the key?"):
        provider = _scripted()
        agent = make_agent(provider=provider, settings={"summarize_every": 2})
        agent._brief = True
        async with agent:
            conversation = await agent.open_conversation("both")
            await conversation.send_message(question)
        asked.append([each.purpose for each in provider.requests].count("summary"))
    assert asked == [0, 1]
    async with make_agent(provider=_scripted(), settings={"summarize_every": 2}) as agent:
        assert await agent.drain() == {}
    assert faults(cypher(ALL, uuid=conversation.uuid), 2, 4) == []


async def test_switched_off_there_are_none(make_agent: MakeAgent, cypher: Cypher) -> None:
    settings = {"summarize_every": 2, "enable_summarization": False}
    provider = _scripted(title=["A title"])
    async with make_agent(provider=provider, settings=settings) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Where is the lock?")
        assert await agent.drain() == {}
        assert cypher(STATE, uuid=conversation.uuid)[0]["title"] == "Where is the lock?"
        assert cypher(ALL, uuid=conversation.uuid) == []
        # On demand there is one nevertheless.
        assert await conversation.summarize() == "They did 1 to 2."


async def test_a_slow_summary_holds_up_no_turn_and_no_end(make_agent: MakeAgent, cypher: Cypher) -> None:
    asked = asyncio.Event()

    def hang(request: Any) -> list[Any]:
        asked.set()
        return [Hang()]

    async with make_agent(provider=_scripted(hang), settings={"summarize_every": 2}) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Where is the lock?")
        await asked.wait()
        assert (await conversation.send_message("And the key?")).content == "We found it in the store."
        assert await agent.drain(timeout=0.01) == {"summaries": 1}
    # Closing gave the claim back: nobody waits for its time.
    state = cypher(STATE, uuid=conversation.uuid)[0]
    assert (state["token"], state["attempts"], state["pending"]) == (None, None, True)
    async with make_agent(provider=_scripted(), settings={"summarize_every": 2}) as another:
        assert await another.drain() == {}
    assert faults(cypher(ALL, uuid=conversation.uuid), 2, 4) == []


async def test_two_agents_at_once(make_agent: MakeAgent, cypher: Cypher) -> None:
    providers = [_scripted() for _ in range(3)]
    agents = [make_agent(provider=provider, settings={"summarize_every": 2}) for provider in providers]
    uuid = (await agents[0].create_conversation(title="Shared")).uuid

    async def talk(agent: AsyncConversationAgent, name: str) -> None:
        conversation = await agent.load_conversation(uuid)
        for number in range(4):
            await conversation.send_message(f"Where is it? §{name}{number}§")

    await asyncio.gather(*(talk(agent, name) for agent, name in zip(agents, "abc", strict=True)))
    assert await asyncio.gather(*(agent.drain() for agent in agents)) == [{}, {}, {}]
    for agent in agents:
        await agent.aclose()
    assert faults(cypher(ALL, uuid=uuid), 2, 24) == []
    asked = [each for provider in providers for each in provider.requests if each.purpose == "summary"]
    sent = [mark for each in asked for mark in MARK.findall(each.messages[0].content)]
    assert len(sent) == len(set(sent)) == 12


async def test_secrets_stay_out_of_summaries(make_agent: MakeAgent, cypher: Cypher) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    async with make_agent(provider=_scripted(f"They used the token {secret} there."), settings=EVERY_4) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Where is the lock?")
        assert secret not in await conversation.summarize()
    assert secret not in str(cypher(ALL, uuid=conversation.uuid))


# --- on demand --------------------------------------------------------------------------------------------------------


async def test_summarize(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent(provider=_scripted(), settings={"summarize_every": 10}) as agent:
        conversation = await agent.create_conversation()
        assert await conversation.summarize() == ""
        assert conversation.summary is None
        await conversation.send_message("Where is the lock?")
        assert await conversation.summarize() == "They did 1 to 2."
        assert conversation.summary == "They did 1 to 2."
        await conversation.delete()
        with pytest.raises(ConversationNotFound):
            await conversation.summarize()


async def test_summarize_without_memory(make_agent: MakeAgent) -> None:
    async with make_agent(provider=_scripted("They met."), settings={"enable_memory": False}) as agent:
        conversation = await agent.create_conversation()
        assert await conversation.summarize() == ""
        await conversation.send_message("Where is the lock?")
        assert await conversation.summarize() == "They met."
        assert conversation.summary == "They met."
        assert await agent.drain() == {}


# --- titles -----------------------------------------------------------------------------------------------------------


def _titled(*titles: Any) -> ScriptedProvider:
    return _scripted(title=list(titles))


async def test_a_title_comes_after_the_first_exchange(make_agent: MakeAgent) -> None:
    provider = _titled("The lock of the store")
    async with make_agent(provider=provider) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Where is the lock, if you please?")
        assert conversation.title == "Where is the lock, if you please?"
        assert await agent.drain() == {}
        assert (await conversation.refresh()).title == "The lock of the store"
        await conversation.send_message("And the key?")
        assert await agent.drain() == {}
    asked = [request for request in provider.requests if request.purpose == "title"]
    assert len(asked) == 1
    assert "Where is the lock, if you please?" in asked[0].messages[0].content
    assert "We found it in the store." in asked[0].messages[0].content


async def test_a_title_that_somebody_gave_stays(make_agent: MakeAgent) -> None:
    provider = _titled("Something else")
    async with make_agent(provider=provider) as agent:
        given = await agent.create_conversation(title="Mine")
        await given.send_message("Where is the lock?")
        await agent.drain()
        assert (await given.refresh()).title == "Mine"
    assert [request.purpose for request in provider.requests] == ["answer"]


async def test_a_title_that_somebody_gives_meanwhile_stays(make_agent: MakeAgent) -> None:
    async def meanwhile(request: Any) -> str:
        await conversation.set_title("Mine")
        return "Something else"

    async with make_agent(provider=_titled(meanwhile)) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Where is the lock?")
        assert await agent.drain() == {}
        assert (await conversation.refresh()).title == "Mine"


async def test_no_title_is_made_of_a_turn_that_failed(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider(
        [["It is in", ModelError("no more")], "It is in the store."], purposes={"title": ["The lock"]}
    )
    async with make_agent(provider=provider) as agent:
        conversation = await agent.create_conversation()
        with pytest.raises(ModelError):
            await conversation.send_message("Where is the lock?")
        assert await agent.drain() == {}
        assert (await conversation.refresh()).title == "Where is the lock?"
        await conversation.send_message("Where?")
        assert await agent.drain() == {}
        assert (await conversation.refresh()).title == "The lock"
