"""What is near to everything is not an answer: scores less what hubs have of everybody."""

from __future__ import annotations

import math
import random

import pytest

from ragforge_memory.retrieval.hubs import NEIGHBOURS, without_hubs


def unit(values: list[float]) -> list[float]:
    length = math.sqrt(math.fsum(value * value for value in values))
    return [value / length for value in values]


def spread(count: int, dimension: int = 64) -> list[list[float]]:
    """Unit vectors that have one part in common, as those of texts do."""
    chance = random.Random(4)
    return [unit([1.0, *(chance.gauss(0, 0.25) for _ in range(dimension - 1))]) for _ in range(count)]


def products(vectors: dict[str, list[float]], asked: list[float]) -> dict[str, float]:
    scores = {key: math.fsum(a * b for a, b in zip(vector, asked, strict=True)) for key, vector in vectors.items()}
    return dict(sorted(scores.items(), key=lambda item: -item[1]))


def test_what_is_near_to_everything_comes_after_what_is_near_to_the_question() -> None:
    vectors = {str(number): vector for number, vector in enumerate(spread(60))}
    middle = [math.fsum(values) for values in zip(*vectors.values(), strict=True)]
    vectors["hub"] = unit(middle)
    asked = unit([a + 0.9 * b for a, b in zip(unit(middle), vectors["7"], strict=True)])
    scores = products(vectors, asked)
    assert next(iter(scores)) == "hub"

    found = without_hubs(scores, vectors)

    assert max(found, key=lambda key: found[key]) == "7"


def test_what_is_not_compared_keeps_its_place_among_its_like() -> None:
    vectors = {str(number): vector for number, vector in enumerate(spread(60))}
    scores = products(vectors, unit([1.0] * 64))
    compared = {key: vectors[key] for key in list(scores)[:40]}

    found = without_hubs(scores, compared)

    assert found.keys() == scores.keys()
    rest = list(scores)[40:]
    assert sorted(rest, key=lambda key: -found[key]) == rest
    taken = [scores[key] - found[key] for key in scores]
    assert min(taken[:40]) < taken[-1] < max(taken[:40])


@pytest.mark.parametrize("count", [0, NEIGHBOURS])
def test_of_a_few_nothing_is_known(count: int) -> None:
    vectors = {str(number): vector for number, vector in enumerate(spread(count))}
    scores = products(vectors, unit([1.0] * 64))
    assert without_hubs(scores, vectors) == scores
    assert without_hubs(scores, {}) == scores
