"""What a search is asked for, checked before anything is opened."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import TYPE_CHECKING, get_args

from ragforge_memory.agent.inputs import check_text, check_tool_name, clean_labels
from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.conversation import Role

if TYPE_CHECKING:
    from ragforge_memory.graph.search import Filters
    from ragforge_memory.retrieval.fusion import Span
    from ragforge_memory.text.days import Days


def check_query(query: object) -> None:
    """Refuses what is not a question.

    Raises:
        InvalidInput: it is not text, or has nothing but white space.
    """
    check_text(query, "a query")
    if not str(query).replace("\0", "").strip():
        raise InvalidInput("the query is empty", hint="say what to look for")


def check_threshold(least: object) -> None:
    """Refuses a threshold that no similarity can have.

    Raises:
        InvalidInput: it is neither None nor a number from 0 to 1.
    """
    if least is None:
        return
    if isinstance(least, bool) or not isinstance(least, (int, float)) or not 0 <= least <= 1:
        raise InvalidInput(f"min_score is a similarity from 0 to 1, not {least!r}")


def checked_filters(
    *,
    role: object = None,
    since: date | str | None = None,
    until: date | str | None = None,
    tool: object = None,
    tags: Sequence[str] | None = None,
) -> Filters:
    """What a search leaves out.

    Raises:
        InvalidInput: there is no such role, a time is none, ``since`` is later than ``until``, a tag or a tool's name
            is not a word.
    """
    from ragforge_memory.graph.search import Filters

    if role is not None and role not in get_args(Role):
        raise InvalidInput(f"there is no role {role!r}", hint=", ".join(get_args(Role)))
    if tool is not None:
        check_tool_name(tool)
    if tags is not None:
        tags = clean_labels(None, tags)
    first, last = _time(since, "since"), _time(until, "until", at=time.max)
    if first is not None and last is not None and first > last:
        raise InvalidInput(f"since ({since}) is later than until ({until})", hint="the earlier time is since")
    return Filters(
        role=role,  # type: ignore[arg-type]  # one of them, see above
        since=first,
        until=last,
        tool=None if tool is None else str(tool),
        tags=tuple(tags or ()),
    )


def _time(given: date | str | None, name: str, *, at: time = time.min) -> datetime | None:
    """A time as a search takes it, local where it has no zone; of what names a day alone that moment of it, ``at``."""
    if given is None:
        return None
    if isinstance(given, str):
        text = given
        try:
            try:
                given = date.fromisoformat(text)
            except ValueError:
                given = datetime.fromisoformat(text)
        except ValueError as error:
            raise InvalidInput(f"{name} is not a time: {text!r}", hint="2026-11-22 or 2026-11-22T10:00:00Z") from error
    if isinstance(given, date) and not isinstance(given, datetime):
        given = datetime.combine(given, at)
    if not isinstance(given, datetime):
        raise InvalidInput(f"{name} is a datetime, a date or ISO text, not {type(given).__name__}")
    if given.tzinfo is not None:
        return given
    try:
        return given.astimezone()
    except (ValueError, OverflowError, OSError):  # at the ends of the calendar there is no other zone
        return given.replace(tzinfo=UTC)


def span_of(days: Days) -> Span | None:
    """The span of time of the days that a question names; None where it names none, or only so many hours ago."""
    try:
        times = checked_filters(since=days.since, until=days.until)
    except InvalidInput:
        return None
    return None if times.since is None and times.until is None else (times.since, times.until)
