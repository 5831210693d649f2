"""Times as they are told to people."""

from __future__ import annotations

from datetime import datetime


def local(time: datetime) -> datetime:
    """A time where we are; at the ends of the calendar, where other zones have none, as it is.

    There stand the times that programs write for none: Go's and .NET's is the first moment of year 1.
    """
    try:
        return time.astimezone()
    except (ValueError, OverflowError, OSError):
        return time
