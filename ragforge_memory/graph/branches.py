"""The store of branches: where one begins, making one, the family, and merging."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import ConversationNotFound, MessageNotFound, conversation_gone
from ragforge_memory.graph.conversations import fresh_properties
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.graph.owned import OwnerStore
from ragforge_memory.graph.records import conversation_info, to_json
from ragforge_memory.models.conversation import BranchTree, ConversationInfo
from ragforge_memory.models.lineage import Lineage, Part
from ragforge_memory.models.tokens import estimate_tokens


@dataclass(frozen=True, slots=True)
class BranchPoint:
    """A place in a conversation: its lineage, its head, and the message that was named.

    ``summary_seq`` is the last seq that its summary speaks of. ``message`` has uuid, seq, role, content and
    in_reply_to; None where none was named.
    """

    lineage: Lineage
    head_seq: int
    title: str | None
    summary_seq: int
    message: dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Merge:
    """What a merge brings in: another conversation from behind where both parted up to one of its messages."""

    other_id: str
    fork_seq: int
    to_seq: int

    @property
    def metadata(self) -> dict[str, Any]:
        """How the message of the merge says so."""
        return {"merged_from": self.other_id, "fork_seq": self.fork_seq, "merged_to": self.to_seq}


class BranchStore(OwnerStore):
    """Branches of one owner's conversations."""

    async def point(self, conversation_id: str, message_id: str | None = None) -> BranchPoint:
        """Where a message stands in a conversation.

        Raises:
            ConversationNotFound: this owner has no such conversation (any more).
            MessageNotFound: the message is none of its lineage.
        """
        rows = await self._read("branch_point", conversation_id=conversation_id, message_id=message_id)
        if not rows:
            raise conversation_gone(conversation_id)
        row = rows[0]
        if message_id is not None and row["message"] is None:
            raise MessageNotFound(f"there is no message {message_id!r} in this conversation")
        lineage = tuple(Part(part["id"], int(part["top"])) for part in row["lineage"])
        return BranchPoint(lineage, int(row["head_seq"]), row["title"], int(row["summary_seq"]), row["message"])

    async def create(
        self,
        conversation_id: str,
        lineage: Lineage,
        *,
        title: str | None,
        summarize_every: int | None,
        named: bool = True,
        summary: str | None = None,
    ) -> ConversationInfo:
        """Makes a branch with this lineage (`models.lineage.cut`); copies no message.

        Args:
            conversation_id: the conversation that it branches off from.
            lineage: whose messages it shares.
            title: what lists show.
            summarize_every: so many messages without a summary are due for one; None: never.
            named: whether somebody gave the title; else it holds until the first question.
            summary: is taken where the conversation's own says more than the branch shares.

        Raises:
            ConversationNotFound: the conversation was deleted meanwhile.
        """
        rows = await self._write(
            "create_branch",
            conversation_id=conversation_id,
            uuid=uuid4().hex,
            seq=lineage[-1].top,
            summary=summary,
            summarize_every=summarize_every,
            lineage_ids=[part.conversation_id for part in lineage],
            lineage_tops=[part.top for part in lineage],
            properties=fresh_properties(title, (), None) | ({} if named else {"title_source": "branch"}),
        )
        if not rows:
            raise conversation_gone(conversation_id)
        return conversation_info(rows[0]["conversation"])

    async def tree(self, conversation_id: str) -> BranchTree:
        """The whole family of a conversation, from its root down."""
        rows = await self._read("branch_tree", conversation_id=conversation_id)
        if not rows:
            raise conversation_gone(conversation_id)
        return _tree(rows)

    async def brought(self, conversation_id: str, merge: Merge) -> bool:
        """Whether a conversation, or what it shares of its lineage, has brought in as much of another one already.

        Raises:
            ConversationNotFound: one of them was deleted meanwhile.
        """
        rows = await self._read(
            "merge_known",
            conversation_id=conversation_id,
            other_id=merge.other_id,
            to_seq=merge.to_seq,
            metadata=to_json(merge.metadata),
        )
        if not rows:
            raise await self._gone(conversation_id, merge)
        return bool(rows[0]["brought"])

    async def merge(
        self, conversation_id: str, new: NewMessage, merge: Merge, *, summarize_every: int | None
    ) -> int | None:
        """Appends the message of a merge, tied to the conversation that it brings in and to the code of both.

        One write, under the lock of the conversation: of several at once one is made.

        Args:
            new: the message; its metadata are the merge's.
            summarize_every: after so many messages a summary is due; None: never.

        Returns:
            Its seq; None where that was brought in already.

        Raises:
            ConversationNotFound: one of them was deleted meanwhile.
        """
        rows = await self._write(
            "merge_branch",
            conversation_id=conversation_id,
            other_id=merge.other_id,
            uuid=new.uuid,
            message=new.properties(),
            tokens=estimate_tokens(new.content),
            fork_seq=merge.fork_seq,
            to_seq=merge.to_seq,
            summarize_every=summarize_every,
        )
        if not rows:
            raise await self._gone(conversation_id, merge)
        return None if rows[0]["seq"] is None else int(rows[0]["seq"])

    async def _gone(self, conversation_id: str, merge: Merge) -> ConversationNotFound:
        """The error that names the one of two conversations that is not there."""
        await self.point(conversation_id)
        return conversation_gone(merge.other_id)


def _tree(rows: Sequence[dict[str, Any]]) -> BranchTree:
    """Rows parents first; built from the last one up, so that each node is made once with its branches."""
    branches: dict[str, list[BranchTree]] = {}
    root: BranchTree | None = None
    for row in reversed(rows):
        node = BranchTree(
            uuid=row["uuid"],
            conversation=conversation_info(row["conversation"]) if row["conversation"] else None,
            from_seq=row["from_seq"],
            from_message_id=row["from_message_id"],
            branches=tuple(reversed(branches.pop(row["uuid"], []))),
        )
        if row["parent_id"] is None:
            root = node
        else:
            branches.setdefault(row["parent_id"], []).append(node)
    assert root is not None
    return root
