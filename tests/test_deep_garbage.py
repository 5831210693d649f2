"""A socket that nobody closed is warned of when it is collected, which may be in the middle of a deep recursion."""

from __future__ import annotations

import gc
import socket
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def nothing_else_to_collect() -> Iterator[None]:
    """What the process has by now is left alone: to look through it takes a second each time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


class Holds:
    """A socket in a circle, which only the collector ends."""

    def __init__(self) -> None:
        self.circle = self
        self.socket = socket.socket()


def collect_below(calls: int) -> None:
    if calls:
        collect_below(calls - 1)
    else:
        gc.collect()


def room() -> int:
    """How many more calls fit."""
    try:
        return room() + 1
    except RecursionError:
        return 0


@pytest.mark.parametrize("left", range(1, 40, 4))
def test_what_is_collected_in_a_deep_recursion_is_reported_as_elsewhere(left: int) -> None:
    Holds()
    collect_below(room() - left)
