"""What is waited for ends when it was said to, and what fails in the background does not end it."""

from __future__ import annotations

import asyncio
import time
from typing import Any, NamedTuple

import pytest

from ragforge_memory import GraphUnavailable
from ragforge_memory.agent.upkeep.retention import RetentionTask
from ragforge_memory.agent.upkeep.summaries import Summaries
from ragforge_memory.agent.upkeep.vectors import Background
from ragforge_memory.agent.upkeep.work import BackgroundWork, SummaryTask
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import GraphTimeout
from ragforge_memory.llm.resolve import Resolution
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio


async def _forever(*_: Any) -> Any:
    await asyncio.sleep(60)


class _Stuck:
    """Summaries that never come."""

    class store:
        due = staticmethod(_forever)


async def test_all_sorts_of_work_together_take_no_longer_than_one_may() -> None:
    summaries: Summaries = _Stuck()  # type: ignore[assignment]
    work = BackgroundWork(Background(None, ()), SummaryTask(summaries, lambda: None), _forever, RetentionTask(_forever))
    work.begin()
    work.wake(due=True)
    try:
        began = time.monotonic()
        await work.finish(0.3)
        assert time.monotonic() - began < 0.55  # deletes, retention and summaries took .3 s each
    finally:
        await work.aclose()


async def test_one_conversation_that_always_fails_holds_up_no_other() -> None:
    made: list[str] = []
    tried: list[str] = []

    class Due(NamedTuple):
        conversation_id: str
        wait: float = 0.0

    class Some:
        """The newest first, as the graph lists them."""

        class store:
            @staticmethod
            async def due() -> list[Due]:
                return [Due("bad"), *(Due(each) for each in ("one", "two") if each not in made)]

        @staticmethod
        async def bring_up_to_date(conversation_id: str) -> bool:
            tried.append(conversation_id)
            if conversation_id == "bad":
                raise GraphTimeout("its statement takes too long")
            made.append(conversation_id)
            return True

    summaries: Summaries = Some()  # type: ignore[assignment]
    task = SummaryTask(summaries, lambda: None)
    task.wake()
    try:
        async with asyncio.timeout(5):
            await task.quiet(None)
    finally:
        await task.aclose()
    assert made == ["one", "two"]
    assert tried.count("bad") <= 2


async def test_retention_outlives_any_failure() -> None:
    async def full_disk() -> Any:
        raise OSError("no space left on device")

    task = RetentionTask(full_disk)
    task.begin()
    try:
        async with asyncio.timeout(5):
            await task.quiet(None)
    finally:
        await task.aclose()


async def test_an_agent_that_does_not_open_closes_what_it_made_and_leaves_what_it_was_given(
    make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed: list[str] = []

    class Model(ScriptedProvider):
        async def aclose(self) -> None:
            closed.append("model")

    class Embedder(HashingEmbedder):
        async def aclose(self) -> None:
            closed.append("embedder")

    async def resolved(*_: object, **__: object) -> Resolution:
        return Resolution(Model(["hello"]), "scripted", "scripted", "it was found")

    async def refused(*_: object) -> None:
        raise GraphUnavailable("it went away")

    opening = "ragforge_memory.agent.opening"
    monkeypatch.setattr(f"{opening}.open_space", refused)
    with pytest.raises(GraphUnavailable):
        await make_agent(provider=Model(["hello"]), embedder=Embedder()).open()
    assert closed == []  # they can be given to the next one
    monkeypatch.setattr(f"{opening}.resolve_model", resolved)
    with pytest.raises(GraphUnavailable):
        await make_agent(provider=Model(["hello"]), embedder=Embedder()).open()
    assert closed == ["model"]
