"""The store of erasures: hiding, deleting and counting what a user has, and the certificate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import NotFound
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.leases import holder, is_dead
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.queries import statement_for
from ragforge_memory.graph.records import to_json
from ragforge_memory.graph.retries import passes, repeat
from ragforge_memory.models.erasure import Erasure, ErasureQuery
from ragforge_memory.models.owner import Owner

_ATTEMPTS = 20
# Of another machine nobody knows whether a process still runs.
_LONGEST = timedelta(hours=1)
_HANGING = {"calls": "ToolCall", "results": "ToolResult", "versions": "FactVersion"}


@dataclass(frozen=True, slots=True)
class Proof:
    """A named statement that tells a number that is ``left``, and its parameters."""

    name: str
    given: dict[str, Any]


Proofs = Sequence[Proof]


@dataclass(frozen=True, slots=True)
class Begun:
    """An erasure that was asked for and is not at its end. ``plan`` is what it has to know once all else is gone."""

    uuid: str
    who: str
    project: str
    memory_id: str | None
    before: str
    counts: dict[str, int] | None
    plan: dict[str, Any]
    holder: str | None = None

    @property
    def is_held(self) -> bool:
        """Whether the process that began it may still be at it."""
        if self.holder is None or is_dead(self.holder):
            return False
        return datetime.now(UTC) - datetime.fromisoformat(self.before) < _LONGEST


@dataclass(frozen=True, slots=True)
class ErasableMemory:
    """A memory, every text that it had, and the messages that state it."""

    project: str
    texts: tuple[str, ...]
    versions: tuple[str, ...]
    sources: tuple[str, ...]
    operations: int


class ErasureStore(OwnerStore):
    """Erasures of one owner's data; those of a whole user go through every project."""

    _timeout = PATIENT_TIMEOUT

    def __init__(self, client: GraphClient, owner: Owner) -> None:
        super().__init__(client, owner)
        self._user: dict[str, Any] = {"user": owner.user_id}

    async def begin(self, memory_id: str | None = None) -> Begun:
        """Says that an erasure is due; one of the same that was cut off is taken up."""
        mine = (self._owner["user_id"], self._owner["project"] if memory_id else "", memory_id)
        for each in await pending(self._client):
            if (each.who, each.project, each.memory_id) == mine:
                return each
        rows = await self._client.write(
            "begin_erasure",
            timeout=self._timeout,
            uuid=uuid4().hex,
            memory_id=memory_id,
            of_project=mine[1],
            holder=holder(),
            **self._user,
        )
        return _begun(rows[0]["erasure"])

    async def note(self, begun: Begun, counts: Mapping[str, int], plan: Mapping[str, Any]) -> Begun:
        """Keeps what was counted and what has to be known later; what was noted first stays."""
        return _begun(await self._note(begun, counts=to_json(dict(counts)), plan=to_json(dict(plan)), queries=None))

    async def release(self, begun: Begun) -> None:
        """Leaves an erasure that could not be ended to anybody."""
        await self._client.write("release_erasure", timeout=self._timeout, uuid=begun.uuid)

    async def left(self, proofs: Proofs) -> int:
        """What is left by all of these."""
        rows = [await self._client.read(each.name, timeout=self._timeout, **each.given) for each in proofs]
        return sum(each[0]["left"] for each in rows)

    async def certify(self, begun: Begun, proofs: Proofs) -> Erasure:
        """Ends an erasure; the certificate stays in the graph."""
        version = await self._client.server_version()
        queries = [
            {"text": "\n".join(_lines(statement_for(each.name, version).text)), "parameters": each.given}
            for each in proofs
        ]
        row = await self._note(begun, counts=None, plan=None, queries=to_json(queries))
        return Erasure(
            uuid=row["uuid"],
            who=row["who"],
            when=row["when"],
            memory_id=row["memory_id"],
            counts=json.loads(row["counts"]),
            queries=tuple(ErasureQuery(**each) for each in json.loads(row["queries"])),
        )

    async def counted(self) -> dict[str, int]:
        """The nodes of the user by label, in every project."""
        counts: dict[str, int] = {}
        for row in await self._client.read("count_of_user", timeout=self._timeout, **self._user):
            counts[row["label"]] = counts.get(row["label"], 0) + row["nodes"]
            for name, label in _HANGING.items():
                counts[label] = counts.get(label, 0) + row[name]
        return {label: count for label, count in sorted(counts.items()) if count}

    async def projects(self) -> list[str]:
        """The projects that the user has anything in."""
        rows = await self._client.read("projects_of_user", timeout=self._timeout, **self._user)
        return [row["project"] for row in rows]

    async def conversations(self) -> list[tuple[str, str | None]]:
        """The user's conversations in every project, and where their files are."""
        rows = await self._client.read("user_conversations", timeout=self._timeout, **self._user)
        return [(row["uuid"], row["file_path"]) for row in rows]

    async def hide(self, before: str) -> None:
        """Hides all conversations of this owner from before that time, for their deletion."""
        await self._in_batches("hide_conversations", before)

    async def erase_owned(self, before: str) -> None:
        """Deletes what this owner has besides conversations."""
        await self._in_batches("erase_owned", before)

    async def erase_user(self, before: str) -> None:
        """Deletes the user's own node with plan and preferences, unless something of since then is there."""
        await self._client.write("erase_user", timeout=self._timeout, before=before, **self._user)

    async def memory(self, uuid: str) -> ErasableMemory | None:
        """What is known of a memory; None where the user has none such."""
        rows = await self._read("memory_to_erase", uuid=uuid)
        if not rows:
            return None
        row = rows[0]
        texts = tuple(dict.fromkeys(each for each in row["texts"] if isinstance(each, str) and each.strip()))
        return ErasableMemory(row["project"], texts, tuple(row["versions"]), tuple(row["sources"]), row["operations"])

    async def hide_memory(self, uuid: str) -> None:
        """Takes a memory out of every recall."""
        await self._write("hide_memory", uuid=uuid)

    async def owned_conversations(self) -> list[str]:
        """This owner's conversations, those that only branches share too."""
        return [row["uuid"] for row in await self._read("owned_conversations")]

    async def texts(
        self, conversation_id: str, memory_id: str, *, words: Sequence[str], sources: Sequence[str]
    ) -> dict[str, Any] | None:
        """The texts of a conversation that may quote a memory."""
        rows = await self._read(
            "erasable_texts",
            conversation_id=conversation_id,
            uuid=memory_id,
            words=list(words),
            sources=list(sources),
            filed=False,
        )
        return rows[0] if rows else None

    async def erase_texts(self, conversation_id: str, title: str | None, rows: Sequence[Mapping[str, Any]]) -> None:
        """Puts other texts in the place of these messages', and takes away their vectors."""
        await self._write("erase_texts", conversation_id=conversation_id, title=title, rows=list(rows))

    async def erase_summaries(self, conversation_id: str, from_seq: int) -> tuple[list[str], list[str]]:
        """Has summaries made again that say anything of what stands from a message on; the uuids of those, and of
        insights, that went."""
        rows = await self._write("erase_summaries", conversation_id=conversation_id, from_seq=from_seq)
        return [each for row in rows for each in row["summaries"]], [each for row in rows for each in row["insights"]]

    async def erase_topics(self, conversation_id: str, messages: Iterable[str]) -> list[str]:
        """Deletes episodes that tell by themselves of messages of a conversation; returns their uuids."""
        rows = await self._write(
            "erase_topics",
            conversation_id=conversation_id,
            messages=sorted(messages),
            topic_token=uuid4().hex,
            **self._user,
        )
        return list(rows[0]["gone"]) if rows else []

    async def erase_memory(self, uuid: str) -> None:
        """Deletes a memory with its versions and operations."""
        await self._write("erase_memory", uuid=uuid, **self._user)

    async def _note(self, begun: Begun, **given: Any) -> dict[str, Any]:
        rows = await self._client.write("note_erasure", timeout=self._timeout, uuid=begun.uuid, **given)
        if not rows:
            raise NotFound(f"the graph knows nothing of the erasure {begun.uuid} any more", hint="ask for it again")
        row: dict[str, Any] = rows[0]["erasure"]
        return row

    async def _in_batches(self, name: str, before: str) -> None:
        async def once() -> None:
            await self._client.autocommit(name, timeout=600, before=before, **self._owner)

        await repeat(once, on=lambda error: passes(error.__cause__), attempts=_ATTEMPTS)


async def pending(client: GraphClient) -> list[Begun]:
    """Erasures of whomever that were asked for and are not at their end, the oldest first."""
    return [_begun(row["erasure"]) for row in await client.read("pending_erasures", timeout=PATIENT_TIMEOUT)]


def of_user(begun: Begun) -> Proofs:
    """That nothing of a user is left."""
    return (
        Proof("left_of_user", {"user": begun.who, "before": begun.before}),
        Proof("left_hanging", {"before": begun.before, "known": begun.plan.get("hanging", 0)}),
    )


def of_memory(begun: Begun, instead: str) -> Proofs:
    """That nothing of a memory is left."""
    return (
        Proof("left_of_memory", {"gone": begun.plan["gone"]}),
        Proof("left_operations", {"memory_id": begun.memory_id}),
        Proof("left_statements", {"messages": begun.plan["messages"], "instead": instead}),
    )


def _begun(row: Mapping[str, Any]) -> Begun:
    counts, plan = (json.loads(row[name]) if row[name] else None for name in ("counts", "plan"))
    return Begun(
        row["uuid"],
        row["who"],
        row["project"],
        row["memory_id"],
        row["begun_at"],
        counts,
        plan or {},
        row.get("holder"),
    )


def _lines(text: str) -> list[str]:
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if line and not line.startswith("//")]
