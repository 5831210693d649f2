"""What is refused before anything is asked."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory import (
    ConfigError,
    ConversationNotFound,
    InvalidInput,
)
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.insights.talks import ALONE, FIELDS, STORED, TASK, asked_of, talks

pytestmark = pytest.mark.anyio


async def test_without_a_model_there_is_one_clear_error(make_agent: MakeAgent, owner: Owner, cypher: Cypher) -> None:
    async with make_agent(provider="extractive", settings=ALONE) as agent:
        made = await talks(agent, 2)
        with pytest.raises(ConfigError, match="insights need a language model") as refused:
            await agent.batch_analyze(made, TASK, FIELDS)
    assert "extractive" in str(refused.value)
    for setting in ("GEMINI_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "ragforge.config.yaml", "--model"):
        assert setting in (refused.value.hint or "")
    assert cypher(STORED, user_id=owner.user_id, project=owner.project) == []


BAD: list[tuple[dict[str, Any], str]] = [
    ({"task": ""}, "the task is empty"),
    ({"task": "a\ud800"}, "not valid text"),
    ({"task": "word " * 400_000}, "of the|window"),
    ({"output_schema": "object"}, "an output schema is"),
    ({"output_schema": {}}, "says nothing"),
    ({"output_schema": {"type": "thing"}}, "not a JSON Schema: type: 'thing'"),
    ({"output_schema": {"type": "string", "pattern": "("}}, "not a JSON Schema: pattern"),
    ({"output_schema": {"$ref": "https://example.org/x.json"}}, "which is not in it"),
    ({"output_schema": {"$ref": "#"}}, "refers to itself"),
    ({"output_schema": {"type": {1, 2}}}, "not JSON"),
    ({"conversations": 3}, "conversations are"),
    ({"conversations": {"title": "x"}}, "not filtered by 'title'"),
    ({"concurrency": True}, "concurrency is"),
    ({"max_cost_usd": float("nan")}, "max_cost_usd is"),
    ({"max_cost_usd": 1.0}, "the price of scripted:scripted is not known"),
]


async def test_bad_input_is_refused(make_agent: MakeAgent) -> None:
    provider = asked_of()
    async with make_agent(provider=provider, settings=ALONE) as agent:
        for given, told in BAD:
            with pytest.raises(InvalidInput, match=told):
                await agent.batch_analyze(
                    **{"conversations": None, "task": TASK, "output_schema": FIELDS, **given}  # type: ignore[arg-type]
                )
    assert provider.requests == []


async def test_what_another_owner_has_is_not_there(make_agent: MakeAgent, owner: Owner) -> None:
    provider = asked_of()
    async with make_agent(provider=provider, settings=ALONE) as agent:
        [theirs] = await talks(agent, 1)
        await agent.batch_analyze(theirs, TASK, FIELDS)
    asked = asked_of()
    async with make_agent(provider=asked, settings=ALONE, user_id=f"{owner.user_id}-2") as other:
        for missing in (theirs, "f00"):
            with pytest.raises(ConversationNotFound) as refused:
                await other.batch_analyze([missing], TASK, FIELDS)
            assert str(refused.value) == f"there is no conversation {missing!r} here"
        with pytest.raises(ConversationNotFound):
            await other.list_insights(theirs)
        assert list(await other.batch_analyze(None, TASK, FIELDS)) == []
        assert len(await other.list_insights()) == 0
    assert asked.requests == []


async def test_without_memory_there_is_nothing_to_analyse(make_agent: MakeAgent) -> None:
    async with make_agent(provider=asked_of(), settings={**ALONE, "enable_memory": False}) as agent:
        with pytest.raises(InvalidInput, match="memory is off"):
            await agent.batch_analyze(None, TASK, FIELDS)
        assert len(await agent.list_insights()) == 0
