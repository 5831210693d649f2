"""What a search brings: a list that knows which of its parts answered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, SupportsIndex, TypeVar, overload

T = TypeVar("T")


class SearchResults(list[T], Generic[T]):
    """What was found, best first: a list. Its slices and copies know what answered too; a sum (``+``) is a plain list.

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

    @overload
    def __getitem__(self, index: SupportsIndex, /) -> T: ...

    @overload
    def __getitem__(self, index: slice, /) -> SearchResults[T]: ...

    def __getitem__(self, index: SupportsIndex | slice, /) -> T | SearchResults[T]:
        if isinstance(index, slice):
            return self._of(super().__getitem__(index))
        return super().__getitem__(index)

    def copy(self) -> SearchResults[T]:
        """The same again."""
        return self._of(self)

    def _of(self, items: Iterable[T]) -> SearchResults[T]:
        return SearchResults(items, answered=self.answered, missed=self.missed)
