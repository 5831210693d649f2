"""Writing conversations of an archive: hidden until the last write, so that each is there whole or not at all."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import GraphError, GraphUnavailable, InvalidInput
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.failures import is_taken
from ragforge_memory.graph.imports import UuidTaken
from ragforge_memory.graph.leases import ANCHOR_SECONDS, RESTORE_SECONDS, holder, is_dead
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.spaces import Space, in_space
from ragforge_memory.models.lineage import Lineage, Part
from ragforge_memory.models.owner import Owner

# Tokens of this process's restores that were given up. Where the line broke, the server may still have made what was
# begun under one, after it was looked for to be taken away: nobody goes on with that, however long its lease is.
_given_up: set[str] = set()

# What is not a receipt: the end of its statement's name, and what a row has besides both ends.
_OTHER_ENDS = {
    "conversation": ("merges", ("properties",)),
    "correction": ("corrections", ("properties", "stated")),
    "call": ("reuse", ("call",)),
}

Batches = Mapping[str, Sequence[Mapping[str, Any]]]
"""Rows by conversation."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is here of a conversation that shall be restored.

    ``shared``: it was deleted, and branches share what is left, up to ``kept_to``. ``left``: it was deleted or half
    restored, and a sweep takes it away. ``restoring``: somebody restores it now, under ``token`` (not one that this
    process has given up, nor that of one which ended). The messages are the one in the place that was asked for, and
    the last that is shared.
    """

    hidden: bool
    shared: bool
    restoring: bool
    token: str | None
    kept_to: int
    last_message_id: str | None
    kept_message_id: str | None
    lineage: Lineage

    @property
    def left(self) -> bool:
        """Whether nothing of it counts any more."""
        return self.hidden and not self.shared and not self.restoring


@dataclass(frozen=True, slots=True)
class PlacedAnchor:
    """An anchor that was restored: whether it stands on a scope, and whether it is known to have none."""

    key: str
    file: str | None
    stands: bool
    orphaned: bool


class RestoreStore(OwnerStore):
    """One restore of conversations of an owner; its token fences all that it writes.

    Args:
        summarize_every: messages after which a summary is due; None: never.
    """

    _timeout = PATIENT_TIMEOUT

    def __init__(self, client: GraphClient, owner: Owner, *, summarize_every: int | None = None) -> None:
        super().__init__(client, owner)
        self._summarize_every = summarize_every
        self.token = uuid4().hex
        self._steps: dict[str, int] = {}

    def give_up(self) -> str:
        """Ends what was begun: returns its token, and goes on under a new one."""
        given_up, self.token = self.token, uuid4().hex
        _given_up.add(given_up)
        return given_up

    async def taken(self, uuids: Sequence[str]) -> set[str]:
        """Which of these are uuids of somebody's conversations, messages, calls, results, summaries or insights."""
        rows = await self._read("taken_nodes", uuids=list(uuids)) if uuids else []
        return {str(row["uuid"]) for row in rows}

    async def taken_anchors(self, keys: Mapping[str, str]) -> set[str]:
        """Which of these anchors' uuids (uuid → key) belong to an anchor of another key."""
        anchors = [{"uuid": uuid, "key": key} for uuid, key in keys.items()]
        rows = await self._read("taken_anchors", anchors=anchors) if anchors else []
        return {str(row["uuid"]) for row in rows}

    async def known(self, conversations: Mapping[str, int]) -> dict[str, Known]:
        """What is here of this owner's conversations, each with the seq whose message is asked for."""
        asked = [{"uuid": uuid, "seq": seq} for uuid, seq in conversations.items()]
        rows = await self._read("restore_state", conversations=asked) if asked else []
        names = ("hidden", "shared", "token", "kept_to", "last_message_id", "kept_message_id")
        return {
            row["uuid"]: Known(
                **{name: row[name] for name in names},
                restoring=row["restoring"] and row["token"] not in _given_up and not is_dead(row["holder"]),
                lineage=tuple(Part(part["id"], int(part["top"])) for part in row["lineage"]),
            )
            for row in rows
        }

    async def copies(self, uuids: Collection[str]) -> dict[str, str]:
        """The owner's conversations that came in under a new uuid: the old one → the last updated."""
        rows = await self._read("copies_here", uuids=sorted(uuids)) if uuids else []
        return {row["source_uuid"]: row["uuid"] for row in rows}

    async def session_holders(self, session_ids: Sequence[str]) -> dict[str, str]:
        """The owner's conversations of sessions: session → conversation."""
        rows = await self._read("session_holders", session_ids=list(session_ids)) if session_ids else []
        return {row["session_id"]: row["uuid"] for row in rows}

    async def begin(self, uuids: Sequence[str]) -> None:
        """Makes conversations that nobody sees until `finish`.

        Raises:
            InvalidInput: somebody else restores one of them now, or it is here.
        """
        rows = await self._write("begin_restore", uuids=list(uuids), holder=holder())
        begun = {row["uuid"] for row in rows}
        self._steps |= dict.fromkeys(begun, 0)
        refused = next((uuid for uuid in uuids if uuid not in begun), None)
        if refused is not None:
            raise InvalidInput(
                f"conversation {refused} is here already, or is being imported by somebody else just now",
                hint="try again, or on_conflict='copy'",
            )

    async def begin_new(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """As `begin`, of conversations of which nothing may be here, each as it shall be; all or none.

        Args:
            rows: of `Rows.conversation`.

        Raises:
            InvalidInput: one is here, whoever's it is.
        """
        new = {"conversations": rows, "holder": holder()}
        try:
            [row] = await self._write("begin_new_restore", **new)
        except GraphError as error:
            if not is_taken(error):
                raise
            row = {"begun": False}  # somebody has made it meanwhile
        if not row["begun"]:
            raise InvalidInput("one of these conversations is here already")
        self._steps |= dict.fromkeys((row["uuid"] for row in rows), 0)

    async def messages(self, batches: Batches, *, space: Space | None = None) -> None:
        """Writes messages with their tool calls and results, all in one transaction.

        Args:
            batches: by conversation, rows of `Rows.message`.
            space: where the ``vector`` of each belongs; they wait for another where the project's vectors are another
                model's by now. None: they bring none.

        Raises:
            UuidTaken: somebody has a uuid of them; nothing was written.
        """
        given = {uuid: {"messages": rows} for uuid, rows in batches.items()}
        try:
            if space is None:
                await self._fenced("restore_messages", given)
            else:
                where = {"property": space.property, **in_space(space)}
                await self._fenced("restore_messages_with_vectors", given, **where)
        except GraphError as error:
            if is_taken(error):
                raise UuidTaken(error.message, hint="try again") from error
            raise

    async def ties(self, ties: Mapping[str, Mapping[str, Sequence[Mapping[str, Any]]]]) -> None:
        """Writes edges to code: by conversation, ``references``, ``anchored`` and ``reads``."""
        await self._fenced("restore_ties", {uuid: some for uuid, some in ties.items() if any(some.values())})

    async def summaries(self, batches: Batches) -> None:
        """Writes summaries with what they summarise; those of a lower level come before."""
        given = {uuid: {"summaries": rows} for uuid, rows in batches.items()}
        await self._fenced("restore_summaries", given)

    async def insights(self, batches: Batches) -> None:
        """Writes what analyses found."""
        await self._fenced("restore_insights", {uuid: {"insights": rows} for uuid, rows in batches.items()})

    async def prompts(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Writes what the prompts of turns share; ``conversations`` of a row are those whose turns they are."""
        await self._write("restore_prompts", prompts=rows)

    async def anchors(self, rows: Sequence[Mapping[str, Any]]) -> list[PlacedAnchor]:
        """Writes anchors that are not here yet, each of the conversation ``conversation_id``, and stands them where the
        code is as it was."""
        found = await self._write("restore_anchors", anchors=rows)
        return [PlacedAnchor(**row) for row in found]

    async def receipts(self, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """Writes what answers were given and merged; returns the rows whose other end is not here."""
        left: list[dict[str, Any]] = []
        by_label: dict[str, list[dict[str, Any]]] = {}
        for row in rows:
            by_label.setdefault(row["label"], []).append(row)
        for label, some in by_label.items():
            tied = set((await self._tied(label, some))[0]["numbers"])
            left += [row for number, row in enumerate(some) if number not in tied]
        return left

    async def _tied(self, label: str, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        if label in _OTHER_ENDS:
            statement, more = _OTHER_ENDS[label]
            return await self._write(f"restore_{statement}", rows=_numbered(rows, "message", "uuid", *more))
        ends: dict[str, list[dict[str, Any]]] = {}
        for row, end in zip(rows, _numbered(rows, "uuid", "properties"), strict=True):
            ends.setdefault(row["message"], []).append(end)
        given = [{"message": message, "ends": some} for message, some in ends.items()]
        used = {"message": "messages", "summary": "summaries", "memory": "memories"}.get(label, "anchors")
        return await self._write(f"restore_used_{used}", rows=given)

    async def finish(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Has all these conversations appear, in one write.

        Raises:
            GraphUnavailable: one of them was taken away meanwhile, so that none appears.
        """
        written = await self._write("finish_restore", conversations=rows, summarize_every=self._summarize_every)
        if written or not rows:
            return
        # A write that was repeated after its answer was lost finds that it is done.
        known = await self.known({row["uuid"]: 0 for row in rows})
        if any(row["uuid"] not in known or known[row["uuid"]].restoring or known[row["uuid"]].left for row in rows):
            raise _lost()

    async def borrow_code(self) -> tuple[str, str | None, str | None] | None:
        """The right to look at anchors: its token, and the project's commit and root; None where an ingest runs, or
        nothing was ever ingested."""
        token = uuid4().hex
        rows = await super()._write("borrow_ingest_lease", token=token, holder=holder(), seconds=ANCHOR_SECONDS)
        return (token, rows[0]["commit"], rows[0]["root"]) if rows else None

    async def give_code_back(self, token: str) -> None:
        """Ends what `borrow_code` began."""
        await super()._write("release_ingest_lease", token=token)

    async def look_at_anchors_again(self) -> None:
        """Has the next ingest look at every anchor of the project."""
        await self._write("look_at_anchors_again")

    async def _fenced(self, name: str, batches: Mapping[str, Mapping[str, Any]], **parameters: Any) -> None:
        """One step of some conversations; the number of steps is what makes a repeated write change nothing."""
        if not batches:
            return
        given = [{**batch, "conversation_id": uuid, "step": self._steps[uuid]} for uuid, batch in batches.items()]
        rows = await self._write(name, batches=given, **parameters)
        if batches.keys() - {row["uuid"] for row in rows if row["mine"]}:
            raise _lost()
        for uuid in batches:
            self._steps[uuid] += 1

    async def _write(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        return await super()._write(name, token=self.token, seconds=RESTORE_SECONDS, **parameters)


def _numbered(rows: Sequence[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{**{name: row[name] for name in names}, "number": number} for number, row in enumerate(rows)]


def _lost() -> GraphUnavailable:
    return GraphUnavailable(
        "what had been written of this import was taken away meanwhile", hint="import it again; nothing of it is left"
    )
