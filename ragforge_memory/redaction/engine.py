"""The engine that applies the tables: it knows no secret of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial

from ragforge_memory.redaction.judges import NAMED, PARTS
from ragforge_memory.redaction.private_keys import has_frame, private_keys
from ragforge_memory.redaction.table import ASSIGNED, LOGINS, VENDORS, Rule

Found = dict[str, str]
"""What was taken out → its kind."""
PRIVATE_KEY = "private key"
# No vendor's key has fewer characters, and each is in one word.
_SHORTEST = 14
# Fewer characters are no secret and no assignment of one.
_SHORTEST_TEXT = 8
_HINTS = tuple(dict.fromkeys(hint for rule in VENDORS for hint in rule.hints))


def mark(kind: str) -> str:
    """What stands in the place of a secret."""
    return f"[redacted {kind}]"


def without_secrets(text: str, found: Found | None) -> str:
    """``text`` with a mark in the place of every secret that a table tells; what they were is put into ``found``."""
    if len(text) < _SHORTEST_TEXT:
        return text
    if has_frame(text):
        for begin, end in reversed(private_keys(text)):
            if found is not None:
                found[text[begin:end]] = PRIVATE_KEY
            text = f"{text[:begin]}{mark(PRIVATE_KEY)}{text[end:]}"
    # To see that most hints are not there costs less than to go through the text. Most words are too short for a key.
    words = " ".join([word for word in set(text.split()) if len(word) >= _SHORTEST])
    if words:
        hints = {hint for hint in _HINTS if hint in words}
        text = _apply((rule for rule in VENDORS if not hints.isdisjoint(rule.hints)), text, found)
    lowered = text.lower()
    text = _apply((rule for rule in LOGINS if any(hint in lowered for hint in rule.hints)), text, found)
    return _assigned(text, found)


def _assigned(text: str, found: Found | None) -> str:
    small = text.lower()
    if len(small) != len(text):  # a few capitals have small letters of two characters
        small = "".join([letter.lower()[:1] for letter in text])
    done, pieces = 0, []
    for begin, end in sorted({line for part in PARTS for line in _lines_with(part, small)}):
        if NAMED.search(small, begin, end):
            line = text[begin:end]
            rules = (rule for rule in ASSIGNED if any(hint in line for hint in rule.hints))
            pieces += [text[done:begin], _apply(rules, line, found)]
            done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _lines_with(part: str, text: str) -> Iterator[tuple[int, int]]:
    place = text.find(part)
    while place >= 0:
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        yield text.rfind("\n", 0, place) + 1, end
        place = text.find(part, end)


def _apply(rules: Iterable[Rule], text: str, found: Found | None) -> str:
    for rule in rules:
        if rule.within is None:
            text = rule.pattern.sub(partial(_replaced, rule, found), text)
        else:
            text = rule.within.sub(partial(_inside, rule, found), text)
    return text


def _inside(rule: Rule, found: Found | None, place: re.Match[str]) -> str:
    return rule.pattern.sub(partial(_replaced, rule, found), place[0])


def _replaced(rule: Rule, found: Found | None, match: re.Match[str]) -> str:
    if rule.judge is not None and not rule.judge(match):
        return match[0]
    group = "secret" if "secret" in rule.pattern.groupindex else 0
    if found is not None:
        found[match[group]] = rule.kind
    begin, end = (place - match.start() for place in match.span(group))
    return f"{match[0][:begin]}{mark(rule.kind)}{match[0][end:]}"
