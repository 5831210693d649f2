"""What was talked about, whatever it was: the user's own words of this conversation, or the conversations before it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.small_talk import SMALL_TALK
from ragforge_memory.language.said.echoes import only_repeats
from ragforge_memory.language.said.openings import NOTHING_FOUND, OUR_CONVERSATIONS, WHAT_YOU_SAID
from ragforge_memory.llm.extractive.quoting.pieces import minute, quotation, rest
from ragforge_memory.models.text import counted
from ragforge_memory.text.excerpts import first_line

MAX_SAYINGS = 20
"""Messages of the user's that are told, the latest."""

MAX_CONVERSATIONS = 10

_EARLIER = re.compile(
    r"\b(?:last|yesterday|previous(?:ly)?|recent(?:ly)?|lately|latest|earlier|before|past|week|month|other"
    r"|conversations|chats|discussions|sessions)\b",
    re.I,
)


_FIRST = re.compile(r"\bfirst\b", re.I)
_FEW = 3
_TODAY = re.compile(r"\b(?:today|this (?:morning|afternoon|evening))\b", re.I)


def recapitulated(question: Question, said: Sequence[str], value: Mapping[str, Any]) -> list[str]:
    """The answer to a question for what was talked about.

    Args:
        question: as read; it says whether it is about this conversation.
        said: the user's earlier messages of this conversation that are at hand, oldest first.
        value: what `recent_conversations` gave.
    """
    conversations = list(value.get("conversations") or [])
    this: Mapping[str, Any] = next((each for each in conversations if each.get("this_conversation")), {})
    others = [each for each in conversations if not each.get("this_conversation")]
    when = question.days.said
    earlier = not question.days.just_now and (
        _EARLIER.search(question.text) or (when and not _TODAY.search(question.text))
    )
    own = [] if earlier else _own(said, this, first=_FIRST.search(question.text) is not None)
    if own:
        return own
    if when and earlier and this:
        others = conversations  # it began before
    if others:
        return [
            f"{OUR_CONVERSATIONS}{when}:",
            *(line for each in others[:MAX_CONVERSATIONS] for line in _conversation(each)),
        ]
    if when and earlier:
        return [f"{NOTHING_FOUND}: we did not talk{when}."]
    return _own(said, this) or [f"{NOTHING_FOUND}: this conversation begins with your question, and it is the first."]


def _own(said: Sequence[str], this: Mapping[str, Any], *, first: bool = False) -> list[str]:
    told = [line for each in said if (line := _told(each))]
    if not told:
        return []
    if first and int(this.get("message_count") or 0) <= 2 * len(said) + 1:
        return [f"{WHAT_YOU_SAID} first:", *(f"- {line}" for line in told[:_FEW])]
    lines = [f"{WHAT_YOU_SAID}, the latest last:"]
    lines += [f"- {line}" for line in told[-MAX_SAYINGS:]]
    if len(told) > MAX_SAYINGS:
        lines += rest(len(told) - MAX_SAYINGS, "before that")
    elif int(this.get("message_count") or 0) > 2 * len(said) + 1:
        lines.append("… and more before that: `/history` has all of it.")
    if this.get("summary"):
        lines += ["", "Summed up:", *quotation(str(this["summary"]).splitlines())]
    return lines


def _told(message: str) -> str:
    """The first line of what the user said; nothing of small talk and of questions for what was said."""
    if only_repeats("user", message) or all(each.form in SMALL_TALK - {"noted"} for each in read_questions(message)):
        return ""
    return first_line(message)


def _conversation(each: Mapping[str, Any]) -> list[str]:
    when = minute(each["updated_at"])
    title = f"`{each['title']}`" if each.get("title") else "without a title"
    messages = counted(int(each.get("message_count") or 0), "message")
    head = f"- {when}, {title}, conversation {each['conversation_id'][:8]}, {messages}"
    head += ", archived" if each.get("archived") else ""
    summary = first_line(str(each.get("summary") or ""))
    return [head, *(f"  {line}" for line in quotation([summary] if summary else []))]
