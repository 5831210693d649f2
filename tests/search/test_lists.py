"""The lists that a search is made of, by meaning and by words: what each has, and how they go together."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from ragforge_memory import SearchResults
from tests.search.conftest import Searching

pytestmark = pytest.mark.anyio

START = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)


async def test_what_got_its_vector_between_the_two_lists_is_found_by_its_words(
    searching: Searching, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list by meaning is read before the vector is there, the list by words after it."""
    from ragforge_memory.graph.search import Hits, SearchStore

    async with searching(*["Sure."] * 4) as agent:
        conversation = await agent.create_conversation()
        for text in ("the cache is cold", "no number here", "drop the connection"):
            await conversation.send_message(text)
        told = await conversation.send_message("remember the pineapple please")
        last = next(each for each in await conversation.get_history() if each.uuid == told.user_message_id)
        await agent.drain()
        by_meaning = SearchStore.by_meaning

        async def a_moment_before(store: SearchStore, *args: Any, **options: Any) -> Hits:
            found = await by_meaning(store, *args, **options)
            return replace(found, items=tuple(hit for hit in found.items if hit.seq != last.seq))

        monkeypatch.setattr(SearchStore, "by_meaning", a_moment_before)
        found = await conversation.search_history("pineapple", limit=1)
        assert [each.message.uuid for each in found] == [told.user_message_id]


async def test_a_longer_list_begins_like_a_shorter_one(searching: Searching, cypher: Callable[..., Any]) -> None:
    words = ("lamp", "oil", "rock", "tide", "fog", "horn", "gull", "mast")
    said = [
        {
            "role": ("user", "assistant")[at % 2],
            "content": " ".join(words[(at * step) % 8] for step in range(1, 2 + at % 6)) + f" {at}",
            "timestamp": (START + timedelta(minutes=at * (1 + 90 * (at % 7 == 0)))).isoformat(),
        }
        for at in range(330)
    ]
    async with searching() as agent:
        conversation = await agent.import_conversation(said)
        await agent.drain()
        # What is seconds old is looked for beside the index, too.
        cypher("MATCH (c:Conversation {uuid: $id}) SET c.updated_at = datetime('2026-01-01')", id=conversation.uuid)

        async def listed(limit: int) -> list[tuple[str, float, tuple[str, ...]]]:
            found = await agent.search_messages("lamp fog 7", limit=limit)
            return [(hit.message.uuid, hit.score, hit.matched_by) for hit in found]

        for limit in (1, 5, 50, 101, 150):
            # The words are weighed by what the whole index holds, into which other tests write.
            for _ in range(20):
                longest, found = await listed(1000), await listed(limit)
                if await listed(1000) == longest:
                    break
            assert found == longest[:limit]
            assert len(longest) > 150
            assert [score for _, score, _ in longest] == sorted((score for _, score, _ in longest), reverse=True)
        for _ in range(20):
            head, short, again = [
                [hit.message.uuid for hit in await conversation.search_history("lamp fog 7", limit=limit)]
                for limit in (120, 5, 120)
            ]
            if again == head:
                break
        assert head[:5] == short


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many messages each read of found ones asks for."""
    from ragforge_memory.graph.search import SearchStore

    asked: list[int] = []
    messages = SearchStore.messages

    async def counted(store: SearchStore, places: Any, **options: Any) -> Any:
        asked.append(len(places))
        return await messages(store, places, **options)

    monkeypatch.setattr(SearchStore, "messages", counted)
    return asked


async def test_a_threshold_that_nothing_reaches_takes_few_reads(searching: Searching, reads: list[int]) -> None:
    async with searching() as agent:
        texts = [f"the cache number {number} is cold" for number in range(120)]
        conversation = await agent.import_conversation([{"role": "user", "content": text} for text in texts])
        await agent.drain()
        assert await conversation.search_history("a cache in the cellar", limit=1, min_score=0.99) == []
        assert sum(reads) >= 100
        assert len(reads) <= 7
        reads.clear()
        assert len(await conversation.search_history("the cache", limit=1)) == 1
        assert reads == [5]


async def test_what_is_known_to_be_too_far_is_not_read(searching: Searching, reads: list[int]) -> None:
    async with searching() as agent:
        texts = ["where the needle is", *(f"note {number} on topic {number % 7}" for number in range(60))]
        conversation = await agent.import_conversation([{"role": "user", "content": text} for text in texts])
        await agent.drain()
        assert await conversation.search_history("a needle and a pin", limit=1, min_score=0.99) == []
        # The one with the word, and what the index of vectors, which is not exact, may have passed over beside it.
        assert sum(reads) < 10
        found = await conversation.search_history(texts[0], limit=5, min_score=1.0)
        assert [each.message.content for each in found] == texts[:1]


async def test_a_part_and_a_copy_know_what_answered() -> None:
    found = SearchResults([1, 2, 3], answered=("text",), missed=("meaning",))
    for part in (found[:2], found.copy(), copy.copy(found), copy.deepcopy(found), pickle.loads(pickle.dumps(found))):
        assert isinstance(part, SearchResults)
        assert (part.answered, part.missed) == (("text",), ("meaning",))
        assert part == [1, 2, 3][: len(part)]
    assert found[-1] == 3
