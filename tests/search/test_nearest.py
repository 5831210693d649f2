"""Vectors in memory, and the nearest of them."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ragforge_memory.retrieval.nearest import NearestVectors

Matrix = NDArray[np.float32]


def _unit(rows: NDArray[np.floating]) -> Matrix:
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def _about_one_direction(count: int, dimension: int, seed: int = 1) -> Matrix:
    """As a small model's vectors lie: any two have a cosine of some .8, and few dimensions tell them apart."""
    ways = np.random.default_rng(0).standard_normal((24, dimension)) / np.sqrt(24)
    return _unit(2 * np.ones(dimension) + np.random.default_rng(seed).standard_normal((count, 24)) @ ways)


def _exact(rows: Matrix, vector: Matrix, count: int) -> list[int]:
    return np.argsort(-(rows @ vector), kind="stable")[:count].tolist()


@pytest.mark.parametrize("dimension", [7, 384])
def test_few_vectors_are_all_compared(dimension: int) -> None:
    rows = _about_one_direction(60, dimension)
    kept = NearestVectors(rows)
    kept.add(rows)
    question = _about_one_direction(1, dimension, seed=2)[0]
    numbers, cosines = kept.nearest(question.tolist(), 10, among=60)
    assert numbers.tolist() == _exact(rows, question, 10)
    assert cosines == pytest.approx(rows[numbers] @ question, abs=1e-5)


def test_the_nearest_of_many_are_found_by_their_bits_first() -> None:
    rows = _about_one_direction(20_000, 128)
    kept = NearestVectors(rows[::10], room=len(rows))
    for start in range(0, len(rows), 3_000):
        kept.add(rows[start : start + 3_000])
    drawn = np.random.default_rng(3)
    found = 0
    for number in range(30):
        question = _unit((rows[number * 500] + 0.03 * drawn.standard_normal(128))[None])[0]
        numbers, cosines = kept.nearest(question.tolist(), 100, among=len(rows))
        assert cosines == pytest.approx(rows[numbers] @ question, abs=1e-5)
        assert numbers[0] == number * 500
        assert (np.diff(cosines) <= 0).all()
        found += len({*_exact(rows, question, 10)} & {*numbers.tolist()})
    assert found >= 299


def test_what_comes_first_may_be_unlike_what_follows() -> None:
    """Two thousand of one kind, and then others: the sample has some of either."""
    first = _unit(np.linspace(-1, 1, 128) + 0.01 * np.random.default_rng(5).standard_normal((2_000, 128)))
    rows = np.concatenate((first, _about_one_direction(30_000, 128)))
    kept = NearestVectors(rows[::16], room=len(rows))
    kept.add(rows)
    found = 0
    for number in range(2_000, 32_000, 1_000):
        numbers, _ = kept.nearest(rows[number].tolist(), 100, among=len(rows))
        found += len({*_exact(rows, rows[number], 10)} & {*numbers.tolist()})
    assert found >= 299


def test_more_find_room_that_was_not_made_for_them() -> None:
    rows = _about_one_direction(1_000, 64)
    kept = NearestVectors(rows[:200], room=10)
    for start in range(0, 1_000, 7):
        kept.add(rows[start : start + 7])
    kept.add(rows[:0])
    assert len(kept) == 1_000
    assert [kept.nearest(row.tolist(), 1, among=1_000)[0][0] for row in rows[::97]] == list(range(0, 1_000, 97))


def test_many_that_are_the_same_are_as_near_as_each_other() -> None:
    """No bit tells them apart."""
    same = np.repeat(_about_one_direction(1, 64), 10_000, axis=0)
    kept = NearestVectors(same[:500])
    kept.add(same)
    numbers, cosines = kept.nearest(np.ones(64).tolist(), 100, among=10_000)
    assert len(set(numbers.tolist())) == 100
    assert len(set(cosines.tolist())) == 1


def test_what_is_the_same_has_a_cosine_of_one() -> None:
    rows = _about_one_direction(500, 64)
    kept = NearestVectors(rows)
    kept.add(rows)
    assert [kept.nearest((3 * row).tolist(), 1, among=500)[1].tolist() for row in rows[:50]] == [[1.0]] * 50


def test_nothing_is_near_to_what_has_no_direction() -> None:
    rows = _about_one_direction(500, 64)
    kept = NearestVectors(rows)
    kept.add(rows)
    assert kept.nearest([0.0] * 64, 3, among=500)[0].tolist() == []
