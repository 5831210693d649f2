"""One scale of similarity for every embedding model: 0 is what unrelated texts score with it, 1 is identity.

``similarity = (cosine - unrelated) / (1 - unrelated)``, cut at 0, where ``unrelated`` is the mean cosine of texts
that have nothing to do with one another. For the local models it was measured (the table of the project's design
notes, 2026-11-21, over pairs of unrelated messages). For models of vendors there is no such measurement here and the
vendors publish none, so their embedders measure it themselves: the probe texts below ride along with the first
request (`mean_cosine` of their vectors), which costs some 200 tokens once a process and no further round trip.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations

UNRELATED_COSINE: dict[str, float] = {
    "e5-small-v2": 0.82,
    "bge-small-en-v1.5": 0.65,
    "all-minilm-l6-v2": 0.33,
    # Signed hashing: unrelated texts share no features and are orthogonal but for chance.
    "hashing": 0.0,
}

# Eight turns of small talk, each about something else: what "unrelated" means between messages of one conversation.
# With the local models their mean cosine is .82, .64 and .43, beside .82, .65 and .33 of the table.
PROBE_TEXTS: tuple[str, ...] = (
    "Sam: Hey! I finally finished painting the kitchen, it looks so much brighter now!",
    "Sam: My sister is visiting next month and we're planning to go hiking together.",
    "Sam: Thanks! I've been thinking about learning to play the guitar again, it really helps me relax.",
    "Sam: Wow, that's great! We took the dog to the beach on Sunday and he loved the waves!",
    "Sam: That sounds like fun! I had a job interview last week and I think it went well.",
    "Sam: Good luck! I've been busy with the kids, they started at a new school this week.",
    "Sam: Nice! I joined a book club and we're reading a really inspiring story now.",
    "Sam: Sounds wonderful! I baked a cake for a friend's birthday, here's a photo of it.",
)


def similarity(cosine: float, unrelated: float) -> float:
    """A cosine on the common scale, 0 to 1.

    Args:
        cosine: of two vectors of the same model, -1 to 1.
        unrelated: the model's ``unrelated_cosine``, below 1.
    """
    return min(1.0, max(0.0, (cosine - unrelated) / (1.0 - unrelated)))


def cosine_of(similarity: float, unrelated: float) -> float:
    """The cosine that has this similarity: the reverse of `similarity`, for thresholds that an index applies."""
    return similarity * (1.0 - unrelated) + unrelated


def cosine(left: Sequence[float], right: Sequence[float]) -> float:
    """The cosine of two vectors of the same length; 0 where one of them is zero."""
    product = math.fsum(a * b for a, b in zip(left, right, strict=True))
    lengths = math.hypot(*left) * math.hypot(*right)
    return product / lengths if lengths else 0.0


def mean_cosine(vectors: Sequence[Sequence[float]]) -> float:
    """The mean cosine over all pairs: of the probe texts' vectors it is the model's ``unrelated_cosine``.

    Kept within 0 and 0.99, so that the scale neither rewards opposites nor divides by nothing.
    """
    pairs = [cosine(left, right) for left, right in combinations(vectors, 2)]
    return min(0.99, max(0.0, math.fsum(pairs) / len(pairs))) if pairs else 0.0
