"""The queue of what tools of memory could not do in time."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Any, Literal, NamedTuple

from ragforge_memory.graph.leases import WORK_SECONDS, holder, is_dead
from ragforge_memory.graph.owned import OwnerStore

OperationStatus = Literal["queued", "running", "done", "skipped", "failed"]

BATCH = 10
"""Operations that a worker takes at once."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a tool is to do.

    Args:
        uuid: what it does, it does once under this uuid.
        tool: its name.
        arguments: as the tool takes them.
        source: who vouches for it and where it comes from.
        memory_id: the memory that it makes or changes.
        attempts: how often it was tried.
        asked_at: when it was asked for, by the database's clock; None: now.
    """

    uuid: str
    tool: str
    arguments: Mapping[str, Any]
    source: Mapping[str, Any]
    memory_id: str | None = None
    attempts: int = 0
    asked_at: datetime | None = None


class Waiting(NamedTuple):
    """How many operations wait, and whether somebody has them; ``rests``: seconds until the first is tried again."""

    number: int
    taken: bool
    dead: str | None
    rests: float


class OperationStore(OwnerStore):
    """The operations of one owner."""

    async def queue(self, operation: Operation, *, most: int, timeout: float | None = None) -> bool:
        """Takes an operation in; False where ``most`` wait already."""
        [row] = await self._write(
            "queue_operation",
            timeout=timeout,
            uuid=operation.uuid,
            tool=operation.tool,
            arguments=json.dumps(operation.arguments, ensure_ascii=False),
            source=json.dumps(operation.source, ensure_ascii=False),
            memory_id=operation.memory_id,
            most=most,
        )
        return bool(row["taken"])

    async def waiting(self) -> Waiting:
        """What waits, and whether it is free to be done."""
        [row] = await self._read("waiting_operations")
        dead = row["holder"] if is_dead(row["holder"]) else None
        return Waiting(row["waiting"], row["holder"] is not None and dead is None, dead, row["rests"])

    async def claim(self, token: str, *, dead: str | None = None) -> list[Operation]:
        """The next operations, for whoever has this token; none where another has them, or they rest.

        Args:
            token: of the worker.
            dead: the holder that runs no more.
        """
        rows = await self._write(
            "claim_operations", token=token, holder=holder(), dead=dead, seconds=int(WORK_SECONDS), limit=BATCH
        )
        return [_operation(row["operation"]) for row in rows]

    async def end(
        self, uuid: str, token: str, *, status: OperationStatus, result: Mapping[str, Any] | None, error: str | None
    ) -> bool:
        """Ends an operation; False where it is not this worker's any more."""
        rows = await self._write(
            "end_operation",
            uuid=uuid,
            token=token,
            status=status,
            result=json.dumps(result, ensure_ascii=False),
            error=error,
            seconds=int(WORK_SECONDS),
        )
        return bool(rows)

    async def rest(self, uuid: str, token: str, *, rest_seconds: float) -> None:
        """Gives back what a worker has; the first, ``uuid``, is tried again after ``rest_seconds``."""
        await self._write("rest_operations", uuid=uuid, token=token, rest_ms=int(rest_seconds * 1_000))

    async def get(self, uuid: str) -> dict[str, Any] | None:
        """An operation and what became of it; None: there is none."""
        rows = await self._read("memory_operation", uuid=uuid)
        return rows[0]["operation"] if rows else None

    async def count(self, counts: Counter[tuple[str, str]]) -> None:
        """Adds to what is counted, by metric and label."""
        rows = [
            {"key": _key(self._token, *name), "metric": name[0], "label": name[1], "number": number}
            for name, number in counts.items()
        ]
        await self._write("count_memory_calls", counts=sorted(rows, key=itemgetter("key")))

    async def counts(self) -> Counter[tuple[str, str]]:
        """What is counted, by metric and label."""
        rows = await self._read("memory_counts")
        return Counter({(row["metric"], row["label"]): row["number"] for row in rows})

    async def drop_ended(self) -> int:
        """Removes what ended more than a week ago; returns how many."""
        [row] = await self._write("drop_ended_operations")
        return int(row["dropped"])


def _key(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:32]


def _operation(row: dict[str, Any]) -> Operation:
    return Operation(
        row["uuid"],
        row["tool"],
        json.loads(row["arguments"]),
        json.loads(row["source"]),
        row["memory_id"],
        row["attempts"],
        datetime.fromisoformat(row["created_at"]),
    )
