"""A vendor's refusal reads the same, whether its model was to answer or to embed."""

from __future__ import annotations

from collections.abc import Awaitable

import pytest

from ragforge_memory.embeddings.gemini import GeminiEmbedder
from ragforge_memory.embeddings.openai import OpenAIEmbedder
from ragforge_memory.errors import EmbeddingError, ModelError, RagforgeError
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.gemini import GeminiProvider
from ragforge_memory.llm.openai import OpenAIProvider
from tests.fakes.behaviours import Failure
from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake
from tests.llm.asking import question

pytestmark = pytest.mark.anyio


async def failed(awaited: Awaitable[object], kind: type[RagforgeError], model: str) -> str:
    with pytest.raises(kind) as caught:
        await awaited
    assert not isinstance(caught.value.__cause__, RagforgeError)
    assert caught.value.__cause__ is not None
    return caught.value.message.replace(model, "the model")


@pytest.mark.parametrize("failure", [Failure(400, "no"), Failure(429, retry_after="600")], ids=str)
@pytest.mark.parametrize("vendor", ["gemini", "openai"])
async def test_one_reading_of_a_failure(
    vendor: str, failure: Failure, gemini_fake: GeminiFake, openai_fake: OpenAIFake
) -> None:
    fake: GeminiFake | OpenAIFake
    model: GeminiProvider | OpenAIProvider
    embedder: GeminiEmbedder | OpenAIEmbedder
    if vendor == "gemini":
        fake = gemini_fake
        model = GeminiProvider(api_key=gemini_fake.api_key, base_url=gemini_fake.url)
        embedder = GeminiEmbedder(api_key=gemini_fake.api_key, base_url=gemini_fake.url)
    else:
        fake = openai_fake
        model = OpenAIProvider("gpt-5.2", api_key=openai_fake.api_key, base_url=openai_fake.base_url)
        embedder = OpenAIEmbedder(api_key=openai_fake.api_key, base_url=openai_fake.base_url)
    fake.script(failure)
    fake.embedding_script(failure)
    said = await failed(complete(model, question()), ModelError, f"{model.name}:{model.model}")
    assert said == await failed(embedder.embed_passages(["text"]), EmbeddingError, embedder.model)
    await model.aclose()
    await embedder.aclose()
