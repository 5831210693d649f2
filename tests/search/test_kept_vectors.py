"""A long conversation is searched in memory: what is found, and when the copy is made, grows and goes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ragforge_memory import AsyncConversation, AsyncConversationAgent, ConversationNotFound
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph import kept_vectors
from ragforge_memory.graph.kept_vectors import KeptVectors
from ragforge_memory.graph.search import EVERYTHING, Filters, Hits, SearchStore
from ragforge_memory.graph.spaces import find_space
from ragforge_memory.models.lineage import Part
from ragforge_memory.models.owner import Owner
from tests.search.conftest import Searching

pytestmark = [pytest.mark.anyio, pytest.mark.long]

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
QUESTIONS = ("topic 13", "note 7", "note on topic 40", "harbour", "topic 13 and topic 26")


def notes(first: int, count: int) -> list[dict[str, Any]]:
    return [
        {
            "role": "assistant" if number % 2 else "user",
            "content": f"note {number} on topic {number * 7 % 41}",
            "timestamp": START + timedelta(minutes=number),
        }
        for number in range(first, first + count)
    ]


class Searches:
    """A store that keeps conversations of fifty messages, and what it and an exact scan find."""

    def __init__(self, store: SearchStore, kept: KeptVectors, cypher: Callable[..., Any], name: str) -> None:
        self.store = store
        self.kept = kept
        self._cypher = cypher
        self._property = name

    async def find(self, question: str, conversation: AsyncConversation, filters: Filters = EVERYTHING) -> Hits:
        vector = await HashingEmbedder(64).embed_query(question)
        return await self.store.by_meaning(vector, conversation_id=conversation.uuid, filters=filters)

    async def make(self, conversation: AsyncConversation) -> dict[str, int]:
        """Searches once, and gives what is kept of it then."""
        await self.find("note", conversation)
        await self.kept.settled()
        return self.of(conversation)

    def of(self, conversation: AsyncConversation) -> dict[str, int]:
        assert self.store.space is not None
        return self.kept.of(self.store.space, conversation.uuid).tops

    async def check(self, conversation: AsyncConversation, parts: Sequence[tuple[str, int]]) -> None:
        """Holds what is found against an exact scan of these conversations up to these seqs."""
        for question in QUESTIONS:
            found = await self.find(question, conversation)
            exact = self._cypher(
                "UNWIND $parts AS part MATCH (m:Message {conversation_id: part[0]}) WHERE m.seq <= part[1] "
                f"WITH m, vector.similarity.cosine(m.{self._property}, $v) AS score ORDER BY score DESC LIMIT 100 "
                "RETURN m.conversation_id AS id, m.seq AS seq, score, m.timestamp AS time",
                parts=[list(part) for part in parts],
                v=await HashingEmbedder(64).embed_query(question),
            )
            assert [hit.score for hit in found.items] == pytest.approx(
                [2 * row["score"] - 1 for row in exact], abs=5e-5
            )
            times = {(row["id"], row["seq"]): row["time"].to_native() for row in exact}
            told = {(hit.conversation_id, hit.seq): hit.time for hit in found.items}
            assert len(told) == len(found.items)
            assert {place: told[place] for place in told.keys() & times.keys()} == {
                place: times[place] for place in told.keys() & times.keys()
            }
            # What is as near as the last one may be another.
            assert len(told.keys() & times.keys()) >= len(told) - 10


@pytest.fixture
def keeping(searching: Searching, cypher: Callable[..., Any], owner: Owner) -> Any:
    """Opens an agent, and a store of its owner's that keeps what has ``least`` messages."""

    @asynccontextmanager
    async def open_both(*steps: str, least: int = 50, most_bytes: int = 10**9, **options: Any) -> Any:
        async with searching(*steps, **options) as agent:
            services = await agent.open()
            space = await find_space(services.stores.graph, owner.project)
            assert space is not None
            kept = KeptVectors(services.stores.graph, owner, least=least, most_bytes=most_bytes)
            searches = Searches(SearchStore(services.stores.graph, owner, space, kept), kept, cypher, space.property)
            yield agent, searches
            await searches.store.aclose()

    return open_both


async def imported(agent: AsyncConversationAgent, count: int) -> AsyncConversation:
    made = await agent.import_conversation(notes(0, count))
    await agent.drain()
    return made


async def test_the_same_is_found_as_by_an_exact_scan(keeping: Any) -> None:
    async with keeping() as (agent, searches):
        talk, other = await imported(agent, 300), await imported(agent, 300)
        assert searches.of(talk) == {}
        await searches.check(talk, [(talk.uuid, 300)])
        assert await searches.make(talk) == {talk.uuid: 280}
        await searches.check(talk, [(talk.uuid, 300)])
        assert searches.of(other) == {}
        await searches.check(other, [(other.uuid, 300)])


async def test_what_is_said_later_is_found_at_once_and_kept_in_time(keeping: Any) -> None:
    async with keeping(*["The harbour is quiet."] * 30) as (agent, searches):
        talk = await imported(agent, 100)
        assert await searches.make(talk) == {talk.uuid: 80}
        for number in range(3):
            await talk.send_message(f"topic 13 and harbour {number}")
        await agent.drain()
        await searches.check(talk, [(talk.uuid, 106)])
        assert searches.of(talk) == {talk.uuid: 80}
        for number in range(22):
            await talk.send_message(f"topic 26 and harbour {number}")
        await agent.drain()
        assert await searches.make(talk) == {talk.uuid: 130}
        await searches.check(talk, [(talk.uuid, 150)])


async def test_a_branch_is_searched_as_far_as_it_goes(keeping: Any) -> None:
    async with keeping() as (agent, searches):
        talk = await imported(agent, 200)
        history = await talk.get_history(200)
        branch = await talk.branch(history[119].uuid)
        assert await searches.make(talk) == {talk.uuid: 180}
        assert await searches.make(branch) == {talk.uuid: 120}
        await searches.check(branch, [(talk.uuid, 120)])
        again = await branch.branch(history[59].uuid)
        assert await searches.make(again) == {talk.uuid: 60}
        await searches.check(again, [(talk.uuid, 60)])


async def test_filters_are_asked_of_the_graph_and_what_is_deleted_or_short_is_not_kept(keeping: Any) -> None:
    async with keeping() as (agent, searches):
        assert await searches.make(await imported(agent, 49)) == {}
        talk = await imported(agent, 120)
        assert await searches.make(talk)
        found = await searches.find("topic 13", talk, Filters(role="user"))
        assert {hit.seq % 2 for hit in found.items} == {1}
        await talk.delete()
        with pytest.raises(ConversationNotFound):
            await searches.find("topic 13", talk)
        assert searches.of(talk) == {}


async def test_what_is_restored_from_before_is_copied_anew(keeping: Any) -> None:
    async with keeping(*["The harbour is quiet."] * 40) as (agent, searches):
        talk = await imported(agent, 100)
        document = await talk.export()
        for number in range(20):
            await talk.send_message(f"topic 13 and harbour {number}")
        await agent.drain()
        assert await searches.make(talk) == {talk.uuid: 120}
        before = talk.uuid
        await talk.delete()
        talk = await agent.import_conversation(document)
        assert talk.uuid == before
        for number in range(15):
            await talk.send_message(f"topic 26 and lighthouse {number}")
        await agent.drain()
        await searches.check(talk, [(talk.uuid, 130)])
        await searches.kept.settled()
        assert searches.of(talk) == {talk.uuid: 110}
        await searches.check(talk, [(talk.uuid, 130)])


async def test_nothing_of_another_owner_is_copied(keeping: Any, searching: Searching) -> None:
    async with keeping() as (_, searches), searching(user_id="other") as stranger:
        theirs = await imported(stranger, 120)
        with pytest.raises(ConversationNotFound):
            await searches.make(theirs)
        searches.kept.notice(searches.store.space, (Part(theirs.uuid, 120),), 120)
        await searches.kept.settled()
        assert searches.of(theirs) == {}


async def test_it_stops_before_what_waits_for_its_vector_and_waits_for_those_that_tell_where_vectors_lie(
    keeping: Any, cypher: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_vectors, "_REST", 600.0)  # a busy machine takes longer than it is
    waiting = "MATCH (m:Message {conversation_id: $id, seq: $seq}) "
    async with keeping() as (agent, searches):
        talk = await imported(agent, 200)
        cypher(f"{waiting} SET m:PendingEmbedding", id=talk.uuid, seq=49)
        assert await searches.make(talk) == {}
        cypher(f"{waiting} REMOVE m:PendingEmbedding", id=talk.uuid, seq=49)
        cypher(f"{waiting} SET m:PendingEmbedding", id=talk.uuid, seq=91)
        searches.kept._resting.clear()
        assert await searches.make(talk) == {talk.uuid: 90}
        await searches.check(talk, [(talk.uuid, 200)])
        cypher(f"{waiting} REMOVE m:PendingEmbedding", id=talk.uuid, seq=91)
        assert await searches.make(talk) == {talk.uuid: 90}  # it rests for a moment
        searches.kept._resting.clear()
        assert await searches.make(talk) == {talk.uuid: 180}


async def test_what_cannot_be_copied_is_left_to_the_index(
    keeping: Any, cypher: Callable[..., Any], caplog: pytest.LogCaptureFixture
) -> None:
    async with keeping() as (agent, searches):
        talk = await imported(agent, 120)
        cypher(
            f"MATCH (m:Message {{conversation_id: $id, seq: 7}}) SET m.{searches._property} = $words",
            id=talk.uuid,
            words=["no", "number"] * 32,
        )
        with caplog.at_level(logging.INFO):
            assert await searches.make(talk) == {}
        assert f"{talk.uuid} is searched by the index alone" in caplog.text
        assert (await searches.find("topic 13", talk)).items


async def test_the_least_recently_searched_makes_room(keeping: Any) -> None:
    async with keeping(most_bytes=120_000) as (agent, searches):
        talks = [await imported(agent, 120) for _ in range(3)]
        for talk in talks[:2]:
            assert await searches.make(talk)
        await searches.find("note", talks[0])
        assert await searches.make(talks[2])
        assert [bool(searches.of(talk)) for talk in talks] == [True, False, True]


async def test_vectors_that_move_are_copied_anew(keeping: Any, searching: Searching) -> None:
    async with keeping() as (agent, searches):
        talk = await imported(agent, 120)
        assert await searches.make(talk)
        old = searches.store.space
        await agent.reembed(HashingEmbedder(64, model="another"))
        services = await agent.open()
        new = await find_space(services.stores.graph, services.place.owner.project)
        assert new is not None
        assert new != old
        store = SearchStore(services.stores.graph, services.place.owner, new, searches.kept)
        vector = await HashingEmbedder(64, model="another").embed_query("topic 13")
        assert searches.kept.of(new, talk.uuid).tops == {}
        before = await store.by_meaning(vector, conversation_id=talk.uuid, filters=EVERYTHING)
        await searches.kept.settled()
        assert searches.kept.of(new, talk.uuid).tops == {talk.uuid: 100}
        after = await store.by_meaning(vector, conversation_id=talk.uuid, filters=EVERYTHING)
        assert [hit.score for hit in after.items] == pytest.approx([hit.score for hit in before.items], abs=5e-5)


async def test_an_agent_closes_while_a_copy_is_made(searching: Searching, monkeypatch: pytest.MonkeyPatch) -> None:
    async with searching() as agent:
        talk = await imported(agent, 120)
        services = await agent.open()
        assert services.stores.searches is not None
        kept = KeptVectors(services.stores.graph, services.place.owner, least=50)
        monkeypatch.setattr(services.stores.searches, "_kept", kept)
        monkeypatch.setattr(kept, "_copy", lambda wanted: asyncio.Event().wait())
        assert await talk.search_history("topic 13")
        assert kept._task is not None
    assert kept._task is None
