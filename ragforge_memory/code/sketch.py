"""What a scope's tokens look like, in at most 516 characters: enough to say how much two scopes have in common.

A sketch holds the tokens and the pairs of neighbouring tokens as 24-bit hashes, each once. Of more than SIZE of them
it keeps the SIZE smallest (a bottom-k sketch: Cohen and Kaplan, "Summarizing data using bottom-k sketches", 2007), so
small scopes are kept whole, and the likeness of large ones is estimated with a standard error of at most
0.5 / sqrt(SIZE) = .044.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from heapq import nsmallest
from itertools import pairwise
from zlib import crc32

SIZE = 128
"""Hashes kept: 3 bytes each, 512 characters as base64."""

_BYTES = 3
_COUNT_BYTES = 3
_MASK = 0xFFFFFFFF
_SHIFT = 32 - 8 * _BYTES
# Knuth's multiplicative hash (2^32 over the golden ratio): spreads the checksums, whose neighbours are alike.
_SPREAD = 0x9E3779B1
_PAIR = 0x85EBCA6B


def token_hashes(tokens: Sequence[bytes]) -> list[int]:
    """24 bits for each token, in order; only of use together with `pair_hashes`."""
    known = {token: ((crc32(token) * _SPREAD & _MASK) >> _SHIFT) for token in set(tokens)}
    return [known[token] for token in tokens]


def pair_hashes(hashes: Sequence[int]) -> list[int]:
    """24 bits for each token with the one behind it; one less than there are tokens."""
    return [((one * _PAIR + other) * _SPREAD & _MASK) >> _SHIFT for one, other in pairwise(hashes)]


def encode(features: Collection[int]) -> str:
    """The sketch of these hashes (a set): base64 of their number and the smallest of them, ascending."""
    kept = sorted(features) if len(features) <= SIZE else nsmallest(SIZE, features)
    count = min(len(features), (1 << 8 * _COUNT_BYTES) - 1)
    return b64encode(
        count.to_bytes(_COUNT_BYTES, "big") + b"".join([each.to_bytes(_BYTES, "big") for each in kept])
    ).decode("ascii")


@dataclass(frozen=True, slots=True)
class Sketch:
    """A sketch as values: how many different tokens and pairs there were, and those that were kept."""

    count: int
    kept: frozenset[int]
    highest: int
    """The largest hash that was kept; above it nothing is known, unless everything was kept."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out."""
        return self.count <= SIZE


@lru_cache(maxsize=8_192)
def decode(text: str) -> Sketch:
    """The sketch behind `encode`'s text; of a text that is none the empty one."""
    try:
        data = b64decode(text, validate=True)
    except ValueError:
        data = b""
    count = int.from_bytes(data[:_COUNT_BYTES], "big")
    numbers = [int.from_bytes(data[at : at + _BYTES], "big") for at in range(_COUNT_BYTES, len(data), _BYTES)]
    return Sketch(count, frozenset(numbers), numbers[-1] if numbers else 0)


def likeness(one: Sketch, other: Sketch) -> float:
    """What two scopes share of all that either has (Jaccard): 0 nothing, 1 the same tokens in the same company.

    Exact where both are whole.
    """
    first, second = one.kept, other.kept
    if not first or not second:
        return float(not first and not second)
    if one.is_whole and other.is_whole:
        shared = len(first & second)
        return shared / (len(first) + len(second) - shared)
    # Of the union the smallest are known up to the lower of the two ends.
    bound = min((each.highest for each in (one, other) if not each.is_whole), default=0)
    union = [each for each in first | second if each <= bound]
    if not union:
        return 0.0
    return sum(each in first and each in second for each in union) / len(union)
