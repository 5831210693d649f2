"""What was said, quoted: of a question's subject, or all that was decided; and what became of the code since."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.pasted import pasted
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.small_talk import SMALL_TALK
from ragforge_memory.language.reading.targets import is_marked
from ragforge_memory.language.reading.wording import covered, stem
from ragforge_memory.language.said.corrections import correction_of
from ragforge_memory.language.said.echoes import only_asks, only_repeats, quotes_code
from ragforge_memory.language.said.openings import (
    EVERY_DECISION,
    EVERY_TO_DO,
    NO_DECISION,
    NOTHING_FOUND,
    WHAT_WAS_SAID,
)
from ragforge_memory.language.said.to_dos import became, left_to_do
from ragforge_memory.llm.extractive.quoting.pieces import continued, minute, open_block, quotation
from ragforge_memory.retrieval.relevance import ENOUGH_WORDS
from ragforge_memory.text.excerpts import first_line

_ASKED = 2
_NOTHING_SAID = re.compile(rf"^{NOTHING_FOUND}\b")
MAX_SAYINGS = 5
_CHANGES = 6
_AS_IT_WAS = "its code is as it was"
_ALL_DECISIONS = "`ragforge decisions` tells of all"
_ALL_DOUBTFUL = "`ragforge decisions --doubtful` tells of all"
_OF_ANYTHING = frozenset(
    map(
        stem,
        (
            *("limit", "policy", "rule", "setting", "number", "count", "maximum", "max", "value", "strategy"),
            *("convention", "long", "often", "old", "big", "large", "store", "keep", "live", "run", "allow", "ok"),
        ),
    )
)
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


def stated(
    asked: str, value: Mapping[str, Any], when: str = "", still: bool = False, *, enough: float = ENOUGH_WORDS
) -> list[str]:
    """What the user has said of it, as `sayings`; nothing where that is nothing. Questions say nothing.

    Args:
        enough: the part of the question's words that it has at least.
    """
    own = [(_weight(each), each) for each in value.get("messages") or [] if each["role"] == "user"]
    return _told(asked, value, [pair for pair in own if pair[0] < _ASKED], when, still, enough)


def _told(
    asked: str,
    value: Mapping[str, Any],
    weighed: Iterable[tuple[int, Mapping[str, Any]]],
    when: str,
    still: bool,
    enough: float = ENOUGH_WORDS,
) -> list[str]:
    """Those messages that have enough of the words, quoted by their weight; nothing where none has."""
    words = tuple(str(value.get("query") or "").split())
    told = [
        (weight, each, covered(words, _as_now(each["excerpt"], value)))
        for weight, each in weighed
        if not _NOTHING_SAID.match(each["excerpt"]) and not only_repeats(each["role"], each["excerpt"])
    ]
    kept = [found for found in told if found[1].get("decided") or (found[2] and len(found[2]) >= enough * len(words))]
    if not kept and (bare := tuple(word for word in words if stem(word) not in _OF_ANYTHING)):
        # "The retry limit" may have been noted as "3 retries".
        kept = [found for found in told if {*bare} <= {*found[2]}]
    if not kept:
        return []
    # Of what tells as much the newest first: what was decided later holds.
    kept.sort(key=lambda found: str(found[1].get("timestamp") or ""), reverse=True)
    kept.sort(key=lambda found: (found[0], -len(found[2])))
    every = [each for _, each, _ in kept]
    if kept[0][0] < _ASKED:
        kept = [found for found in kept if found[0] < _ASKED]
    begun = ", taken for the beginning of a word" if all(_only_begins(words, each["excerpt"]) for each in every) else ""
    lines = [f"{WHAT_WAS_SAID} `{asked}`{when}{begun}:"]
    for _, each, _ in kept[:MAX_SAYINGS]:
        lines += quoted_message(each, value.get("messages") or [])
    if len(kept) > MAX_SAYINGS:
        lines += ["", f"{len(kept) - MAX_SAYINGS} more bear on it: `ragforge conversations search`, or name the days."]
    # Code that has changed since an earlier question may be as it was when this was stated. Where nothing that is
    # shown is tied to code, what has become of it is told of the rest.
    shown = [each for _, each, _ in kept[:MAX_SAYINGS]]
    tied = [each for each in shown if each.get("code")]
    return lines + since(tied or every, shown if still else [], words)


def _only_begins(words: Sequence[str], text: str) -> bool:
    """Whether a text has words that begin with those, and not the words themselves: "proto" of "protobuf"."""
    missing = [word for word in words if word not in covered((word,), text)]
    if not missing:
        return False
    return all(re.search(rf"(?<!\w){re.escape(word)}\w", text, re.I) for word in missing)


def _as_now(text: str, value: Mapping[str, Any]) -> str:
    """A text with the names that code has now beside those that it had then."""
    called: Mapping[str, Sequence[str]] = value.get("formerly") or {}
    return " ".join([text, *(now for now, names in called.items() if any(name in text for name in names))])


def with_decisions(searched: Mapping[str, Any], listed: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a search for messages gave, with what is decided about the same: it need not have the words.

    Args:
        searched: as `search_conversation` gives it; empty: nothing was searched.
        listed: as `list_decisions` does.
    """
    decided = {each["message_id"]: {**each, "decided": True} for each in listed.get("decisions") or []}
    # What became of a decision its list knows; a search need not have found what took a correction back.
    messages = [
        {**each, "corrected": None, **known, "excerpt": each["excerpt"]}
        if (known := decided.pop(each["message_id"], None))
        else each
        for each in searched.get("messages") or []
    ]
    return {"query": "", **searched, "messages": [*messages, *decided.values()]}


def all_decisions(values: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """What several lists of decisions have, each once, the newest first."""
    found = {each["message_id"]: each for value in values for each in value.get("decisions") or []}
    newest = sorted(found.values(), key=lambda each: str(each["timestamp"]), reverse=True)
    return {"decisions": newest, "more": any(value.get("more") for value in values)}


def decisions(value: Mapping[str, Any], when: str = "", still: bool = False, called: str = EVERY_DECISION) -> list[str]:
    """What was decided and noted, the newest first, as `list_decisions` gave it; ``called``: what all of it is."""
    every = value.get("decisions") or []
    noted = left_to_do(every) if called == EVERY_TO_DO else every
    if not noted:
        open_ones = " that is not done" if every else ""
        return [f"{NOTHING_FOUND} that {called} in our conversations{when}{open_ones}."]
    lines = [f"What {called}{when}:"]
    for each in noted:
        lines += quoted_message(each, ())
    return lines + _more(value) + since(noted, noted if still else [], all_at=_ALL_DECISIONS)


def outdated(value: Mapping[str, Any], when: str = "") -> list[str]:
    """What was corrected, or is of code that is not what it was, each with what became of it, as `list_decisions` gave
    those that are doubtful."""
    over = value.get("decisions") or []
    if not over:
        return [f"{NO_DECISION} that you noted{when} was corrected since, or is of code that has changed."]
    lines = [f"What {EVERY_DECISION}{when} that may no longer hold:"]
    for each in over:
        lines += [*quoted_message(each, ()), *(f"  {line}" for line in _places(_became([each]), _ALL_DOUBTFUL))]
    return lines + _more(value)


def _more(value: Mapping[str, Any]) -> list[str]:
    return ["", "There are more: `ragforge decisions` lists all, or name the days."] if value.get("more") else []


def quoted_message(message: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> list[str]:
    """Who said it, when and where, how it begins, and what corrected it later, of the other messages found."""
    who = {"user": "You", "assistant": "I"}.get(message["role"], message["role"])
    here = message.get("this_conversation")
    where = "this conversation" if here else f"conversation {message['conversation_id'][:8]}"
    where += " (archived)" if message.get("archived") else ""
    when = minute(message["timestamp"])
    head = f"- {who}, {when}, {where}, message {message['message_id'][:8]}:"
    later = correction_of(message, others)
    corrected = []
    if later:
        kind = became(later["excerpt"], message["excerpt"]).replace("corrected", "later")
        corrected = [f'  ({kind}: "{first_line(later["excerpt"])}")']
    return [head, *(f"  {line}" for line in quotation(_beginning(message["excerpt"]))), *corrected]


def since(
    messages: Iterable[Mapping[str, Any]],
    asked: Sequence[Mapping[str, Any]] = (),
    words: Sequence[str] = (),
    all_at: str = "`ragforge conversations about NAME` tells of one",
) -> list[str]:
    """What has become of the code that was talked about, where it is not what it was; of those ``asked`` for all.

    Args:
        messages: of which it is told.
        asked: those whose unchanged code is told as well.
        words: of the question; where they name some of that code, only of that is told.
        all_at: where the rest is found of more than are told of.
    """
    messages = list(messages)
    names = _names(words)
    named = _named(names, messages)
    if asked and names:
        messages, asked = _of_named(messages, named), _of_named(asked, named)
    told = _became(messages)
    if asked:
        told = {**_became(messages if named else asked, fresh=True), **told}
    if named:
        told = {place: what for place, what in told.items() if any(belongs(place[1], name) for name in named)}
    if not told:
        return ["", "It is tied to no code, so that nothing tells whether it still holds."] if asked else []
    return ["", "Since then:", *_places(told, all_at)]


def _names(words: Sequence[str]) -> set[str]:
    """The words that may name a definition; a plain word among others names none."""
    return {word for word in words if len(words) == 1 or is_marked(word) or word[:1].isupper()}


def _named(names: Iterable[str], messages: Iterable[Mapping[str, Any]]) -> set[str]:
    """The definitions, of those that messages are tied to, that are called so."""
    return {
        code["name"]
        for each in messages
        for code in each.get("code") or []
        for called in (code["name"], str(code.get("moved_to") or "").rpartition(" ")[2])
        if any(f".{called}".endswith(f".{name.removesuffix('()')}") for name in names)
    }


def _of_named(messages: Iterable[Mapping[str, Any]], named: Iterable[str]) -> list[Mapping[str, Any]]:
    """Messages, answers without the code that is not named: they tell of much beside what is asked for."""
    return [
        {**each, "code": [code for code in each.get("code") or [] if any(belongs(code["name"], one) for one in named)]}
        if each["role"] == "assistant"
        else each
        for each in messages
    ]


def belongs(one: str, other: str) -> bool:
    """Whether two names are one, or that of a definition and of what it is inside of."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


_Became = dict[tuple[str, str], str]


def _became(messages: Iterable[Mapping[str, Any]], fresh: bool = False) -> _Became:
    """What has become of the code of messages, by its file and name; with ``fresh`` of what is as it was, too."""
    told: _Became = {}
    for code in (code for each in messages for code in each.get("code") or []):
        place = (code["file"], code["name"])
        match code["status"]:
            case "drifted":
                told[place] = "its code has changed"
            case "moved":
                changed = ", and its code has changed" if code.get("changed") else ""
                told[place] = f"{_moved(*place, code['moved_to'])}{changed}"
            case "orphaned":
                told[place] = "it is gone"
            case "fresh" if fresh:
                told.setdefault(place, _AS_IT_WAS)
            case None if fresh:  # imported, and nothing was ingested here yet
                told.setdefault(place, "not looked for here yet: nothing was ingested")
    return told


def _moved(file: str, name: str, to: str) -> str:
    """Where it is now, and what it is called there: ``to`` is a file and a name."""
    now_in, _, called = to.rpartition(" ")
    moved = [f"has moved to {now_in}"] if now_in != file else []
    renamed = [f"is called `{called}` now"] if called != name else []
    return f"it {' and '.join(moved + renamed) or 'has moved'}"


def _places(told: _Became, all_at: str) -> list[str]:
    """A line for each; of more than are told of what has changed first, and how many are left out."""
    lines = [f"- `{name}` ({file}): {what}" for (file, name), what in told.items()]
    if len(lines) <= _CHANGES:
        return lines
    lines.sort(key=lambda line: line.endswith(_AS_IT_WAS))
    return [*lines[:_CHANGES], f"- and {len(lines) - _CHANGES} more: {all_at}"]


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
        if message.get("decided"):
            return 0
        if message.get("only_asks"):
            return _ASKED
        text = text.partition("\n\n```")[0]  # what was piped in behind a question is no statement of the user's
        read = read_questions(text)
        asks = only_asks(text) or all(each.form in SMALL_TALK - {"noted"} for each in read)
        # What a program wrote was pasted to be looked up, and is nothing that the user says.
        return _ASKED if asks or pasted(text, read) is not None else 0
    return _ASKED + 1 if message.get("quotes_code") or quotes_code(text) else 1
