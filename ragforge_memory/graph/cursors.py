"""Where a page ended: of which list, a time and a uuid, as one opaque text."""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from ragforge_memory.errors import InvalidInput

Listed = Literal["conversations", "decisions", "insights"]

FIRST = ("9999-01-01T00:00:00Z", "~")
"""The place before the first page: nothing is newer than this, and no uuid sorts behind it."""


def make_cursor(listed: Listed, time: str, uuid: str) -> str:
    """The last row's place; its time as the server wrote it, since ours would round its nanoseconds."""
    return base64.urlsafe_b64encode(json.dumps([listed, time, uuid]).encode()).decode()


def next_cursor(listed: Listed, rows: Sequence[Mapping[str, Any]], limit: int, time: str) -> str | None:
    """Where a page of ``limit`` rows ends, of which one more was read than it has; ``time`` is the order's property."""
    return make_cursor(listed, rows[limit - 1][time], rows[limit - 1]["uuid"]) if len(rows) > limit else None


def read_cursor(listed: Listed, cursor: str | None) -> tuple[str, str]:
    """The time and the uuid of a cursor of a list; of None those before the first page.

    Raises:
        InvalidInput: it is none of ours, or another list's.
    """
    if cursor is None:
        return FIRST
    if not isinstance(cursor, str):
        raise InvalidInput(f"a cursor is text, not {type(cursor).__name__}", hint="use Page.next_cursor as it came")
    try:
        of, time, uuid = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        if datetime.fromisoformat(time).tzinfo is None:
            raise ValueError(f"{time} is of no time zone")
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput("this cursor is not one of ours", hint="use Page.next_cursor as it came") from error
    if of != listed:
        raise InvalidInput(f"this cursor is one of {of}, not of {listed}", hint="a page goes on with its own list's")
    return str(time), str(uuid)
