"""Answers out of texts: search results, messages, and lines of files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragforge_memory.language.reading.endings import MADE
from ragforge_memory.language.reading.question import Question, search_words
from ragforge_memory.language.reading.wording import covered
from ragforge_memory.language.said.openings import BY_WORDS, NOT_UNDERSTOOD, NOTHING_FOUND
from ragforge_memory.llm.extractive.code.members import listed
from ragforge_memory.llm.extractive.quoting.pieces import block, head, item, nothing, signature, summary
from ragforge_memory.models.text import counted, lines_of
from ragforge_memory.retrieval.relevance import MAX_SEARCHED, NEAREST, Judged, judged
from ragforge_memory.text.names import KINDS, is_aside

MAX_RESULTS = 5


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
        for each in found.good[: MAX_RESULTS - len(found.near[:NEAREST])]:
            lines += [head(each), *(summary(each) or signature(each)), ""]
        # Tests have the words of what they test, and are not what is asked for.
        lines += [*beside, ""] if (beside := _nearest(asked, found, "Nearest outside of tests and examples")) else []
        # What was searched for is said: the question may have asked for something else than what has its words.
        by_words = ["", f"{BY_WORDS} {_quoted(asked)}; there may be more."] if question.form == "search" else []
        return [*lines[:-1], *by_words, *_by_words_alone(value)]
    lines = _word_lines(found.missing, lines_found) or [nothing(" ".join(found.missing) or question.text)]
    lines += _nearest(asked, found, "Nearest")
    if question.form == "search":
        lines += ["", f"{NOT_UNDERSTOOD}: I looked for {_quoted(asked) or 'its words'}."]
    return lines


def _nearest(asked: Sequence[str], found: Judged, called: str) -> list[str]:
    """What only has some of the words, and which those are."""
    near = found.near[:NEAREST]
    by = _quoted([word for word in asked if any(word in have for _, have in near)])
    places = (f"- `{each['qualified_name']}` - {each['file']}:{each['line']} ({each['type']})" for each, _ in near)
    return [f"{called} by {by}:", *places] if near else []


def named_by_word(
    question: Question, value: Mapping[str, Any], lines_found: Mapping[str, Any], tables: Sequence[str] = ()
) -> list[str]:
    """The definitions that have a word in their names, types first and tests last; else as a search, where no tables
    are told before it.

    Which things people call "loaders" no code says; those that are called so are likely among them.
    """
    results = value.get("results") or []
    asked = search_words(question)
    found = [each for each in results if _is_named(asked, each)]
    own = [each for each in found if not is_aside(each)]
    if not own and tables:
        return []
    if not own:
        # What stands in a file that is called so is one, whatever its own name.
        own = [each for each in results if not is_aside(each) and covered(asked, _stem_of(each["file"])) == asked]
    own = own or found
    if not own:
        return search_results(replace(question, form="search"), value, lines_found)
    own.sort(key=lambda each: each["type"] not in KINDS["class"])
    more = " at least" if len(results) >= MAX_SEARCHED else ""
    number = counted(len(own), "definition has", "definitions have")
    return [
        *([""] if tables else []),
        f"What `{question.target.text}` are I cannot tell, but{more} {number} the word in the name:",
        *map(item, own),
    ]


def _stem_of(file: str) -> str:
    return file.rpartition("/")[2].partition(".")[0]


def _is_named(asked: tuple[str, ...], result: Mapping[str, Any]) -> bool:
    """Whether a definition's name has the last of the words, and it or its file's path the others: "json tags"."""
    name = str(result["qualified_name"]).rpartition(".")[2]
    beside = f"{name} {result['file']}".replace("/", " ")
    return bool(covered(asked[-1:], name)) and covered(asked, beside) == asked


def _word_lines(words: Sequence[str], value: Mapping[str, Any]) -> list[str]:
    """The lines with the most of the words first."""
    given = [each for each in value.get("matches") or [] if not MADE.search(each["file"])]
    have = {id(each): len(covered(tuple(words), str(each["text"]))) for each in given}
    # "Rather" begins as "rate" does, and is another word.
    matches = [each for each in given if have[id(each)]]
    if not matches:
        return []
    it = "it" if max(have.values()) >= len(words) else "most of it"
    lines = [f"{NOTHING_FOUND} that is defined as or described by `{' '.join(words)}`, but these lines have {it}:"]
    return lines + listed(sorted(matches, key=lambda each: -have[id(each)]), more=bool(value.get("more")))


def code_lines(asked: str, value: Mapping[str, Any]) -> list[str]:
    """Lines of a file as a block."""
    content = value.get("content")
    if not content:
        return [nothing(asked)] if asked else []
    file = value["file"]
    first, last = value["start_line"], value["end_line"]
    place = f"`{file}` has lines {first}-{last} of {value['total_lines']} here ({file}:{first}):"
    return [place, *block(lines_of(str(content)), _language(str(file)))]


def _by_words_alone(value: Mapping[str, Any]) -> list[str]:
    embedded = value.get("embedded") or {}
    scopes, vectors = embedded.get("scopes") or 0, embedded.get("with_vector") or 0
    if not scopes or vectors >= scopes or not vectors:
        return []
    return ["", f"(Found by words and by meaning; {vectors} of {scopes} definitions are embedded so far.)"]


def _quoted(words: Sequence[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _language(file: str) -> str:
    return {"py": "python", "pyi": "python", "rs": "rust", "rb": "ruby", "cs": "csharp", "md": "markdown"}.get(
        file.rpartition(".")[2], file.rpartition(".")[2]
    )
