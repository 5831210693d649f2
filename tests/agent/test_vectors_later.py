"""What was said while no vectors were made gets them from whoever makes them later, in whatever way it came in."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.agent.outages import proxied

pytestmark = pytest.mark.anyio


SAID = [{"role": "user", "content": "Where are passwords checked?"}, {"role": "assistant", "content": "In `login`."}]


async def _branch_and_merge(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    await talk.send_message("first")
    branch = await talk.branch()
    await branch.send_message("second")
    await talk.merge(branch)


async def _archive(agent: AsyncConversationAgent) -> None:
    talk = await agent.import_conversation(SAID)
    await talk.summarize()
    document = await talk.export()
    await talk.delete()
    await agent.import_conversation(document)


async def _state(agent: AsyncConversationAgent) -> None:
    await agent.invoke({"messages": [*SAID, {"role": "user", "content": "And who calls it?"}]})


async def test_what_was_said_without_vectors_gets_them_later(
    make_agent: MakeAgent, owner: Owner, cypher: Cypher
) -> None:
    async with make_agent("One.", "Two.", "Three.") as agent:
        for way in (_branch_and_merge, _archive, _state):
            await way(agent)
        assert await agent.drain() == {}
    waiting = _vectors(cypher, owner)
    assert [(each["waits"], each["has"]) for each in waiting] == [(True, False)] * len(waiting), waiting
    assert waiting
    await _embedded(make_agent, cypher, owner)


async def test_what_waited_in_a_journal(
    make_agent: MakeAgent, owner: Owner, cypher: Cypher, neo4j_config: Neo4jConfig
) -> None:
    async with proxied(neo4j_config) as (proxy, config):
        async with make_agent("One.", "Two.", neo4j=config) as agent:
            talk = await agent.create_conversation()
            await proxy.end()
            await talk.send_message("first")
            await proxy.recover()
            assert len(await talk.get_history()) == 2
        assert [each["waits"] for each in _vectors(cypher, owner)] == [True] * 3
        await _embedded(make_agent, cypher, owner)


def _vectors(cypher: Cypher, owner: Owner) -> list[dict[str, Any]]:
    """Of all that is embedded of what the owner said: whether it waits for a vector, and whether it has one."""
    return cypher(
        "MATCH (n:Message|Summary|Conversation {user_id: $user_id, project: $project}) "
        "WHERE coalesce(n.status, '') <> 'deleting' AND (NOT n:Conversation OR n.message_count > 0) "
        "RETURN n:PendingEmbedding AS waits, "
        "any(k IN keys(n) WHERE k STARTS WITH 'embedding' OR k STARTS WITH 'summary_embedding') AS has, "
        "labels(n) AS labels",
        **owner.parameters,
    )


async def _embedded(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    async with make_agent(settings={"embed_messages": True}, embedder=HashingEmbedder(48)) as agent:
        assert await agent.drain() == {}
    found = _vectors(cypher, owner)
    assert all((each["waits"], each["has"]) == (False, True) for each in found), found
