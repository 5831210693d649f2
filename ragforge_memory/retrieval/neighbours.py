"""What was said right before and right after: neighbours of candidates enter, and lend each other score.

An answer is often found by its question, and a question by its answer. Measured on LoCoMo and REALTALK with the sum
of both lists (R@10): .646 without and .692 with neighbours, .566 and .582.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from heapq import nlargest
from typing import NamedTuple

NEIGHBOUR_WEIGHT = 0.4
"""How much of the better neighbour's score a message gets: the best of the weights measured."""

SESSION_GAP = timedelta(minutes=60)
"""A session ends where two messages are further apart; what was said in another one is not a neighbour."""

Place = tuple[str, int]
"""Where a message is: its line (a conversation, or one lineage as a whole) and its seq."""


class Ranked(NamedTuple):
    """A place with its final score; ``beside`` is the seq of the candidate that it stands beside, where it is none."""

    place: Place
    score: float
    beside: int | None = None


def ranked(scores: Mapping[Place, float], times: Mapping[Place, datetime], most: int) -> list[Ranked]:
    """Candidates and their neighbours by final score, best first.

    Args:
        scores: the fused scores of the candidates.
        times: when messages were said, as far as that is known; a neighbour whose time is not known yet counts as
            of the same session, so what it gets is the most that it can have.
        most: how many will be looked at. What stands beside the candidate of rank r comes behind r others, so only
            the first ``most`` candidates bring their neighbours in.
    """
    leading = nlargest(most, scores, key=scores.__getitem__)
    found = [
        Ranked(place, score + NEIGHBOUR_WEIGHT * _lent(place, scores, times)[0]) for place, score in scores.items()
    ]
    for place in _entering(leading, scores):
        lent, beside = _lent(place, scores, times)
        if lent > 0:
            found.append(Ranked(place, NEIGHBOUR_WEIGHT * lent, beside=beside))
    # Of equals the later one: it is the more recent word on the matter.
    found.sort(key=_order)
    return found


def is_apart(each: Ranked, times: Mapping[Place, datetime]) -> bool:
    """Whether what entered as a neighbour turns out to be of another session, now that its time is known."""
    if each.beside is None:
        return False
    return not _together(times.get(each.place), times.get((each.place[0], each.beside)))


def _entering(leading: Iterable[Place], scores: Mapping[Place, float]) -> dict[Place, None]:
    """The places beside candidates that are none themselves."""
    entering: dict[Place, None] = {}
    for line, seq in leading:
        for beside in (seq - 1, seq + 1):
            if beside > 0 and (line, beside) not in scores:
                entering[(line, beside)] = None
    return entering


def _lent(place: Place, scores: Mapping[Place, float], times: Mapping[Place, datetime]) -> tuple[float, int | None]:
    """The better neighbour's score and its seq; (0, None) where there is none in the same session."""
    line, seq = place
    best, beside = 0.0, None
    for near in (seq - 1, seq + 1):
        score = scores.get((line, near))
        if score is not None and score > best and _together(times.get(place), times.get((line, near))):
            best, beside = score, near
    return best, beside


def _together(one: datetime | None, other: datetime | None) -> bool:
    return one is None or other is None or abs(other - one) <= SESSION_GAP


def _order(each: Ranked) -> tuple[float, int, str]:
    return -each.score, -each.place[1], each.place[0]
