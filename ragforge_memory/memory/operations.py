"""The queue of memory: what a tool does at once, what waits for later, and the worker that does it then.

A call that ends in time is one write. One that does not is queued under the same uuid: whichever of the two comes
first does it, and the other finds it done.
"""

from __future__ import annotations

import asyncio
import logging
import random
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from ragforge_memory.errors import GraphUnavailable, RagforgeError, foreign
from ragforge_memory.graph.operations import Operation, OperationStore
from ragforge_memory.memory.calls import Result, error_result, perform
from ragforge_memory.memory.memories import Memories, Source
from ragforge_memory.memory.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ragforge_memory.config.sections import MemoryToolsConfig
    from ragforge_memory.models.memory import RecallResult
    from ragforge_memory.models.user import UserContext

log = logging.getLogger(__name__)

TRIES = 3
"""How often an operation is tried before it has failed."""

_RESTS = (1.0, 4.0)
# The queue is what is left to a call that was too slow: it is worth waiting for.
_QUEUE_SECONDS = 5.0
_UNREACHABLE = error_result("unreachable", "memory does not answer now", "go on without: it may not be kept")


class Operations:
    """Does what tools ask for, now or later.

    Args:
        memories: of one owner.
        store: the queue of the same.
        config: how long a call may take, and how many may wait.
        recall: gives what bears on a question, and how many of it at most.
        user: gives whose memory it is.
        queued: called when something waits.
    """

    def __init__(
        self,
        memories: Memories,
        store: OperationStore,
        config: MemoryToolsConfig,
        *,
        recall: Callable[[str, int], Awaitable[RecallResult]],
        user: Callable[[], Awaitable[UserContext]],
        queued: Callable[[], None],
    ) -> None:
        self.memories = memories
        self.recall = recall
        self.user = user
        self._store = store
        self._config = config
        self._queued = queued
        self._late: set[asyncio.Task[Result]] = set()
        self._token = uuid4().hex
        self.metrics = Metrics()

    async def run(self, tool: str, arguments: dict[str, Any], source: Source, **ids: str) -> Result:
        """Does what a tool asks for, within the time that a call has; what takes longer is queued.

        Args:
            tool: one of `CALLS`.
            arguments: all that it takes.
            source: where it comes from.
            ids: the uuid of what it makes or changes, by the name that a result has for it.

        Raises:
            InvalidInput: an argument has a secret in it, which is kept nowhere, the queue included.
        """
        arguments = self.memories.checks.without_secrets(arguments)
        operation = Operation(
            uuid4().hex,
            tool,
            arguments,
            {"trust": source.trust, "name": source.name, "message_id": source.message_id},
            next(iter(ids.values()), None),
        )
        task = asyncio.create_task(self._do(operation), name=f"ragforge-{tool}")
        self._late.add(task)
        task.add_done_callback(self._end)
        if self._config.asynchronous:
            await asyncio.wait((task,), timeout=self._config.timeout_ms / 1_000)
        else:
            await asyncio.wait((task,))
        if task.done() and task.exception() is None:
            return task.result()
        if task.done() and not self._config.asynchronous:
            return _UNREACHABLE
        return await self._queue(operation, ids)

    async def work(self) -> None:
        """Does all that waits and that nobody else has; adds what was counted to the graph's metrics."""
        await self.metrics.flush(self._store)
        while True:
            waiting = await self._store.waiting()
            if not waiting.number or waiting.taken:
                return
            if waiting.rests:
                await asyncio.sleep(waiting.rests)
                continue
            batch = await self._store.claim(self._token, dead=waiting.dead)
            if not batch:
                return
            for operation in batch:
                if not await self._end_one(operation):
                    break

    async def finish(self, timeout: float | None) -> None:
        """Waits for calls that took too long, for at most ``timeout`` seconds (None: as long as it takes)."""
        if self._late:
            await asyncio.wait(set(self._late), timeout=timeout)

    async def get(self, operation_id: str) -> dict[str, Any] | None:
        """An operation that was queued, and what became of it; None: there is none."""
        return await self._store.get(operation_id)

    async def _do(self, operation: Operation) -> Result:
        source = Source(**operation.source, operation=operation.uuid, asked_at=operation.asked_at)
        return await perform(self.memories, operation.tool, dict(operation.arguments), source)

    async def _queue(self, operation: Operation, ids: dict[str, str]) -> Result:
        try:
            taken = await self._store.queue(operation, most=self._config.queue_size, timeout=_QUEUE_SECONDS)
        except RagforgeError as error:
            log.warning("%s was not queued: %s", operation.tool, error.message)
            return _UNREACHABLE
        if not taken:
            return error_result(
                "queue_full",
                f"{self._config.queue_size:,} operations of memory wait already",
                "go on without, and try again later",
            )
        self._queued()
        return {"status": "queued", "operation_id": operation.uuid, **ids}

    async def _end_one(self, operation: Operation) -> bool:
        """Does one operation and ends it; False where this worker has the others no more."""
        try:
            result = await self._do(operation)
        except Exception as error:  # whatever it is, the queue goes on
            log.warning("%s in the background failed: %s", operation.tool, error, exc_info=foreign(error))
            if isinstance(error, GraphUnavailable) and operation.attempts + 1 < TRIES:
                rest = _RESTS[min(operation.attempts, len(_RESTS) - 1)] * random.uniform(0.5, 1.5)
                await self._store.rest(operation.uuid, self._token, rest_seconds=rest)
                return False
            self.metrics.fail(type(error).__name__)
            return await self._store.end(
                operation.uuid, self._token, status="failed", result=None, error=f"{type(error).__name__}: {error}"
            )
        status = {"success": "done", "skipped": "skipped"}.get(result["status"], "failed")
        if status == "failed":
            self.metrics.fail(result["error_type"])
        return await self._store.end(
            operation.uuid,
            self._token,
            status=status,  # type: ignore[arg-type]
            result=result,
            error=result.get("error"),
        )

    def _end(self, task: asyncio.Task[Result]) -> None:
        self._late.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.info("a call of memory failed: %s", error)
