"""Messages that only repeat: answers that quote what was said, questions that asked for it, orders to forget it.

They share their words with what they quote, so a search finds them as well as the originals, and more of them each
time somebody asks again. Whoever asks what was said wants the originals.
"""

from __future__ import annotations

import re

from ragforge_memory.language.reading.given_text import split_given
from ragforge_memory.language.reading.prose import prose, sentences
from ragforge_memory.language.reading.questions import MAX_QUESTION, read_question
from ragforge_memory.language.reading.slips import mendings
from ragforge_memory.language.reading.small_talk import TAKEN_BACK
from ragforge_memory.language.said.openings import (
    EVERY_DECISION,
    EVERY_TO_DO,
    NO_DECISION,
    NOTED,
    NOTHING_FOUND,
    OUR_CONVERSATIONS,
    WHAT_WAS_SAID,
    WHAT_YOU_SAID,
)

_REPEATS = re.compile(
    rf"(?:\A|\n\n)(?:{WHAT_WAS_SAID} `|{WHAT_YOU_SAID}, |{OUR_CONVERSATIONS}\b"
    rf"|(?:What (?:{EVERY_DECISION}|{EVERY_TO_DO})[^\n]*:\n- "
    rf"|{NOTHING_FOUND} that (?:{EVERY_DECISION}|{EVERY_TO_DO}) in our conversations)"
    rf"|{NO_DECISION} (?:about `|that you noted\b)|{NOTHING_FOUND} about `[^`\n]*` in our conversations|{NOTED})"
)
_AHEAD = r"^\W*(?:(?:please|and|so|but|hi|hello|hey|ok(?:ay)?),? )*"
# "Remember that we agreed on tabs" states something; these only ask.
_ASKS = re.compile(
    rf"{_AHEAD}(?:what|which|when|where|why|how|who|whom|whose|did|have|had|do|does|was|were|is|are|can|could|will|would"
    r"|should|any|search|look|check|remind|tell me|show|list|find|explain|describe|give me|get|print|read|open|compare"
    r"|summari[sz]e|recap|sum up)\b",
    re.I,
)
# What begins like them and states something all the same: "When it fails, we retry", "Do not call it twice", "What
# matters is that it holds", "Read timeouts are 30 seconds".
_STATES = re.compile(
    rf"{_AHEAD}(?:(?:do|does) not\b|don['’]t\b|have (?:decided|agreed|noted)\b|where (?:possible|needed|necessary)\b"
    r"|(?:when(?:ever)?|where(?:ver)?|how(?:ever)?|what(?:ever)?)\b[^,?]*, "
    r"(?!and\b|or\b|but\b|who|wh(?:at|y|en|ere|ich)\b|how\b|please\b)"
    r"|what\b.*\bis that\b|any\b.*\b(?:must|should|has to|have to|needs?|may|can)\b"
    r"|(?:read|open|print|get|list|search|check|find|compare|look) \w+ (?:are|is|must|should|has|have|take|run)\b)",
    re.I,
)
_QUOTED = re.compile(r"\"[^\"\n]+\"|“[^”\n]+”|`[^`\n]+`|(?<!\w)'[^'\n]+'(?!\w)")
# "Show callers", "callers of X", "its methods": too short to state anything, and understood as questions.
_FRAGMENT = 5
_QUOTES_CODE = re.compile(
    r"^(?:(?:- )?`[^`\n]+` (?:- \S+:\d|\([^\n]+, line \d|contains)|- \S+:\d+ `|- \S+\.\w+: `"
    # A list of files, each alone.
    r"|- (?:[\w.@+-]+/)+[\w.@+-]*\.\w+$)",
    re.M,
)


def only_repeats(role: str, text: str) -> bool:
    """Whether a message says nothing of its own: it quotes other messages, asks what was said, or takes it back.

    Args:
        role: of the message.
        text: all of it.
    """
    if role == "assistant":
        return bool(_REPEATS.search(text))
    asked = sentences(" ".join(text.split())) if role == "user" and len(text) <= MAX_QUESTION else []
    return bool(asked) and all(_is_about_sayings(each) for each in asked)


def only_asks(text: str) -> bool:
    """Whether a user's message states nothing: each of its sentences is a question, or an order to show something. A
    diff or a traceback that came with it is no sentence."""
    return all(map(_only_asks, sentences(prose(split_given(text)[0]))))


def quotes_code(text: str) -> bool:
    """Whether an answer tells where code stands, and quotes it."""
    return _QUOTES_CODE.search(text) is not None


def _only_asks(sentence: str) -> bool:
    if sentence.endswith("?"):
        return True
    # The commas of what is quoted are not the sentence's.
    if _STATES.match(_QUOTED.sub(" ", sentence)):
        return False
    if _ASKS.match(sentence) or TAKEN_BACK.match(sentence):
        return True
    read = read_question(sentence) if len(sentence.split()) <= _FRAGMENT or mendings(sentence) else None
    if read is not None and read.slip:
        return True
    return (
        read is not None
        and len(sentence.split()) <= _FRAGMENT
        and read.form in ("callers", "callees", "uses", "tests", "outline", "subclasses")
    )


def _is_about_sayings(sentence: str) -> bool:
    question = read_question(sentence)
    return question is not None and (
        question.form in ("recap", "taken back") or (question.form == "said" and _only_asks(sentence))
    )
