"""The breaker: once the graph has failed a turn, turns leave it alone until it answers again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ragforge_memory.errors import GraphBusy, GraphUnavailable

_in_a_hurry: ContextVar[bool] = ContextVar("ragforge_in_a_hurry", default=False)


@contextmanager
def hurried() -> Iterator[None]:
    """Somebody waits for an answer: calls in here wait for no server, and fail at once while the breaker is open."""
    token = _in_a_hurry.set(True)
    try:
        yield
    finally:
        _in_a_hurry.reset(token)


def in_a_hurry() -> bool:
    """Whether this is inside `hurried`."""
    return _in_a_hurry.get()


class Breaker:
    """Open while the graph is away. ``on_open`` is called when it opens; whoever set that closes it again."""

    def __init__(self) -> None:
        self._reason: GraphUnavailable | None = None
        self.on_open: Callable[[GraphUnavailable], None] | None = None

    @property
    def is_open(self) -> bool:
        """Whether turns leave the graph alone."""
        return self._reason is not None

    def trip(self, error: GraphUnavailable) -> None:
        """The graph has failed a turn. Nothing changes where it answers and is busy, or where nobody would look whether
        it is back."""
        if self._reason is None and self.on_open is not None and not isinstance(error, GraphBusy):
            self._reason = error
            self.on_open(error)

    def close(self) -> None:
        """The graph answers again."""
        self._reason = None

    def check(self) -> None:
        """Nothing; where the breaker is open, what opened it.

        Raises:
            GraphUnavailable: the graph is away.
        """
        if self._reason is not None:
            raise GraphUnavailable(self._reason.message, hint=self._reason.hint) from self._reason.__cause__
