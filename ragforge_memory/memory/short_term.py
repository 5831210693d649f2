"""What this process has noted just now, in front of the short term in the graph: it saves a write of the same."""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable
from time import monotonic

NOTES_A_MINUTE = 10
"""Notes of one owner that a process makes in a minute at most."""


class ShortTerm:
    """The keys of the newest notes, the least recently seen of which go first.

    Args:
        capacity: notes that are known.
        ttl_minutes: that each is known for.
        clock: seconds that only grow.
    """

    def __init__(self, capacity: int, ttl_minutes: float, *, clock: Callable[[], float] = monotonic) -> None:
        self._capacity = capacity
        self._seconds = ttl_minutes * 60
        self._clock = clock
        self._until: OrderedDict[str, float] = OrderedDict()
        self._made: deque[float] = deque()

    def has(self, key: str) -> bool:
        """Whether the same was noted in this process and lives on in the graph."""
        if self._until.get(key, 0.0) <= self._clock():
            self._until.pop(key, None)
            return False
        self._until.move_to_end(key)
        return True

    def may_add(self) -> bool:
        """Whether there may be another note in this minute."""
        while self._made and self._made[0] <= self._clock() - 60:
            self._made.popleft()
        return len(self._made) < NOTES_A_MINUTE

    def add(self, key: str) -> None:
        """It was noted now."""
        self._until[key] = self._clock() + self._seconds
        self._until.move_to_end(key)
        self._made.append(self._clock())
        while len(self._until) > self._capacity:
            self._until.popitem(last=False)
