"""Which days a question is about: "yesterday", "last week", "on Monday", "since 2026-11-20"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from ragforge_memory.models.text import counted

_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)"
)
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven")
_TH = r"(?:st|nd|rd|th)?"

DAYS = (
    r"(?:(?:on|since|from|before|until|up to|after|in|during|over) )?(?:the )?(?:"
    r"day before yesterday|yesterday(?: (?:morning|afternoon|evening|night))?|today|last night|tonight"
    r"|this (?:morning|afternoon|evening)"
    r"|(?:last|this|past|previous) (?:week|month)"
    rf"|(?:last|past) (?:\d{{1,3}}|{'|'.join(_NUMBERS)}) (?:minutes?|hours?|days?|weeks?)|(?:last|past) hour"
    rf"|(?:\d{{1,3}}|an?|{'|'.join(_NUMBERS)}) (?:minutes?|hours?|days?|weeks?) ago|\d{{4}}-\d{{2}}-\d{{2}})\b(?!['’])"
    rf"|(?:(?:on|since|from|before|until|up to|after) (?:(?:last|this) )?|(?:last|this) )(?:{'|'.join(_WEEKDAYS)})\b"
    rf"|(?:on|since|from|before|until|up to|after) (?:the )?(?:{_MONTH} \d{{1,2}}{_TH}"
    rf"|\d{{1,2}}{_TH} (?:of )?{_MONTH})\b(?:,? \d{{4}}\b)?"
)
"""A regular expression for words that mean days."""

# Not the names `today` and `yesterday`, date.today, today.py, report-today.
_DAYS = re.compile(rf"(?<![\w`.\-/])(?:{DAYS})(?![`(_/]|[.\-]\w)", re.I)
_DAY = rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|(?:last |this )?(?:{'|'.join(_WEEKDAYS)})|yesterday|today)"
_RANGE = re.compile(
    rf"\b(?:(?:from|between|since|on) )?({_DAY}) (?:to|and|until|till|through) ({_DAY})\b(?!['’`(_/-])", re.I
)
_TODAY = re.compile(r"^Today's date: (\d{4}-\d{2}-\d{2})$", re.M)
# "The last hour", "two hours ago": the tools know what time it is.
_TIME = re.compile(
    rf"\b(?:(?:last|past) (?:(\d{{1,3}}|{'|'.join(_NUMBERS)}) )?|(\d{{1,3}}|an?|{'|'.join(_NUMBERS)}) )"
    r"(minute|hour)s?\b(?: (ago))?",
    re.I,
)
_BOUND = re.compile(r"(?:since|from|before|until|up to|after) ", re.I)
# "Has X changed since Monday" is about the code: whatever was said of it at any time tells.
_OF_CODE = re.compile(r"^(?:has|have|did) (?!(?:we|i|you|anyone)\b)", re.I)


@dataclass(frozen=True, slots=True)
class Days:
    """The first and the last day, as ISO dates; ``''``: no matter. ``since`` may be ``2h`` or ``30m``: so long ago."""

    since: str = ""
    until: str = ""

    @property
    def just_now(self) -> bool:
        """Whether it is about the last hours or minutes."""
        return self.since.endswith(("h", "m"))

    @property
    def arguments(self) -> tuple[tuple[str, Any], ...]:
        """As the tools take them."""
        return tuple((name, day) for name, day in (("since", self.since), ("until", self.until)) if day)

    @property
    def said(self) -> str:
        """In words, with a space ahead: `` on 2026-11-20``; ``''`` for any days."""
        if self.just_now:
            unit = "hour" if self.since.endswith("h") else "minute"
            return f" in the last {counted(int(self.since[:-1]), unit).removeprefix('1 ')}"
        if self.since == self.until:
            return f" on {self.since}" if self.since else ""
        if not (self.since and self.until):
            return f" since {self.since}" if self.since else f" until {self.until}"
        return f" from {self.since} to {self.until}"


ANY_DAYS = Days()


def without_days(text: str) -> str:
    """A text with blanks for the words that mean days: every other word stays where it is."""
    for days in (_RANGE, _DAYS):
        text = days.sub(lambda match: " " * len(match[0]), text)
    return text


def days_asked(text: str, system: str) -> Days:
    """The days that a question is about.

    Args:
        text: the question.
        system: the system prompt, which has today's date; without one no day is known.
    """
    range_, found, today = _RANGE.search(text), _DAYS.search(text), _TODAY.search(system)
    if (range_ or found) is None or today is None or _OF_CODE.match(text):
        return ANY_DAYS
    now = date.fromisoformat(today[1])
    if found and (time := _TIME.search(found[0])):
        # What was said an hour ago was said in the last two.
        number = _number(time[1] or time[2] or "one") + (1 if time[4] else 0)
        return Days(since=f"{number}{time[3][0].lower()}")
    try:
        if range_:
            first, last = (_meant(each.lower(), now)[0] for each in range_.groups())
            # "From Friday to Tuesday", said on a Wednesday before the next Friday.
            first -= timedelta(days=7) if first > last and not range_[1][0].isdigit() else timedelta()
            return Days(first.isoformat(), last.isoformat()) if first <= last else ANY_DAYS
        assert found is not None
        first, last = _meant(found[0].lower(), now)
    except (ValueError, OverflowError):
        return ANY_DAYS  # the 31st of June
    bound = _BOUND.match(found[0])
    day = timedelta(days=1)
    match bound[0].strip().lower() if bound else "":
        case "since" | "from":
            return Days(since=first.isoformat())
        case "after":
            return Days(since=(last + day).isoformat())
        case "before":
            return Days(until=(first - day).isoformat())
        case "until" | "up to":
            return Days(until=last.isoformat())
        case _:
            return Days(first.isoformat(), last.isoformat())


def _meant(words: str, today: date) -> tuple[date, date]:
    """The first and the last of the days that words mean."""
    day = timedelta(days=1)
    iso = re.search(r"\d{4}-\d{2}-\d{2}", words)
    if iso:
        return _twice(date.fromisoformat(iso[0]))
    if words.endswith("last night"):
        return today - day, today
    if "yesterday" in words:
        return _twice(today - (2 if "day before" in words else 1) * day)
    several = re.search(rf"\b(\d+|an?|{'|'.join(_NUMBERS)}) (day|week)", words)
    if several:
        then = today - _number(several[1]) * (day if several[2] == "day" else 7 * day)
        return _twice(then) if words.endswith("ago") else (then, today)
    monday = today - today.weekday() * day
    if "week" in words:
        if "past" in words:
            return today - 7 * day, today
        return (monday, today) if "this" in words else (monday - 7 * day, monday - day)
    if words.endswith("month"):
        begin = today.replace(day=1)
        if "this" in words:
            return begin, today
        return ((begin - day).replace(day=1), begin - day) if "past" not in words else (today - 30 * day, today)
    for number, name in enumerate(_WEEKDAYS):
        if words.endswith(name):
            # What was is asked for: of today's own name the one a week ago.
            return _twice(today - ((today.weekday() - number - 1) % 7 + 1) * day)
    dated = re.search(rf"({_MONTH}) (\d{{1,2}})|(\d{{1,2}}){_TH} (?:of )?({_MONTH})", words)
    if dated:
        month = 1 + _MONTHS.index((dated[1] or dated[4])[:3])
        year = re.search(r"\d{4}", words)
        then = date(int(year[0]) if year else today.year, month, int(dated[2] or dated[3]))
        return _twice(then if year or then <= today else then.replace(year=today.year - 1))
    return _twice(today)


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    return 1 if word.lower() in ("a", "an") else 1 + _NUMBERS.index(word.lower())


def _twice(then: date) -> tuple[date, date]:
    return then, then
