"""An agent's user: `agent.user`, awaited and not, and the tool that tells a model of them."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest

from ragforge_memory import ConversationAgent, ConversationConfig, InvalidInput, Neo4jConfig
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.users import UserStore
from ragforge_memory.memory.tools import MEMORY_ALL
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.memory.test_facts import Model

pytestmark = pytest.mark.anyio


async def test_an_agent_sets_and_gets_its_users_context(make_agent: MakeAgent, owner: Owner) -> None:
    async with make_agent() as agent:
        assert (await agent.user.set("team", {"tone": "brief"})).preferences == {"tone": "brief"}
        context = await agent.user.get()
        assert (context.user_id, context.plan, context.usage.turns) == (owner.user_id, "team", 0)
        with pytest.raises(InvalidInput):
            await agent.user.set(preferences={"a": {1, 2}})  # type: ignore[dict-item]
    async with make_agent(user_id=f"other-{owner.user_id}") as other:
        assert (await other.user.get()).plan is None


def test_so_does_one_that_does_not_await(neo4j_config: Neo4jConfig, owner: Owner) -> None:
    config = ConversationConfig(embed_messages=False)
    with ConversationAgent(
        neo4j_config, llm_provider="extractive", tools=(), config=config, user_id=owner.user_id, project=owner.project
    ) as agent:
        assert agent.user.set(plan="team") == agent.user.get()
        assert agent.user.get().plan == "team"


async def test_a_model_is_told_of_its_own_user(make_agent: MakeAgent, client: GraphClient, owner: Owner) -> None:
    model = Model()
    users = UserStore(client, owner)
    await users.set(plan="team", preferences={"tone": "brief"})
    for day in {date.today(), datetime.now(UTC).date()}:
        await users.count(day, input_tokens=5)
    async with make_agent(provider=model, tools=MEMORY_ALL) as agent:
        model.asks("get_user_context")
        await (await agent.create_conversation()).send_message("What plan am I on?")
    told = model.given
    assert (told["status"], told["plan"], told["preferences"]) == ("success", "team", {"tone": "brief"})
    assert (told["usage_today"]["turns"], told["usage_today"]["input_tokens"]) == (1, 5)
