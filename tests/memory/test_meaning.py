"""What is remembered is found by its meaning too, and what other conversations were about."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Sequence

import pytest

from ragforge_memory import AsyncConversationAgent, events
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.memory.test_recall import PATIENT, asked

pytestmark = [pytest.mark.anyio, pytest.mark.long]

TOPICS = (("car", "vehicle"), ("storage", "postgres"), ("weather", "rain"), ("bread", "bakes"))
NOTE, QUESTION = "note: the vehicle stands in the yard", "Where do I leave my car overnight?"
SETTINGS = {**PATIENT, "embed_messages": True, "summarize_every": 4}


class Topics:
    """Vectors by topic: what is of one is identical, what is of none is near to nothing else; notes what turns ask.

    Args:
        model: the name of its space.
        extra: floats that are always 0.
    """

    provider = "topics"
    unrelated_cosine = 0.0

    def __init__(self, model: str = "topics", *, extra: int = 0) -> None:
        self.model = model
        self.dimension = len(TOPICS) + 1 + extra
        self.questions: list[str] = []

    async def embed_query(self, text: str) -> list[float]:
        if (task := asyncio.current_task()) is None or task.get_name() != "ragforge-background":
            self.questions.append(text)
        return self._vector(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self._vector(text) for text in texts]

    async def aclose(self) -> None:
        """Nothing is open."""

    def _vector(self, text: str) -> list[float]:
        has = [float(any(word in text.lower() for word in topic)) for topic in TOPICS]
        vector = [*has, float(not any(has)), *[0.0] * (self.dimension - len(TOPICS) - 1)]
        return [value / math.hypot(*vector) for value in vector]


class Slow(Topics):
    """Makes no vector of a question before it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.go_on = asyncio.Event()

    async def embed_query(self, text: str) -> list[float]:
        await self.go_on.wait()
        return await super().embed_query(text)


async def remember(agent: AsyncConversationAgent, hobby: str) -> None:
    """Has the user's hobby remembered, which holds in every project."""
    memories = (await agent.open()).memories
    assert memories is not None
    await memories.remember_fact("personal", "hobby", hobby)


async def test_a_memory_is_found_by_meaning_alone_once_and_until_it_is_forgotten(make_agent: MakeAgent) -> None:
    model, embedder = ScriptedProvider(["Noted."] * 9), Topics()
    async with make_agent(provider=model, embedder=embedder, settings=SETTINGS) as agent:
        await (await agent.create_conversation()).send_message(NOTE)
        assert await agent.drain() == {}
        embedder.questions.clear()
        talk = await agent.create_conversation()
        answer, seen = await asked(talk, QUESTION)
        assert embedder.questions == [QUESTION]
        [recalled] = [event for event in seen if isinstance(event, events.Recalled)]
        assert [(each.memory.content, each.tiers) for each in recalled.items] == [(NOTE, ("vector",))]
        assert recalled.tiers_answered == ("standing", "key", "code", "text", "vector", "conversations")
        assert not answer.degraded
        assert NOTE in model.requests[-1].system
        # A question of another topic, and one of none, have nothing to do with it.
        for other in ("Will it be wet? The rain …", "What is a monad?"):
            assert (await agent.recall(other, deadline_ms=10_000)).items == ()
        await talk.send_message(f"forget: {NOTE.partition(': ')[2]}")
        assert (await agent.recall(QUESTION, deadline_ms=10_000)).items == ()


async def test_nothing_is_embedded_twice_where_older_messages_are_searched_too(make_agent: MakeAgent) -> None:
    embedder = Topics()
    settings = {**SETTINGS, "max_context_messages": 1}
    async with make_agent(*["Yes."] * 9, embedder=embedder, settings=settings) as agent:
        talk = await agent.create_conversation()
        for text in (NOTE, "Good morning.", "Well then.", QUESTION):
            await agent.drain()
            embedder.questions.clear()
            answer, _ = await asked(talk, text)
            assert embedder.questions.count(text) == 1
        # Both have used it: the message is among the quotes, found by meaning.
        assert [each.message.content for each in answer.context_used.relevant_messages if "meaning" in each.matched_by]


async def test_nobody_else_finds_it(make_agent: MakeAgent, owner: Owner) -> None:
    async with make_agent("Noted.", embedder=Topics(), settings=SETTINGS) as agent:
        await (await agent.create_conversation()).send_message(NOTE)
        assert await agent.drain() == {}
        assert len((await agent.recall(QUESTION, deadline_ms=10_000)).items) == 1
    for options in ({"user_id": f"another-{owner.user_id}"}, {"project": f"another-{owner.project}"}):
        async with make_agent(embedder=Topics(), settings=SETTINGS, **options) as agent:
            found = await agent.recall(QUESTION, deadline_ms=10_000)
            assert (found.items, found.tiers_missed) == ((), ())
            assert "vector" in found.tiers_answered


async def test_a_fact_of_every_project_is_found_in_each_and_by_its_newest_value(
    make_agent: MakeAgent, owner: Owner, cypher: Cypher
) -> None:
    """The other project's vectors are of another model; what has none there gets one when that project is opened."""
    async with make_agent(embedder=Topics(), settings=SETTINGS) as agent:
        await remember(agent, "bakes a lot")
        assert await agent.drain() == {}
        async with make_agent(
            embedder=Topics("topics-2", extra=3), settings=SETTINGS, project=f"another-{owner.project}"
        ) as there:
            assert await there.drain() == {}
            for each in (agent, there):
                [item] = (await each.recall("Is there bread?", deadline_ms=10_000)).items
                assert (item.memory.content, item.tiers) == ("hobby: bakes a lot", ("vector",))
            await remember(there, "drives a vehicle")
            assert await there.drain() == {}
            assert await agent.drain() == {}
            for each in (agent, there):
                assert (await each.recall("Is there bread?", deadline_ms=10_000)).items == ()
                [item] = (await each.recall(QUESTION, deadline_ms=10_000)).items
                assert item.memory.content == "hobby: drives a vehicle"
    [row] = cypher(
        "MATCH (m:Fact {user_id: $user}) RETURN size([k IN keys(m) WHERE k STARTS WITH 'embedding']) AS vectors, "
        "m:PendingEmbedding AS waits",
        user=owner.user_id,
    )
    assert row == {"vectors": 2, "waits": False}


async def test_other_conversations_tell_what_they_were_about(make_agent: MakeAgent, cypher: Cypher) -> None:
    model = ScriptedProvider(["The storage is slow, so we index it."] * 20)
    async with make_agent(provider=model, embedder=Topics(), settings=SETTINGS) as agent:
        talk = await agent.create_conversation(title="Storage")
        for text in ("Why is the storage slow?", "And the storage of yesterday?"):
            await talk.send_message(text)
        assert await agent.drain() == {}
        [summary] = cypher(
            "MATCH (s:Summary {conversation_id: $c}) RETURN s.uuid AS uuid, s.content AS content", c=talk.uuid
        )
        own, _ = await asked(talk, "Is storage dear?")
        assert own.context_used.memories == ()
        another = await agent.create_conversation()
        answer, _ = await asked(another, "Does postgres want an index?")
        [item] = answer.context_used.memories
        assert (item.memory.kind, item.tiers) == ("episode", ("conversations",))
        assert (item.memory.uuid, item.memory.content) == (summary["uuid"], summary["content"])
        assert (item.memory.conversation_id, item.memory.topic) == (talk.uuid, "Storage")
        assert summary["content"][:40] in model.requests[-1].system
        # The receipt has an edge to the summary, and the prompt can be built again from it.
        receipt = await another.receipt(answer.message_id)
        assert [(each.uuid, each.kind) for each in receipt.items if each.tier == "memory"] == [
            (summary["uuid"], "memory")
        ]
        assert (receipt.erased, receipt.tiers_missed) == (0, ())
        assert (await another.as_of(answer.message_id)).exact
        # A branch has what was said before it; of what it does not share nothing is told here either.
        branch = await talk.branch()
        on, _ = await asked(branch, "Is storage dear?")
        assert on.context_used.memories == ()
        assert (await agent.recall("Does it rain?", deadline_ms=10_000)).items == ()
        await talk.delete()
        await branch.delete()
        assert (await agent.recall("Does postgres want an index?", deadline_ms=10_000)).items == ()


async def test_an_embedder_that_is_late_is_not_waited_for_and_the_receipt_says_so(make_agent: MakeAgent) -> None:
    embedder = Slow()
    settings = {**SETTINGS, "recall_deadline_ms": 1_000}
    async with make_agent("Noted.", "Somewhere.", embedder=embedder, settings=settings) as agent:
        await agent.recall(QUESTION, deadline_ms=1)  # the statements are planned
        talk = await agent.create_conversation()
        answer, seen = await asked(talk, NOTE)
        late = ("vector", "conversations")
        assert answer.degraded == ("recall",)
        assert [each.detail for each in seen if isinstance(each, events.Degraded)] == [
            "late or failed: vector, conversations"
        ]
        assert (await talk.receipt(answer.message_id)).tiers_missed == late
        assert (await talk.as_of(answer.message_id)).tiers_missed == late
        found = await agent.recall(QUESTION, deadline_ms=100)
        assert set(found.tiers_missed) >= set(late)
        embedder.go_on.set()


async def test_an_embedder_that_fails_leaves_the_other_tiers(make_agent: MakeAgent) -> None:
    class Broken(Topics):
        async def embed_query(self, text: str) -> list[float]:
            raise RuntimeError("out of order")

    async with make_agent("Noted.", embedder=Broken(), settings=SETTINGS) as agent:
        answer, _ = await asked(await agent.create_conversation(), NOTE)
        assert set(answer.degraded) == {"recall", "embeddings"}
        found = await agent.recall(f"{NOTE}?", deadline_ms=60_000)  # half of it may go by until the note is a memory
        assert [each.tiers for each in found.items] == [("text",)]
        assert found.tiers_missed == ("vector", "conversations")


@pytest.mark.parametrize("brief", [True, False])
async def test_where_nothing_is_embedded_no_tier_is_missed(make_agent: MakeAgent, brief: bool) -> None:
    options = {"embedder": Topics(), "settings": SETTINGS} if brief else {"settings": PATIENT}
    agent = make_agent("Noted.", **options)
    agent._brief = brief
    async with agent:
        answer, _ = await asked(await agent.create_conversation(), NOTE)
        assert not answer.degraded
        found = await agent.recall(QUESTION, deadline_ms=10_000)
        assert (found.tiers_answered, found.tiers_missed) == (("standing", "key", "code", "text"), ())


async def test_memories_move_with_the_other_vectors(make_agent: MakeAgent, owner: Owner) -> None:
    async with make_agent("Noted.", embedder=Topics(), settings=SETTINGS) as agent:
        await (await agent.create_conversation()).send_message(NOTE)
        await remember(agent, "bakes a lot")
        assert await agent.drain() == {}
        report = await agent.reembed(Topics("topics-3", extra=1))
        assert (report.memories, report.switched, report.failed) == (1, True, 0)
        assert await agent.drain() == {}  # what is of every project is in the new space by now, too
        for question, content in ((QUESTION, NOTE), ("Is there bread?", "hobby: bakes a lot")):
            found = await agent.recall(question, deadline_ms=10_000)
            assert [(each.memory.content, each.tiers) for each in found.items] == [(content, ("vector",))]
