"""Vectors for the fakes' embedding endpoints: the same text gives the same vector, other texts unrelated ones."""

from __future__ import annotations

import hashlib
import random


def vector(text: str, dimension: int, *, unit: bool = True) -> list[float]:
    """``dimension`` floats drawn with the text as the seed; of length 1, or of length 2 where ``unit`` is False."""
    draw = random.Random(hashlib.sha256(text.encode()).digest())
    values = [draw.gauss(0.0, 1.0) for _ in range(dimension)]
    length = sum(value * value for value in values) ** 0.5
    scale = (1.0 if unit else 2.0) / length
    return [value * scale for value in values]
