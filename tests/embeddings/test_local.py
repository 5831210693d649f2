"""The local embedder with its real model (fetched once; ``RAGFORGE_CACHE`` lets runs share it)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.embeddings.calibration import PROBE_TEXTS, cosine, mean_cosine, similarity
from ragforge_memory.embeddings.local import LOCAL_MODELS, LocalEmbedder
from ragforge_memory.errors import DownloadError, EmbeddingError, InvalidInput

pytestmark = pytest.mark.anyio

LONG = "The parser reads the header first. " * 400


@pytest.fixture(params=["e5-small-v2"])
async def embedder(request: pytest.FixtureRequest) -> AsyncIterator[LocalEmbedder]:
    made = LocalEmbedder(request.param)
    yield made
    await made.aclose()


async def test_vectors_have_unit_length_and_their_order(embedder: LocalEmbedder) -> None:
    texts = ["a much longer text about the weather in the north of the country", "tea", LONG, "", "tea"]
    vectors = await embedder.embed_passages(texts)
    assert [len(vector) for vector in vectors] == [384] * 5
    for vector in vectors:
        assert cosine(vector, vector) == pytest.approx(1)
        assert sum(value * value for value in vector) == pytest.approx(1, abs=1e-5)
    assert vectors[1] == vectors[4]
    assert cosine(vectors[0], vectors[1]) < 0.95
    assert await embedder.embed_passages([]) == []


async def test_a_text_has_one_vector_in_any_company(embedder: LocalEmbedder) -> None:
    longer = LONG[:600]
    texts = [longer, "tea", "Where are passwords checked?", "Where are passwords kept?", "", *PROBE_TEXTS[:3]]
    alone = [(await embedder.embed_passages([text]))[0] for text in texts]
    assert await embedder.embed_passages(texts) == alone
    assert await embedder.embed_passages(texts[::-1]) == alone[::-1]
    for text, vector in zip(texts, alone, strict=True):
        assert await embedder.embed_passages([text, longer, text, "tea"]) == [vector, alone[0], vector, alone[1]]
    assert await asyncio.gather(*(embedder.embed_passages([text]) for text in texts)) == [[each] for each in alone]


async def test_related_is_nearer_than_unrelated(embedder: LocalEmbedder) -> None:
    question = await embedder.embed_query("Where are passwords checked?")
    related, unrelated = await embedder.embed_passages(
        [
            "def verify_password(hash, password): Compares a password with its stored hash.",
            "The ferry to the island leaves at seven.",
        ]
    )
    near = similarity(cosine(question, related), embedder.unrelated_cosine)
    far = similarity(cosine(question, unrelated), embedder.unrelated_cosine)
    assert near > far + 0.1
    assert far < 0.2


async def test_a_long_question_is_cut(embedder: LocalEmbedder) -> None:
    cut = await embedder.embed_query(LONG)
    other = await embedder.embed_query(LONG[:2000] + " something else entirely")
    assert cut == other


async def test_a_cancelled_caller_leaves_the_thread_working(embedder: LocalEmbedder) -> None:
    job = asyncio.ensure_future(embedder.embed_passages([LONG] * 200))
    await embedder.embed_query("a question goes first")
    assert not job.done()
    job.cancel()
    with pytest.raises(asyncio.CancelledError):
        await job
    assert len(await embedder.embed_query("and it still answers")) == 384


async def test_embedders_of_one_model_share_a_thread_that_ends_with_the_last() -> None:
    first, second = LocalEmbedder(), LocalEmbedder("e5-small-v2-q")
    await asyncio.gather(first.embed_query("one"), second.embed_query("two"))
    assert sum(_is_embedding(thread) for thread in threading.enumerate()) == 1
    await first.aclose()
    assert len(await second.embed_query("still here")) == 384
    await second.aclose()
    await second.aclose()
    assert not any(_is_embedding(thread) for thread in threading.enumerate() if thread.is_alive())
    with pytest.raises(EmbeddingError, match="closed"):
        await first.embed_query("gone")


@pytest.mark.parametrize("model", sorted(LOCAL_MODELS))
async def test_probes_agree_with_the_measured_constants(model: str) -> None:
    made = LocalEmbedder(model)
    try:
        measured = mean_cosine(await made.embed_passages(PROBE_TEXTS))
    finally:
        await made.aclose()
    assert measured == pytest.approx(made.unrelated_cosine, abs=0.12)


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(InvalidInput, match="bge-large") as refused:
        LocalEmbedder("bge-large")
    assert "e5-small-v2" in (refused.value.hint or "")


def _is_embedding(thread: threading.Thread) -> bool:
    return thread.name.startswith("ragforge-embed")


@pytest.mark.parametrize("heeds", [True, False])
async def test_closing_does_not_wait_for_a_model_that_is_being_fetched(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, heeds: bool
) -> None:
    begun, go = threading.Event(), threading.Event()

    def fetch_model(*_: Any, left: threading.Event, **__: Any) -> Path:
        begun.set()
        (left if heeds else go).wait(60)
        raise DownloadError("nobody waits")

    monkeypatch.setattr("ragforge_memory.downloads.models.fetch_model", fetch_model)
    embedder = LocalEmbedder(home=tmp_path)
    try:
        embedder.warm()
        assert await asyncio.to_thread(begun.wait, 30)
        async with asyncio.timeout(30):
            await embedder.aclose()
    finally:
        go.set()
