"""How much a message matters, and which of its sentences carry that.

By document 2 of the requirements: .5 to begin with, and what each category of keywords adds (`text/categories.toml`); a
tool's failure .8, edits and tests .7. What says that it is a note, a decision, a rule or something to do matters as an
error does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Literal, NamedTuple

from ragforge_memory.models.conversation import Message, ToolCall
from ragforge_memory.models.text import truncated
from ragforge_memory.models.transcript import TranscriptCall
from ragforge_memory.text.categories import Category, categories_in, increments
from ragforge_memory.text.forms import is_question, read_form
from ragforge_memory.text.sentences import SENTENCE_OR_LINE_END

Kind = Literal["decision", "error", "solution", "question", "intent", "result", "next"]
"""What a sentence carries."""

IMPORTANT = 0.8
"""From here on a message is kept in sight."""

LONGEST_SENTENCE = 320
"""Characters that are kept of a sentence."""

_BASE, _TOUCHES_CODE, _FAILURE = 0.5, 0.7, 0.8
_EDITS = re.compile(r"(?:^|_)(?:edit|write|patch|apply|create|replace|insert|delete|rename|move)(?:_|$)", re.I)
_TESTS = re.compile(r"(?:^|_)tests?(?:_|$)", re.I)
# Arguments that say what was edited.
_PLACES = ("file", "path", "file_path", "name", "target")
_MARKS = re.compile(r"^[\s>#*\-•\d.)]+(?=\S)")
_OF_CATEGORY: dict[Category, Kind] = {
    "decision": "decision",
    "solution": "solution",
    "error": "error",
    "preference": "decision",
    "next": "next",
    "intent": "intent",
    "result": "result",
}


def touches_code(tool_calls: Sequence[ToolCall | TranscriptCall]) -> bool:
    """Whether a tool edited something, or failed."""
    return any(not call.success or _EDITS.search(call.tool_name) for call in tool_calls)


def importance_of(
    content: str, tool_calls: Sequence[ToolCall | TranscriptCall] = (), *, role: str = "assistant"
) -> float:
    """How much a message matters, .5 to 1."""
    if role == "user" and read_form(content) is not None:
        return IMPORTANT
    adds = increments()
    importance = _BASE + next((adds[each] for each in categories_in(content) if adds[each]), 0.0)
    if any(not call.success for call in tool_calls):
        importance = max(importance, _FAILURE)
    elif any(_EDITS.search(call.tool_name) or _TESTS.search(call.tool_name) for call in tool_calls):
        importance = max(importance, _TOUCHES_CODE)
    return round(importance, 2)


def key_sentences(content: str) -> list[tuple[Kind, str]]:
    """The sentences of a text that carry something, each with what it carries."""
    found = ((kind_of(sentence), sentence) for sentence in sentences_and_lines(content))
    return [(kind, sentence) for kind, sentence in found if kind is not None]


def kind_of(sentence: str) -> Kind | None:
    """What a sentence carries; None where nothing."""
    if is_question(sentence):
        return "question"
    if read_form(sentence) is not None:
        return "decision"
    found = categories_in(sentence)
    # "Fixed the error" tells how it was mended.
    return next((kind for category, kind in _OF_CATEGORY.items() if category in found), None)


class Sentence(NamedTuple):
    """A sentence or a line of a text, and where it begins and ends there."""

    start: int
    end: int
    text: str

    @property
    def is_key(self) -> bool:
        """Whether it decides something or tells what failed."""
        return is_key(self.text)


def is_key(sentence: str) -> bool:
    """Whether a sentence decides something or tells what failed."""
    return kind_of(sentence) in ("decision", "error")


def sentences_and_lines(content: str) -> list[str]:
    """The sentences and lines of a text, without list marks, each at most `LONGEST_SENTENCE` characters."""
    return [each.text for each in placed_sentences(content)]


def placed_sentences(content: str) -> Iterator[Sentence]:
    """The sentences and lines of a text, without list marks, each with its place."""
    start = 0
    # One by one: mostly the first that decides something is all that is looked for.
    ends = (each.span() for each in SENTENCE_OR_LINE_END.finditer(content))
    for end, after in chain(ends, ((len(content.rstrip()), -1),)):
        text = _MARKS.sub("", content[start:end]).strip()
        if len(text) > 2:
            yield Sentence(start, end, _on_one_line(text))
        start = after


def edits_of(message: Message) -> list[str]:
    """What the tools of an answer changed, as one line each."""
    lines = []
    for call in message.tool_calls:
        if not _EDITS.search(call.tool_name):
            continue
        place = next((str(call.arguments[key]) for key in _PLACES if key in call.arguments), "")
        state = "" if call.success else f" (failed: {call.error or 'no reason given'})"
        lines.append(_on_one_line(f"{call.tool_name} {place}".strip() + state))
    return lines


def _on_one_line(text: str) -> str:
    return truncated(" ".join(text.split()), LONGEST_SENTENCE)
