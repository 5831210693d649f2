"""The answer to everything else: what a search finds in the code, in conversations, among decisions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import dedent
from typing import Any

from ragforge_memory.llm.extractive.lines import code_span, either, entry, not_read, quoted, signature, statements
from ragforge_memory.llm.extractive.values import Answer, Call, Outcomes, Pasted, Question
from ragforge_memory.models.text import counted, lines_of
from ragforge_memory.text.words import matched

MAX_LINES = 35
"""Lines of an answer at most, those between the definitions counted."""

_RESULTS, _CODE_LINES, _SAID, _DECIDED, _FILES, _PASSAGES = 5, 6, 3, 3, 6, 3
_SIGNATURE, _QUOTED, _QUERY = 120, 160, 600
A_SEARCH = (
    "This is a search; a model would answer. Set GEMINI_API_KEY or OPENAI_API_KEY, or start a local server (Ollama, "
    "llama.cpp), and ask again: docs/models.md."
)
UNREAD = "No code was read here yet: `ragforge ingest` does that."
NO_TOOLS = "This agent offers no tool that looks this up, and without a model answers are quotes of what tools find."
_SEARCHED = {"search_code": "The code", "search_conversation": "The conversations", "grep_code": "The text"}
_SEARCHED |= {"search_knowledge_base": "The documents"}


def search_calls(question: Question, query: str = "") -> list[Call]:
    """The searches for a question's words, its names looked up beside them, and the files that it points into."""
    pasted = question.pasted
    # Of a log that was pasted its message says most.
    query = query or (pasted.message if "\n" in question.text else "") or question.text[:_QUERY]
    text = [Call("grep_code", {"pattern": re.escape(pasted.message), "limit": _RESULTS})] if pasted.message else []
    return [
        *(Call("read_scope", {"name": each.text, "file": each.file}) for each in question.names),
        Call("search_code", {"query": query, "limit": _RESULTS}),
        Call("search_conversation", {"query": query, "limit": 3 * _SAID}),
        Call("search_knowledge_base", {"query": query, "limit": _PASSAGES}),
        *text,
        *outline_calls(pasted),
    ]


def decision_calls(question: Question, found: Outcomes) -> list[Call]:
    """What was decided about the definitions that were found."""
    names = dict.fromkeys(each["qualified_name"] for each in _results(question, found)[:_DECIDED])
    return [Call("list_decisions", {"about": name, "limit": _DECIDED}) for name in names]


def is_unread(found: Outcomes) -> bool:
    """Whether a search found that no code was ever read, so that nothing can be said of what is not there."""
    return bool(found.first("search_code").get("searched", {}).get("files") == 0)


def search_answer(question: Question, found: Outcomes, room: int = MAX_LINES) -> Answer:
    """What was found, in so many lines: the names of the question, the code, what was said; else where was looked."""
    value, failed = found.first("search_code"), [each for each in found.steps if each.error and each.tool in _SEARCHED]
    words = value.get("words") or ()
    pointed = list(definitions_at(question.pasted, found).values())[-_RESULTS:]
    code = ["The text points into:", *(f"- {entry(each, lines=True)}" for each in pointed), ""] if pointed else []
    code, said, documents = [*code, *_text(question, found)], _said(found, words), _documents(found, words)
    remembered = ["Decided or noted about this code:", *statements(found.remembered, words, _QUOTED), ""]
    size, unread = value.get("searched") or {}, is_unread(found)
    nowhere, aside = () if unread else value.get("nowhere") or (), value.get("nowhere_but_in_tests") or ()
    # Of what is written in other languages nobody knows.
    languages = f" ({', '.join(size['languages'])})" if size.get("languages") else ""
    lines = [UNREAD, ""] if unread else _lacking(f"No code here{languages} has", [w for w in nowhere if w not in aside])
    lines += _lacking("Of the code only tests and examples have", aside)
    # What was not looked into limits what "nowhere" says.
    lines += [*not_read(value), ""] if (nowhere or not value.get("results")) and not_read(value) else []
    errors = [f"{_SEARCHED[each.tool]} could not be searched: {each.error}." for each in failed]
    lines = [*remembered, *lines] if found.remembered else lines
    code += _code(question, found, words, room - len([*lines, *code, *said, *documents, *errors, A_SEARCH]))
    if not code and not said and not documents and not found.remembered:
        looked = [f"{counted(size['scopes'], 'definition')} of {counted(size['files'], 'file')}"] if size else []
        looked += ["the conversations"] if found.all("search_conversation") else []
        looked += ["the documents"] if found.all("search_knowledge_base") else []
        lines += [f"Nothing found. Looked in {' and '.join(looked)}.", ""] if looked else []
    # A document that has words which no code has goes before code that has others.
    parts = [*documents, *code, *said] if nowhere else [*code, *said, *documents]
    return Answer([*lines, *parts, *errors, A_SEARCH], echo=not code)


def _lacking(what: str, words: Sequence[str]) -> list[str]:
    return [f"{what} the word{'s' if len(words) > 1 else ''} {either(words)}.", ""] if words else []


def outline_calls(pasted: Pasted) -> list[Call]:
    """The outlines of the files that a text points into; of many those at its end."""
    return [Call("outline", {"target": file}) for file in list(pasted.places)[-_FILES:]]


def definitions_at(pasted: Pasted, found: Outcomes) -> dict[tuple[str, str], dict[str, Any]]:
    """The innermost definition at each place that a text points to, by the file as written and its name."""
    inner: dict[tuple[str, str], dict[str, Any]] = {}
    for value in (each for each in found.all("outline") if each.get("kind") == "file"):
        for line in pasted.places.get(str(value["asked"]), ()):
            begins = [(int(each.get("start_line") or each["line"]), each) for each in value["scopes"]]
            around = [(each["end_line"] - begin, each) for begin, each in begins if begin <= line <= each["end_line"]]
            if around:
                scope = min(around, key=lambda each: int(each[0]))[1]
                inner.setdefault((value["asked"], scope["qualified_name"]), {"file": value["file"], **scope})
    return inner


def is_sure(value: Mapping[str, Any]) -> bool:
    """Whether a name was found, and not only one that is near to it."""
    return value["match"] not in ("typo", "partial", "none") and bool(value["scopes"])


def _results(question: Question, found: Outcomes) -> list[Mapping[str, Any]]:
    """What is shown: what the names of the question mean, then what the search found."""
    named = [value["scopes"][0] for value in found.all("read_scope") if is_sure(value)] if question.names else []
    results: dict[tuple[str, str], Mapping[str, Any]] = {}
    for each in (*named, *(found.first("search_code").get("results") or ())):
        results.setdefault((each["file"], each["qualified_name"]), each)
    return [*results.values()][:_RESULTS]


def _code(question: Question, found: Outcomes, words: Sequence[str], room: int) -> list[str]:
    """The definitions that were found, each with the lines that have most of the words, in so many lines."""
    heads: list[list[str]] = []
    code: list[list[Mapping[str, Any]]] = []
    for each in _results(question, found):
        lines: Sequence[Mapping[str, Any]] = each.get("lines") or ()
        if "source" in each:
            own = enumerate(lines_of(str(each["source"])), each["start_line"])
            lines = [{"line": at, "text": text} for at, text in own if text.strip()]
        code.append(_weightiest(lines, words, _CODE_LINES))
        declared = any(line["line"] == each["line"] for line in code[-1])
        heads.append([entry(each), *([] if declared else signature(each, _SIGNATURE))])
    room -= sum(len(lines) + 1 for lines in heads)
    shares = [0] * len(code)
    for turn in range(_CODE_LINES):
        for at, shown in enumerate(code):
            if room > 0 and turn < len(shown):
                shares[at], room = shares[at] + 1, room - 1
    rows = zip(heads, code, shares, strict=True)
    return [line for head, shown, most in rows for line in (*head, *_numbered(_weightiest(shown, words, most)), "")]


def _numbered(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    """Lines of code with their numbers as a quotation, without the indentation that they share."""
    text = dedent("\n".join(str(each["text"]).expandtabs(4) for each in lines)).split("\n")
    return [
        f"> {each['line']}: {code_span(line[:160].rstrip() or ' ')}" for each, line in zip(lines, text, strict=False)
    ]


def _weightiest(lines: Sequence[Mapping[str, Any]], words: Sequence[str], most: int) -> list[Mapping[str, Any]]:
    """The lines that have most of the words, in their order."""
    ranked = sorted(range(len(lines)), key=lambda at: (-len(matched(words, str(lines[at]["text"]))), at))
    return [lines[at] for at in sorted(ranked[:most])]


def _said(found: Outcomes, words: Sequence[str]) -> list[str]:
    """What was said before, and what was decided about the definitions that were found."""
    known = {each["message_id"] for each in found.remembered}
    heard = found.first("search_conversation").get("messages") or ()
    stated = (each for each in heard if not each["asks"] and each["message_id"] not in known)
    telling = sorted(stated, key=lambda each: each["role"] != "user")[:_SAID]
    known |= {each["message_id"] for each in telling}
    rows = [each for value in found.all("list_decisions") for each in value.get("decisions") or ()]
    decided = list({each["message_id"]: each for each in rows if each["message_id"] not in known}.values())
    titles = (("Said before:", telling), ("Decided about this code:", decided[:_DECIDED]))
    return [line for title, said in titles if said for line in (title, *statements(said, words, _QUOTED), "")]


def _documents(found: Outcomes, words: Sequence[str]) -> list[str]:
    """Passages of documents that have a word of the question, with source and place."""
    passages = found.first("search_knowledge_base").get("results") or ()
    lines = [
        f"- {each['source']}{', ' if each['place'] else ''}{each['place']}: {quoted(each['text'], words, _QUOTED)}"
        for each in passages
        if not words or matched(words, each["text"])
    ]
    return ["In the documents:", *lines, ""] if lines else []


def _text(question: Question, found: Outcomes) -> list[str]:
    """The lines of the project's files that have a message, or that none has it."""
    value, message = found.first("grep_code"), code_span(question.pasted.message)
    lines = [
        f"- {each['file']}:{each['line']} {code_span(each['text'].strip()[:160])}" for each in value.get("matches", ())
    ]
    if lines:
        return [f"The text {message} stands in:", *lines[:_RESULTS], ""]
    searched = value and not value.get("gave_up_after_seconds")
    return [f"No line of this project has the text {message}.", ""] if searched else []
