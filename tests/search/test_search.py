"""Searching what was said: by words and by meaning, in one conversation and in all, and nothing of anybody else's."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from ragforge_memory import AsyncConversation, InvalidInput, Neo4jConfig, TurnCancelled, tool
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import ConversationNotFound, EmbeddingError
from ragforge_memory.graph.client import open_driver
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import Hang
from tests.search.conftest import Searching

pytestmark = pytest.mark.anyio

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)
TALK = [
    ("user", "Where do we keep the session tokens?"),
    ("assistant", "In Redis, under the key auth:session; they expire after two hours."),
    ("user", "And the lighthouse report?"),
    ("assistant", "It is built every night by the nightly job."),
    ("user", "Thanks. Shall we rename the storage class?"),
    ("assistant", "Yes, to BlobStore."),
]


def talk(start: datetime = START, *, apart: timedelta = timedelta(minutes=1)) -> list[dict[str, Any]]:
    """The conversation above, a message a minute."""
    return [
        {"role": role, "content": text, "timestamp": start + number * apart} for number, (role, text) in enumerate(TALK)
    ]


async def said(conversation: AsyncConversation, query: str, **options: Any) -> list[str]:
    """The texts that a search finds."""
    return [hit.message.content for hit in await conversation.search_history(query, **options)]


async def test_found_by_words_and_by_meaning_and_it_says_why(searching: Searching, either_config: Neo4jConfig) -> None:
    async with searching(config=either_config) as agent:
        conversation = await agent.import_conversation(talk())
        await agent.drain()
        found = await conversation.search_history("the lighthouse report", limit=2)
        assert found.answered == ("text", "meaning")
        assert found.missed == ()
        assert found[0].message.content == "And the lighthouse report?"
        assert set(found[0].matched_by) == {"text", "meaning"}
        assert found[0].matched_words == ("lighthouse", "report")
        assert found[0].similarity is not None
        assert 0 < found[0].similarity <= 1
        assert found[0].conversation_id == conversation.uuid
        assert found[0].score >= found[1].score
        # the answer stands right behind its question
        assert found[1].message.content == "It is built every night by the nightly job."


async def test_a_day_that_a_question_names_comes_first(searching: Searching) -> None:
    async with searching() as agent:
        for month in (2, 3, 4):
            await agent.import_conversation(
                [
                    {
                        "role": role,
                        "content": "The release notes list what changed in the parser.",
                        "timestamp": f"2026-0{month}-1{day}T10:00:00Z",
                    }
                    for day, role in enumerate(("user", "assistant"))
                ]
            )
        await agent.drain()
        for asked, month in (("in March 2026", 3), ("on 10 April 2026", 4), ("before 2026-03-01", 2)):
            found = await agent.search_messages(f"the release notes {asked}", limit=2)
            assert {hit.message.timestamp.month for hit in found[:1]} == {month}, asked
        # Without a day the words decide alone.
        assert len(await agent.search_messages("the release notes", limit=6)) == 6


async def test_written_a_moment_ago_and_found(searching: Searching, either_config: Neo4jConfig) -> None:
    """The full-text index may be late; the newest messages are looked through as well."""
    async with searching("Noted.", config=either_config) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("The quetzalcoatl flag turns caching off.")
        found = await conversation.search_history("what turns quetzalcoatl on or off?")
        assert found[0].message.content == "The quetzalcoatl flag turns caching off."
        everywhere = await agent.search_messages("quetzalcoatl")
        assert everywhere[0].message.uuid == found[0].message.uuid


async def test_a_branch_searches_its_lineage_and_no_more(searching: Searching, either_config: Neo4jConfig) -> None:
    async with searching("On its own branch: heron.", config=either_config) as agent:
        root = await agent.import_conversation(talk())
        third = (await root.get_history())[2]
        branch = await root.branch(third.uuid)
        await branch.send_message("What about the heron?")
        await agent.drain()
        assert (await said(branch, "lighthouse report", limit=1)) == ["And the lighthouse report?"]
        assert "What about the heron?" in await said(branch, "heron")
        texts = await said(branch, "nightly job storage class BlobStore", limit=50)
        assert not set(texts) & {text for _, text in TALK[3:]}
        assert not [text for text in await said(root, "heron", limit=50) if "heron" in text.lower()]


async def test_nothing_of_another_conversation_or_owner(searching: Searching, either_config: Neo4jConfig) -> None:
    async with searching(config=either_config) as agent, searching(config=either_config, user_id="other") as other:
        louder = [{"role": "user", "content": "lighthouse lighthouse lighthouse"}] * 30
        mine, second = await agent.import_conversation(talk()), await agent.import_conversation([*talk(), *louder])
        theirs = await other.import_conversation(talk())
        await agent.drain()
        await other.drain()
        hits = await mine.search_history("session tokens lighthouse report storage class", limit=100)
        assert {hit.conversation_id for hit in hits} == {mine.uuid}
        assert len(hits) == len(TALK)
        # A page of one conversation is full even where others have better hits.
        assert {hit.conversation_id for hit in await mine.search_history("lighthouse", limit=1)} == {mine.uuid}
        everywhere = await agent.search_messages("session tokens lighthouse report storage class", limit=100)
        assert {hit.conversation_id for hit in everywhere} == {mine.uuid, second.uuid}
        with pytest.raises(ConversationNotFound):
            await type(mine)(agent, theirs.info).search_history("lighthouse")


async def test_filters_leave_out_before_the_ranking(searching: Searching, either_config: Neo4jConfig) -> None:
    """One message of a kind is found among three hundred that fit the words better."""

    @tool
    def look(place: str) -> str:
        """Looks."""
        return place

    noise = [
        {"role": "user", "content": f"heron heron heron {number}", "timestamp": START + timedelta(minutes=number)}
        for number in range(300)
    ]
    steps = ([ToolRequest("c", "look", {"place": "here"})], "I looked, and there was one heron.")
    async with searching(*steps, config=either_config, tools=(look,)) as agent:
        conversation = await agent.import_conversation(noise)
        await conversation.set_tags(["  birds "])
        await conversation.send_message("heron?")
        await agent.drain()
        answer = "I looked, and there was one heron."
        assert (await said(conversation, "heron", role="assistant")) == [answer]
        assert (await said(conversation, "heron", tool="look")) == [answer]
        assert await said(conversation, "heron", tool="nothing") == []
        hits = await agent.search_messages("heron", tool="look")
        assert [hit.message.content for hit in hits] == [answer]
        early = await said(conversation, "heron", since=START, until=START + timedelta(minutes=3), limit=100)
        assert sorted(early) == [f"heron heron heron {number}" for number in range(4)]
        assert await said(conversation, "heron", until="2026-02-28") == []
        assert len(await said(conversation, "heron", since=datetime.min, until=datetime.max, limit=100)) == 100
        for zone in (UTC, timezone(timedelta(hours=2)), timezone(timedelta(hours=-4))):
            at = START.astimezone(zone)  # the same moment
            assert await said(conversation, "heron", since=at, until=at, limit=100) == ["heron heron heron 0"]
        assert len(await agent.search_messages("heron", tags=["birds"], limit=5)) == 5
        assert len(await agent.search_messages("heron", tags=[" birds"], limit=5)) == 5
        assert await agent.search_messages("heron", tags=["fish"]) == []


async def test_neighbours_of_another_session_stay_out(searching: Searching) -> None:
    async with searching(embedder=_Broken()) as agent:
        close = await agent.import_conversation(talk())
        apart = await agent.import_conversation(talk(apart=timedelta(minutes=61)))
        hits = await close.search_history("lighthouse")
        assert [hit.matched_by for hit in hits] == [("text",), ("neighbour",), ("neighbour",)]
        assert {hit.beside_seq for hit in hits[1:]} == {3}
        assert [hit.message.seq for hit in await apart.search_history("lighthouse")] == [3]


class _Broken(HashingEmbedder):
    """Embeds no question."""

    def __init__(self) -> None:
        super().__init__(64)

    async def embed_query(self, text: str) -> list[float]:
        raise EmbeddingError("no vectors today")


async def test_what_did_not_answer_is_said(searching: Searching) -> None:
    async with searching(embedder=_Broken()) as agent:
        conversation = await agent.import_conversation(talk())
        found = await conversation.search_history("session tokens")
        assert (found.answered, found.missed) == (("text",), ("meaning",))
        assert found[0].message.content == TALK[0][1]
        assert found[0].similarity is None


class _Chosen(HashingEmbedder):
    """Every text has the same direction but for the one that is far from all."""

    unrelated_cosine = 0.5

    def __init__(self) -> None:
        super().__init__(64)
        self.question = [1.0] + [0.0] * 63

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        # Cosines from .51 down.
        near = [0.51 - 0.02 * TEXTS.index(text) if text in TEXTS else 0.3 for text in texts]
        return [[share, (1 - share * share) ** 0.5] + [0.0] * 62 for share in near]

    async def embed_query(self, text: str) -> list[float]:
        return self.question


TEXTS = [text for _, text in TALK]


async def _without_vectors(config: Neo4jConfig, conversation: AsyncConversation, seqs: Sequence[int]) -> None:
    """As messages are before they are embedded."""
    where = {"id": conversation.uuid, "seqs": list(seqs)}
    found = "MATCH (m:Message {conversation_id: $id}) WHERE m.seq IN $seqs "
    async with open_driver(config) as driver:
        rows = await driver.execute_query(found + "UNWIND keys(m) AS k RETURN collect(DISTINCT k) AS names", where)
        names = [name for name in rows.records[0]["names"] if name.startswith("embedding")]
        assert names
        for name in names:
            await driver.execute_query(found + f"REMOVE m.`{name}`", where)


async def test_what_waits_for_a_vector_is_not_behind_what_has_one(
    searching: Searching, either_config: Neo4jConfig
) -> None:
    """A verbatim hit without a vector, among a hundred and fifty that have one and no meaning."""
    noise = [{"role": "user", "content": f"Something else, tokens {number}"} for number in range(150)]
    async with searching(config=either_config, embedder=_Chosen()) as agent:
        conversation = await agent.import_conversation([*talk(), *noise])
        await agent.drain()
        before = await conversation.search_history("session tokens", limit=3)
        assert 1 in [hit.message.seq for hit in before[:2]]
        await _without_vectors(either_config, conversation, [1, 2, 3, 4, 5])
        found = await conversation.search_history("lighthouse", limit=3)
        assert found[0].message.content == "And the lighthouse report?"
        assert found[0].matched_by == ("text",)
        assert found[0].similarity is None
        # Which of them is first depends on what other tests have written into the index of words.
        assert (await said(conversation, "session tokens", limit=1))[0] in TEXTS[:2]


async def test_what_has_nothing_to_do_with_a_question_is_not_found(
    searching: Searching, either_config: Neo4jConfig
) -> None:
    """No word, and not near: no hit. A paraphrase is near; a word is enough."""
    async with searching(config=either_config, embedder=(embedder := _Chosen())) as agent:
        conversation = await agent.import_conversation(talk())
        await agent.drain()
        # .51 is .02 on the scale, .49 is -.02: only the first is above the floor, and the second stands beside it.
        found = await conversation.search_history("zebra unicorn quantum")
        assert [(hit.message.seq, hit.matched_by) for hit in found] == [(1, ("meaning",)), (2, ("neighbour",))]
        embedder.question = [-1.0] + [0.0] * 63
        for found in (await conversation.search_history("zebra unicorn"), await agent.search_messages("zebra unicorn")):
            assert (found, found.answered) == ([], ("text", "meaning"))
        assert "And the lighthouse report?" in await said(conversation, "zebra lighthouse")


async def test_a_blank_message_is_neither_embedded_nor_found(searching: Searching, neo4j_config: Neo4jConfig) -> None:
    """An answer that was interrupted behind its tool call, before its first word."""

    @tool
    def look(place: str) -> str:
        """Looks."""
        return place

    steps, embedder = ([ToolRequest("c", "look", {"place": "heron"})], [Hang()]), _Chosen()
    async with searching(*steps, embedder=embedder, tools=(look,)) as agent:
        conversation = await agent.import_conversation(talk())
        stream = conversation.stream_message("And the heron?")
        while (await anext(stream)).type != "tool_result":
            pass
        assert await conversation.cancel()
        with contextlib.suppress(TurnCancelled):
            [event async for event in stream]
        await agent.drain()
        history = await conversation.get_history(limit=50)
        blank = {each.uuid for each in history if not each.content.strip()}
        assert len(blank) == 1
        async with open_driver(neo4j_config) as driver:
            found = await driver.execute_query(
                "MATCH (m:Message) WHERE m.uuid IN $uuids "
                "RETURN sum(size([k IN keys(m) WHERE k STARTS WITH 'embedding'])) AS vectors, "
                "count(CASE WHEN m:PendingEmbedding THEN 1 END) AS waiting",
                uuids=list(blank),
            )
        assert found.records[0].values() == [0, 0]
        for question in ([1.0] + [0.0] * 63, [0.0, 1.0] + [0.0] * 62):
            embedder.question = question
            for query in ("zebra", "heron lighthouse"):
                hits = await conversation.search_history(query, limit=50)
                assert not blank & {hit.message.uuid for hit in hits}
                assert not blank & {hit.message.uuid for hit in await agent.search_messages(query, limit=50)}
        assert await said(conversation, "heron", limit=1) == ["And the heron?"]


async def test_a_threshold_is_a_similarity(searching: Searching) -> None:
    async with searching() as agent:
        conversation = await agent.import_conversation(talk())
        await agent.drain()
        hits = await conversation.search_history("Where do we keep the session tokens?", min_score=0.9)
        assert [hit.message.content for hit in hits] == [TALK[0][1]]
        assert all((hit.similarity or 0) >= 0.9 for hit in hits)
        assert await conversation.search_history("zzz qqq", min_score=0.9) == []
        for _, text in TALK:  # the same text is as near as can be, whatever 32 bits make of it
            assert text in [hit.message.content for hit in await conversation.search_history(text, min_score=1.0)]


async def test_what_cannot_be_searched_is_refused(searching: Searching) -> None:
    backwards = {"since": "2026-11-23", "until": "2026-11-22"}
    odd: list[dict[str, Any]] = [{"query": " "}, {"limit": 0}, {"min_score": True}, {"role": "tool"}, backwards]
    async with searching() as agent:
        conversation = await agent.create_conversation()
        for wrong in odd:
            with pytest.raises(InvalidInput):
                await conversation.search_history(**{"query": "x", **wrong})


async def test_no_text_is_query_syntax(searching: Searching) -> None:
    async with searching() as agent:
        conversation = await agent.import_conversation(talk())
        for query in ('+-&|!(){}[]^"~*?:\\/', "AND OR NOT", 'x" OR owner_token:*', "the of and", "a\0b"):
            hits = await conversation.search_history(query)
            assert {hit.conversation_id for hit in hits} <= {conversation.uuid}, query
