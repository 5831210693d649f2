"""Whole turns through the real SDKs against the strict fakes, and what the graph keeps of them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, events, tool
from ragforge_memory.errors import ModelStreamCut
from ragforge_memory.llm.gemini import GeminiProvider
from ragforge_memory.llm.openai import OpenAIProvider
from ragforge_memory.llm.port import ModelProvider
from tests.agent.conftest import MakeAgent
from tests.fakes.behaviours import Answer, Call
from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake
from tests.llm.asking import Sleeps

pytestmark = pytest.mark.anyio

Fake = GeminiFake | OpenAIFake

# The fakes count: no title is asked for in the background.
TURNS_ALONE = {"enable_summarization": False}


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


@pytest.fixture(params=["gemini", "openai"])
def fake(request: pytest.FixtureRequest) -> Fake:
    """Each vendor in turn."""
    found: Fake = request.getfixturevalue(f"{request.param}_fake")
    if isinstance(found, OpenAIFake):
        # Thoughts come from servers that take them back; OpenAI's own sends none.
        found.reasoning = "taken"
    return found


@pytest.fixture
def provider(fake: Fake, sleeps: Sleeps) -> ModelProvider:
    """The vendor's provider; the agent closes it."""
    if isinstance(fake, GeminiFake):
        return GeminiProvider(api_key=fake.api_key, base_url=fake.url, retry=sleeps.policy())
    return OpenAIProvider(fake.models[0], api_key=fake.api_key, base_url=fake.base_url, retry=sleeps.policy())


@tool
def weather(city: str) -> dict[str, Any]:
    """The weather of a city.

    Args:
        city: its name
    """
    return {"city": city, "degrees": len(city)}


@pytest.fixture
async def agent(make_agent: MakeAgent, provider: ModelProvider) -> AsyncIterator[AsyncConversationAgent]:
    async with make_agent(provider=provider, tools=[weather], settings=TURNS_ALONE) as made:
        yield made


async def test_a_turn_with_parallel_tools_thoughts_and_signatures(agent: AsyncConversationAgent, fake: Fake) -> None:
    both = (Call("weather", {"city": "Kyiv"}), Call("weather", {"city": "Lviv!"}))
    fake.script(
        Answer(thoughts=("Two cities.",), calls=both),
        Answer(("It is ", "fine."), thoughts=("Enough.",)),
        Answer("And so it was."),
    )
    conversation = await agent.create_conversation()
    async with conversation.stream_message("What is the weather?") as stream:
        said = [event.text async for event in stream if isinstance(event, events.TextDelta)]
    assert said == ["It is ", "fine."]
    response = stream.response
    assert [call.result["degrees"] for call in response.tool_calls] == [4, 5]
    assert response.reasoning == "Two cities.Enough."
    assert response.usage.input_tokens > 0
    assert response.usage.output_tokens > 0
    # From the graph, by another object: the vendor accepts its own parts back, signatures and ids included.
    again = await agent.load_conversation(conversation.uuid)
    assert (await again.send_message("And yesterday?")).content == "And so it was."
    assert fake.refusals == []
    answer = (await again.get_history())[1]
    assert (answer.state, answer.reasoning, len(answer.tool_calls)) == ("complete", "Two cities.Enough.", 2)
    assert answer.usage is not None
    assert answer.usage.input_tokens == response.usage.input_tokens


async def test_another_model_goes_on_with_a_conversation(
    make_agent: MakeAgent, gemini_fake: GeminiFake, openai_fake: OpenAIFake, sleeps: Sleeps
) -> None:
    gemini_fake.script(Answer(calls=(Call("weather", {"city": "Kyiv"}),)), Answer("Fine."), Answer("Still fine."))
    openai_fake.script(Answer("I agree."))
    gemini = GeminiProvider(api_key=gemini_fake.api_key, base_url=gemini_fake.url, retry=sleeps.policy())
    async with make_agent(provider=gemini, tools=[weather], settings=TURNS_ALONE) as first:
        conversation = await first.create_conversation()
        await conversation.send_message("What is the weather?")
    openai = OpenAIProvider(openai_fake.models[0], api_key=openai_fake.api_key, base_url=openai_fake.base_url)
    async with make_agent(provider=openai, tools=[weather], settings=TURNS_ALONE) as second:
        again = await second.load_conversation(conversation.uuid)
        assert (await again.send_message("Do you agree?")).content == "I agree."
    third = GeminiProvider(api_key=gemini_fake.api_key, base_url=gemini_fake.url, retry=sleeps.policy())
    async with make_agent(provider=third, tools=[weather], settings=TURNS_ALONE) as back:
        once_more = await back.load_conversation(conversation.uuid)
        assert (await once_more.send_message("And you?")).content == "Still fine."
    assert gemini_fake.refusals == openai_fake.refusals == []


async def test_a_cut_stream_leaves_a_partial_answer(agent: AsyncConversationAgent, fake: Fake) -> None:
    fake.script(Answer(("It is ", "fi"), ending="cut"), Answer("Whole."))
    conversation = await agent.create_conversation()
    with pytest.raises(ModelStreamCut):
        await conversation.send_message("Well?")
    question, answer = await conversation.get_history()
    assert (question.state, answer.state, answer.content) == ("complete", "partial", "It is fi")
    assert (await conversation.send_message("Again?")).content == "Whole."
    assert fake.refusals == []
