"""Vectors in memory, and the nearest of them to another: first by the little that tells most, then by all of it.

A vector index of a server is made of segments, each searched by itself, so that a search slows down as it grows and
misses some. Here 100,000 vectors of 384 floats are compared in 2 ms, and next to nothing is missed.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_LEADING = 64
"""Directions in which vectors differ most; how far each lies along them is kept as it is."""

_LEAST, _PART = 1_000, 50
"""How many are compared wholly: so many at least, and one in so many. Of 24,000 commit messages (e5-small-v2) the ten
nearest to each of 100 questions were among the likeliest 750, and all but one among 500; with 48 directions all but
three, with 32 all but 15, with none all but some 130; without the bits all but 139."""

_PER_WANTED = 10
"""And at least so many for each that is wanted."""

_SAMPLED = 16
"""One in so many tells where the likeliest begin."""

_AT_ONCE = 256
"""Rows that are compared at once: few enough to stay in the processor's cache."""

_STEPS = 32_767.0
_WORD = 64
# What is 1 but for this is 1.
_ROUNDING = 5e-5

Matrix = NDArray[np.float32]


def bytes_of(dimension: int) -> int:
    """What one vector takes in memory."""
    return 2 * dimension + 8 * _words(dimension) + 4 * min(_LEADING, dimension) + 4


class NearestVectors:
    """Vectors by number, in the order in which they were added.

    A small model's vectors all lie about one direction, so each is kept as its difference from the mean: in sixteen
    bits of each dimension, as it is along the leading directions (the mean's and the principal components, found by
    subspace iteration: Halko, Martinsson and Tropp, "Finding structure with randomness", 2011), and what these leave as
    one bit of each dimension, on which side it lies (as in locality-sensitive hashing: Charikar, "Similarity estimation
    techniques from rounding algorithms", 2002). The last two say which are likely to be near; of these the cosine is
    computed, to within 5e-5, and 5e-6 where no dimension has a large part of a vector.

    What is added in one thread while another asks `nearest` is not looked at by it: it comes after ``among``.

    Args:
        sample: some of the unit vectors, from everywhere among them, shape (count, dimension): mean and directions are
            theirs. Of vectors that are all unlike them next to none would be likely.
        room: vectors for which there is room from the beginning; more find theirs, but are copied.
    """

    def __init__(self, sample: Matrix, room: int = 0) -> None:
        dimension = sample.shape[1]
        self._dimension = dimension
        self._count = 0
        self._mean = sample.mean(axis=0, dtype=np.float64).astype(np.float32)
        self._directions = _directions(self._mean, sample, min(_LEADING, dimension))
        self._side = _size_of_a_side(self._rest(sample - self._mean)[1])
        self._leading = np.empty((room, self._directions.shape[1]), np.float32)
        self._bits = np.empty((_words(dimension), room), np.uint64)
        self._rows = np.empty((room, dimension), np.int16)
        self._steps = np.empty(room, np.float32)

    def __len__(self) -> int:
        return self._count

    def add(self, vectors: Matrix) -> None:
        """Adds unit vectors, shape (count, dimension)."""
        if not len(vectors):
            return
        off = vectors - self._mean
        leading, rest = self._rest(off)
        start, end = self._count, self._count + len(vectors)
        self._grow(end)
        steps = np.maximum(np.abs(off).max(axis=1), np.finfo(np.float32).tiny) / _STEPS
        self._leading[start:end] = leading
        self._bits[:, start:end] = _sides(rest).T
        self._rows[start:end] = np.rint(off / steps[:, None])
        self._steps[start:end] = steps
        self._count = end

    def nearest(self, vector: Sequence[float], count: int, *, among: int) -> tuple[NDArray[np.intp], Matrix]:
        """The nearest to a vector, nearest first.

        Args:
            vector: what is looked for; nothing is near to one of length 0.
            count: how many are wanted.
            among: how many, from the first one on, are looked at.

        Returns:
            Their numbers, and their cosines.
        """
        among = min(among, self._count)
        count = min(count, among)
        wanted = np.asarray(vector, np.float32)
        length = np.linalg.norm(wanted)
        if count < 1 or not length:
            return np.empty(0, np.intp), np.empty(0, np.float32)
        wanted = wanted / length
        chosen = self._likely(wanted, max(_LEAST, _PER_WANTED * count, among // _PART), among)
        products = np.empty(len(chosen), np.float32)
        for start in range(0, len(chosen), _AT_ONCE):
            some = slice(start, start + _AT_ONCE)
            # By `take` and `vecdot`: `[…]` takes three times as long, and `@` is spread over threads that wait for each
            # other where the processor is busy.
            rows = self._rows.take(chosen[some], axis=0, mode="clip").astype(np.float32)
            np.vecdot(rows, wanted, out=products[some])
        products *= self._steps[chosen]
        products += np.vecdot(self._mean, wanted)
        best = np.argpartition(-products, count - 1)[:count]
        best = best[np.argsort(-products[best], kind="stable")]
        cosines = products[best]
        cosines[cosines > 1 - _ROUNDING] = 1.0
        return chosen[best], cosines

    def _likely(self, wanted: Matrix, count: int, among: int) -> NDArray[np.intp]:
        """About so many of which the most speaks for being near."""
        if count >= among:
            return np.arange(among)
        leading = np.vecdot(self._directions.T, wanted)
        rest = wanted - np.vecdot(self._directions, leading)
        differing = np.zeros(among, np.uint16)
        for word, side in zip(self._bits, _sides(rest[None])[0], strict=True):
            differing += np.bitwise_count(word[:among] ^ side)
        likeness = np.vecdot(self._leading[:among], leading)
        likeness -= np.float32(2 * self._side * np.abs(rest).mean()) * differing
        sample = likeness[::_SAMPLED]
        most = max(1, len(sample) * count // among)
        chosen = np.flatnonzero(likeness >= np.partition(sample, -most)[-most])
        # Where many are alike, or the sample is like none, they are counted.
        alike = not count // 2 <= len(chosen) <= 2 * count
        return np.argpartition(-likeness, count - 1)[:count] if alike else chosen

    def _rest(self, off: Matrix) -> tuple[Matrix, Matrix]:
        """How far rows lie along the leading directions, and what these leave of them."""
        leading = np.asarray(off @ self._directions, np.float32)
        return leading, np.asarray(off - leading @ self._directions.T, np.float32)

    def _grow(self, count: int) -> None:
        room = len(self._steps)
        if count <= room:
            return
        more = max(count, room + room // 4) - room
        self._leading = np.concatenate((self._leading, np.empty((more, self._leading.shape[1]), np.float32)))
        self._bits = np.concatenate((self._bits, np.empty((len(self._bits), more), np.uint64)), axis=1)
        self._rows = np.concatenate((self._rows, np.empty((more, self._dimension), np.int16)))
        self._steps = np.concatenate((self._steps, np.empty(more, np.float32)))


def _directions(mean: Matrix, vectors: Matrix, count: int) -> Matrix:
    """The mean's direction, and at right angles those along which vectors differ most, shape (dimension, count)."""
    off = vectors - mean
    found = np.random.default_rng(0).standard_normal((len(mean), count - 1)).astype(np.float32)
    for _ in range(3):
        found = np.linalg.qr(off.T @ (off @ found))[0]
    return np.ascontiguousarray(np.linalg.qr(np.column_stack((mean, found)))[0], np.float32)


def _size_of_a_side(rest: Matrix) -> float:
    """How much a bit stands for, on average: what makes a row's product with its sides come out right."""
    sums = np.abs(rest).sum(axis=1)
    return float(np.divide((rest**2).sum(axis=1), sums, out=np.zeros_like(sums), where=sums > 0).mean())


def _words(dimension: int) -> int:
    return -(-dimension // _WORD)


def _sides(rest: Matrix) -> NDArray[np.uint64]:
    """One bit of each dimension, shape (count, words)."""
    sides = np.zeros((len(rest), _words(rest.shape[1]) * _WORD), np.bool)
    np.greater(rest, 0, out=sides[:, : rest.shape[1]])
    return np.packbits(sides, axis=1).view(np.uint64)
