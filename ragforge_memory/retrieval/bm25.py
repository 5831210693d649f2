"""BM25: how much a word tells, and what a text scores by having it.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond" (2009); k1 is Lucene's default.
"""

from __future__ import annotations

import math

_K1 = 1.2


def rarity(having: int, texts: int) -> float:
    """How much a word tells that ``having`` of so many texts have (the idf of BM25, never negative)."""
    return math.log(1 + (max(texts, having) - having + 0.5) / (having + 0.5))


def word_score(weight: float, times: int, length: float, b: float) -> float:
    """What a text scores by a word.

    Args:
        weight: how much the word tells, see `rarity`.
        times: how often the text has it.
        length: of the text, as a multiple of the mean.
        b: from 0 to 1, how much long texts are held back.
    """
    return weight * times * (_K1 + 1) / (times + _K1 * (1 - b + b * length))
