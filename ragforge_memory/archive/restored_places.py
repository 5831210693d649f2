"""How far a conversation of an archive has come in, whether what hangs on it is in its place, and whether a branch can
have been made."""

from __future__ import annotations

from collections.abc import Collection, Container, Sequence, Set
from dataclasses import dataclass, field
from typing import Any

from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.restore import Known, RestoreStore
from ragforge_memory.graph.restore_rows import Names
from ragforge_memory.models import archive
from ragforge_memory.models.lineage import MOST_PARTS, Lineage, Part, cut

MEND_IT = "nothing was written; mend it and try again"
"""What to do about an archive that is wrong."""


class Misplaced(InvalidInput):
    """The record at ``index`` of those that were given is out of place; ``why`` begins with what of it is wrong."""

    def __init__(self, index: int, why: str, *, of: str = "messages") -> None:
        super().__init__(f"{of}[{index}].{why}", hint=MEND_IT)
        self.index = index
        self.why = why


@dataclass(slots=True)
class Counts:
    """What is new here; what branches share, and is listed nowhere, counts by its messages alone."""

    conversations: int = 0
    messages: int = 0
    tool_calls: int = 0
    memories: int = 0


@dataclass(slots=True)
class Begun:
    """A conversation that was begun: what of it is here still, what has come, and the keys of its anchors here.

    ``seen`` are the uuids and places of its summaries and insights, of which there is one each; ``row`` is what it was
    made as, where that was known when it was begun.
    """

    head: archive.ConversationHead
    kept_to: int = 0
    kept_message_id: str | None = None
    messages: int = 0
    last_seq: int = 0
    new: Counts = field(default_factory=Counts)
    keys: dict[str, str] = field(default_factory=dict)
    seen: set[tuple[object, ...]] = field(default_factory=set)
    row: dict[str, Any] | None = None


def in_place(begun: Begun, messages: Sequence[archive.Message]) -> list[archive.Message]:
    """The messages that are to be written: all but those that are here still, shared by branches.

    Raises:
        Misplaced: one is out of its place, or another is in it, or it names an anchor that has not come, or it answers
            itself or one behind it, or a call of it has its uuid.
    """
    new = []
    seqs = {each.uuid: each.seq for each in messages}
    for index, each in enumerate(messages):
        if each.in_reply_to is not None and seqs.get(each.in_reply_to, 0) >= each.seq:
            raise Misplaced(index, f"in_reply_to: {each.in_reply_to!r} is not before it")
        for call in each.tool_calls:
            if call.uuid in seqs or (call.result is not None and call.result.uuid in seqs):
                raise Misplaced(index, f"tool_calls: {call.uuid!r} is the uuid of a message, or its result's is")
        if each.seq <= begun.last_seq or each.seq > max(last_seq(begun.head), begun.last_seq):
            raise Misplaced(index, f"seq: {each.seq} is out of place behind {begun.last_seq}")
        if each.seq != begun.last_seq + 1:  # whoever reads a stretch counts on all of it
            raise Misplaced(index, f"seq: {each.seq} is not {begun.last_seq + 1}: a message is missing")
        if each.seq == begun.kept_to and each.uuid != begun.kept_message_id:
            raise Misplaced(index, "uuid: another message is in this place already")
        unknown = unknown_anchor(each, begun.keys)
        if unknown is not None:
            raise Misplaced(index, f"{unknown}: there is no such anchor")
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
            hint=MEND_IT,
        )


def check_summaries(begun: Begun, summaries: Sequence[archive.Summary]) -> None:
    """Refuses summaries of what is not there, and a second one where there is one already.

    Raises:
        Misplaced: one of them is such.
    """
    last = last_seq(begun.head)
    for index, each in enumerate(summaries):
        if not 0 < each.from_seq <= each.to_seq <= last:
            why = f"to_seq: there are no messages {each.from_seq} to {each.to_seq} of {last}"
            raise Misplaced(index, why, of="summaries")
        _check_new(begun, index, ("uuid", each.uuid), of="summaries")
        _check_new(begun, index, ("from_seq", each.from_seq, each.level, each.kind), of="summaries")


def check_insights(begun: Begun, insights: Sequence[archive.Insight]) -> None:
    """Refuses a second insight of a uuid or of an analysis.

    Raises:
        Misplaced: one of them is such.
    """
    for index, each in enumerate(insights):
        _check_new(begun, index, ("uuid", each.uuid), of="insights")
        _check_new(begun, index, ("key", each.key), of="insights")


def _check_new(begun: Begun, index: int, place: tuple[object, ...], *, of: str) -> None:
    if (of, *place) in begun.seen:
        one = "summary" if of == "summaries" else "insight"
        raise Misplaced(index, f"{place[0]}: {place[1]!r} is that of another {one}", of=of)
    begun.seen.add((of, *place))


def unknown_anchor(message: archive.Message, known: Container[str]) -> str | None:
    """Where a message names an anchor that is not known; None: nowhere."""
    for place, tie in enumerate(message.anchored):
        if tie.anchor not in known:
            return f"anchored[{place}].anchor"
    for number, call in enumerate(message.tool_calls):
        for place, read in enumerate(call.reads):
            if read.anchor not in known:
                return f"tool_calls[{number}].reads[{place}].anchor"
    for place, used in enumerate(message.used):
        if used.label == "anchor" and used.uuid is not None and used.uuid not in known:
            return f"used[{place}].uuid"
    return None


def last_seq(head: archive.ConversationHead) -> int:
    """The place of its last message that is in an archive."""
    return head.kept_to or 0 if head.status == "shared" else head.head_seq


async def check_branches(
    store: RestoreStore, names: Names, heads: Sequence[archive.ConversationHead], *, begun: Collection[str]
) -> None:
    """Refuses conversations that begin with what is not here, or otherwise than that begins.

    Raises:
        InvalidInput: one does.
    """
    own = set(map(names.now, begun))
    lineages = [tuple(Part(names.now(part.conversation_id), part.top) for part in each.lineage) for each in heads]
    here = await _here(store, {part for each in lineages for part in each if part.conversation_id not in own})
    for head, lineage in zip(heads, lineages, strict=True):
        for index, part in enumerate(lineage):
            # Of what a branch shares no message with nothing may be left.
            if part.top and part not in here and part.conversation_id not in own:
                raise InvalidInput(f"lineage[{index}]: the conversation that it begins with is not here")
        parent = here.get(lineage[-1]) if lineage else None
        check_branch(head, lineage, parent.lineage if parent else None)


def check_branch(head: archive.ConversationHead, lineage: Lineage, parent: Lineage | None) -> None:
    """Refuses a branch that cannot have been made.

    Args:
        head: the conversation.
        lineage: its own, with the names that ``parent`` has.
        parent: the lineage of the conversation that it was branched from; None: that is not known.

    Raises:
        InvalidInput: it is none.
    """
    for index, part in enumerate(head.lineage):
        if part.conversation_id == head.uuid:
            raise InvalidInput(f"lineage[{index}].conversation_id: it begins with itself", hint=MEND_IT)
    if head.branch is not None and head.branch.parent not in [part.conversation_id for part in head.lineage[-1:]]:
        raise InvalidInput(f"branch.parent: {head.branch.parent!r} is not what it begins with last", hint=MEND_IT)
    if not lineage:
        return
    if len(lineage) > MOST_PARTS:
        raise InvalidInput(f"lineage: it has {len(lineage):,} parts; {MOST_PARTS} are the most", hint=MEND_IT)
    last = lineage[-1]
    if lineage != cut(lineage, last.top):
        raise InvalidInput("lineage: each part ends behind the part before", hint=MEND_IT)
    if parent is not None and lineage != cut((*parent, last), last.top):
        raise InvalidInput(f"lineage: it does not begin as {head.lineage[-1].conversation_id!r} does", hint=MEND_IT)
    if head.status != "shared" and head.head_seq < last.top:
        raise InvalidInput(f"head_seq: {head.head_seq} is before {last.top}, up to which it is another's", hint=MEND_IT)


async def _here(store: RestoreStore, parts: Set[Part]) -> dict[Part, Known]:
    """What is here of these."""
    found: dict[Part, Known] = {}
    left = set(parts)
    while left:
        asked = dict(left)
        left -= {Part(*each) for each in asked.items()}
        known = await store.known(asked)
        found |= {
            Part(uuid, asked[uuid]): each
            for uuid, each in known.items()
            if not asked[uuid] or each.last_message_id is not None
        }
    return found
