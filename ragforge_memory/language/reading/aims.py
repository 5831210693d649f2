"""What a question is out for, beside its form: a reason, a decision, what is left to do, what a change would meet."""

from __future__ import annotations

import re

from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.questions import AND_STILL, HOW
from ragforge_memory.language.reading.talk_patterns import PARTS

_WHY = re.compile(r"^\W*why\b", re.I)
_DECIDED = re.compile(
    r"\b(?:deci\w+|agree\w*|conclu\w+|settled?|chosen?|choose|noted?|notes|to-?dos?"
    r"|rules?|polic(?:y|ies)|conventions?|guidelines?|constraints?)\b",
    re.I,
)
_STILL = re.compile(
    r"^(?:(?:is|are|does|do)\b.*\bstill\b|(?:has|have|did) (?!(?:we|i|you)\b).*\b(?:change|edit|modif|drift))"
    rf"|{AND_STILL}|^(?:what|which code|which of it)(?: (?:has|have|is|are|was|were))? (?:drifted|orphaned)\b",
    re.I,
)
_TO_DO = re.compile(
    r"\bto-?dos?\b|^\W*what(?:['’]s| is) left(?: now| here)?\W*$|\bstill open\b|\bopen (?:tasks?|items?)\b"
    r"|\b(?:left|remains?|still|have|need|is|what['’]s) to (?:be )?do(?:ne)?\b",
    re.I,
)
_WHETHER = re.compile(r"^\W*(?:is|are)\b", re.I)
# "What should I know before I change X", "what would break if we rename X".
_CHANGING = re.compile(
    r"\b(?:before|when|while|if|for) (?:(?:i|we|you|one|someone) )?"
    r"(?:chang|edit|touch|modif|refactor|rewrit|remov|renam|delet|mov|replac)(?:e|es|s|y|ying|ing)?\b",
    re.I,
)
_OVER = re.compile(
    rf"\b(?:{PARTS['over'].format(holds=PARTS['holds'])}|{PARTS['lost']}|(?:no longer|not) (?:there|exists?))", re.I
)

# Whether something is so, and what is done in the project, may have been decided, whatever code has such names.
_MAY_BE_RULED = re.compile(
    r"^\W*(?:(?:do|does|did|is|are|was|were|should|shall|can|could|may|must|has|have|had|will|would)(?:n['’]t)? "
    r"|(?:which|what|where|when|how|why)\b.*\b(?:do|did|are|should|can|will|must) (?:we|i)\b"
    r"|when (?:do|does|will|did|is|are)\b|what (?:must|should|may|can|shall)\b"
    # A value may have been settled.
    r"|(?:what(?:['’]s| is| are)|tell me|show me) (?:the |our |its )?"
    r"(?:defaults?(?: values?)?|values?|limits?|maximum|minimum) (?:of|for)\b)",
    re.I,
)
_RULED = ("where", "what", "show", "search", "deprecated", "commands", "dependencies")


def asks_why(question: Question) -> bool:
    """Whether a reason is asked for: what the user has said of it comes before what the code says."""
    return bool(_WHY.match(question.text)) and question.form in ("said", "search", "what", "where", "show")


def asks_for_decisions(question: Question) -> bool:
    """Whether it is asked what was decided, whatever it was about."""
    return not question.target.text and (asks_decided(question) or asks_still(question))


def asks_decided(question: Question) -> bool:
    """Whether it is asked for what was decided or noted, and not for all that was said."""
    return question.form == "said" and (bool(_DECIDED.search(question.text)) or asks_to_do(question))


def asks_to_do(question: Question) -> bool:
    """Whether it is asked what is left to do."""
    return bool(_TO_DO.search(question.text))


def asks_still(question: Question) -> bool:
    """Whether it is asked if what was said still holds, or if its code has changed."""
    return question.form == "said" and bool(_STILL.search(question.text))


def asks_outdated(question: Question) -> bool:
    """Whether only those decisions are asked for that may no longer hold."""
    return asks_for_decisions(question) and bool(_OVER.search(question.text))


def asks_how(question: Question) -> bool:
    """Whether words are searched for that say how something is done: the code of it is the answer."""
    return question.form == "search" and bool(HOW.match(question.text))


def asks_whether(question: Question) -> bool:
    """Whether it is asked if a definition is declared so: ``is Router.app async?``"""
    return question.form == "what" and bool(question.modifier) and bool(_WHETHER.match(question.text))


def asks_before_changing(question: Question) -> bool:
    """Whether it is asked what a change of some code would meet."""
    code = question.target.kind in ("name", "file") and question.form in ("what", "uses", "imports", "outline")
    return code and bool(_CHANGING.search(question.text))


def may_be_ruled(question: Question) -> bool:
    """Whether what is asked may have been decided, whatever code has such names."""
    return question.form in _RULED and bool(_MAY_BE_RULED.match(question.text))
