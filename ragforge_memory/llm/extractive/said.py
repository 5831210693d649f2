"""What was said, quoted: of a question's subject, or all that was decided; and what became of the code since."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragforge_memory.llm.extractive.corrections import correction_of
from ragforge_memory.llm.extractive.echoes import NO_DECISION, WHAT_WAS_SAID, only_repeats
from ragforge_memory.llm.extractive.questions import MAX_QUESTION, read_questions
from ragforge_memory.llm.extractive.quoting import (
    MAX_ASKED,
    MAX_SAID,
    NOTHING_FOUND,
    continued,
    open_block,
    quotation,
    shortened,
)
from ragforge_memory.llm.extractive.relevance import ENOUGH_WORDS
from ragforge_memory.llm.extractive.wording import covered

# "Why is it lazy", without its mark.
_ASKS = re.compile(r"^\W*(?:why|how|what|where|who|whom|whose|when|which)\b[^.!\n]*[.!?]?$", re.I)
_ASKED = 2
_QUOTES_CODE = re.compile(r"^(?:- )?`[^`\n]+` (?:- \S+:\d|\([^\n]+, line \d|contains)", re.M)
_STATES = re.compile(r"\b(?:we|i|you|it|they|must|should|will|never|always|because|decided|note|prefer)\b.+\.", re.I)
_NOTHING_SAID = re.compile(rf"^{NOTHING_FOUND}\b")
MAX_SAYINGS = 5
_CHANGES = 6
MAX_SAID_LINES = 6


def sayings(
    asked: str, value: Mapping[str, Any], decided: bool = False, when: str = "", still: bool = False
) -> list[str]:
    """What was said, each with its message and conversation; questions that only asked come last.

    With ``decided`` it is said where nothing of it is the user's own statement. ``when``: the days, in words.
    With ``still`` it is told of code too that is as it was.
    """
    if decided and (own := stated(asked, value, when, still)):
        return own
    weighed = [(_weight(each), each) for each in value.get("messages") or []]
    told = _told(asked, value, weighed, when, still)
    if decided and told:
        return [f"{NO_DECISION} about `{asked}` was noted{when}.", "", *told]
    return told or [f"{NOTHING_FOUND} about `{asked}` in our conversations{when}."]


def stated(asked: str, value: Mapping[str, Any], when: str = "", still: bool = False) -> list[str]:
    """What the user has said of it, as `sayings`; nothing where that is nothing. Questions say nothing."""
    own = [(_weight(each), each) for each in value.get("messages") or [] if each["role"] == "user"]
    return _told(asked, value, [pair for pair in own if pair[0] < _ASKED], when, still)


def _told(
    asked: str, value: Mapping[str, Any], weighed: Iterable[tuple[int, Mapping[str, Any]]], when: str, still: bool
) -> list[str]:
    """Those messages that have enough of the words, quoted by their weight; nothing where none has."""
    words = tuple(str(value.get("query") or "").split())
    told = [
        (weight, each, covered(words, _as_now(each["excerpt"], value)))
        for weight, each in weighed
        if not _NOTHING_SAID.match(each["excerpt"]) and not only_repeats(each["role"], each["excerpt"])
    ]
    kept = [found for found in told if found[2] and len(found[2]) >= ENOUGH_WORDS * len(words)]
    if not kept:
        return []
    # Of what tells as much the newest first: what was decided later holds.
    kept.sort(key=lambda found: str(found[1].get("timestamp") or ""), reverse=True)
    kept.sort(key=lambda found: (found[0], -len(found[2])))
    # What has become of the code is told of questions and quotes too, which are not shown where something was stated.
    every = [each for _, each, _ in kept]
    if kept[0][0] < _ASKED:
        kept = [found for found in kept if found[0] < _ASKED]
    lines = [f"{WHAT_WAS_SAID} `{asked}`{when}:"]
    for _, each, _ in kept[:MAX_SAYINGS]:
        lines += _said(each, value.get("messages") or [])
    return lines + _since(every, [each for _, each, _ in kept[:MAX_SAYINGS]] if still else [])


def _as_now(text: str, value: Mapping[str, Any]) -> str:
    """A text with the names that code has now beside those that it had then."""
    called: Mapping[str, Sequence[str]] = value.get("formerly") or {}
    return " ".join([text, *(now for now, names in called.items() if any(name in text for name in names))])


def decisions(values: Sequence[Mapping[str, Any]], when: str = "", still: bool = False) -> list[str]:
    """What the user had noted, the newest first; of several searches."""
    found = {each["message_id"]: each for value in values for each in value.get("messages") or []}
    own = [each for each in found.values() if each["role"] == "user"]
    noted = [each for each in own if any(one.form == "noted" for one in read_questions(each["excerpt"]))]
    if not noted:
        return [f"{NOTHING_FOUND} about `decisions` in our conversations{when}."]
    noted.sort(key=lambda each: str(each["timestamp"]), reverse=True)
    lines = [f"{WHAT_WAS_SAID} `decisions`{when}:"]
    for each in noted[:MAX_ASKED]:
        lines += _said(each, noted)
    if any(len(value.get("messages") or []) >= MAX_SAID for value in values):
        lines += ["", "There may be more: `what did we decide about NAME`, or name the days."]
    return lines + _since(noted, noted if still else [])


def _said(message: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> list[str]:
    """Who said it, when and where, how it begins, and what corrected it later, of the other messages found."""
    who = {"user": "You", "assistant": "I"}.get(message["role"], message["role"])
    here = message.get("this_conversation")
    where = "this conversation" if here else f"conversation {message['conversation_id'][:8]}"
    where += " (archived)" if message.get("archived") else ""
    when = message["timestamp"][:16].replace("T", " ")
    head = f"- {who}, {when}, {where}, message {message['message_id'][:8]}:"
    later = correction_of(message, others)
    corrected = [f'  (later: "{shortened(later["excerpt"])}")'] if later else []
    return [head, *(f"  {line}" for line in quotation(_beginning(message["excerpt"]))), *corrected]


def _since(messages: Iterable[Mapping[str, Any]], asked: Sequence[Mapping[str, Any]] = ()) -> list[str]:
    """What has become of the code that was talked about, where it is not what it was; of those ``asked`` for all."""
    told: dict[tuple[str, str], str] = {}
    fresh: dict[tuple[str, str], str] = {}
    for each in messages:
        for code in each.get("code") or []:
            place = (code["file"], code["name"])
            match code["status"]:
                case "drifted":
                    told[place] = "its code has changed"
                case "moved":
                    changed = ", and its code has changed" if code.get("changed") else ""
                    told[place] = f"it has moved to {code['moved_to']}{changed}"
                case "orphaned":
                    told[place] = "it is gone"
                case "fresh" if each in asked:
                    fresh[place] = "its code is as it was"
    told = {**told, **{place: what for place, what in fresh.items() if place not in told}}
    if not told:
        return ["", "It is tied to no code, so that nothing tells whether it still holds."] if asked else []
    lines = [f"- `{name}` ({file}): {what}" for (file, name), what in list(told.items())[:_CHANGES]]
    return ["", "Since then:", *lines]


def _beginning(text: str) -> list[str]:
    """The first lines of a message; … where more follows, and no block of code left open."""
    lines = text.strip().splitlines()
    shown = lines[:MAX_SAID_LINES]
    if opened := open_block(shown):
        at, fence = opened
        shown = shown[:at] if at else [*shown, fence]
    while shown and not shown[-1].strip():
        shown.pop()
    if len(shown) < len(lines) and shown:
        shown = continued(shown)
    return shown


def _weight(message: Mapping[str, Any]) -> int:
    """How much a message tells: what the user stated first, then answers; questions, and quotes of code, last."""
    text = str(message["excerpt"])
    if message["role"] == "user":
        text = text.partition("\n\n```")[0]  # what was piped in behind a question is no statement of the user's
        asks = bool(text.rstrip().endswith("?") or _ASKS.match(text.strip())) or any(
            each.form not in ("search", "said", "noted") and len(text) < MAX_QUESTION and not _STATES.search(text)
            for each in read_questions(text)
        )
        return _ASKED if asks else 0
    return _ASKED + 1 if _QUOTES_CODE.search(text) else 1
