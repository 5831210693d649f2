"""What a search brings: a list that knows which of its parts answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class SearchResults(list[T], Generic[T]):
    """What was found, best first: a list.

    Args:
        items: what was found.
        answered: which of ``text`` (by words) and ``meaning`` (by vectors) were asked and answered.
        missed: which were not: nothing is embedded, or the index or the embedder failed or was late.
    """

    def __init__(
        self, items: Iterable[T] = (), *, answered: tuple[str, ...] = (), missed: tuple[str, ...] = ()
    ) -> None:
        super().__init__(items)
        self.answered = answered
        self.missed = missed
