"""Insights go with their conversation and are hidden where it is: create, use, delete leaves the graph as it was."""

from __future__ import annotations

import pytest

from ragforge_memory import ConversationNotFound
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.insights.talks import ALONE, FIELDS, TASK, answered, asked_of, talks

pytestmark = pytest.mark.anyio


NODES = """
MATCH (n) WHERE n.user_id = $user_id AND n.project = $project
UNWIND labels(n) AS label
RETURN label, count(*) AS count, sum(COUNT { (n)--() }) AS edges ORDER BY label
"""


async def test_create_use_delete(make_agent: MakeAgent, owner: Owner, cypher: Cypher) -> None:
    provider = ScriptedProvider(["Yes."], purposes={"insight": [answered]}, loop=True)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        talk = await agent.create_conversation("It stays")
        # The texts that all of an owner's turns share stay with it.
        await talk.send_message("topic-0?")
        stays = talk.uuid
        await agent.batch_analyze(stays, TASK, FIELDS)
        before = cypher(NODES, user_id=owner.user_id, project=owner.project)
        assert {row["label"] for row in before} >= {"Conversation", "Insight", "Message"}
        made = await talks(agent, 2)
        await agent.batch_analyze(None, TASK, FIELDS)
        await agent.batch_analyze(made[0], "Another task.", FIELDS)
        await (await agent.load_conversation(made[0])).send_message("topic-1, again?")
        await agent.batch_analyze(made, TASK, FIELDS, refresh=True)
        assert len(await agent.list_insights()) == 4
        for uuid in made:
            await (await agent.load_conversation(uuid)).delete()
        assert [each.conversation_id for each in await agent.list_insights()] == [stays]
        with pytest.raises(ConversationNotFound):
            await agent.list_insights(made[0])
    assert cypher(NODES, user_id=owner.user_id, project=owner.project) == before
    assert cypher("MATCH (i:Insight) WHERE i.conversation_id IN $uuids RETURN i.uuid", uuids=made) == []


async def test_one_that_branches_share_keeps_no_insight(make_agent: MakeAgent, cypher: Cypher) -> None:
    provider = ScriptedProvider(["Yes."], purposes={"insight": [answered]}, loop=True)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        talk = await agent.create_conversation("Trunk")
        await talk.send_message("topic-1?")
        branch = await talk.branch(title="Branch")
        await agent.batch_analyze([talk, branch], TASK, FIELDS)
        await talk.delete()
        assert [each.conversation_id for each in await agent.list_insights()] == [branch.uuid]
        assert cypher("MATCH (i:Insight {conversation_id: $u}) RETURN i", u=talk.uuid) == []
        assert len(await agent.batch_analyze(None, TASK, FIELDS)) == 1


async def test_what_is_being_deleted_is_hidden(make_agent: MakeAgent, cypher: Cypher) -> None:
    async with make_agent(provider=asked_of(), settings=ALONE) as agent:
        made = await talks(agent, 2)
        await agent.batch_analyze(made, TASK, FIELDS)
        cypher("MATCH (c:Conversation {uuid: $u}) SET c.status = 'deleting'", u=made[0])
        assert [each.conversation_id for each in await agent.list_insights()] == made[1:]
        assert [each.conversation_id for each in await agent.batch_analyze(None, TASK, FIELDS)] == made[1:]
        with pytest.raises(ConversationNotFound):
            await agent.batch_analyze(made[:1], TASK, FIELDS)
    # What a crash left half deleted, the next process finishes.
    async with make_agent(settings=ALONE) as agent:
        assert await agent.drain() == {}
    assert cypher("MATCH (i:Insight {conversation_id: $u}) RETURN i", u=made[0]) == []
