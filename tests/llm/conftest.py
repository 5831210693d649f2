"""The vendors' providers on their fakes, with a clock that only writes down."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from ragforge_memory.llm.gemini import GeminiProvider
from ragforge_memory.llm.openai import OpenAIProvider
from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake
from tests.llm.asking import Sleeps


@pytest.fixture
def sleeps() -> Sleeps:
    """What would have been slept between requests."""
    return Sleeps()


@pytest.fixture
async def gemini(gemini_fake: GeminiFake, sleeps: Sleeps) -> AsyncIterator[GeminiProvider]:
    """Gemini, as far as the fake knows it."""
    provider = GeminiProvider(api_key=gemini_fake.api_key, base_url=gemini_fake.url, retry=sleeps.policy())
    yield provider
    await provider.aclose()


@pytest.fixture
async def model(openai_fake: OpenAIFake, sleeps: Sleeps) -> AsyncIterator[OpenAIProvider]:
    """A model of OpenAI's, as far as the fake knows it."""
    provider = OpenAIProvider(
        "gpt-5.2", api_key=openai_fake.api_key, base_url=openai_fake.base_url, retry=sleeps.policy()
    )
    yield provider
    await provider.aclose()
