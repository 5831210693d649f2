"""What a sentence may say of something it does not name: a quantity, or one name; and what only approves."""

from __future__ import annotations

import re

_NUMBER = (
    r"(?:[$€£~<>=+-]*\d[\w.,:/%-]*"
    r"|(?:zero|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|sixty|a hundred|a thousand)\b)"
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
# "No, 3 failed", "no, the 2nd one": no unit.
_UNIT = r"(?:%|(?!(?:ones?|is|are|was|were|of|and|or|more|times?(?= the))\b|\w+ed\b)[a-z]+/?[a-z]*)"
QUANTITY = (
    rf"(?:(?:at (?:most|least)|up to|about|around|every|(?:more|less) than) )*{_NUMBER}(?: {_UNIT})?"
    r"(?: (?:per|an?|each|every) [a-z]+)?"
    rf"|(?:{_MONTH} \d{{1,2}}|\d{{1,2}} {_MONTH})(?:st|nd|rd|th)?(?:,? \d{{4}})?"
    r"|unlimited|never|always|none|once|twice|hourly|daily|weekly|monthly"
)
"""A number with or without a unit, a date, or a word that says how much or how often."""

WHEN = (
    rf"(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|noon\b|midnight\b|{_MONTH} \d"
    rf"|\d{{1,2}}(?::\d\d|(?:st|nd|rd|th)? {_MONTH}\b| ?[ap]m\b))"
)
"""A day or a time of the day."""

# "No, ask Bob" and "no, Bob does that" are no names. What begins a sentence is written like one.
_NAME = r"(?-i:`[\w.-]+`|(?!(?:I|Stop|Wait|Go|Ok|OK|Yes|No|Sorry|Never|Maybe|Nothing|God)\b)[A-Z][\w.-]*)"
_BEFORE = (
    r"(?:(?:(?:only|just|rather|better) )?(?:(?:on|in|at|to|by|with|for|from|until|till|before|after|under|via|into)"
    r" )?(?:(?:the|an?) )?)"
)
_BEHIND = r"(?: (?:instead|now|only|please|then|though|max|each))?[.! ]*"
BARE_VALUE = re.compile(rf"{_BEFORE}(?P<value>(?P<quantity>{QUANTITY})|{_NAME}(?: \d[\w.]*)?){_BEHIND}", re.I)
"""A value that stands alone: a quantity, or one name with no more than an article and a preposition before it."""

APPROVES = (
    r"(?:not (?:an? )?(?:bad|problem|issue)|(?:(?:all|just|still|really|very|pretty|quite|totally|already) )*(?:an? )?"
    r"(?:fine|good|ok(?:ay)?|great|perfect|right|correct|true|nice|cool|enough|clear|helpful|alright|all|it)"
    r"(?: (?:one|idea|point|plan))?)\b"
)
"""What is said of what is well as it is."""

SAYS = re.compile(
    r"(?P<subject>[^,;:]*?)(?:\b|(?<=['’]))(?P<verb>s|re|is|are|was|were|stays?|remains?|becomes?|should|must|shall|will"
    r"|has|have|may|can|needs?|uses?)\b (?P<what>.+)",
    re.I,
)
"""A sentence as what it is about, its verb, and what it says of that."""

REPORTS = re.compile(
    r"(?:(?!(?:never|always|must|should|shall|may|will|if|when|that|which|not|no|on)\b)\S+ ){1,6}?"
    r"(?:ha(?:s|ve|d) (?:(?:an?|some|several|many|more|other|still) )*(?:\w+ )?"
    r"(?:bugs?|errors?|problems?|issues?|leaks?|regressions?|typos?)\b"
    r"|(?:is|are|was|were) (?:(?:still|again|also|now) )*(?:broken|buggy|flaky|failing|crashing|hanging|leaking|stuck"
    r"|on (?:holiday|leave|vacation)|away|sick)\b"
    r"|(?:(?:still|again|also|now|sometimes) )*(?:fail|crash(?:e)?|hang|leak|break)s\b)",
    re.I,
)
"""What says that something does not work as it should, or somebody is away; what was said of it holds all the same."""
