"""Where one sentence asks several things, and where it is only "why?"."""

from __future__ import annotations

import re
from collections.abc import Callable

COMPOUND = re.compile(
    r"[,;]? and(?: (?:also|then))? (?=(?:who|what|where|which|how|show|list|find|explain|describe)\b)", re.I
)
"""Where one sentence asks two things."""

# "Where is it used and is it tested?"; "... and is it still so?" asks no second thing.
_AND_IS_IT = re.compile(
    r"[,;]? and(?: also)? (?=(?:is|are|was|were|does|do|did|has|have|can) "
    r"(?:it|this|that|they|these|those) (?!still\b))",
    re.I,
)

ONLY_WHY = re.compile(
    r"(?:(?:but|and|so|ok(?:ay)?),? )?(?:how come"
    r"|why(?: (?:so|though|(?:is|was) (?:that|this|it)(?: (?:so|like (?:that|this)))?))?)\W*$",
    re.I,
)
"""What asks for the reason of what was just told."""


def parts_of(sentence: str, is_understood: Callable[[str], bool]) -> list[str]:
    """The questions that one sentence asks; ``is_understood`` tells which text is one by itself."""
    parts: list[str] = []
    for each in COMPOUND.split(sentence, maxsplit=2):
        first, *more = _AND_IS_IT.split(each, maxsplit=1)
        # What is no question that is understood belongs to what stands before it.
        parts += [first, *more] if more and all(is_understood(one) for one in (first, *more)) else [each]
    return parts
