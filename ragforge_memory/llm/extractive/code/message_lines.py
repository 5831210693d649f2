"""Where a message stands that a program wrote: the lines that have it, or that it was made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.endings import TEXT
from ragforge_memory.language.reading.pasted import Fit, Pasted, as_it_stands, fitting, pieces_of
from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.targets import Target
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.around import around_calls, scopes_around
from ragforge_memory.llm.extractive.code.evidence import COMMENT, grep, listed_lines
from ragforge_memory.llm.extractive.code.members import texts_last
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.models.text import counted
from ragforge_memory.text.names import is_aside

_MAX_LIKE = 5
_MAX_LINES = 3

NO_LINE_HAS_IT = f"{NOTHING_FOUND} that has this text: no line of this project does, nor one that it may be made of."
"""What is said of a message that stands nowhere."""


def message_question(message: Pasted, text: str) -> Question:
    """The question for such a message; ``guessed`` where nothing says that it is one."""
    return Question("message", Target("words", message.text), text, guessed=not message.sure)


def message_calls(question: Question, found: Sequence[Found]) -> tuple[Call, ...]:
    """Looks for the message as it stands and for its pieces, then for what the lines stand in."""
    text = question.target.text
    if not found:
        whole, pieces = as_it_stands(text), pieces_of(text)
        return tuple(grep(each, ignore_case=True) for each in dict.fromkeys((whole, pieces)))
    return around_calls([line for line, _ in _fits(question, found)])


def is_nowhere(question: Question, found: Sequence[Found]) -> bool:
    """Whether it was looked for, and no line has it."""
    return bool(found) and not _fits(question, found)


def was_cut(found: Sequence[Found]) -> bool:
    """Whether not all lines were looked through."""
    return any(isinstance(each.value, dict) and each.value.get("more") for each in found)


def message_lines(question: Question, found: Sequence[Found]) -> list[str]:
    """The lines that have the message as it stands, else those that it is made of, each with what it stands in."""
    fits = _fits(question, found)
    inside = scopes_around(found, [line for line, _ in fits])
    made, exact = ([line for line, fit in fits if fit.exact is each] for each in (False, True))
    lines: list[str] = []
    if made:
        these = "this line, or in one like it" if len(made) == 1 else "one of these lines"
        lines = [f"With parts of it filled in, this text is made in {these}:", *listed_lines(made, (), inside)]
    if exact:
        lines += [f"This text is in {counted(len(exact), 'line')}, as it stands:", *listed_lines(exact, (), inside)]
    return lines


def _fits(question: Question, found: Sequence[Found]) -> list[tuple[Mapping[str, Any], Fit]]:
    """The lines that have it, those that have it whole alone where there are such; code first, tests and texts last."""
    message = Pasted(question.target.text, sure=not question.guessed)
    given = [each.value for each in found if each.call.tool == "grep_code" and isinstance(each.value, dict)]
    lines = {(each["file"], each["line"]): each for value in given for each in value.get("matches") or []}
    fits = [
        (line, max(each, key=lambda fit: fit.part))
        for line in texts_last(lines[at] for at in sorted(lines))
        if (each := [fit for text in _with_next(line, lines) if (fit := fitting(message, text)) is not None])
    ]
    exact = [each for each in fits if each[1].exact]
    parts = [each for each in fits if not each[1].exact and not COMMENT.match(each[0]["text"])]
    made = [each for each in parts if _is_own(each[0])]
    if exact:
        # What a test or a text quotes as it came out is made elsewhere; what has as many of its words is another.
        rest = {(line["file"], line["line"] + more) for line, _ in exact for more in range(_MAX_LINES)}
        made = [each for each in made if each[1].whole and (each[0]["file"], each[0]["line"]) not in rest]
    elif not made:
        made = [each for each in parts if each[1].whole]
    best = max(((fit.whole, fit.part) for _, fit in made), default=None)
    return [*[each for each in made if (each[1].whole, each[1].part) == best][:_MAX_LIKE], *exact]


def _is_own(line: Mapping[str, Any]) -> bool:
    return not TEXT.search(line["file"]) and not is_aside(line)


def _with_next(line: Mapping[str, Any], lines: Mapping[tuple[str, int], Mapping[str, Any]]) -> list[str]:
    """A line alone, then with those right behind it: a long text is written in several."""
    texts = [str(line["text"])]
    while len(texts) < _MAX_LINES and (behind := lines.get((line["file"], line["line"] + len(texts)))):
        texts.append(f"{texts[-1]} {behind['text']}")
    return texts
