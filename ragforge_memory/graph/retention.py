"""Which conversations of an owner retention takes, and taking them only if nothing was said in them since."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from uuid import uuid4

from ragforge_memory.graph.client import PATIENT_TIMEOUT
from ragforge_memory.graph.messages import ANSWER_PATIENCE
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import conversation_info
from ragforge_memory.graph.text_files import file_elsewhere
from ragforge_memory.models.conversation import ConversationInfo


@dataclass(frozen=True, slots=True)
class Expired:
    """A conversation that retention takes; ``stamp`` is the moment of its last message as the database wrote it."""

    info: ConversationInfo
    stamp: str


class RetentionStore(OwnerStore):
    """Retention of one owner's conversations."""

    _timeout = PATIENT_TIMEOUT

    async def expired(
        self, *, age: int | None, keep: int | None, open_here: Collection[str], limit: int
    ) -> list[Expired]:
        """What is to go, the oldest first.

        Args:
            age: seconds since something was last said, by the database's clock; None: any.
            keep: the newest so many stay; None: as many as there are.
            open_here: conversations that stay in any case.
        """
        rows = await self._read(
            "expired_conversations",
            recover=False,
            age=age,
            keep=keep,
            open=list(open_here),
            patience=ANSWER_PATIENCE,
            limit=limit,
        )
        return [Expired(conversation_info(row["conversation"]), row["stamp"]) for row in rows]

    async def file_elsewhere(self, each: Expired) -> str | None:
        """The file with its texts, where that is out of reach and would stay; else None."""
        if each.info.file_path is None:
            return None
        return await file_elsewhere(self._client, each.info.uuid, self._owner)

    async def begin(self, each: Expired) -> bool:
        """Hides a conversation for its deletion; False: it was written to since, or is gone."""
        rows = await self._write(
            "begin_expiry",
            recover=False,
            uuid=each.info.uuid,
            stamp=each.stamp,
            patience=ANSWER_PATIENCE,
            token=uuid4().hex,
        )
        return bool(rows)
