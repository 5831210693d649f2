"""Which sentence of what a user said is a note: it decides, rules or tells something, and asks nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from ragforge_memory.language.reading.prose import prose, sentences
from ragforge_memory.language.reading.questions import MAX_QUESTION
from ragforge_memory.language.reading.small_talk import (
    DEED,
    DONE,
    GREETING,
    MARKED,
    NOTED,
    PLAIN,
    PRINTED,
    SET,
    THANKS,
    UNDECIDED,
    WHO,
)

MAX_STATED = 2_000
"""Characters of a message that is looked at: longer ones are pasted, and told by their own cues."""


def noted_in(text: str) -> str | None:
    """The first sentence of a user's message that is noted, all of one that says so itself; None where none is."""
    if len(text) > MAX_STATED:
        return None
    if MARKED.match(text.strip()):
        return " ".join(text.split())
    said = [each for each in _sentences(PRINTED.sub("", text)) if not (GREETING.match(each) or THANKS.match(each))]
    if ruled := next((each for each in said if _is_noted(each, (NOTED, SET))), None):
        return ruled
    # How things are is a note where it is all that is said; beside something else it explains.
    return said[0] if said and all(_is_noted(each, (PLAIN, WHO)) for each in said) else None


def tells_a_deed(text: str) -> bool:
    """Whether a user's message says what somebody has done: it may close what was to be done, and is no note itself."""
    return len(text) <= MAX_QUESTION and any(DEED.match(each) or DONE.match(each) for each in _sentences(text))


@lru_cache(maxsize=1)
def _sentences(text: str) -> tuple[str, ...]:
    """The sentences of a message; the last one's are kept, since both questions are asked of it."""
    return tuple([each.strip() for each in sentences(prose(text))])


def _is_noted(sentence: str, forms: Sequence[re.Pattern[str]]) -> bool:
    return (
        len(sentence) <= MAX_QUESTION
        and any(form.match(sentence) for form in forms)
        and UNDECIDED.search(sentence) is None
    )
