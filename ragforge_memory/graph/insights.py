"""The store of insights: which there are, the lease on a conversation, and the fenced write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import conversation_gone
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.leases import WORK_SECONDS
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import insight, next_cursor, read_cursor, to_json
from ragforge_memory.models.conversation import Page
from ragforge_memory.models.insight import Insight, InsightPage
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.text import well_formed

# A worker that is told to end gives its claim back, but nobody waits long for that.
_BRIEF_TIMEOUT = 2.0
_AT_ONCE = 1_000


@dataclass(frozen=True, slots=True)
class InsightLease:
    """A claim on the insights of one conversation, and how far that went when it was made."""

    conversation_id: str
    token: str
    seconds: float
    head_seq: int
    title: str | None


@dataclass(frozen=True, slots=True)
class Claimed:
    """What came of a claim: the insight, where it is there already, else the lease; neither: somebody else has it."""

    insight: Insight | None = None
    lease: InsightLease | None = None


class InsightStore(OwnerStore):
    """Insights of one owner's conversations.

    Args:
        lease: seconds that a claim holds unless it is renewed.
    """

    _timeout = PATIENT_TIMEOUT

    def __init__(self, client: GraphClient, owner: Owner, *, lease: float = WORK_SECONDS) -> None:
        super().__init__(client, owner)
        self._lease = lease

    async def known(self, conversations: Sequence[str], key: str, *, refresh: bool = False) -> dict[str, Insight]:
        """Those of these conversations that have an insight of this key, by uuid.

        Args:
            conversations: uuids.
            refresh: leave out those that have gone on since.
        """
        found: dict[str, Insight] = {}
        for start in range(0, len(conversations), _AT_ONCE):
            rows = await self._read(
                "known_insights", conversations=list(conversations[start : start + _AT_ONCE]), key=key
            )
            made = [insight(row["insight"]) for row in rows if not (refresh and row["behind"])]
            found.update((each.conversation_id, each) for each in made)
        return found

    async def claim(self, conversation_id: str, key: str, *, refresh: bool = False) -> Claimed:
        """Claims a conversation, unless what is wanted is there.

        Args:
            refresh: an insight of a conversation that has gone on since is not what is wanted.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
        """
        token = uuid4().hex
        rows = await self._write(
            "claim_insight",
            conversation_id=conversation_id,
            key=key,
            refresh=refresh,
            token=token,
            lease=self._milliseconds,
        )
        if not rows:
            raise conversation_gone(conversation_id)
        row = rows[0]
        if row["done"]:
            return Claimed(insight=insight(row["insight"]))
        if not row["free"]:
            return Claimed()
        return Claimed(lease=InsightLease(conversation_id, token, self._lease, row["head_seq"] or 0, row["title"]))

    async def renew(self, lease: InsightLease) -> bool:
        """Makes a claim last; False where it is somebody else's by now, or the conversation is gone."""
        rows = await self._write(
            "renew_insight_lease",
            timeout=lease.seconds / 2,
            conversation_id=lease.conversation_id,
            token=lease.token,
            lease=self._milliseconds,
        )
        return bool(rows)

    async def write(
        self,
        lease: InsightLease,
        key: str,
        *,
        task: str,
        schema: Mapping[str, Any],
        data: Any,
        to_seq: int,
        model: str,
    ) -> Insight | None:
        """Stores an insight and ends the claim.

        Args:
            task, schema: what was asked for.
            data: what was found, JSON-able.
            to_seq: the last message that was shown.
            model: ``provider:model``.

        Returns:
            The insight; None where the claim is not ours any more or the conversation is gone: then nothing was
            changed.
        """
        rows = await self._write(
            "write_insight",
            conversation_id=lease.conversation_id,
            token=lease.token,
            key=key,
            uuid=uuid4().hex,
            properties={
                "task": task,
                "schema": to_json(schema),
                # JSON escapes may hold half a surrogate pair, which no graph stores.
                "data": well_formed(to_json(data)),
                "to_seq": to_seq,
                "model": model,
            },
        )
        return insight(rows[0]["insight"]) if rows else None

    async def release(self, lease: InsightLease, *, brief: bool = False) -> None:
        """Gives a claim back without an insight; ``brief``: do not wait for a slow server."""
        await self._write(
            "release_insight",
            timeout=_BRIEF_TIMEOUT if brief else PATIENT_TIMEOUT,
            conversation_id=lease.conversation_id,
            token=lease.token,
        )

    async def page(
        self,
        *,
        conversation_id: str | None = None,
        task: str | None = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[Insight]:
        """Insights, the newest first; of one conversation, or of all."""
        before_time, before_uuid = read_cursor("insights", cursor)
        asked: dict[str, Any] = {"before_time": before_time, "before_uuid": before_uuid, "task": task}
        asked |= {"limit": limit + 1, "timeout": None}
        if conversation_id is None:
            rows = await self._read("list_insights", **asked)
        else:
            rows = await self._read("conversation_insights", conversation_id=conversation_id, **asked)
        kept = [row["insight"] for row in rows]
        last = next_cursor("insights", kept, limit, "created_at")
        return InsightPage(items=tuple(map(insight, kept[:limit])), next_cursor=last)

    @property
    def _milliseconds(self) -> int:
        return int(self._lease * 1_000)
