"""Whether the branches of an archive can have been made: reading and deleting rely on what they begin with."""

from __future__ import annotations

from collections.abc import Collection, Sequence, Set

from ragforge_memory.archive.restored_places import MEND_IT
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.restore import Known, RestoreStore
from ragforge_memory.graph.restore_rows import Names
from ragforge_memory.models import archive
from ragforge_memory.models.lineage import MOST_PARTS, Lineage, Part, cut


async def check_branches(
    store: RestoreStore, names: Names, heads: Sequence[archive.ConversationHead], *, begun: Collection[str]
) -> None:
    """Refuses conversations that begin with what is not here, or otherwise than that begins.

    Args:
        store: of this restore.
        names: uuids as they are here.
        heads: what comes in.
        begun: what comes in with them, and was looked at before.

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
