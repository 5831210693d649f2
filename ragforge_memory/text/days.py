"""The days that a text names: a date, ``2d`` or ``3h`` ago, today, yesterday, a weekday, a month."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import NamedTuple

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_WEEKDAYS = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
# A name of a month or a weekday is one behind such a word alone: "may" and "march" are verbs too.
_BEHIND = r"(?:(?P<{}>since|from|after|before|until|to|till|on|in|last|during|between|and)\s+)"
_TH = "(?:st|nd|rd|th)?"
_DAY = re.compile(
    rf"(?<![\w`./-])(?:{_BEHIND.format('bound')}?(?:the\s+)?(?:last\s+)?(?:(?P<iso>\d{{4}}-\d\d-\d\d)"
    r"|(?P<word>today|yesterday)|(?P<number>\d{1,4})\s?(?P<unit>d|h|m|days?|hours?|minutes?))"
    rf"|{_BEHIND.format('behind')}(?:the\s+)?(?:last\s+)?(?:(?P<ahead>\d{{1,2}}){_TH}\s+(?:of\s+)?)?"
    rf"(?P<named>{_MONTHS}|{_WEEKDAYS})(?:\s+(?P<after>\d{{1,2}}){_TH}(?!\d))?(?:,?\s+(?P<year>20\d\d))?)"
    r"(?:\s+ago)?(?![\w`(/-])",
    re.I,
)


class Days(NamedTuple):
    """The first and the last day that count, as ISO dates; None: any. ``since`` may be so long ago: ``3h``."""

    since: str | None = None
    until: str | None = None


def read_days(text: str, today: date) -> Days:
    """The days that a text is about; of two that it names, all from the first to the last."""
    found = [days for match in _DAY.finditer(text) if (days := _meant(match, today))]
    since, until = ([day for each in found if (day := each[end])] for end in (0, 1))
    return Days(min(since, default=None), max(until, default=None))


def without_days(text: str, today: date) -> str:
    """A text without the words that `read_days` reads."""
    return " ".join(_DAY.sub(lambda match: " " if _meant(match, today) else match[0], text).split())


def _meant(match: re.Match[str], today: date) -> Days | None:
    first = last = today - timedelta((match["word"] or "").lower() == "yesterday")
    name, bound = (match["named"] or "").lower(), (match["bound"] or match["behind"] or "").lower()
    if match["number"]:
        unit = match["unit"][0].lower()
        since = f"{match['number']}{unit}" if unit != "d" else f"{today - timedelta(int(match['number']))}"
        # "A 2d array" is not two days old.
        return Days(since) if bound or match[0].endswith("ago") or match[0] == match.string.strip() else None
    if match["iso"]:
        try:
            first = last = date.fromisoformat(match["iso"])
        except ValueError:
            return None
    elif name in _WEEKDAYS.split("|"):
        first = last = today - timedelta((today.weekday() - _WEEKDAYS.split("|").index(name) - 1) % 7 + 1)
    elif name:
        month = _MONTHS.split("|").index(name) + 1
        first = date(int(match["year"] or today.year - (month > today.month)), month, 1)
        last = (first + timedelta(31)).replace(day=1) - timedelta(1)
        if day := int(match["ahead"] or match["after"] or 0):
            if day > last.day:
                return None
            first = last = first.replace(day=day)
    if bound == "before":
        last = first - timedelta(1)
    before, after = bound in ("until", "till", "before"), bound in ("since", "after", "from")
    return Days(None if before else f"{first}", None if after else f"{last}")
