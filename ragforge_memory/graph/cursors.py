"""Where a page ended: a time and a uuid, as one opaque text."""

from __future__ import annotations

import base64
import json
from datetime import datetime

from ragforge_memory.errors import InvalidInput

FIRST = ("9999-01-01T00:00:00Z", "~")
"""The place before the first page: nothing is newer than this, and no uuid sorts behind it."""


def make_cursor(time: str, uuid: str) -> str:
    """The last row's place; its time as the server wrote it, since ours would round its nanoseconds."""
    return base64.urlsafe_b64encode(json.dumps([time, uuid]).encode()).decode()


def read_cursor(cursor: str) -> tuple[str, str]:
    """The time and the uuid of a cursor.

    Raises:
        InvalidInput: it is none of ours.
    """
    if not isinstance(cursor, str):
        raise InvalidInput(f"a cursor is text, not {type(cursor).__name__}", hint="use Page.next_cursor as it came")
    try:
        time, uuid = json.loads(base64.urlsafe_b64decode(cursor.encode()))
        if datetime.fromisoformat(time).tzinfo is None:
            raise ValueError(f"{time} is of no time zone")
        return str(time), str(uuid)
    except (ValueError, TypeError, RecursionError) as error:
        raise InvalidInput("this cursor is not one of ours", hint="use Page.next_cursor as it came") from error
