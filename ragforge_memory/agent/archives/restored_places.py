"""How far a conversation of an archive has come in, and whether its messages are in their places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ragforge_memory.errors import InvalidInput
from ragforge_memory.models import archive


class Misplaced(InvalidInput):
    """The message at ``index`` of those that were given is out of place; ``why`` begins with what of it is wrong."""

    def __init__(self, index: int, why: str) -> None:
        super().__init__(f"messages[{index}].{why}", hint="nothing was written; mend it and try again")
        self.index = index
        self.why = why


@dataclass(slots=True)
class Counts:
    """What is new here; what branches share, and is listed nowhere, counts by its messages alone."""

    conversations: int = 0
    messages: int = 0
    tool_calls: int = 0


@dataclass(slots=True)
class Begun:
    """A conversation that was begun: what of it is here still, what has come, and the keys of its anchors here."""

    head: archive.ConversationHead
    kept_to: int = 0
    kept_message_id: str | None = None
    messages: int = 0
    last_seq: int = 0
    new: Counts = field(default_factory=Counts)
    keys: dict[str, str] = field(default_factory=dict)


def in_place(begun: Begun, messages: Sequence[archive.Message]) -> list[archive.Message]:
    """The messages that are to be written: all but those that are here still, shared by branches.

    Raises:
        Misplaced: one is out of its place, or another is in it.
    """
    new = []
    for index, each in enumerate(messages):
        if each.seq <= begun.last_seq or each.seq > max(last_seq(begun.head), begun.last_seq):
            raise Misplaced(index, f"seq: {each.seq} is out of place behind {begun.last_seq}")
        if each.seq != begun.last_seq + 1:  # whoever reads a stretch counts on all of it
            raise Misplaced(index, f"seq: {each.seq} is not {begun.last_seq + 1}: a message is missing")
        if each.seq == begun.kept_to and each.uuid != begun.kept_message_id:
            raise Misplaced(index, "uuid: another message is in this place already")
        begun.last_seq = each.seq
        if each.seq > begun.kept_to:
            new.append(each)
    return new


def check_whole(begun: Begun) -> None:
    """Refuses a conversation whose last messages have not come.

    Raises:
        InvalidInput: they are missing.
    """
    if begun.last_seq < last_seq(begun.head):
        raise InvalidInput(
            f"messages: those behind {begun.last_seq} are missing: there are {last_seq(begun.head)}",
            hint="nothing was written; mend it and try again",
        )


def last_seq(head: archive.ConversationHead) -> int:
    """The place of its last message that is in an archive."""
    return head.kept_to or 0 if head.status == "shared" else head.head_seq
