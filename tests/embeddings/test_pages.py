"""Much that waits is embedded in small calls and stored in large writes."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from ragforge_memory.embeddings.pages import embed_page
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.errors import EmbeddingError

pytestmark = pytest.mark.anyio


class Seen:
    """What was asked of the model and of the store."""

    def __init__(self) -> None:
        self.embedded: list[int] = []
        self.stored: list[list[int]] = []
        self.failed: list[int] = []
        self.refuse: int | None = None
        self.away = False
        self.gate: asyncio.Event | None = None
        self.stops = False
        self._awaited = 10**6
        self._reached = asyncio.Event()

    async def run(self, page: Sequence[int]) -> int:
        """The page."""
        return await embed_page(
            page,
            vectors=self._vectors,
            store=self._store,
            fail=self._fail,
            answers=self._answers,
            stop=lambda: self.stops,
        )

    async def reaches(self, count: int) -> None:
        """Waits until so many are embedded."""
        self._awaited = count
        async with asyncio.timeout(20):
            await self._reached.wait()

    async def _vectors(self, some: Sequence[int]) -> list[Vector]:
        await asyncio.sleep(0)
        await self._answers()
        if self.refuse in some:
            raise EmbeddingError("refused")
        self.embedded.append(len(some))
        if sum(self.embedded) >= self._awaited:
            self._reached.set()
        return [[float(each)] for each in some]

    async def _answers(self) -> None:
        if self.away:
            raise EmbeddingError("connection refused")

    async def _store(self, made: Sequence[tuple[int, Vector]]) -> int:
        if self.gate is not None:
            await self.gate.wait()
        assert all(vector == [float(each)] for each, vector in made)
        self.stored.append([each for each, _ in made])
        return len(made)

    async def _fail(self, some: Sequence[int]) -> None:
        self.failed += some


async def test_small_calls_and_large_writes() -> None:
    seen = Seen()
    assert await seen.run(range(600)) == 600
    assert max(seen.embedded) == 32
    assert [len(each) for each in seen.stored] == [256, 256, 88]
    assert [each for some in seen.stored for each in some] == list(range(600))
    assert await seen.run([]) == 0


async def test_it_embeds_while_it_stores() -> None:
    seen = Seen()
    seen.gate = asyncio.Event()
    running = asyncio.create_task(seen.run(range(512)))
    await seen.reaches(512)
    assert seen.stored == []
    seen.gate.set()
    assert await running == 512


async def test_what_is_more_urgent_waits_for_one_small_call() -> None:
    seen = Seen()
    seen.stops = True
    assert await seen.run(range(600)) == 32
    assert seen.stored == [list(range(32))]


async def test_a_slow_model_s_work_is_stored_from_time_to_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragforge_memory.embeddings.pages._WRITE_AFTER", 0.0)
    seen = Seen()
    assert await seen.run(range(96)) == 96
    assert [len(each) for each in seen.stored] == [32, 32, 32]


async def test_what_the_model_refuses_is_given_up_alone_and_what_it_took_is_kept() -> None:
    seen = Seen()
    seen.refuse = 70
    with pytest.raises(EmbeddingError, match="refused"):
        await seen.run(range(600))
    assert seen.stored == [[each for each in range(96) if each != 70]]
    assert seen.failed == [70]


async def test_a_model_that_is_away_gives_nothing_up() -> None:
    seen = Seen()
    seen.away = True
    with pytest.raises(EmbeddingError, match="connection refused"):
        await seen.run(range(600))
    assert seen.failed == []


async def test_given_up_it_leaves_nothing_running() -> None:
    seen = Seen()
    seen.gate = asyncio.Event()
    running = asyncio.create_task(seen.run(range(600)))
    await seen.reaches(288)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert seen.stored == []
    assert [task for task in asyncio.all_tasks() if task.get_name() == "ragforge-store-vectors"] == []
