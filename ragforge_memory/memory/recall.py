"""Recall: what is remembered that bears on a question, from several tiers at once, under a deadline."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from time import perf_counter
from typing import TYPE_CHECKING

from ragforge_memory.memory.meaning import BY_MEANING, LEAST
from ragforge_memory.models.memory import TIERS, Memory, RecalledMemory, RecallResult, Tier
from ragforge_memory.retrieval.fusion import fused_by_ranks
from ragforge_memory.tracing import span

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from ragforge_memory.graph.memories import MemoryStore, Scored
    from ragforge_memory.graph.messages import Mention
    from ragforge_memory.memory.meaning import Meaning

log = logging.getLogger(__name__)

STANDING = 5
"""Rules and preferences that are always given, beside the limit."""

IN_GRAPH: tuple[Tier, ...] = ("standing", "key", "code", "text")
"""The tiers that one statement answers."""

# Looked at for each item that is given: tiers agree on some.
_WIDER = 3
# What is about code that only calls what was named, or is called by it.
_NEAR_CODE = 0.5
# Beside 1 for words: of code, half of it was measured better than as much (issue 39), and what has the question's words
# and meaning both is first anyhow.
_MEANING = 0.5


class Recall:
    """A recall that runs from now on; nobody waits for it beyond its deadline. A read that is late ends by itself: to
    cut it off would cost its connection.

    Args:
        store: of the memories.
        question: what is asked.
        names: what code it names.
        files: and which files.
        meaning: finds by meaning too; None: nothing is embedded here, and these tiers are neither answered nor missed.
        settled: waits, for so many seconds at most, until what was just said is remembered: half of the deadline is
            given to that.
        tools: those that are offered, whose last failures are always given.
        limit: memories at most, beside the standing ones and the summaries of conversations.
        deadline_ms: milliseconds from now.
    """

    def __init__(
        self,
        store: MemoryStore,
        question: str,
        *,
        names: Sequence[Mention] = (),
        files: Sequence[str] = (),
        meaning: Meaning | None = None,
        settled: Callable[[float], Awaitable[None]] | None = None,
        tools: Sequence[str] = (),
        limit: int,
        deadline_ms: float,
    ) -> None:
        self._begun = perf_counter()
        self._limit = limit
        self._deadline = deadline_ms / 1_000
        self._ended = self._begun

        async def found() -> dict[Tier, Scored]:
            if settled is not None:
                await settled(self._deadline / 2)
            with span("recall", ragforge__tiers=IN_GRAPH):
                return await store.recall(
                    question, names=names, files=files, tools=tools, standing=STANDING, limit=_WIDER * limit
                )

        async def found_by_meaning(meaning: Meaning) -> dict[Tier, Scored]:
            with span("recall", ragforge__tiers=BY_MEANING):
                return await meaning.found(_WIDER * limit)

        self._sources: dict[tuple[Tier, ...], asyncio.Task[dict[Tier, Scored]]] = {
            IN_GRAPH: asyncio.create_task(found(), name="ragforge-recall"),
        }
        if meaning is not None:
            self._sources[BY_MEANING] = asyncio.create_task(found_by_meaning(meaning), name="ragforge-recall-meaning")
        for task in self._sources.values():
            task.add_done_callback(self._end)

    async def result(self) -> RecallResult:
        """What was found in time, fused by rank; the standing ones come first."""
        left = self._deadline - (perf_counter() - self._begun)
        running = [task for task in self._sources.values() if not task.done()]
        if running and left > 0:
            await asyncio.wait(running, timeout=left)
        late = not all(task.done() for task in running)
        found: dict[Tier, Scored] = {}
        for tiers, task in self._sources.items():
            if not task.done():
                log.info("recall: %s were late and are left out", ", ".join(tiers))
            elif task.cancelled() or task.exception() is not None:
                log.warning("recall: %s failed: %s", ", ".join(tiers), None if task.cancelled() else task.exception())
            else:
                found |= task.result()
        if "vector" in found:
            found["vector"] = _admitted(found)
        items = merge(found, self._limit)
        return RecallResult(
            items=items,
            tiers_answered=tuple(tier for tier in TIERS if tier in found),
            tiers_missed=tuple(tier for tiers in self._sources for tier in tiers if tier not in found),
            total_found=len({memory.uuid for scored in found.values() for memory, _ in scored}),
            elapsed_ms=round(((perf_counter() if late else self._ended) - self._begun) * 1_000, 1),
        )

    def _end(self, task: asyncio.Task[dict[Tier, Scored]]) -> None:
        """Notes when a tier has ended, and looks at the error of one that nobody may wait for any more."""
        self._ended = perf_counter()
        if not task.cancelled() and (error := task.exception()) is not None:
            log.debug("a tier of recall failed: %s", error)


def _admitted(found: Mapping[Tier, Scored]) -> Scored:
    """What is near enough by meaning, or was found otherwise too."""
    others = {memory.uuid for tier, scored in found.items() if tier != "vector" for memory, _ in scored}
    return [(memory, near) for memory, near in found["vector"] if near >= LEAST or memory.uuid in others]


def merge(found: Mapping[Tier, Scored], limit: int) -> tuple[RecalledMemory, ...]:
    """The memories of all tiers, each once: the standing ones, then the best ``limit`` of the others by rank, then what
    other conversations were about."""
    known: dict[str, Memory] = {}
    tiers: dict[str, list[Tier]] = {}
    for tier in TIERS:
        for memory, _ in found.get(tier, ()):
            known.setdefault(memory.uuid, memory)
            tiers.setdefault(memory.uuid, []).append(tier)
    standing = {memory.uuid: score for memory, score in found.get("standing", ())}
    lists: list[tuple[float, list[str]]] = []
    for tier in TIERS[1:-1]:
        scored = [(memory.uuid, score) for memory, score in found.get(tier, ()) if memory.uuid not in standing]
        if tier == "code":
            lists.append((1.0, [uuid for uuid, score in scored if score >= 1]))
            lists.append((_NEAR_CODE, [uuid for uuid, score in scored if score < 1]))
        else:
            lists.append((_MEANING if tier == "vector" else 1.0, [uuid for uuid, _ in scored]))
    talks = [(memory.uuid, cosine) for memory, cosine in found.get("conversations", ())]
    ranked = [*standing.items(), *fused_by_ranks(lists)[:limit], *talks]
    return tuple(
        RecalledMemory(memory=known[uuid], tiers=tuple(tiers[uuid]), score=round(score, 4)) for uuid, score in ranked
    )
