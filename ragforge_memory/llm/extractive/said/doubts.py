"""Questions about what was said last, by words of their own: "is that true?", "are you sure?", "who decided that?"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.small_talk import SMALL_TALK
from ragforge_memory.language.reading.talk_patterns import PARTS
from ragforge_memory.language.reading.targets import Target
from ragforge_memory.llm.extractive.said.history import told_all, topic_of
from ragforge_memory.llm.port import ChatMessage

_AHEAD = r"\W*(?:(?:and|but|so|hm+|wait|ok(?:ay)?)[, ]+)*"
_THAT = r"(?:that|this|it)"
_DOUBTS = re.compile(
    rf"{_AHEAD}(?:really|(?:are )?you(?: really)? sure(?: (?:about|of) {_THAT})?"
    rf"|(?:is|does) {_THAT} (?:(?:really|actually|even|still) )*{PARTS['holds']}(?: (?:today|now|any ?more))?)\W*\?\W*",
    re.I,
)
_WHOSE = re.compile(
    rf"{_AHEAD}(?:who|when|where) (?:(?:was|is|did|has|have) )?(?:(?:we|i|you|{_THAT}) )?(?:decided?|said?|say|noted?"
    rf"|wrote|write|agreed?(?: (?:on|to))?|settled?|chose|choose|told you) ?(?:{_THAT}|so)?\W*",
    re.I,
)
_WROTE = re.compile(r"\b(?:wrote|write)\b", re.I)
_STILL = "is that still true?"


def doubted(text: str, before: Sequence[str], earlier: Sequence[ChatMessage]) -> tuple[Question, ...] | None:
    """What a question about the last answer asks for; None where it is no such question, none where nothing was told.

    What was said is told again, by whom and whether it holds; what the code was asked for is looked up once more.

    Args:
        text: the question.
        before: the user's earlier messages, oldest first.
        earlier: all earlier messages.
    """
    doubts, whose = _DOUBTS.fullmatch(text), _WHOSE.fullmatch(text)
    if not doubts and not whose:
        return None
    asked = _STILL if doubts else text
    if topic := topic_of(earlier):
        return (Question("said", Target("words", topic), asked),)
    if told_all(earlier):
        return (Question("said", Target("nothing", ""), asked),)
    if whose and _WROTE.search(text):
        return None  # of code its history tells it
    # Asked twice, it is about what was asked before both.
    at = next((n for n in reversed(range(len(before))) if not _is_doubt(before[n])), -1)
    again = read_questions(before[at], before[:at]) if at >= 0 else ()
    if again and (whose or any(each.form == "said" for each in again)):
        return (Question("said", Target("pronoun", "that"), asked),)
    return tuple(each for each in again if each.form not in SMALL_TALK)


def _is_doubt(text: str) -> bool:
    return bool(_DOUBTS.fullmatch(text) or _WHOSE.fullmatch(text))
