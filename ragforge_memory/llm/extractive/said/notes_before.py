"""Which notes a statement without a subject of its own may be about: those that the last answer was about, or the last
one of the conversation that it corrects."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragforge_memory.language.said.bare_corrections import changes_mind, corrects, read_acknowledged, took_back
from ragforge_memory.language.said.openings import NOTED
from ragforge_memory.llm.port import ChatMessage

_QUOTED_NOTE = re.compile(r"^- You, .*, message \w+:\n {2}> (?P<note>.+)", re.M)


def noted_before(earlier: Sequence[ChatMessage], *, quoted: bool = True) -> tuple[str, ...]:
    """The notes that the last answer was about: the one that it acknowledged, or those that it quoted.

    Args:
        earlier: the messages before, oldest first.
        quoted: whether those that it only quoted count.
    """
    at = max((n for n, each in enumerate(earlier) if each.role == "assistant" and each.content.strip()), default=-1)
    if at < 0:
        return ()
    answer = earlier[at].content
    if not answer.startswith(NOTED):
        return tuple(dict.fromkeys(match["note"] for match in _QUOTED_NOTE.finditer(answer))) if quoted else ()
    if took_back(answer):
        return ()
    corrected = read_acknowledged(answer)
    told = corrected[0][1] if corrected else next((x.content for x in reversed(earlier[:at]) if x.role == "user"), "")
    return (told,) if told.strip() else ()


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
