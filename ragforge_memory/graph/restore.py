"""Writing conversations of an archive: hidden until the last write, so that each is there whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import GraphError, GraphUnavailable, InvalidInput
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.imports import UuidTaken, is_taken
from ragforge_memory.graph.space_in_use import in_space
from ragforge_memory.graph.spaces import Space
from ragforge_memory.graph.text import owner_token
from ragforge_memory.models.owner import Owner

# How long what is written of a restore is left alone by the sweep, from the last batch on (s). A batch takes a second
# or two; a server under load, or a client that waits for its input, much longer.
LEASE_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Known:
    """What is here of a conversation that shall be restored.

    ``shared``: it was deleted, and branches share what is left, up to ``kept_to``. ``left``: it was deleted or half
    restored, and a sweep takes it away. ``restoring``: ``holder`` (host:process) restores it now. The messages are the
    one in the place that was asked for, and the last that is shared.
    """

    hidden: bool
    shared: bool
    restoring: bool
    holder: str | None
    kept_to: int
    last_message_id: str | None
    kept_message_id: str | None

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


class RestoreStore:
    """One restore of conversations of an owner; its token fences all that it writes.

    Args:
        client: the graph.
        owner: whose they become.
        summarize_every: messages after which a summary is due; None: never.
    """

    def __init__(self, client: GraphClient, owner: Owner, *, summarize_every: int | None = None) -> None:
        self._client = client
        self._owner = owner.parameters
        self._owner_token = owner_token(owner.user_id, owner.project)
        self._summarize_every = summarize_every
        self._token = uuid4().hex
        self._steps: dict[str, int] = {}

    async def taken(self, uuids: Sequence[str]) -> set[str]:
        """Which of these are uuids of somebody's conversations, messages, calls, results, summaries or insights."""
        rows = await self._client.read("taken_nodes", timeout=PATIENT_TIMEOUT, uuids=list(uuids)) if uuids else []
        return {str(row["uuid"]) for row in rows}

    async def taken_anchors(self, keys: Mapping[str, str]) -> set[str]:
        """Which of these anchors' uuids (uuid → key) belong to an anchor of another key."""
        anchors = [{"uuid": uuid, "key": key} for uuid, key in keys.items()]
        rows = await self._client.read("taken_anchors", timeout=PATIENT_TIMEOUT, anchors=anchors) if anchors else []
        return {str(row["uuid"]) for row in rows}

    async def known(self, conversations: Mapping[str, int]) -> dict[str, Known]:
        """What is here of this owner's conversations, each with the seq whose message is asked for."""
        asked = [{"uuid": uuid, "seq": seq} for uuid, seq in conversations.items()]
        rows = await self._read("restore_state", conversations=asked) if asked else []
        names = ("hidden", "shared", "restoring", "holder", "kept_to", "last_message_id", "kept_message_id")
        return {row["uuid"]: Known(**{name: row[name] for name in names}) for row in rows}

    async def session_holder(self, session_id: str) -> str | None:
        """The owner's conversation of a session."""
        rows = await self._read("session_holder", session_id=session_id)
        return rows[0]["uuid"] if rows else None

    async def begin(self, uuid: str, holder: str) -> None:
        """Makes a conversation that nobody sees until `finish`; ``holder`` says who restores it.

        Raises:
            InvalidInput: somebody else restores it now, or it is here.
        """
        rows = await self._write("begin_restore", uuid=uuid, holder=holder, owner_token=self._owner_token)
        if not rows:
            raise InvalidInput(
                f"conversation {uuid} is here already, or is being imported by somebody else just now",
                hint="try again, or on_conflict='copy'",
            )
        self._steps[uuid] = 0

    async def messages(
        self, uuid: str, rows: Sequence[Mapping[str, Any]], *, embed: bool, space: Space | None = None
    ) -> None:
        """Writes a batch of messages with their tool calls and results.

        Args:
            uuid: the conversation.
            rows: of `Rows.message`.
            embed: whether they shall get a vector in the background; those of blank text never do.
            space: where the ``vector`` of each belongs; they wait for another where the project's vectors are another
                model's by now. None: they bring none.

        Raises:
            UuidTaken: somebody has a uuid of them; nothing was written.
        """
        try:
            if space is None:
                await self._fenced("restore_messages", uuid, messages=rows, embed=embed)
            else:
                where = {"property": space.property, **in_space(space)}
                await self._fenced("restore_messages_with_vectors", uuid, messages=rows, embed=embed, **where)
        except GraphError as error:
            if is_taken(error):
                raise UuidTaken(error.message, hint="try again") from error
            raise

    async def ties(
        self,
        uuid: str,
        *,
        references: Sequence[Mapping[str, Any]],
        anchored: Sequence[Mapping[str, Any]],
        reads: Sequence[Mapping[str, Any]],
    ) -> None:
        """Writes a batch's edges to code."""
        if references or anchored or reads:
            await self._fenced("restore_ties", uuid, references=references, anchored=anchored, reads=reads)

    async def summaries(self, uuid: str, rows: Sequence[Mapping[str, Any]], *, embed: bool) -> None:
        """Writes summaries with what they summarise; those of a lower level come before."""
        await self._fenced("restore_summaries", uuid, summaries=rows, embed=embed)

    async def insights(self, uuid: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Writes what analyses found."""
        await self._fenced("restore_insights", uuid, insights=rows)

    async def prompts(self, uuid: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Writes what the prompts of a conversation's turns share."""
        await self._write("restore_prompts", conversation_id=uuid, prompts=rows)

    async def anchors(self, uuid: str, rows: Sequence[Mapping[str, Any]]) -> list[PlacedAnchor]:
        """Writes anchors of a conversation that are not here yet, and stands them where the code is as it was."""
        found = await self._write("restore_anchors", conversation_id=uuid, anchors=rows)
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
        if label == "conversation":
            return await self._write("restore_merges", rows=_numbered(rows, "message", "uuid", "properties"))
        if label == "call":
            return await self._write("restore_reuse", rows=_numbered(rows, "message", "uuid", "call"))
        ends: dict[str, list[dict[str, Any]]] = {}
        for row, end in zip(rows, _numbered(rows, "uuid", "properties"), strict=True):
            ends.setdefault(row["message"], []).append(end)
        given = [{"message": message, "ends": some} for message, some in ends.items()]
        if label == "message":
            return await self._write("restore_used_messages", rows=given)
        if label == "summary":
            return await self._write("restore_used_summaries", rows=given)
        return await self._write("restore_used_anchors", rows=given)

    async def finish(self, rows: Sequence[Mapping[str, Any]], *, embed: bool) -> None:
        """Has all these conversations appear, in one write.

        Raises:
            GraphUnavailable: one of them was taken away meanwhile, so that none appears.
        """
        written = await self._write(
            "finish_restore",
            conversations=rows,
            owner_token=self._owner_token,
            embed=embed,
            summarize_every=self._summarize_every,
        )
        if written or not rows:
            return
        # A write that was repeated after its answer was lost finds that it is done.
        known = await self.known({row["uuid"]: 0 for row in rows})
        if any(row["uuid"] not in known or known[row["uuid"]].restoring or known[row["uuid"]].left for row in rows):
            raise _lost()

    async def borrow_code(self, holder: str, seconds: int) -> tuple[str, str | None, str | None] | None:
        """The right to look at anchors: its token, and the project's commit and root; None where an ingest runs, or
        nothing was ever ingested."""
        token = uuid4().hex
        rows = await self._client.write(
            "borrow_ingest_lease",
            timeout=PATIENT_TIMEOUT,
            project=self._owner["project"],
            token=token,
            holder=holder,
            seconds=seconds,
        )
        return (token, rows[0]["commit"], rows[0]["root"]) if rows else None

    async def give_code_back(self, token: str) -> None:
        """Ends what `borrow_code` began."""
        await self._client.write("release_ingest_lease", project=self._owner["project"], token=token)

    async def look_at_anchors_again(self) -> None:
        """Has the next ingest look at every anchor of the project."""
        await self._client.write("look_at_anchors_again", project=self._owner["project"])

    async def _fenced(self, name: str, uuid: str, **parameters: Any) -> None:
        """One step of a restore; the number of steps is what makes a repeated write change nothing."""
        rows = await self._write(name, conversation_id=uuid, step=self._steps[uuid], **parameters)
        if not rows or not rows[0]["mine"]:
            raise _lost()
        self._steps[uuid] += 1

    async def _read(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        return await self._client.read(name, timeout=PATIENT_TIMEOUT, **parameters, **self._owner)

    async def _write(self, name: str, **parameters: Any) -> list[dict[str, Any]]:
        fence: dict[str, Any] = {"token": self._token, "seconds": LEASE_SECONDS}
        return await self._client.write(name, timeout=PATIENT_TIMEOUT, **parameters, **fence, **self._owner)


def _numbered(rows: Sequence[dict[str, Any]], *names: str) -> list[dict[str, Any]]:
    return [{**{name: row[name] for name in names}, "number": number} for number, row in enumerate(rows)]


def _lost() -> GraphUnavailable:
    return GraphUnavailable(
        "what had been written of this import was taken away meanwhile",
        hint="import it again; nothing of it is left",
    )
