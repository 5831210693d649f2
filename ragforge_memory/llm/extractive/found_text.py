"""Answers out of texts: search results, messages, and lines of files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragforge_memory.llm.extractive.echoes import WHAT_WAS_SAID, only_repeats
from ragforge_memory.llm.extractive.members import listed
from ragforge_memory.llm.extractive.plan import search_words
from ragforge_memory.llm.extractive.questions import MAX_QUESTION, Question, read_questions
from ragforge_memory.llm.extractive.quoting import NOTHING_FOUND, block, head, nothing, quotation, signature, summary
from ragforge_memory.llm.extractive.relevance import ENOUGH_WORDS, judged
from ragforge_memory.llm.extractive.wording import covered

MAX_RESULTS = 5
MAX_SAYINGS = 5
_CHANGES = 6

_ASKED = 2
_QUOTES_CODE = re.compile(r"^(?:- )?`[^`\n]+` (?:- \S+:\d|\([^\n]+, line \d|contains)", re.M)
_STATES = re.compile(r"\b(?:we|i|you|it|they|must|should|will|never|always|because|decided|note|prefer)\b.+\.", re.I)
_NOTHING_SAID = re.compile(rf"^{NOTHING_FOUND}\b")
MAX_SAID_LINES = 6


def search_results(question: Question, value: Mapping[str, Any], lines_found: Mapping[str, Any]) -> list[str]:
    """The best results with their quotes; else the lines that have the words, and which words nothing was found for.

    Args:
        question: as read.
        value: what the search gave.
        lines_found: what grep gave for the words that the search found nothing for.
    """
    asked = search_words(question)
    found = judged(asked, value.get("results") or [])
    if found.good:
        lines: list[str] = []
        for each in found.good[:MAX_RESULTS]:
            lines += [head(each), *(summary(each) or signature(each)), ""]
        return [*lines[:-1], *_by_words_alone(value)]
    missing = " ".join(found.missing) or question.text
    lines = _word_lines(missing, lines_found) or [nothing(missing)]
    if found.near:
        lines += [f"Nearest by {_quoted(found.near[0][1])}:"]
        lines += [
            f"- `{each['qualified_name']}` - {each['file']}:{each['line']} ({each['type']})"
            for each, _ in found.near[:3]
        ]
    if question.form == "search":
        lines += ["", f"I did not understand the question itself: I looked for {_quoted(asked) or 'its words'}."]
    return lines


def _word_lines(words: str, value: Mapping[str, Any]) -> list[str]:
    matches = value.get("matches") or []
    if not matches:
        return []
    lines = [f"{NOTHING_FOUND} that is defined as or described by `{words}`, but these lines have it:"]
    return lines + listed(matches, more=bool(value.get("more")))


def code_lines(asked: str, value: Mapping[str, Any]) -> list[str]:
    """Lines of a file as a block."""
    content = value.get("content")
    if not content:
        return [nothing(asked)] if asked else []
    file = value["file"]
    first, last = value["start_line"], value["end_line"]
    place = f"`{file}` has lines {first}-{last} of {value['total_lines']} here ({file}:{first}):"
    return [place, *block(str(content).splitlines(), _language(str(file)))]


def sayings(asked: str, value: Mapping[str, Any]) -> list[str]:
    """What was said, each with its message and conversation; questions that only asked come last."""
    words = tuple(str(value.get("query") or "").split())
    messages = [
        each
        for each in value.get("messages") or []
        if not _NOTHING_SAID.match(each["excerpt"]) and not only_repeats(each["role"], each["excerpt"])
    ]
    told = [(each, covered(words, each["excerpt"])) for each in messages]
    kept = [(each, have) for each, have in told if have and len(have) >= ENOUGH_WORDS * len(words)]
    if not kept:
        return [f"{NOTHING_FOUND} about `{asked}` in our conversations."]
    kept.sort(key=lambda pair: (_weight(pair[0]), -len(pair[1])))
    # What has become of the code is told of questions and quotes too, which are not shown where something was stated.
    since = _since(each for each, _ in kept)
    if any(_weight(each) < _ASKED for each, _ in kept):
        kept = [pair for pair in kept if _weight(pair[0]) < _ASKED]
    lines = [f"{WHAT_WAS_SAID} `{asked}`:"]
    for each, _ in kept[:MAX_SAYINGS]:
        who = {"user": "You", "assistant": "I"}.get(each["role"], each["role"])
        where = "this conversation" if each.get("this_conversation") else f"conversation {each['conversation_id'][:8]}"
        lines.append(f"- {who}, {each['timestamp'][:16].replace('T', ' ')}, {where}, message {each['message_id'][:8]}:")
        lines += [f"  {line}" for line in quotation(_beginning(each["excerpt"]))]
    return lines + since


def _since(messages: Iterable[Mapping[str, Any]]) -> list[str]:
    """What has become of the code that was talked about, where it is not what it was."""
    told: dict[tuple[str, str], str] = {}
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
    if not told:
        return []
    lines = [f"- `{name}` ({file}): {what}" for (file, name), what in list(told.items())[:_CHANGES]]
    return ["", "Since then:", *lines]


def _beginning(text: str) -> list[str]:
    """The first lines of a message; … where more follows, and no block of code left open."""
    lines = text.strip().splitlines()
    shown = lines[:MAX_SAID_LINES]
    if sum(line.lstrip().startswith("```") for line in shown) % 2:
        opened = max(at for at, line in enumerate(shown) if line.lstrip().startswith("```"))
        shown = shown[:opened] if opened else [*shown, "```"]
    while shown and not shown[-1].strip():
        shown.pop()
    if len(shown) < len(lines) and shown and not shown[-1].startswith("```"):
        shown[-1] = f"{shown[-1].removesuffix(' …')} …"
    return shown


def _by_words_alone(value: Mapping[str, Any]) -> list[str]:
    embedded = value.get("embedded") or {}
    scopes, vectors = embedded.get("scopes") or 0, embedded.get("with_vector") or 0
    if not scopes or vectors >= scopes or not vectors:
        return []
    return ["", f"(Found by words and by meaning; {vectors} of {scopes} definitions are embedded so far.)"]


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _weight(message: Mapping[str, Any]) -> int:
    """How much a message tells: what the user stated first, then answers; questions, and quotes of code, last."""
    text = str(message["excerpt"])
    if message["role"] == "user":
        text = text.partition("\n\n```")[0]  # what was piped in behind a question is no statement of the user's
        asks = text.rstrip().endswith("?") or any(
            each.form not in ("search", "said", "noted") and len(text) < MAX_QUESTION and not _STATES.search(text)
            for each in read_questions(text)
        )
        return _ASKED if asks else 0
    return _ASKED + 1 if _QUOTES_CODE.search(text) else 1


def _language(file: str) -> str:
    return {"py": "python", "pyi": "python", "rs": "rust", "rb": "ruby", "cs": "csharp", "md": "markdown"}.get(
        file.rpartition(".")[2], file.rpartition(".")[2]
    )
