"""The tools of memory beside those of facts: statuses and fields of document 5, the profile, the rollout."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from ragforge_memory.config.sections import RolloutConfig
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.memory.rollout import has_tools
from ragforge_memory.memory.tools import MEMORY_ALL, MEMORY_CORE
from ragforge_memory.models.tokens import estimate_tokens
from ragforge_memory.tools.registry import ToolRegistry
from tests.agent.conftest import Cypher, MakeAgent
from tests.memory.test_facts import Model

pytestmark = pytest.mark.anyio

SUMMARY = "Користувач переїхав з Києва до Львова і знайшов нову роботу."


async def test_an_episode_is_created_found_changed_and_put_away(make_agent: MakeAgent, cypher: Cypher) -> None:
    model = Model()
    async with make_agent(provider=model, tools=MEMORY_ALL) as agent:
        talk = await agent.create_conversation()
        model.add("Вітаю.")
        asked = await talk.send_message("Я переїхав")
        told = {"importance": 0.85, "emotional_valence": "positive", "tags": ["робота", "переїзд"]}
        model.asks("create_episode", topic="Зміна роботи та переїзд", summary=SUMMARY, **told)
        await talk.send_message("Тепер усе")
        episode = model.given["episode_id"]
        assert model.given == {"status": "success", "episode_id": episode}
        model.asks("create_episode", topic="Зміна роботи та переїзд", summary=SUMMARY)
        await talk.send_message("Ще раз")
        assert model.given == {"status": "skipped", "reason": "it is known", "episode_id": episode}
        model.asks("update_episode", episode_id=episode, summary="Він живе у Львові.", importance=0.9)
        await talk.send_message("Я у Львові")
        assert model.given == {"status": "success", "episode_id": episode}
        model.asks("recall_memory", query="переїзд")
        await (await agent.create_conversation()).send_message("Що ти знаєш?")
        [found] = model.given["memories"]
        assert (found["memory_id"], found["kind"], found["by"]) == (episode, "episode", "agent")
        assert found["content"] == "Зміна роботи та переїзд: Він живе у Львові."
        model.asks("archive_episode", episode_id=episode)
        await (await agent.create_conversation()).send_message("Про дім забудь")
        assert model.given["error_type"] == "not_asked"
        model.asks("archive_episode", episode_id=episode)
        await talk.send_message("Забудь про переїзд")
        assert model.given == {"status": "success", "archived": True}
        model.asks("mark_important", message_ids=[asked.user_message_id, "nothing"], importance=0.95)
        await talk.send_message("Це важливо")
        assert model.given == {"status": "success", "marked": 1}
    [row] = cypher(
        "MATCH (e:Episode {user_id: $user}) RETURN e.is_active AS holds, e.importance AS importance, e.tags AS tags, "
        "COUNT { (e)-[:DERIVED_FROM]->(:Message) } AS messages, "
        "COLLECT { MATCH (e)-[:HAS_VERSION]->(v) RETURN v.reason ORDER BY v.changed_at } AS versions",
        user=agent.user_id,
    )
    assert row == {
        "holds": False,
        "importance": 0.9,
        "tags": ["робота", "переїзд"],
        "messages": 2,
        "versions": ["update", "forget"],
    }
    [row] = cypher("MATCH (m:Important {uuid: $uuid}) RETURN m.importance AS importance", uuid=asked.user_message_id)
    assert row == {"importance": 0.95}


async def test_facts_that_say_one_thing_are_merged(make_agent: MakeAgent, cypher: Cypher) -> None:
    model = Model()
    async with make_agent(provider=model, tools=MEMORY_ALL) as agent:
        talk = await agent.create_conversation()
        ids = []
        for key, value, sure in (("language", "Python", 0.8), ("version", "Python 3.11", 0.95)):
            model.asks("remember_fact", type="skill", key=key, value=value, confidence=sure)
            await talk.send_message(f"I use {value}.")
            ids.append(model.given["fact_id"])
        model.asks("merge_facts", fact_ids=ids, value="Python 3.11")
        await talk.send_message("That is the same.")
        assert model.given == {"status": "success", "merged_id": ids[0], "confidence": 0.95}
        model.asks("merge_facts", fact_ids=ids, value="Python 3.11")
        await talk.send_message("Once more.")
        assert (model.given["status"], model.given["error_type"]) == ("error", "invalid")
        model.asks("recall_facts")
        await talk.send_message("What do I use?")
        assert [each["value"] for each in model.given["facts"]] == ["Python 3.11"]
        assert [(v.old_value, v.reason) for v in await _history(agent, ids[0])] == [
            ("version: Python 3.11", "merge"),
            ("Python", "merge"),
        ]


async def _history(agent: Any, uuid: str) -> Any:
    services = await agent.open()
    return sorted(await services.memories.history(uuid), key=lambda version: -len(version.old_value))


def test_the_tools_of_every_turn_are_small() -> None:
    """<= 1,500 tokens of schema, by document 5 of the requirements."""
    specs = ToolRegistry(MEMORY_CORE).specs
    schema = json.dumps([[spec.name, spec.description, spec.parameters] for spec in specs])
    assert estimate_tokens(schema) <= 1_500


@pytest.mark.parametrize(("profile", "tools"), [("core", MEMORY_CORE), ("all", MEMORY_ALL)])
async def test_the_profile_says_which_tools_are_offered(
    make_agent: MakeAgent, profile: Any, tools: tuple[Any, ...]
) -> None:
    model = ScriptedProvider(["Hello."])
    settings = {"memory_tools_profile": profile}
    async with make_agent(provider=model, tools=None, settings=settings) as agent:
        await (await agent.create_conversation()).send_message("Hello")
    offered = {spec.name for spec in model.requests[-1].tools}
    assert {each.__name__ for each in tools} <= offered
    assert not offered & ({each.__name__ for each in MEMORY_ALL} - {each.__name__ for each in tools})


async def test_a_conversation_outside_the_rollout_has_no_tools_of_memory(make_agent: MakeAgent) -> None:
    model = ScriptedProvider(["Hello."])
    settings = {"rollout_mode": "new", "rollout_since": datetime(9000, 1, 1, tzinfo=UTC)}
    async with make_agent(provider=model, tools=None, settings=settings) as agent:
        await (await agent.create_conversation()).send_message("Hello")
    offered = {spec.name for spec in model.requests[-1].tools}
    assert "search_code" in offered
    assert not offered & {each.__name__ for each in MEMORY_ALL}


def test_the_rollout_by_share_stays_as_it_is_and_keeps_to_its_share() -> None:
    half = RolloutConfig(mode="percent", percent=50)
    chosen = {uuid for uuid in map(str, range(2_000)) if has_tools(half, uuid, None)}
    assert 900 < len(chosen) < 1_100
    more = RolloutConfig(mode="percent", percent=60)
    assert chosen <= {uuid for uuid in map(str, range(2_000)) if has_tools(more, uuid, None)}
    assert not has_tools(RolloutConfig(mode="off"), "1", None)
    assert has_tools(RolloutConfig(), "1", None)
