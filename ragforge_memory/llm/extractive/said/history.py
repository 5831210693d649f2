"""What "it", "that function" and "the second one" mean: read off the answers given before.

Answers name what they are about in fixed forms at the start of a line, written by `answer` and read here:

* ```Command.invoke` - src/click/core.py:1234`` (a definition)
* ```Command.invoke` (src/click/core.py, line 1234)`` (the definition whose uses follow)
* ```src/click/core.py` contains`` (a file)
* ``Nothing found for `frobnicate` `` (what is not there)
* ``- `Context.forward` - src/click/core.py:801`` (an item of a list)
* ``What was said about `tokens` `` (what was said)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ragforge_memory.language.reading.small_talk import LEADING
from ragforge_memory.language.reading.targets import Target, is_file, names_in, read_target
from ragforge_memory.language.reading.wording import content_words
from ragforge_memory.language.said.openings import (
    EVERY_DECISION,
    EVERY_TO_DO,
    NO_DECISION,
    NOTED,
    NOTHING_FOUND,
    WHAT_WAS_SAID,
)
from ragforge_memory.llm.port import ChatMessage

_DEFINITION = re.compile(r"^`(?P<name>[^`\n]+)` (?:- (?P<file>[^\n:`]+):\d+|\((?P<place>[^\n]+?), line \d+\))", re.M)
_FILE = re.compile(r"^`(?P<file>[^`\n]+)` (?:contains|has lines)\b", re.M)
_MISSING = re.compile(r"^Nothing found (?:for|that is defined as) `(?P<name>[^`\n]+)`", re.M)
_TOPIC = re.compile(
    rf"(?:{WHAT_WAS_SAID}|{NO_DECISION} about|Nothing found about) `(?P<topic>[^`\n]+)`(?! in this project)"
)
_ALL = re.compile(rf"(?:What|{NOTHING_FOUND} that) (?:{EVERY_DECISION}|{EVERY_TO_DO})\b")
_LIKE = re.compile(r"^(?:Also defined|Others):$", re.M)
# Answers back that "the next one" may be of the list of.
_MAX_BACK = 6
# Words of a note that say what it is about.
_TOPIC_WORDS = 6
_ONE_WORD = re.compile(r"[A-Za-z_$][\w.$]*")
_ITEM = re.compile(r"^(?:-|\d+\.) `(?P<name>[^`\n]+)` - (?P<file>[^\n:`]+):\d+", re.M)


@dataclass(frozen=True, slots=True)
class Subject:
    """What an answer was about: a definition in its file, or a file (``name`` is ``''``)."""

    name: str = ""
    file: str = ""


def subject_of(answer: str) -> Subject | None:
    """What one answer is about, of a list without a head its first item; None when it names nothing in a fixed form."""
    found = [
        (match.start(), subject)
        for pattern in (_DEFINITION, _FILE, _MISSING, _ITEM)
        for match in [pattern.search(answer)]
        if match is not None
        for subject in [_subject(match)]
    ]
    return min(found, key=lambda each: each[0])[1] if found else None


def items_of(answer: str) -> tuple[Subject, ...]:
    """The items of an answer's list."""
    return tuple(Subject(match.group("name"), match.group("file")) for match in _ITEM.finditer(answer))


def topic_of(earlier: Sequence[ChatMessage]) -> str:
    """What the last answer told the sayings about, or what it noted is about; ``''`` where it told none, or all
    decisions."""
    answer = _last_answer(earlier)
    if not answer.startswith(NOTED):
        return _topic(answer)
    note = next((each.content for each in reversed(earlier) if each.role == "user"), "")
    return " ".join(content_words(LEADING.sub("", note))[:_TOPIC_WORDS])


def told_all(earlier: Sequence[ChatMessage]) -> bool:
    """Whether the last answer told all that was decided, or is to be done."""
    return _ALL.match(_last_answer(earlier)) is not None


def resolve_target(target: Target, earlier: Sequence[ChatMessage], system: str) -> tuple[Target, ...]:
    """What a pronoun or an ordinal stands for; nothing where nothing was named. Other targets stay.

    Args:
        target: of the question.
        earlier: the messages before the question, oldest first.
        system: the system prompt: a summary in it may still name the last scope.
    """
    match target.kind:
        case "pronoun":
            subject = _last_subject(earlier, system)
            return (_as_target(subject),) if subject else ()
        case "plural":
            if items := last_items(earlier):
                return items
            subject = _last_subject(earlier, system)
            return (_as_target(subject),) if subject else ()
        case "ordinal":
            # What was shown of a list since is none itself, and the next of that list may be asked for.
            for answer in _answers(earlier):
                listed = _listed(answer)
                index = target.number - 1 if target.number > 0 else len(listed) - 1
                if 0 <= index < len(listed):
                    return (_as_target(listed[index]),)
            return ()
        case _:
            return (target,)


def last_items(earlier: Sequence[ChatMessage]) -> tuple[Target, ...]:
    """The first three definitions that the last answer lists."""
    return tuple(_as_target(item) for item in items_of(_last_answer(earlier))[:3])


def _listed(answer: str) -> tuple[Subject, ...]:
    """The items of an answer's list; where the answer leads with a definition and lists its like below, not what is
    inside it, that one is the first."""
    head = _DEFINITION.search(answer)
    its_like = head is not None and head.group("file") and _LIKE.search(answer)
    return (*((Subject(head["name"], head["file"]),) if head and its_like else ()), *items_of(answer))


def _answers(earlier: Sequence[ChatMessage]) -> list[str]:
    """The answers before, the last first."""
    given = [each.content for each in earlier if each.role == "assistant" and each.content.strip()]
    return given[: -_MAX_BACK - 1 : -1]


def _last_subject(earlier: Sequence[ChatMessage], system: str) -> Subject | None:
    for message in reversed(earlier):
        if message.role == "assistant" and message.content:
            told = _topic(message.content)
            subject = Subject(told) if _ONE_WORD.fullmatch(told) else subject_of(message.content)
            if subject:
                return subject
            for request in reversed(message.tool_requests):
                asked = request.arguments.get("name") or request.arguments.get("target")
                if isinstance(asked, str) and asked:
                    return Subject(asked, str(request.arguments.get("file") or ""))
        elif message.role == "user":
            named = names_in(message.content)
            if named:
                return Subject("", named[-1]) if is_file(named[-1]) else Subject(named[-1])
    found = list(_DEFINITION.finditer(system))
    return _subject(found[-1]) if found else None


def _topic(answer: str) -> str:
    told = _TOPIC.match(answer)
    return told["topic"] if told else ""


def _last_answer(earlier: Sequence[ChatMessage]) -> str:
    return next(iter(_answers(earlier)), "")


def _subject(match: re.Match[str]) -> Subject:
    groups = match.groupdict()
    return Subject(groups.get("name") or "", groups.get("file") or groups.get("place") or "")


def _as_target(subject: Subject) -> Target:
    if not subject.name:
        return Target("file", subject.file, marked=True)
    if not subject.file:
        return read_target(f"`{subject.name}`")
    return Target("name", subject.name, file=subject.file, marked=True)
