"""Hubs: what is near to everything says little by being near to a question."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)

NEIGHBOURS = 20
"""How many of the others tell how near a thing is to everything; 5 and 50 are hardly worse."""

WEIGHT = 0.5
"""The part of it that is taken away; from .4 to .6 it makes no difference, with 1 what is alone comes first."""


def without_hubs(scores: Mapping[Key, float], vectors: Mapping[Key, Sequence[float]]) -> dict[Key, float]:
    """Scores less a part of what each is near to the others anyhow.

    In a space of many dimensions a few vectors are among the nearest of very many questions (Radovanovic et al., "Hubs
    in Space", 2010). As in cross-domain similarity local scaling (Conneau et al., "Word Translation Without Parallel
    Data", 2018) the mean product with its nearest neighbours is taken off each, here half of it and among the
    candidates alone. Found first by a paraphrase, of 180 conversations each among 499 others (e5-small-v2, paraphrases
    without a word of theirs): 114 instead of 105 before the first summary, 116 instead of 108 after it; of 20 others 17
    instead of 14.

    Args:
        scores: key -> product with the question's vector.
        vectors: of the best of them at least; where not more than `NEIGHBOURS` are known, nothing is changed.
    """
    import numpy as np

    known = [key for key in scores if key in vectors]
    if len(known) <= NEIGHBOURS:
        return dict(scores)
    rows = np.asarray([vectors[key] for key in known], dtype=np.float64)
    products = rows @ rows.T
    np.fill_diagonal(products, -np.inf)
    nearest = np.partition(products, -NEIGHBOURS, axis=1)[:, -NEIGHBOURS:].mean(axis=1)
    taken = dict(zip(known, nearest.tolist(), strict=True))
    usual = float(nearest.mean())
    return {key: score - WEIGHT * taken.get(key, usual) for key, score in scores.items()}
