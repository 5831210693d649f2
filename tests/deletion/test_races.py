"""Turns that are tied to what somebody else is deleting at that moment; a killed delete; a large one."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import ConversationNotFound
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.messages import Answer, CodeTies, Mention, MessageStore, NewMessage
from ragforge_memory.graph.receipts import Receipt, Used, prompt_uuid
from ragforge_memory.models.owner import Owner
from tests.archive.conftest import Graph
from tests.deletion.counts import counts
from tests.graph.filling import conversation_of, said

pytestmark = [pytest.mark.anyio, pytest.mark.long]

SCOPES = """
UNWIND range(1, 3) AS n
CREATE (:Scope {uuid: $project + '-' + n, project: $project, name: 'f' + n, qualified_name: 'f' + n, file: 'a.py',
  type: 'function', key: 'k' + n, hash: 'h', body_hash: 'b', startLine: n, anchor_key: $project + '-k' + n})
"""
NAMES = tuple(Mention(f"f{n}") for n in (1, 2, 3))


@asynccontextmanager
async def _connected(config: Neo4jConfig) -> AsyncIterator[GraphClient]:
    client = await connect(config)
    try:
        yield client
    finally:
        await client.aclose()


async def _turn(messages: MessageStore, owner: Owner, uuid: str, used: tuple[Used, ...] = ()) -> str:
    question = said("Which?")
    await messages.append(uuid, question)
    answer = NewMessage(uuid=uuid4().hex, role="assistant", content="f1", in_reply_to=question.uuid)
    receipt = Receipt(used=used, prompts=((prompt_uuid(owner, "shared"), "shared"),))
    await messages.complete_turn(uuid, Answer(answer, (), CodeTies(mentions=NAMES), receipt), timeout=60)
    return answer.uuid


async def test_turns_and_deletes_at_once(either_place: tuple[Neo4jConfig, Graph], owner: Owner) -> None:
    """Whatever meets: every answer is stored, tied to its code and its texts, and nothing is left over."""
    config, there = either_place
    there.run(SCOPES)
    before = counts(there)
    async with _connected(config) as client:
        conversations, messages = ConversationStore(client, owner), MessageStore(client, owner)
        kept = (await conversations.create(title="kept")).uuid
        answers: list[str] = []

        async def talks_and_goes() -> None:
            for _ in range(6):
                uuid = (await conversations.create(title="goes")).uuid
                last = await _turn(messages, owner, uuid)
                # The answer that stays uses what is deleted while it is written.
                used = (Used(last, "recent", 0, 1),)
                stays = asyncio.create_task(_turn(messages, owner, kept, used))
                await conversations.delete(uuid)
                answers.append(await stays)

        await asyncio.gather(*(talks_and_goes() for _ in range(3)))
        rows = there.run(
            "MATCH (m:Message) WHERE m.uuid IN $uuids RETURN COUNT { (m)-[:ANCHORED_AT]->(:CodeAnchor) } AS ties, "
            "COUNT { (:CodeAnchor {project: $project})-[:RESOLVES_TO]->(:Scope) } AS anchors",
            uuids=answers,
        )
        assert [(row["ties"], row["anchors"]) for row in rows] == [(3, 3)] * 18
        assert there.run("MATCH (p:Prompt {user_id: $user_id}) RETURN p.text AS text") == [{"text": "shared"}]
        assert there.run("MATCH (a:LooseAnchor {project: $project}) RETURN a") == []
        await conversations.delete(kept)
    assert counts(there) == before


async def test_two_deletes_of_one_at_once(neo4j_config: Neo4jConfig, owner: Owner, graph: Graph) -> None:
    async with _connected(neo4j_config) as client:
        conversations = ConversationStore(client, owner)
        uuid = await conversation_of(client, conversations, 2_000)
        outcomes = await asyncio.gather(
            conversations.delete(uuid), conversations.delete(uuid), conversations.sweep(), return_exceptions=True
        )
        wrong = [each for each in outcomes if isinstance(each, BaseException)]
        assert all(isinstance(each, ConversationNotFound) for each in wrong)
        await conversations.sweep()
    assert counts(graph) == ({}, {})


async def test_a_large_one_is_hidden_at_once_and_goes_in_batches(
    neo4j_config: Neo4jConfig, owner: Owner, graph: Graph
) -> None:
    async with _connected(neo4j_config) as client:
        conversations, messages = ConversationStore(client, owner), MessageStore(client, owner)
        uuid = await conversation_of(client, conversations, 20_000)
        deleting = asyncio.create_task(conversations.delete(uuid))
        seen: set[int] = set()
        while not deleting.done():
            count = "MATCH (m:Message {conversation_id: $uuid}) RETURN count(m) AS left"
            [row] = await asyncio.to_thread(graph.run, count, uuid=uuid)
            if row["left"] not in (0, 20_000):
                seen.add(row["left"])
                with pytest.raises(ConversationNotFound):
                    await messages.history(uuid)
                assert list(await conversations.page()) == []
        await deleting
        # Seen on its way by others, so that it was not a single transaction.
        assert seen
    assert counts(graph) == ({}, {})


KILLED = """
import asyncio, sys
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.models.owner import Owner

point = sys.argv[1]

class Marked(ConversationStore):
    async def _delete_messages(self, uuid):
        if point == "hidden":
            await self.stop()
        await super()._delete_messages(uuid)

    async def forget_unused(self):
        await self.stop()

    async def stop(self):
        print("here", flush=True)
        sys.stdin.read()

async def main():
    client = await connect(Neo4jConfig(sys.argv[2], username=sys.argv[3], password=sys.stdin.readline().strip()))
    await Marked(client, Owner(sys.argv[4], sys.argv[5])).delete(sys.argv[6])

asyncio.run(main())
"""


def _until_it_stops(given: list[Any], password: str | None) -> str:
    """Deletes in another process until a point, and kills it there."""
    command = [sys.executable, "-c", KILLED, *given]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{password}\n")
        process.stdin.flush()
        said = process.stdout.readline()
        process.kill()
    return said


@pytest.mark.parametrize("point", ["hidden", "anchors are left"])
async def test_a_killed_delete_is_finished_by_the_sweep(
    neo4j_config: Neo4jConfig, owner: Owner, graph: Graph, point: str
) -> None:
    graph.run(SCOPES)
    before = counts(graph)
    async with _connected(neo4j_config) as client:
        conversations, messages = ConversationStore(client, owner), MessageStore(client, owner)
        uuid = (await conversations.create(title="goes")).uuid
        for _ in range(3):
            await _turn(messages, owner, uuid)
        login = [neo4j_config.uri, neo4j_config.username or "neo4j"]
        given: list[Any] = [point, *login, owner.user_id, owner.project, uuid]
        assert await asyncio.to_thread(_until_it_stops, given, neo4j_config.password) == "here\n"
        with pytest.raises(ConversationNotFound):
            await conversations.get(uuid)
        assert counts(graph) != before
        await conversations.sweep()
        assert counts(graph) == before
