"""Whose messages a conversation's history is: parts of the conversations that it was branched from, then its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class Part(NamedTuple):
    """The messages of one conversation up to and with ``top``; they begin above the part before."""

    conversation_id: str
    top: int


MOST_PARTS = 500
"""Conversations that one may begin with. A search names each in one question of the index, which takes 1,024 parts."""

Lineage = tuple[Part, ...]
"""Oldest part first; ``top`` never falls from part to part, since seq runs on where a branch begins."""


def cut(lineage: Sequence[Part], seq: int) -> Lineage:
    """The lineage up to and with ``seq``, as a branch from there has it; parts without a message are left out.

    Never empty: a branch from before the first message still says which conversation it came from.
    """
    kept: list[Part] = []
    floor = 0
    for part in lineage:
        top = min(part.top, seq)
        if top > floor:
            kept.append(Part(part.conversation_id, top))
            floor = top
    return tuple(kept) or (Part(lineage[-1].conversation_id, 0),)


def fork(one: Sequence[Part], other: Sequence[Part]) -> int:
    """The last seq that two lineages share; 0 where they share nothing.

    A part without a message says nothing: what begins with one and what was branched from there begin alike.
    """
    shared = 0
    for mine, theirs in zip(cut(one, one[-1].top), cut(other, other[-1].top), strict=False):
        if mine.conversation_id != theirs.conversation_id:
            break
        shared = min(mine.top, theirs.top)
        if mine.top != theirs.top:
            break
    return shared
