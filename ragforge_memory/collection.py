"""Pauses Python's search for reference cycles while many small values are made."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_lock = threading.Lock()
_pauses: list[bool] = []


@contextmanager
def paused_collection() -> Iterator[None]:
    """Parsing and resolving make hundreds of thousands of values without a cycle; looking for one in them again and
    again takes half of the time. What is not referenced any more is freed all the same. Pauses may overlap.
    """
    with _lock:
        _pauses.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            # Of pauses that overlap only the first has found the collector at work; the last one starts it again.
            enabled = any(_pauses)
            _pauses.pop()
            if enabled and _pauses:
                _pauses[0] = True
            elif enabled:
                gc.enable()
