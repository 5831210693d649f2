"""Insights through the real SDKs, against fakes that refuse what the vendors refuse."""

from __future__ import annotations

import json

import pytest

from ragforge_memory.llm.gemini import GeminiProvider
from ragforge_memory.llm.openai import OpenAIProvider
from ragforge_memory.llm.port import ModelProvider
from tests.agent.conftest import MakeAgent
from tests.fakes.behaviours import Answer
from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake
from tests.insights.talks import ALONE, FIELDS, TASK, talks
from tests.llm.asking import Sleeps

pytestmark = pytest.mark.anyio

Fake = GeminiFake | OpenAIFake

GOOD = json.dumps({"topic": "topic-0", "findings": ["one"]})


@pytest.fixture(params=["gemini", "openai"])
def fake(request: pytest.FixtureRequest) -> Fake:
    """Each vendor in turn."""
    found: Fake = request.getfixturevalue(f"{request.param}_fake")
    return found


@pytest.fixture
def provider(fake: Fake) -> ModelProvider:
    """The vendor's provider; the agent closes it."""
    policy = Sleeps().policy()
    if isinstance(fake, GeminiFake):
        return GeminiProvider(api_key=fake.api_key, base_url=fake.url, retry=policy)
    return OpenAIProvider(fake.models[0], api_key=fake.api_key, base_url=fake.base_url, retry=policy)


async def test_a_bad_answer_is_corrected(make_agent: MakeAgent, fake: Fake, provider: ModelProvider) -> None:
    fake.script(
        Answer(("Sure: ", '{"topic": ')),
        Answer(""),
        Answer(('```json\n{"topic": "topic-0", ', '"findings": ["one"]}\n```'), thoughts=()),
    )
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 1)
        found = await agent.batch_analyze(made, TASK, FIELDS)
        assert [each.data for each in found] == [json.loads(GOOD)]
        assert found[0].model == f"{provider.name}:{provider.model}"
        assert found.usage.input_tokens > 0
        assert list(await agent.list_insights(made[0])) == list(found)
    assert fake.refusals == []
    assert len(fake.bodies) == 3
    told = json.dumps(fake.bodies[-1])
    assert "This answer cannot be used: it is empty" in told
    assert TASK in told
    assert "All is known of topic-0." in told


async def test_a_price_that_is_known_bounds_the_run(make_agent: MakeAgent, gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer(GOOD), Answer(GOOD))
    provider = GeminiProvider(api_key=gemini_fake.api_key, base_url=gemini_fake.url)
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, 2)
        none = await agent.batch_analyze(made, TASK, FIELDS, max_cost_usd=0.000_001)
        assert (none.stopped, list(none.left), gemini_fake.bodies) == ("cost", made, [])
        found = await agent.batch_analyze(made, TASK, FIELDS, max_cost_usd=1)
        assert (len(found), found.stopped) == (2, None)
        assert found.usage.cost_usd is not None
        assert 0 < found.usage.cost_usd < 1
