"""Summaries as values: what covers a conversation, what is to be made next, and how they are read as one text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ragforge_memory.models.shape import Shape
from ragforge_memory.models.text import truncated

SUMMARY_CHARACTERS = 2_000
"""The most that `composed` gives: about 500 tokens, what a small embedding model reads of a text (512) and little of
a prompt."""

ON_DEMAND = 0
"""The level of what was summarised on demand, before a stretch was full; a summary of level 1 takes its place."""

_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])\s+")


class Summary(Shape):
    """What a stretch of a conversation says in short; immutable.

    Level 1 covers ``from_seq`` to ``to_seq`` of the lineage's messages, level n as many summaries of the level below,
    level 0 what `summarize` was asked for between. ``model`` is ``provider:model``, or ``extractive``.
    """

    uuid: str
    conversation_id: str
    kind: Literal["rolling", "compression"] = "rolling"
    level: int = 1
    from_seq: int
    to_seq: int
    content: str
    token_count: int | None = None
    tokens_saved: int | None = None
    created_at: datetime
    model: str | None = None
    user_id: str | None = None
    project: str | None = None


@dataclass(frozen=True, slots=True)
class Cover:
    """The fewest summaries that cover a conversation from its first message on, oldest first, and what was summarised
    on demand behind them."""

    parts: tuple[Summary, ...] = ()
    on_demand: tuple[Summary, ...] = ()

    @property
    def end(self) -> int:
        """The last seq that is covered for good; 0: none."""
        return self.parts[-1].to_seq if self.parts else 0

    @property
    def seen(self) -> int:
        """The last seq that anything was said about."""
        told = self.told
        return told[-1].to_seq if told else 0

    @property
    def told(self) -> tuple[Summary, ...]:
        """The parts, and behind them what was summarised on demand: oldest first, no message twice."""
        found = list(self.parts)
        for part in self.on_demand:
            if part.from_seq > (found[-1].to_seq if found else 0):
                found.append(part)
        return tuple(found)

    @property
    def text(self) -> str:
        """All of it as one text; see `composed`."""
        return composed([part.content for part in self.told])

    def with_summary(self, new: Summary) -> Cover:
        """The cover once ``new`` is there: in the place of what it covers, or behind the last.

        What is behind it stays: where stretches were made longer once, more of a level wait than make one of the next.
        """
        if new.level == ON_DEMAND:
            return Cover(self.parts, (*self.on_demand, new))
        before = tuple(part for part in self.parts if part.to_seq < new.from_seq)
        behind = tuple(part for part in self.parts if part.from_seq > new.to_seq)
        return Cover((*before, new, *behind), self.on_demand)


@dataclass(frozen=True, slots=True)
class Step:
    """The next summary of the grid: its level, its stretch, and for a level above the first what it is made of."""

    level: int
    from_seq: int
    to_seq: int
    below: tuple[Summary, ...] = ()


def cover_of(levels: Iterable[Sequence[Summary]]) -> tuple[Summary, ...]:
    """The parts of a cover, from each level's summaries: the highest level first, each oldest first."""
    parts: list[Summary] = []
    for level in levels:
        for summary in level:
            if not parts or summary.from_seq > parts[-1].to_seq:
                parts.append(summary)
    return tuple(parts)


def next_step(cover: Cover, head_seq: int, every: int) -> Step | None:
    """What is to be summarised next, None where nothing is due.

    ``every`` messages make one of level 1, ``every`` of a level one of the level above. Where ``every`` is 1 there is
    only level 1: one summary of one summary would say no less.
    """
    if every > 1:
        for level in sorted({part.level for part in cover.parts}):
            below = tuple(part for part in cover.parts if part.level == level)[:every]
            if len(below) == every:
                return Step(level + 1, below[0].from_seq, below[-1].to_seq, below)
    if head_seq - cover.end >= every:
        return Step(1, cover.end + 1, cover.end + every)
    return None


def composed(contents: Sequence[str], limit: int = SUMMARY_CHARACTERS) -> str:
    """Summaries as one text, oldest first, each a paragraph.

    Where they are longer than ``limit`` characters together, the newest stay whole, older ones give their first
    sentence, and what still does not fit is left out, the oldest first.
    """
    texts = [" ".join(content.split()) for content in contents if content.strip()]
    if sum(map(len, texts)) + len(texts) > limit:
        texts = _shortened(texts, limit)
    return "\n".join(texts)


def _shortened(texts: list[str], limit: int) -> list[str]:
    first = [_SENTENCE_END.split(text, maxsplit=1)[0] for text in texts]
    # Room is kept for one sentence of each older one, so that the newest do not push all the others out.
    reserved = sum(len(sentence) + 1 for sentence in first)
    kept: list[str] = []
    left = limit
    for text, sentence in zip(reversed(texts), reversed(first), strict=True):
        reserved -= len(sentence) + 1
        if len(text) + 1 + min(reserved, limit // 2) <= left:
            chosen = text
        elif len(sentence) + 1 <= left:
            chosen = sentence
        elif not kept:
            chosen = truncated(sentence, limit - 1)
        else:
            break
        kept.append(chosen)
        left -= len(chosen) + 1
    return kept[::-1]
