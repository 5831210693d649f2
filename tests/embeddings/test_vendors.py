"""The embedders of vendors through their real SDKs, against the strict fakes."""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator

import pytest

from ragforge_memory.embeddings.calibration import cosine
from ragforge_memory.embeddings.gemini import GeminiEmbedder
from ragforge_memory.embeddings.openai import OpenAIEmbedder
from ragforge_memory.embeddings.port import Embedder
from ragforge_memory.embeddings.vendor import VendorEmbedder
from ragforge_memory.errors import ConfigError, EmbeddingError
from ragforge_memory.vendors.retry import RetryPolicy
from tests.fakes.behaviours import Drop, Failure
from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake

pytestmark = pytest.mark.anyio

Fake = GeminiFake | OpenAIFake


class Sleeps(list[float]):
    """The delays that were waited for, without waiting."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


@pytest.fixture
def sleeps() -> Sleeps:
    return Sleeps()


@pytest.fixture(params=["gemini-embedding-2", "gemini-embedding-001", "text-embedding-3-small"])
async def embedder(
    request: pytest.FixtureRequest, gemini_fake: GeminiFake, openai_fake: OpenAIFake, sleeps: Sleeps
) -> AsyncIterator[GeminiEmbedder | OpenAIEmbedder]:
    retry = RetryPolicy(sleep=sleeps, draw=lambda: 1.0)
    made: GeminiEmbedder | OpenAIEmbedder
    if request.param.startswith("gemini"):
        made = GeminiEmbedder(
            request.param, api_key=gemini_fake.api_key, base_url=gemini_fake.url, dimension=256, retry=retry
        )
    else:
        made = OpenAIEmbedder(
            request.param,
            api_key=openai_fake.api_key,
            base_url=openai_fake.base_url,
            dimension=256,
            retry=retry,
        )
    yield made
    await made.aclose()
    await made.aclose()


@pytest.fixture
def fake(embedder: GeminiEmbedder | OpenAIEmbedder, gemini_fake: GeminiFake, openai_fake: OpenAIFake) -> Fake:
    return gemini_fake if embedder.provider == "gemini" else openai_fake


async def test_every_text_has_a_unit_vector_of_its_own(embedder: Embedder, fake: Fake) -> None:
    texts = [f"text {number}" for number in range(230)] + ["", "text 3"]
    vectors = await embedder.embed_passages(texts)
    assert len(vectors) == 232
    assert all(len(vector) == 256 and math.isclose(math.hypot(*vector), 1) for vector in vectors)
    assert cosine(vectors[3], vectors[231]) == pytest.approx(1)
    assert abs(cosine(vectors[3], vectors[4])) < 0.5
    assert len(await embedder.embed_query("where?")) == 256
    assert fake.refusals == []
    assert await embedder.embed_passages([]) == []


async def test_the_scale_is_measured_with_the_first_request(embedder: Embedder) -> None:
    assert embedder.unrelated_cosine == 0
    await embedder.embed_query("where?")
    # The fake's vectors of different texts are unrelated at random: near 0, and never below it.
    assert 0 <= embedder.unrelated_cosine < 0.1


async def test_a_failed_request_is_sent_again(embedder: Embedder, fake: Fake, sleeps: Sleeps) -> None:
    await embedder.embed_passages(["first"])
    limited = Failure(429, retry_delay="7s") if isinstance(fake, GeminiFake) else Failure(429, retry_after="7")
    fake.embedding_script(limited, Failure(503), Drop())
    assert len(await embedder.embed_passages(["second"])) == 1
    assert sleeps == [7.0, 2.0, 4.0]


async def test_a_refusal_that_repeats_the_key_is_told_without_it(embedder: Embedder, fake: Fake) -> None:
    fake.embedding_script(*[Failure(400, f"what is {fake.api_key}?")] * 2)
    with pytest.raises(EmbeddingError, match=r"what is \*{8}\?"):
        await embedder.embed_passages(["second"])


async def test_a_bad_key_says_so(gemini_fake: GeminiFake, openai_fake: OpenAIFake) -> None:
    gemini = GeminiEmbedder(api_key="wrong", base_url=gemini_fake.url)
    openai = OpenAIEmbedder(api_key="wrong", base_url=openai_fake.base_url)
    for embedder, variable in ((gemini, "GEMINI_API_KEY"), (openai, "OPENAI_API_KEY")):
        with pytest.raises(EmbeddingError, match="key") as refused:
            await embedder.embed_query("where?")
        assert variable in (refused.value.hint or "")
        await embedder.aclose()


async def test_another_dimension_than_configured_is_an_error(openai_fake: OpenAIFake) -> None:
    openai_fake.embedders["local-model"] = 64
    embedder = OpenAIEmbedder("local-model", dimension=768, base_url=openai_fake.base_url, api_key=openai_fake.api_key)
    with pytest.raises(EmbeddingError, match="64 dimensions, not 768") as refused:
        await embedder.embed_passages(["a"])
    assert refused.value.hint == "set agent.memory.embeddings.dimension to 64"
    await embedder.aclose()


async def test_silence_ends_with_the_time_limit(sleeps: Sleeps) -> None:
    class Never(VendorEmbedder):
        async def _request(self, texts: object, question: bool) -> list[list[float]]:
            await asyncio.Event().wait()
            raise AssertionError

    with pytest.raises(EmbeddingError, match="did not answer"):
        await Never("m", 3, RetryPolicy(attempts=2, sleep=sleeps), timeout=0.01).embed_passages(["a"])
    assert len(sleeps) == 1


@pytest.mark.parametrize(
    "make",
    [
        lambda: GeminiEmbedder(api_key=" "),
        lambda: GeminiEmbedder("text-embedding-004", api_key="key"),
        lambda: OpenAIEmbedder(),
        lambda: OpenAIEmbedder("nomic-embed-text", base_url="http://127.0.0.1:11434/v1"),
    ],
    ids=["no key", "shut down", "no key or address", "unknown dimension"],
)
def test_what_cannot_work_is_refused_at_once(make: object) -> None:
    assert callable(make)
    with pytest.raises(ConfigError) as refused:
        make()
    assert refused.value.hint
