"""The store of summaries: what is due, the lease on it, and the fenced writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

from ragforge_memory.errors import conversation_gone
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.leases import WORK_SECONDS
from ragforge_memory.graph.records import message, summary_of
from ragforge_memory.graph.waiting import WaitingTexts
from ragforge_memory.models.conversation import Message
from ragforge_memory.models.lineage import Lineage, Part
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.summary import ON_DEMAND, Cover, Summary, cover_of
from ragforge_memory.models.tokens import estimate_tokens

# A worker that is told to end gives its claim back, but nobody waits long for that.
_BRIEF_TIMEOUT = 0.5
_DUE = 100


@dataclass(frozen=True, slots=True)
class Due:
    """A conversation that waits, and for how many seconds it is somebody else's or rests after a failure."""

    conversation_id: str
    claimed: bool
    wait: float


@dataclass(frozen=True, slots=True)
class Lease:
    """A claim on the summaries and the title of one conversation, and what that was like when it was made.

    ``shared`` is the lineage without the conversation itself: whose messages it goes on from, up to which seq.
    ``asked`` is the last seq of the stretch that a model was asked for by somebody who did not see its answer.
    """

    conversation_id: str
    token: str
    seconds: float
    title: str | None
    title_source: str | None
    head_seq: int
    summary: str | None
    watermark: int
    attempts: int
    shared: Lineage = ()
    asked: int | None = None

    def owner_of(self, seq: int) -> str | None:
        """The conversation that a message of the lineage belongs to; None: this one."""
        return next((part.conversation_id for part in self.shared if seq <= part.top), None)


class SummaryStore(WaitingTexts):
    """Summaries of one owner's conversations.

    Args:
        every: messages of a summary of level 1.
        lease: seconds that a claim holds unless it is renewed.
    """

    _kind = "summary"
    _timeout = PATIENT_TIMEOUT

    def __init__(self, client: GraphClient, owner: Owner, *, every: int, lease: float = WORK_SECONDS) -> None:
        super().__init__(client, owner)
        self.every = every
        self._lease = lease

    async def due(self, limit: int = _DUE) -> list[Due]:
        """What waits for a summary or a title, what is free first."""
        rows = await self._read("due_summaries", every=self.every, limit=limit, filed=False)
        return [Due(row["uuid"], row["claimed"], row["wait"] / 1_000) for row in rows]

    async def claim(self, conversation_id: str, *, eager: bool = False) -> Lease | None:
        """Claims a conversation; None where somebody else has it.

        Args:
            eager: do not wait for the end of a pause after a failure.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
        """
        token = uuid4().hex
        rows = await self._write(
            "claim_summary", conversation_id=conversation_id, token=token, eager=eager, lease=self._milliseconds
        )
        if not rows:
            raise conversation_gone(conversation_id)
        if not rows[0]["free"]:
            return None
        row = rows[0]
        return Lease(
            conversation_id,
            token,
            self._lease,
            head_seq=row["head_seq"] or 0,
            watermark=row["summarized_seq"],
            shared=tuple(Part(part["id"], int(part["top"])) for part in row["shared"]),
            **{name: row[name] for name in ("title", "title_source", "summary", "attempts", "asked")},
        )

    async def renew(self, lease: Lease, *, asked: int | None = None) -> bool:
        """Makes a claim last; False where it is somebody else's by now, or the conversation is gone.

        ``asked``: a model is asked now for the stretch that ends with this seq, which is kept until there is an end.
        """
        rows = await self._write(
            "renew_summary_lease",
            timeout=lease.seconds / 2,
            conversation_id=lease.conversation_id,
            token=lease.token,
            lease=self._milliseconds,
            asked=asked,
        )
        return bool(rows)

    async def cover(self, conversation_id: str, *, to_seq: int, before: str | None = None) -> Cover:
        """The fewest summaries that cover a conversation, its lineage's among them.

        Args:
            to_seq: no summary ends behind this; it bounds how many levels there can be.
            before: only what was there at this time (ISO 8601); None: all.
        """
        # A summary of level n covers at least 2 ** (n - 1) messages.
        rows = await self._read("summary_levels", conversation_id=conversation_id, most=max(to_seq, 1).bit_length())
        parts: tuple[Summary, ...] = ()
        on_demand: list[Summary] = []
        for level in sorted((row["level"] for row in rows), reverse=True):
            floor = parts[-1].to_seq if parts else 0
            found = await self._of_level(conversation_id, level, floor, before)
            # One that ends before it begins, of another tool's graph, covers nothing.
            found = [summary for summary in found if summary.from_seq <= summary.to_seq <= to_seq]
            if level == ON_DEMAND:
                on_demand = found
            else:
                parts = cover_of((parts, found))
        return Cover(parts, tuple(on_demand))

    async def messages(self, conversation_id: str, from_seq: int, to_seq: int, *, characters: int) -> list[Message]:
        """The messages of a stretch of the lineage; of each text at most the first ``characters``."""
        rows = await self._read(
            "stretch_messages", conversation_id=conversation_id, from_seq=from_seq, to_seq=to_seq, characters=characters
        )
        return [message(row["message"]) for row in rows]

    async def write(
        self, lease: Lease, new: Summary, cover: Cover, *, messages: Sequence[str] = (), below: Sequence[str] = ()
    ) -> Lease | None:
        """Stores a summary and what the conversation's own is from now on.

        Args:
            cover: with ``new`` in it.
            messages: uuids that it covers (level 0 and 1).
            below: uuids of the summaries that it covers (level 2 and above).

        Returns:
            The claim with the new watermark; None where it is not ours any more, the watermark is another or the
            conversation is gone: then nothing was changed.
        """
        rows = await self._write(
            "write_summary",
            conversation_id=lease.conversation_id,
            token=lease.token,
            watermark=lease.watermark,
            new_watermark=cover.end,
            level=new.level,
            from_seq=new.from_seq,
            properties={
                **new.model_dump(include={"uuid", "to_seq", "content", "tokens_saved", "model"}),
                "token_count": estimate_tokens(new.content),
            },
            summary=cover.text,
            summary_seq=cover.seen,
            messages=list(messages),
            summaries=list(below),
            lease=self._milliseconds,
        )
        asked = lease.asked if (lease.asked or 0) > new.to_seq else None
        return replace(lease, watermark=cover.end, attempts=0, summary=cover.text, asked=asked) if rows else None

    async def settle_title(self, lease: Lease, title: str | None) -> Lease:
        """Puts a title in the place of the provisional one, unless there is another by now; returns the claim.

        ``title`` None says that the provisional one stays for good.
        """
        await self._write("settle_title", conversation_id=lease.conversation_id, token=lease.token, title=title)
        return replace(lease, title_source="kept" if title is None else "generated", attempts=0)

    async def release(
        self,
        lease: Lease,
        *,
        done: bool,
        cover: Cover | None = None,
        attempts: int | None = None,
        pause: float = 0.0,
        broken_off: bool = False,
    ) -> None:
        """Gives a claim back.

        Args:
            done: whether there was nothing left to do when we looked.
            cover: what is summarised by now, of a lineage by others too; None: not looked at.
            attempts: how often in a row a model has failed here; None: it has not.
            pause: seconds before anybody shall try again.
            broken_off: before the model that was asked has answered or failed; a slow server is not waited for.
        """
        text = cover.text if cover is not None else ""
        news = text if text and text != lease.summary else None
        await self._write(
            "release_summary",
            timeout=_BRIEF_TIMEOUT if broken_off else PATIENT_TIMEOUT,
            conversation_id=lease.conversation_id,
            token=lease.token,
            done=done,
            watermark=cover.end if cover is not None else None,
            summary=news,
            summary_seq=cover.seen if cover is not None and news else None,
            attempts=attempts,
            pause=int(pause * 1_000),
            broken_off=broken_off,
            every=self.every,
        )

    async def _of_level(self, conversation_id: str, level: int, floor: int, before: str | None) -> list[Summary]:
        rows = await self._read(
            "rolling_summaries", conversation_id=conversation_id, level=level, floor=floor, before=before
        )
        return [summary_of(row["summary"]) for row in rows]

    @property
    def _milliseconds(self) -> int:
        return int(self._lease * 1_000)
