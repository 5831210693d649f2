"""The explicit forms in which a user says what a message is: a note, a decision, a rule, something to do.

This table is the only place that recognises them, for every provider alike. What is a decision without saying so is
left to a model.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ragforge_memory.text.sentences import FENCED

Kind = Literal["note", "decision", "rule", "todo"]
"""What a message is; most are none of these."""

How = Literal["corrects", "retracts", "done"]
"""What a message does to an earlier one: it says otherwise, takes it back, or says that it is done."""

LONGEST_TEXT = 2_000
"""Characters that are shown of what a message states."""

_POLITE = r"(?:(?:please|and|so|ok(?:ay)?|also|then),?\s+)*"
_LABEL = rf"\s*(?:[-*#]+\s*)?(?:\*\*)?{_POLITE}{{}}\s*[:：](?:\*\*)?\s*(?P<text>\S.*)"
_ORDER = r"\s*{}[\s:]*(?P<text>\S.*)"
_SPOKEN = rf"{_POLITE}{{}}\s+(?P<text>\S.*)"


@dataclass(frozen=True, slots=True)
class Form:
    """What a message says of itself.

    Args:
        statement: the message, or the sentence of it, that has the form, as it was said.
        text: what is noted, decided, to be done, or said against an earlier message, without the label.
        kind: what the message is; None where it takes the kind of what it corrects, or has none.
        how: what it does to an earlier message; None: nothing.
        command: whether the message is nothing but the order to remember or to forget that: no model is asked then.
    """

    statement: str
    text: str
    kind: Kind | None = None
    how: How | None = None
    command: bool = False


# A label opens a message; what is spoken opens a sentence. At most twelve rows.
_LABELS: tuple[tuple[str, Kind | None, How | None], ...] = (
    ("(?:note|remember|save to memory)", "note", None),
    ("decision", "decision", None),
    ("rule", "rule", None),
    ("to-?do", "todo", None),
    ("(?:update|correction)", None, "corrects"),
    ("forget", None, "retracts"),
    ("done", None, "done"),
)
_SENTENCES: tuple[tuple[str, Kind], ...] = (
    (r"(?:remember|note|keep\s+in\s+mind)\s+that", "note"),
    (r"we(?:['’]ve|\s+have)?\s+decided(?=\s+(?:to|that|against|on)\b)", "decision"),
)
_ORDERS: tuple[tuple[str, Kind | None, How | None], ...] = (
    (r"/remember\b", "note", None),
    (r"/forget\b", None, "retracts"),
)
_BY_LABEL = tuple((re.compile(_LABEL.format(word), re.I | re.S), kind, how) for word, kind, how in _LABELS)
_BY_ORDER = tuple((re.compile(_ORDER.format(word), re.I | re.S), kind, how) for word, kind, how in _ORDERS)
_ORDERING = re.compile(rf"{_POLITE}save to memory", re.I)
_BY_SENTENCE = tuple((re.compile(_SPOKEN.format(words), re.I | re.S), kind) for words, kind in _SENTENCES)
_SENTENCE = re.compile(r"[^\n.!?]+(?:[.!?]+(?!\s|$)[^\n.!?]+)*[.!?]*")
# Longer messages are pasted; a sentence in them is somebody else's.
_MOST_SPOKEN = 2_000


@lru_cache(maxsize=16)  # a turn asks it of its question in three places
def read_form(text: str) -> Form | None:
    """The form of a user's message; None where it has none. A question states nothing."""
    for pattern, kind, how in _BY_ORDER:
        if found := pattern.match(text):
            return Form(found["text"].strip(), found["text"].strip(), kind, how, command=True)
    for pattern, kind, how in _BY_LABEL:
        if found := pattern.match(text):
            command = _ORDERING.match(text.strip()) is not None
            return Form(text.strip(), found["text"].strip(), kind, how, command)
    if len(text) > _MOST_SPOKEN:
        return None
    for sentence in _sentences(text):
        for spoken, kind in _BY_SENTENCE:
            if found := spoken.match(sentence):
                command = kind == "note" and sentence == text.strip(" \t\n*-")
                return Form(sentence, found["text"].strip(), kind, command=command)
    return None


def stated(text: str) -> str:
    """What a message of a kind states, on one line, as it was said; of one without a form its beginning."""
    form = read_form(text)
    line = " ".join((form.statement if form else text).split())
    return line if len(line) <= LONGEST_TEXT else f"{line[: LONGEST_TEXT - 1].rstrip()}…"


def is_question(text: str) -> bool:
    """Whether a message ends as a question does."""
    return text.rstrip().endswith(("?", "？"))


def _sentences(text: str) -> Iterator[str]:
    """The sentences of a message that do not ask, without those of code and of quotations."""
    for line in FENCED.sub("\n", text).splitlines():
        if line.lstrip().startswith((">", "|")):
            continue
        for found in _SENTENCE.finditer(line):
            sentence = found[0].strip(" \t*-")
            if sentence and not is_question(sentence) and not _is_quoted(line[: found.start()]):
                yield sentence


def _is_quoted(before: str) -> bool:
    """Whether quotation marks or code are open behind this part of a line."""
    opened = any(before.count(mark) % 2 for mark in '"`')
    return opened or any(before.count(begin) > before.count(end) for begin, end in ("“”", "«»"))
