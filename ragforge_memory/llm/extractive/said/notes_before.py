"""Which notes a statement may be about that does not say which: those of the last answer, or of the conversation."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragforge_memory.language.said.bare_corrections import changes_mind, corrects, read_acknowledged, took_back
from ragforge_memory.language.said.openings import NOTED
from ragforge_memory.llm.port import ChatMessage

_QUOTED_NOTE = re.compile(r"^- You, .*, message \w+:\n {2}> (?P<note>.+)", re.M)
# "Never mind" behind a note takes it back, behind an answer it ends the matter.
_PASSING = re.compile(r"(?:please |ok(?:ay)?,? )*(?:never ?mind|forget (?:it|about it))\b", re.I)


def noted_before(earlier: Sequence[ChatMessage], *, quoted: bool = True) -> tuple[str, ...]:
    """The notes that the last answer was about: the one that it acknowledged, or those that it quoted.

    Args:
        earlier: the messages before, oldest first.
        quoted: whether those that it only quoted count.
    """
    answer, note = _last_answer(earlier)
    if not answer.startswith(NOTED):
        return tuple(dict.fromkeys(match["note"] for match in _QUOTED_NOTE.finditer(answer))) if quoted else ()
    if took_back(answer):
        return ()
    corrected = read_acknowledged(answer)
    told = corrected[0][1] if corrected else note
    return (told,) if told.strip() else ()


def last_noted(text: str, earlier: Sequence[ChatMessage]) -> tuple[str, ...]:
    """The notes that "scratch that" may mean: what was noted last, else what the last answer quoted.

    Args:
        text: what is said now.
        earlier: the messages before, oldest first.
    """
    answer, note = _last_answer(earlier)
    if took_back(answer):
        return ()
    if not answer.startswith(NOTED):
        return () if _PASSING.match(text) else noted_before(earlier)
    return (note,) if note else ()


def taken_back(text: str, earlier: Sequence[ChatMessage]) -> str | None:
    """The last note of a conversation that a change of mind corrects, however long ago; None where it corrects none.

    Args:
        text: what is said now.
        earlier: the messages before, oldest first.
    """
    if not changes_mind(text):
        return None
    told: list[str] = []
    said = ""
    for each in earlier:
        if each.role == "user":
            said = each.content
        elif each.role == "assistant" and said and each.content.startswith(NOTED):
            told.append(said)
    return next((note for note in reversed(told) if corrects(text, note)), None)


def _last_answer(earlier: Sequence[ChatMessage]) -> tuple[str, str]:
    """The last answer and what it answered; ``""`` where there is none."""
    at = max((n for n, each in enumerate(earlier) if each.role == "assistant" and each.content.strip()), default=-1)
    if at < 0:
        return "", ""
    return earlier[at].content, next((each.content for each in reversed(earlier[:at]) if each.role == "user"), "")
