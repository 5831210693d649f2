"""One way to run a statement at the ground: its parameters, and the same with its lists turned round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.locks.ground import Ground, Parameters

Way = Callable[[Ground], Parameters]

# What a caller may give in any order.
_ROWS = frozenset(
    {
        *("anchored", "anchors", "batches", "claimed", "conversations", "counts", "edges", "ends", "files", "insights"),
        *("mentions", "messages", "paths", "prompts", "reads", "references", "removed", "rows", "scopes", "summaries"),
        *("told", "tool_calls", "touched", "used_messages", "used_summaries", "uuids"),
    }
)


def turned(value: Any) -> Any:
    """The same parameters with all lists of rows in them in the opposite order."""
    if not isinstance(value, dict):
        return value
    return {
        key: [turned(row) for row in reversed(item)] if key in _ROWS and isinstance(item, list) else turned(item)
        for key, item in value.items()
    }


def turns(value: Any) -> bool:
    """Whether anything in these parameters can be turned round."""
    return isinstance(value, dict) and any(
        turns(item) or (key in _ROWS and isinstance(item, list) and (len(item) > 1 or any(map(turns, item))))
        for key, item in value.items()
    )
