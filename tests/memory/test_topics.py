"""Talks that rest become episodes by themselves, found again by what was said in them."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from ragforge_memory.graph.episodes import EpisodeStore, NewEpisode, Stretch
from ragforge_memory.graph.erasures import ErasureStore
from ragforge_memory.memory.topics import REST_SECONDS, stretches
from ragforge_memory.models.conversation import Message
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio

LONG_AGO = datetime(2026, 3, 1, 9, tzinfo=UTC)
FIRST = ["How is the parser built?", "By hand, the zeppelin way.", "And what else?", "It skips comments."]
SECOND = ["Which port has the proxy?", "It listens on 8080.", "Who starts the marmalade worker?", "systemd does."]
TEXTS = (
    "MATCH (e:Episode {user_id: $user}) RETURN e.uuid AS uuid, e.content + e.terms AS text, "
    "COUNT { (e)-[:DERIVED_FROM]->(:Message) } AS messages ORDER BY toString(e.created_at)"
)
EPISODES = (
    "MATCH (e:Episode {user_id: $user}) RETURN e.topic AS topic, e.source AS source, e.trust AS trust, "
    "toString(e.created_at) AS at, COUNT { (e)-[:DERIVED_FROM]->(:Message) } AS messages ORDER BY at"
)


def said(texts: list[str], begin: datetime) -> list[dict[str, object]]:
    """Messages of an import, a minute apart."""
    return [
        {"role": ("user", "assistant")[n % 2], "content": text, "timestamp": (begin + timedelta(minutes=n)).isoformat()}
        for n, text in enumerate(texts)
    ]


async def test_each_stretch_of_a_talk_that_rests_is_an_episode_once(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent("Noted.", "So it is.") as agent:
        talk = await agent.import_conversation(
            [*said(FIRST, LONG_AGO), *said(SECOND, LONG_AGO + timedelta(hours=5))], title="old"
        )
        await agent.drain()
        rows = cypher(EPISODES, user=agent.user_id)
        assert [(row["topic"], row["messages"]) for row in rows] == [(FIRST[0], 4), (SECOND[0], 4)]
        assert {(row["source"], row["trust"]) for row in rows} == {("topic", "tool")}
        assert [row["at"][:16] for row in rows] == ["2026-03-01T09:03", "2026-03-01T14:03"]

        # By a word that the summary may have left out.
        for word, stretch in (("zeppelin", FIRST), ("marmalade", SECOND)):
            found = await agent.recall(f"What did we say of the {word}?", deadline_ms=20_000)
            assert found.items[0].memory.content.startswith(f"{stretch[0]}: ")

        # What is being talked about is not over; what was told is not told again.
        await talk.send_message("Has the proxy moved?")
        await agent.drain()
        assert cypher(EPISODES, user=agent.user_id) == rows


async def test_two_who_close_a_talk_make_its_episodes_once(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent() as first, make_agent(user_id=first.user_id) as second:
        for number in range(6):
            begin = LONG_AGO + timedelta(days=number)
            texts = [f"{text} ({number})" for text in FIRST]
            await first.import_conversation(said(texts, begin), title=f"old {number}")
        await asyncio.gather(first.drain(), second.drain())
        assert [row["messages"] for row in cypher(EPISODES, user=first.user_id)] == [4] * 6


async def test_a_branch_tells_only_of_what_is_its_own(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent(*["So."] * 4) as agent:
        talk = await agent.import_conversation(said(FIRST, LONG_AGO), title="old")
        branch = await talk.branch()
        for text in ("And the walnut?", "And the hazelnut?"):
            await branch.send_message(text)
        cypher("MATCH (m:Message {conversation_id: $c}) SET m.timestamp = datetime('2026-03-02')", c=branch.uuid)
        await agent.drain()
        rows = cypher(EPISODES, user=agent.user_id)
        assert [(row["topic"], row["messages"]) for row in rows] == [(FIRST[0], 4), ("And the walnut?", 4)]


def _message(minute: int, seq: int) -> Message:
    at = LONG_AGO + timedelta(minutes=minute)
    return Message(uuid=f"m{seq}", conversation_id="c", seq=seq, role="user", content="x", timestamp=at)


async def test_a_talk_is_parted_where_nobody_said_anything_for_long() -> None:
    rest = REST_SECONDS // 60
    minutes = [0, 1, 1 + rest, 2 + 2 * rest, 3 + 2 * rest]
    parted = stretches([_message(minute, seq) for seq, minute in enumerate(minutes, start=1)])
    assert [[each.seq for each in part] for part in parted] == [[1, 2, 3], [4, 5]]
    assert [len(part) for part in stretches([_message(0, seq) for seq in range(250)])] == [100, 100, 50]
    assert stretches([]) == []


async def test_an_archive_brings_episodes_and_nobody_makes_them_again(
    make_agent: MakeAgent, cypher: Cypher, tmp_path: Path
) -> None:
    file = tmp_path / "archive.jsonl"
    async with make_agent() as agent:
        await agent.import_conversation(said(FIRST, LONG_AGO), title="old")
        await agent.drain()
        await agent.export_all(file)
    async with make_agent(user_id="u" + uuid4().hex) as other:
        await other.import_conversations(file)
        await other.drain()
        assert [row["messages"] for row in cypher(EPISODES, user=other.user_id)] == [4]
        [item] = (await other.recall("What of the zeppelin?", deadline_ms=20_000)).items
        assert item.memory.source == "topic"


async def test_what_is_erased_is_told_by_no_episode(make_agent: MakeAgent, cypher: Cypher) -> None:
    texts = ["Note: the walrus key lies under the mat.", "Noted.", *FIRST]
    async with make_agent() as agent:
        await agent.import_conversation(
            [*said(texts, LONG_AGO), *said(SECOND, LONG_AGO + timedelta(hours=5))], title="old"
        )
        await agent.drain()
        await agent.memory.remember_fact("project", "key place", "the walrus key lies under the mat")
        before, other = cypher(TEXTS, user=agent.user_id)
        assert "walrus" in before["text"]
        # What is forgotten stays so, whatever goes beside it.
        await agent.memory.forget(other["uuid"])
        [fact] = await agent.memory.recall_facts("walrus")
        erased = await agent.memory.erase(fact.uuid)
        assert erased.counts["Memory"] == 2
        await agent.drain()
        assert [row["uuid"] for row in cypher(TEXTS, user=agent.user_id)] == [other["uuid"]]
        assert not (await agent.memory.get(other["uuid"])).is_active

        # Of an episode no message goes with it, and it is not made again.
        await agent.memory.erase(other["uuid"])
        await agent.drain()
        assert cypher(TEXTS, user=agent.user_id) == []
        assert cypher("MATCH (m:Message {user_id: $u, content: $t}) RETURN m.seq", u=agent.user_id, t=SECOND[1])


async def test_nothing_is_told_of_a_talk_in_which_a_text_was_erased_meanwhile(
    make_agent: MakeAgent, cypher: Cypher
) -> None:
    async with make_agent() as agent:
        talk = await agent.import_conversation(said(FIRST, LONG_AGO), title="old")
        services = await agent.open()
        owner = services.place.owner
        store = EpisodeStore(services.stores.graph, owner)
        await agent.drain()
        cypher("MATCH (c:Conversation {uuid: $c}) REMOVE c.episode_seq", c=talk.uuid)
        cypher("MATCH (e:Episode {user_id: $user}) DETACH DELETE e", user=agent.user_id)
        [topic] = await store.closed_topics(9, seconds=60)
        episode = NewEpisode(uuid4().hex, "the parser", "It is built by hand.", "agent", "topic")
        stretch = Stretch(episode, "by hand", LONG_AGO)
        await ErasureStore(services.stores.graph, owner).erase_topics(talk.uuid, ())
        assert not await store.close(topic, topic.head, [stretch])
        [again] = await store.closed_topics(9, seconds=60)
        assert await store.close(
            again, again.head, [stretch, replace(stretch, episode=replace(episode, uuid="another"))]
        )
        # The same words are one episode.
        assert [row["topic"] for row in cypher(EPISODES, user=agent.user_id)] == ["the parser"]


async def test_a_talk_that_is_deleted_takes_what_is_told_of_it_along(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent("So.") as agent:
        talk = await agent.import_conversation(said(FIRST, LONG_AGO), title="old")
        await agent.drain()
        branch = await talk.branch((await talk.get_history())[1].uuid)
        assert len(cypher(EPISODES, user=agent.user_id)) == 1
        await talk.delete()
        assert [message.content for message in await branch.get_history()] == FIRST[:2]
        assert cypher(EPISODES, user=agent.user_id) == []


async def test_what_an_imported_talk_says_nobody_vouches_for(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent(*["So."] * 4) as agent:
        await agent.import_conversation(said(FIRST, LONG_AGO), title="old")
        talk = await agent.create_conversation()
        for text in SECOND:
            await talk.send_message(text)
        cypher("MATCH (m:Message {conversation_id: $c}) SET m.timestamp = datetime('2026-04-01')", c=talk.uuid)
        await agent.drain()
        told = {row["topic"]: row["trust"] for row in cypher(EPISODES, user=agent.user_id)}
        assert told == {FIRST[0]: "tool", SECOND[0]: "agent"}
