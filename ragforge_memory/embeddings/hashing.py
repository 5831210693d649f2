"""Vectors without a model, for tests: words and pieces of words hashed into a vector, the same on every machine."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from ragforge_memory.embeddings.calibration import UNRELATED_COSINE
from ragforge_memory.embeddings.port import Vector
from ragforge_memory.errors import InvalidInput

_WORD = re.compile(r"[^\W_]+")
_PIECE = 3
# A word counts for as much as the pieces of a word of middling length together.
_WORD_WEIGHT = 2.0


class HashingEmbedder:
    """Feature hashing with signs (Weinberger et al., "Feature Hashing for Large Scale Multitask Learning", ICML 2009).

    Texts that share words, or pieces of words, are near; texts that share none are orthogonal but for chance.
    Questions and passages are treated alike.

    Args:
        dimension: floats in a vector, 1 or more.
        model: the name of the space, so that tests can have several.

    Raises:
        InvalidInput: the dimension is below 1.
    """

    provider = "hashing"

    def __init__(self, dimension: int = 384, *, model: str = "hashing") -> None:
        if dimension < 1:
            raise InvalidInput(f"a vector needs at least one dimension, not {dimension}")
        self._dimension = dimension
        self._model = model

    @property
    def model(self) -> str:
        return self._model

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def unrelated_cosine(self) -> float:
        return UNRELATED_COSINE["hashing"]

    async def embed_query(self, text: str) -> Vector:
        return self.vector(text)

    async def embed_passages(self, texts: Sequence[str]) -> list[Vector]:
        return [self.vector(text) for text in texts]

    async def aclose(self) -> None:
        """Nothing is open."""

    def vector(self, text: str) -> Vector:
        """The unit vector of a text; a text without words gets a fixed one."""
        values = [0.0] * self._dimension
        for feature, weight in _features(text).items():
            position = _hash(feature)
            values[(position >> 1) % self._dimension] += weight if position & 1 else -weight
        length = math.hypot(*values)
        if length == 0.0:
            values[0] = length = 1.0
        return [value / length for value in values]


def _features(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for word in _WORD.findall(text.lower()):
        found[word] = found.get(word, 0.0) + _WORD_WEIGHT
        for piece in _pieces(word):
            found[piece] = found.get(piece, 0.0) + 1.0
    return {feature: math.sqrt(count) for feature, count in found.items()}


def _pieces(word: str) -> Iterator[str]:
    edged = f"<{word}>"
    for start in range(len(edged) - _PIECE + 1):
        yield f"#{edged[start : start + _PIECE]}"


@lru_cache(maxsize=100_000)
def _hash(feature: str) -> int:
    return int.from_bytes(hashlib.blake2b(feature.encode(), digest_size=8).digest(), "big")
