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
_SOME = {"a couple of": 2, "couple of": 2, "a few": 4, "few": 4, "several": 4}
_MANY = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)}|{'|'.join(_SOME)})"
# "In may" is a month where the sentence ends or goes on about its subject.
_BARE_MONTH = rf"(?:(?!may\b){_MONTH}|may(?= (?:about|on|for|regarding|with)\b| ?[?.!,]*$))"
_PART = r"(?:(?:the )?(?:end|beginning|start|middle) of |early |late |mid[- ])?"

DAYS = (
    r"(?:(?:on|since|from|before|until|up to|after|in|during|over) )?(?:the )?(?:"
    r"day before yesterday|yesterday(?: (?:morning|afternoon|evening|night))?|today|last night|tonight"
    r"|this (?:morning|afternoon|evening)"
    r"|(?:last|this|past|previous) (?:week|month|year|weekend)"
    rf"|(?:last|past) {_MANY} (?:minutes?|hours?|days?|weeks?)|(?:last|past) hour"
    rf"|(?:an?|{_MANY}) (?:minutes?|hours?|days?|weeks?) ago"
    rf"|\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}\.\d{{1,2}}\.\d{{4}})\b(?!['’])"
    rf"|(?:(?:on|since|from|before|until|up to|after) (?:(?:last|this) )?|(?:last|this) )(?:{'|'.join(_WEEKDAYS)})\b"
    rf"|(?:on|since|from|before|until|up to|after) (?:the )?(?:{_MONTH} \d{{1,2}}{_TH}"
    rf"|\d{{1,2}}{_TH} (?:of )?{_MONTH})\b(?:,? \d{{4}}\b)?"
    r"|(?:on|at|over|during|since|before|after) (?:the )?weekend\b"
    rf"|(?:(?:in|at|by|since|from|before|until|up to|after|during) {_PART}|last )"
    rf"(?:{_MONTH},? \d{{4}}|{_BARE_MONTH}|(?:19|20)\d{{2}}|q[1-4](?: \d{{4}})?)\b(?!['’-])"
)
"""A regular expression for words that mean days."""

# Not the names `today` and `yesterday`, date.today, today.py, report-today.
_DAYS = re.compile(rf"(?<![\w`.\-/])(?:{DAYS})(?![\w`(_/]|[.\-]\w)", re.I)
_DAY = rf"(?:\d{{4}}-\d{{2}}-\d{{2}}|(?:last |this )?(?:{'|'.join(_WEEKDAYS)})|yesterday|today)"
_RANGE = re.compile(
    rf"\b(?:(?:from|between|since|on) )?({_DAY}) (?:to|and|until|till|through) ({_DAY})\b(?!['’`(_/-])", re.I
)
_TODAY = re.compile(r"^Today's date: (\d{4}-\d{2}-\d{2})$", re.M)
# "The last hour", "two hours ago": the tools know what time it is.
_TIME = re.compile(
    rf"\b(?:(?:last|past) (?:({_MANY}) )?|({_MANY}|an?) )"
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


def days_named(text: str, today: date) -> tuple[date, date] | None:
    """The first and the last day that words alone mean, such as ``yesterday``, ``last week``, ``monday``; None where
    they mean none, or a time of a day."""
    words = text.strip()
    for said in (words, f"on {words}", f"in {words}"):
        found = _DAYS.fullmatch(said)
        if found and not _BOUND.match(words) and not _TIME.search(said):
            try:
                return _meant(said.lower(), today)
            except (ValueError, OverflowError):
                return None  # the 31st of June
    return None


def _meant(words: str, today: date) -> tuple[date, date]:
    """The first and the last of the days that words mean."""
    day = timedelta(days=1)
    if dotted := re.search(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", words):
        return _twice(date(int(dotted[3]), int(dotted[2]), int(dotted[1])))
    iso = re.search(r"\d{4}-\d{2}-\d{2}", words)
    if iso:
        return _twice(date.fromisoformat(iso[0]))
    if words.endswith("last night"):
        return today - day, today
    if "yesterday" in words:
        return _twice(today - (2 if "day before" in words else 1) * day)
    several = re.search(rf"\b({_MANY}|an?) (day|week)s?\b", words)
    if several:
        then = today - _number(several[1]) * (day if several[2] == "day" else 7 * day)
        # "A few days ago" is no certain day.
        certain = words.endswith("ago") and not several[1].endswith(("few", "several"))
        return _twice(then) if certain else (then, today)
    monday = today - today.weekday() * day
    if words.endswith("weekend"):
        # On a Saturday or Sunday "last weekend" is the one before.
        saturday = monday + 5 * day if today.weekday() > 4 and "last" not in words else monday - 2 * day
        return saturday, min(saturday + day, today)
    if "week" in words:
        if "past" in words:
            return today - 7 * day, today
        return (monday, today) if "this" in words else (monday - 7 * day, monday - day)
    if words.endswith("month"):
        begin = today.replace(day=1)
        if "this" in words:
            return begin, today
        return ((begin - day).replace(day=1), begin - day) if "past" not in words else (today - 30 * day, today)
    if words.endswith("year"):
        if "past" in words:
            return today - 365 * day, today
        return _months(today.year, 1, 12, today) if "this" in words else _months(today.year - 1, 1, 12, today)
    for number, name in enumerate(_WEEKDAYS):
        if words.endswith(name):
            # What was is asked for: of today's own name the one a week ago.
            return _twice(today - ((today.weekday() - number - 1) % 7 + 1) * day)
    dated = re.search(rf"({_MONTH}) (\d{{1,2}})(?!\d)|(\d{{1,2}}){_TH} (?:of )?({_MONTH})", words)
    if dated:
        month = 1 + _MONTHS.index((dated[1] or dated[4])[:3])
        year = re.search(r"\d{4}", words)
        then = date(int(year[0]) if year else today.year, month, int(dated[2] or dated[3]))
        return _twice(then if year or then <= today else then.replace(year=today.year - 1))
    year = re.search(r"\b\d{4}\b", words)
    if named := re.search(rf"\b(?:{_MONTH}|q([1-4]))\b", words):
        first = 3 * int(named[1]) - 2 if named[1] else 1 + _MONTHS.index(named[0][:3])
        # Without a year the last one that has begun; "last November", said in November, is the one a year ago.
        ago = first > today.month or (first == today.month and "last " in words)
        return _months(int(year[0]) if year else today.year - ago, first, first + 2 if named[1] else first, today)
    return _months(int(year[0]), 1, 12, today) if year else _twice(today)


def _months(year: int, first: int, last: int, today: date) -> tuple[date, date]:
    """From the begin of one month to the end of another; not beyond today, where they have begun."""
    begin, beyond = date(year, first, 1), date(year + last // 12, last % 12 + 1, 1)
    end = beyond - timedelta(days=1)
    return begin, min(end, today) if begin <= today else end


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    if word.lower() in _SOME:
        return _SOME[word.lower()]
    return 1 if word.lower() in ("a", "an") else 1 + _NUMBERS.index(word.lower())


def _twice(then: date) -> tuple[date, date]:
    return then, then
