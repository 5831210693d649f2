"""A project's vectors made anew by another model: while it is searched and written, once, whatever fails meanwhile."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any

import pytest

from ragforge_memory import ConfigError, InvalidInput, Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import EmbeddingError, EmbeddingMismatch, SpaceMoved
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.messages import MessageStore
from ragforge_memory.graph.reembedding import ReembeddingStore
from ragforge_memory.graph.spaces import Space, find_space
from ragforge_memory.models.owner import Owner
from tests.spaces.conftest import NEW, OLD, Configured, Models, Plain, in_space

pytestmark = [pytest.mark.anyio, pytest.mark.long]

# What the two lines do differently is in the first test.
ONE_LINE = pytest.mark.parametrize("either_config", ["current"], indirect=True)

SUBJECTS = ("bridges", "harbours", "lighthouses", "ferries", "tides")
MESSAGES, CONVERSATIONS = 30, 5
ALL = MESSAGES * CONVERSATIONS


def _talk(number: int) -> list[dict[str, str]]:
    subject = SUBJECTS[number % len(SUBJECTS)]
    return [
        {"role": ("user", "assistant")[at % 2], "content": f"note {at} on {subject} of town {number}"}
        for at in range(MESSAGES)
    ]


async def _fill(agent: Any, plain: Plain, owner: Owner) -> None:
    """Five conversations (more messages than are moved at once), a summary and two scopes, all with vectors."""
    for number in range(CONVERSATIONS):
        made = await agent.import_conversation(_talk(number))
    plain(
        """
        MATCH (c:Conversation {uuid: $uuid})
        CREATE (c)-[:HAS_SUMMARY]->(:Summary:PendingEmbedding {uuid: $uuid + 's', conversation_id: c.uuid,
          user_id: c.user_id, project: c.project, kind: 'rolling', level: 1, from_seq: 1, to_seq: 9, content: 'Tides.'})
        CREATE (f:Scope:PendingEmbedding {uuid: $uuid + 'f', file: 'a.py', name: 'tide_table', hash: 'h'})
        CREATE (g:Scope:PendingEmbedding {uuid: $uuid + 'g', file: 'a.py', name: 'moor', hash: 'g'})
        FOREACH (s IN [f, g] | SET s.project = c.project)
        """,
        uuid=made.uuid,
    )
    assert await agent.drain() == {}


async def _space(config: Neo4jConfig, project: str) -> Space:
    client = await connect(config)
    try:
        found = await find_space(client, project)
    finally:
        await client.aclose()
    assert found is not None
    return found


class Watched(HashingEmbedder):
    """Says when it has begun, and waits until it is let go on."""

    def __init__(self, models: Models) -> None:
        super().__init__(NEW, model=models.new)
        self.begun, self.go_on = asyncio.Event(), asyncio.Event()

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.begun.set()
        await self.go_on.wait()
        return await super().embed_passages(texts)


async def test_moves_while_it_is_searched_and_written(
    either_config: Neo4jConfig, owner: Owner, own_models: Models, configured: Configured, plain: Plain, caplog: Any
) -> None:
    caplog.set_level(logging.WARNING)
    embedder = Watched(own_models)
    steps: list[tuple[int, int]] = []
    async with configured(own_models.old, OLD) as mover, configured(own_models.old, OLD) as other:
        await _fill(mover, plain, owner)
        old = await _space(either_config, owner.project)
        before = in_space(plain, old, owner.project)
        assert before == {"Message": ALL, "Summary": 1, "Conversation": 5, "Scope": 2}
        done = asyncio.Event()
        searched: list[tuple[str, ...]] = []

        async def search(agent: Any) -> None:
            while not done.is_set():
                found = await agent.search_messages("a note on lighthouses")
                searched.append(found.answered)
                assert "lighthouses" in found[0].message.content
                await asyncio.sleep(0.05)

        async def write() -> int:
            conversation = await other.create_conversation(title="Written meanwhile")
            written = 0
            while not done.is_set() and written < 5:
                await conversation.send_message(f"meanwhile {written} on lanterns")
                written += 1
                # Those of before the switch get a vector in both spaces.
                await other.drain()
            return written

        searching = [asyncio.create_task(search(agent)) for agent in (mover, other)]
        moving = asyncio.create_task(mover.reembed(embedder, progress=lambda *step: steps.append(step)))
        await embedder.begun.wait()
        state = await ReembeddingStore((await mover.open()).stores.graph, owner.project).state()
        assert (state.model, state.total, state.left, state.running) == (
            f"hashing:{own_models.new}",
            ALL + 8,
            ALL + 8,
            True,
        )
        writing = asyncio.create_task(write())
        await asyncio.wait((writing,))
        embedder.go_on.set()
        report = await moving
        found = await other.search_messages("a note on lighthouses")
        done.set()
        await asyncio.gather(*searching)
        assert (report.previous, report.switched, report.failed) == (f"hashing:{own_models.old}", True, 0)
        assert (report.model, report.dimension) == (f"hashing:{own_models.new}", NEW)
        assert report.summaries == 1
        assert report.scopes == 2
        assert steps[-1][0] == steps[-1][1]
        # No search has missed a list for the move (a slow server may cost one), and the other process has gone along.
        assert searched
        assert [each for each in caplog.records if "any more" in each.getMessage()] == []
        assert "meaning" in found.answered
        assert found[0].similarity is not None
        assert sum(own_models.new in record.getMessage() for record in caplog.records) == 1
        assert await mover.drain() == await other.drain() == {}
        new = await _space(either_config, owner.project)
        assert (new.model, new.dimension) == (f"hashing:{own_models.new}", NEW)
        [[messages]] = [
            row.values() for row in plain("MATCH (m:Message {project: $p}) RETURN count(m)", p=owner.project)
        ]
        assert messages >= ALL + writing.result()
        assert in_space(plain, new, owner.project) == {"Message": messages, "Summary": 1, "Conversation": 6, "Scope": 2}
        assert set(in_space(plain, old, owner.project).values()) == {0}
        names = {row["name"] for row in plain("SHOW VECTOR INDEXES YIELD name RETURN name")}
        assert names & {old.message_index, old.scope_index, old.summary_index, old.conversation_index} == set()
        assert new.message_index in names
        [near, *_] = await other.find_similar_conversations("lanterns")
        assert near.similarity is not None
        assert plain("MATCH (n:PendingReembedding {project: $p}) RETURN n", p=owner.project) == []


@ONE_LINE
async def test_two_at_once_do_it_once(
    either_config: Neo4jConfig, owner: Owner, models: Models, configured: Configured, plain: Plain
) -> None:
    async with configured(models.old, OLD) as first, configured(models.old, OLD) as second:
        await _fill(first, plain, owner)
        _, new = models.embedders
        reports = await asyncio.gather(first.reembed(new), second.reembed(f"hashing:{models.new}", dimension=NEW))
        assert sorted(report.switched for report in reports) == [False, True]
        assert sum(report.messages for report in reports) == ALL
        again = await first.reembed(f"hashing:{models.new}", dimension=NEW)
        assert (again.messages, again.switched, again.previous) == (0, False, f"hashing:{models.new}")


class Failing(HashingEmbedder):
    """Takes so many calls, then none; never a text that has `poison` in it."""

    def __init__(self, models: Models, calls: int = 1_000) -> None:
        super().__init__(NEW, model=models.new)
        self.calls = calls

    async def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.calls -= 1
        if self.calls < 0 or any("poison" in text for text in texts):
            # As somebody's own embedder fails: with whatever it calls raises.
            raise ValueError("the model does not take it")
        return await super().embed_passages(texts)


@ONE_LINE
async def test_a_move_that_failed_goes_on_or_is_taken_back(
    either_config: Neo4jConfig, owner: Owner, models: Models, configured: Configured, plain: Plain
) -> None:
    async with configured(models.old, OLD) as agent:
        await _fill(agent, plain, owner)
        old = await _space(either_config, owner.project)
        with pytest.raises(EmbeddingError):
            await agent.reembed(Failing(models, calls=1))
        assert await _space(either_config, owner.project) == old
        assert (await agent.search_messages("tides")).answered == ("text", "meaning")
        # Back to where they are: what was made is taken away.
        report = await agent.reembed()
        assert (report.switched, report.messages, report.model) == (False, 0, f"hashing:{models.old}")
        rows = plain(
            "MATCH (m:Message {project: $p}) RETURN DISTINCT [k IN keys(m) WHERE k STARTS WITH 'embedding'] AS k",
            p=owner.project,
        )
        assert rows == [{"k": [old.property]}]
        assert plain("MATCH (n:PendingReembedding {project: $p}) RETURN n", p=owner.project) == []
        # What the model refuses is given up, a message and what is said of its conversation, and the rest is moved.
        await agent.import_conversation(
            [{"role": "user", "content": "poison"}, {"role": "assistant", "content": "No."}]
        )
        await agent.drain()
        report = await agent.reembed(Failing(models))
        assert (report.switched, report.messages, report.failed) == (True, ALL + 1, 2)
        failed = plain(
            "MATCH (n:FailedEmbedding {project: $p}) RETURN coalesce(n.content, n.title) AS t", p=owner.project
        )
        assert failed == [{"t": "poison"}] * 2


@ONE_LINE
async def test_vectors_that_come_late_wait_for_the_new_model(
    either_config: Neo4jConfig, owner: Owner, models: Models, configured: Configured, plain: Plain
) -> None:
    async with configured(models.old, OLD) as agent:
        conversation = await agent.import_conversation(_talk(0))
        await agent.drain()
        old = await _space(either_config, owner.project)
        await agent.reembed(models.embedders[1])
        [uuid] = [message.uuid for message in await conversation.get_history(limit=1)]
        new = await _space(either_config, owner.project)
        plain("MATCH (m:Message {uuid: $uuid}) SET m:PendingEmbedding REMOVE m[$name]", uuid=uuid, name=new.property)
        store = MessageStore((await agent.open()).stores.graph, owner)
        with pytest.raises(SpaceMoved):
            await store.store_embeddings(old, {uuid: [1.0] * OLD})
        with pytest.raises(EmbeddingMismatch):
            await store.store_embeddings(new, {uuid: [1.0] * OLD})
        assert await store.count_pending() == 1
        assert await agent.drain() == {}
        assert in_space(plain, new, owner.project)["Message"] == MESSAGES
        assert in_space(plain, old, owner.project)["Message"] == 0


@ONE_LINE
async def test_a_process_with_an_embedder_of_its_own_goes_on_by_words(
    either_config: Neo4jConfig, owner: Owner, models: Models, configured: Configured, plain: Plain, caplog: Any
) -> None:
    async with (
        configured(models.old, OLD) as mover,
        configured("unused", 3, embedder=models.embedders[0]) as fixed,
    ):
        await mover.import_conversation(_talk(1))
        await mover.drain()
        await mover.reembed(models.embedders[1])
        for _ in range(2):
            found = await fixed.search_messages("harbours")
            assert (found.answered, len(found)) == (("text",), 10)
        conversation = await fixed.create_conversation()
        await conversation.send_message("What waits is embedded by those who can.")
        told = [record.getMessage() for record in caplog.records if "search is by text alone" in record.getMessage()]
        assert len(told) == 1
        assert f"provider hashing, model {models.new}, dimension {NEW}" in told[0]
        assert await mover.drain() == {}
        new = await _space(either_config, owner.project)
        assert in_space(plain, new, owner.project)["Message"] == MESSAGES + 2


@ONE_LINE
async def test_a_configuration_that_was_changed_first(
    either_config: Neo4jConfig, owner: Owner, models: Models, configured: Configured, plain: Plain
) -> None:
    async with configured(models.old, OLD) as agent:
        await agent.import_conversation(_talk(2))
        await agent.drain()
    changed = configured(models.new, NEW)
    with pytest.raises(EmbeddingMismatch) as refused:
        await changed.open()
    assert "ragforge reembed" in (refused.value.hint or "")
    assert (await changed.reembed()).messages == MESSAGES
    assert (await changed.search_messages("lighthouses")).answered == ("text", "meaning")
    for given in ({"embedder": "no such model"}, {"embedder": "local:e5-small-v2", "dimension": 7}):
        with pytest.raises(ConfigError):
            await changed.reembed(**given)
    with pytest.raises(InvalidInput):
        await changed.reembed(dimension=7)
    await changed.aclose()
