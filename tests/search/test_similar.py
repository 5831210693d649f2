"""Conversations that are like a text: before and after the first summary, of this owner alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragforge_memory import InvalidInput, Neo4jConfig
from ragforge_memory.agent.search.similar import mean
from ragforge_memory.graph.similar import Part, Topic
from tests.search.conftest import Searching
from tests.search.test_search import _Broken

pytestmark = pytest.mark.anyio

Cypher = Callable[..., list[dict[str, Any]]]

TALKS = (
    ("How do we lock accounts after failed logins?", "Count the attempts in Redis."),
    ("Make the container image smaller.", "Build it in two stages."),
    ("Translate the settings page into French.", "Wrap the strings with gettext."),
)


async def test_the_likest_conversation_comes_first(searching: Searching, either_config: Neo4jConfig) -> None:
    async with searching(config=either_config) as agent, searching(config=either_config, user_id="other") as other:
        mine = [
            await agent.import_conversation(
                [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
            )
            for asked, answered in TALKS
        ]
        await other.import_conversation([{"role": "user", "content": TALKS[1][0]}])
        assert await agent.drain() == {}
        assert await other.drain() == {}
        for conversation, (asked, _) in zip(mine, TALKS, strict=True):
            found = await agent.find_similar_conversations(asked)
            assert found.answered == ("text", "meaning")
            assert found[0].uuid == conversation.uuid
            assert {each.uuid for each in found} <= {each.uuid for each in mine}
            assert found[0].similarity is not None
            assert found[0].similarity > 0.5
        near = await agent.find_similar_conversations(TALKS[0][0], min_score=0.5)
        assert [each.uuid for each in near] == [mine[0].uuid]
        await mine[0].delete()
        assert mine[0].uuid not in {each.uuid for each in await agent.find_similar_conversations(TALKS[0][0])}


async def test_parts_that_have_little_to_do_with_each_other_make_nothing_likelier(
    searching: Searching, either_config: Neo4jConfig, cypher: Cypher
) -> None:
    async with searching(config=either_config) as agent:
        talks = [await agent.import_conversation([{"role": "user", "content": asked}]) for asked, _ in TALKS[:2]]
        assert await agent.drain() == {}
        similar = (await agent.open()).stores.similar
        assert similar is not None
        assert similar.space is not None
        asked, across, both = ([0.0] * similar.space.dimension for _ in range(3))
        asked[0] = 1.0
        across[0] = across[1] = 0.5  # the mean of what is asked and of something else: nearer by angle
        both[0], both[1] = 0.65, 0.75
        ready = zip(talks, (across, both), strict=True)
        await similar.store(
            similar.space,
            [(Topic(talk.uuid, talk.info.title or "", "", (Part("", True),)), vector) for talk, vector in ready],
        )
        found, vectors = await similar.by_meaning(asked, limit=10)
        near = {talks[0].uuid: [0.5, 0.5], talks[1].uuid: both[:2]}
        assert {uuid: [round(each, 3) for each in vector[:2]] for uuid, vector in vectors.items()} == near
        assert {uuid: round(score, 3) for uuid, score in found.items()} == {talks[1].uuid: 0.65, talks[0].uuid: 0.5}
        assert next(iter(found)) == talks[1].uuid


async def test_the_very_same_text_is_as_similar_as_can_be_and_an_empty_conversation_is_about_nothing(
    searching: Searching,
) -> None:
    async with searching() as agent:
        asked = TALKS[0][0]
        await agent.create_conversation(asked)
        talk = await agent.import_conversation([{"role": "user", "content": asked}], title=asked)
        assert await agent.drain() == {}
        similar = await agent.find_similar_conversations(asked, 5, min_score=1.0)
        assert [(each.uuid, each.similarity) for each in similar] == [(talk.uuid, 1.0)]
        for found in (
            await talk.search_history(asked, 5, min_score=1.0),
            await agent.search_messages(f" {asked.upper()}", 5),
        ):
            assert [(each.message.content, each.similarity) for each in found] == [(asked, 1.0)]


async def test_a_summary_takes_part(searching: Searching, cypher: Cypher) -> None:
    """As the summaries' writer leaves it: the summary set, and the label."""
    async with searching() as agent:
        conversation = await agent.import_conversation([{"role": "user", "content": TALKS[0][0]}])
        await agent.drain()
        [before] = await agent.find_similar_conversations("zeppelin airship hangar")
        cypher(
            "MATCH (c:Conversation {uuid: $uuid}) SET c.summary = 'The zeppelin airship hangar.', c:PendingEmbedding",
            uuid=conversation.uuid,
        )
        assert await agent.drain() == {}
        [after] = await agent.find_similar_conversations("zeppelin airship hangar")
        assert (after.similarity or 0) > (before.similarity or 0)


async def test_a_change_meanwhile_keeps_it_waiting(searching: Searching, cypher: Cypher) -> None:
    async with searching() as agent:
        conversation = await agent.import_conversation([{"role": "user", "content": TALKS[0][0]}])
        await agent.drain()
        services = await agent.open()
        assert services.stores.similar is not None
        assert services.stores.similar.space is not None
        cypher("MATCH (c:Conversation {uuid: $uuid}) SET c:PendingEmbedding", uuid=conversation.uuid)
        [topic] = await services.stores.similar.pending(10)
        cypher("MATCH (c:Conversation {uuid: $uuid}) SET c.title = 'Another title'", uuid=conversation.uuid)
        assert await services.stores.similar.store(services.stores.similar.space, [(topic, [1.0] * 64)]) == 0
        assert await services.stores.similar.count_pending() == 1


async def test_words_alone_do_as_well(searching: Searching, cypher: Cypher, caplog: pytest.LogCaptureFixture) -> None:
    async with searching(embedder=_Broken()) as agent:
        conversation = await agent.import_conversation(
            [{"role": "user", "content": "hello"}], title="Locking accounts after failed logins"
        )
        cypher("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
        found = await agent.find_similar_conversations("failed login", min_score=0.5)
        assert (found.answered, found.missed) == (("text",), ("meaning",))
        assert "by words alone" in caplog.text
        assert [(each.uuid, each.similarity) for each in found] == [(conversation.uuid, None)]
        with pytest.raises(InvalidInput):
            await agent.find_similar_conversations(" ")


def test_what_is_embedded_of_a_conversation() -> None:
    asked = "How do we lock accounts\nafter failures, and for how long?"
    first = (Part(asked, True), Part("By counting the attempts in Redis, for each account.", False))
    together = "\n".join(part.text for part in first)
    assert Topic("u", "How do we lock…", "", first).parts == [*first, Part(together, False)]
    assert Topic("u", "How do we lock…", "", first[:1]).parts == list(first[:1])
    assert Topic("u", "Locks", "They locked.", first).parts == [
        Part("Locks", False),
        Part("They locked.", False),
        *first,
        Part(f"Locks\nThey locked.\n{together}", False),
    ]
    assert Topic("u", "", "", ()).parts == [Part(" ", False)]
    assert mean([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0]) == [0.5, 0.5]
    assert mean([[1.0, 0.0], [0.0, 1.0]], [0.25, 0.75]) == [0.25, 0.75]


def test_where_nothing_was_said_at_first_what_says_little_counts_for_little() -> None:
    asked = Part("The tests of the login page fail since this morning.", True)
    answered = Part("They expect the old heading of the page, which was changed.", False)
    greeted = (Part("hi", True), Part(" ", False), asked, answered)
    for title in ("hi", "The tests of the login…"):
        assert Topic("u", title, "", greeted).parts == [
            Part("hi", True, 0.1),
            asked,
            answered,
            Part(f"hi\n{asked.text}\n{answered.text}", False),
        ]
    said = (asked, Part("Which ones?", False), Part("All.", True), answered)
    assert Topic("u", "", "", said).parts == [*said[:2], Part(f"{asked.text}\nWhich ones?", False)]


async def test_a_conversation_that_begins_with_a_greeting_is_found_by_what_it_comes_to(searching: Searching) -> None:
    async with searching("Hello.", "Count the attempts in Redis.", "You are welcome.") as agent:
        greeted = await agent.create_conversation("Monday")
        await greeted.send_message("hi")
        assert await agent.drain() == {}
        before = await agent.find_similar_conversations(TALKS[0][0])
        await greeted.send_message(TALKS[0][0])
        assert await agent.drain() == {}
        after = await agent.find_similar_conversations(TALKS[0][0])
        assert [each.uuid for each in (*before, *after)] == [greeted.uuid] * 2
        assert (after[0].similarity or 0) > (before[0].similarity or 0) + 0.2
        # An import brings the same at once.
        imported = await agent.import_conversation(
            [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": "Hello."},
                {"role": "user", "content": TALKS[0][0]},
                {"role": "assistant", "content": "Count the attempts in Redis."},
            ],
            title="Monday",
        )
        assert await agent.drain() == {}
        found = {each.uuid: each.similarity for each in await agent.find_similar_conversations(TALKS[0][0])}
        assert found[imported.uuid] == pytest.approx(found[greeted.uuid], abs=1e-3)


async def test_a_branch_is_found_by_the_summary_that_it_has(searching: Searching, cypher: Cypher) -> None:
    async with searching() as agent:
        conversation = await agent.import_conversation([{"role": "user", "content": TALKS[0][0]}])
        cypher(
            "MATCH (c:Conversation {uuid: $uuid}) SET c.summary = 'The zeppelin airship hangar.'",
            uuid=conversation.uuid,
        )
        branch = await conversation.branch()
        assert await agent.drain() == {}
        found = {
            each.uuid: each.similarity for each in await agent.find_similar_conversations("zeppelin airship hangar")
        }
        assert (found[branch.uuid] or 0) > 0.5
