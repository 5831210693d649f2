"""Answers about which file does something, and about which definitions of a sort a word tells of: by names alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.said.openings import BY_WORDS
from ragforge_memory.llm.extractive.quoting.pieces import item, rest
from ragforge_memory.models.text import counted
from ragforge_memory.retrieval.relevance import ENOUGH_WORDS, asks_for_aside
from ragforge_memory.text.names import is_aside

MAX_FILES = 5
MAX_OF_KIND = 60


def likely_files(value: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The files that `find_files` gave which have enough of the words; none where none has."""
    enough = ENOUGH_WORDS * len(str(value.get("words") or "").split())
    files = [each for each in value.get("files") or [] if each["called"] or len(each["words"]) >= enough]
    own = [each for each in files if not each.get("aside")] or files
    return own if any(len(each["words"]) >= enough for each in own) else []


def files_found(question: Question, files: Sequence[Mapping[str, Any]]) -> list[str]:
    """The files, the likeliest first, with what of them has the words."""
    words = ", ".join(f"`{word}`" for word in question.target.text.split())
    lines = [f"By the names of files and of what they define, {words} is the matter of:"]
    for each in files[:MAX_FILES]:
        names = ", ".join(f"`{name}`" for name in each["definitions"])
        more = f" and {each['more']} more" if each["more"] else ""
        lines.append(f"- {each['file']}{f': {names}{more}' if names else ''}")
    return [*lines, "", f"{BY_WORDS} {words}; another file may do it."]


def of_kind(question: Question, value: Mapping[str, Any]) -> list[str]:
    """What is of the kinds that were asked for and has the words in its name, its file or its folder."""
    every = value["scopes"]
    own = [each for each in every if not is_aside(each)]
    shown = every if asks_for_aside(question.target.text) or not own else own
    total = int(value["total"]) - (len(every) - len(shown))
    sorts = [("class", "classes") if each == "class" else (each, None) for each in question.sorts]
    number = counted(total, *sorts[0]) if len(sorts) == 1 else counted(total, "definition")
    has = "has" if total == 1 else "have"
    lines = [f"{number} {has} `{question.target.text}` in the name, the file or the folder:"]
    lines += [*map(item, shown[:MAX_OF_KIND]), *rest(total - len(shown[:MAX_OF_KIND]))]
    aside = len(every) - len(shown)
    return [*lines, f"So have {aside} of tests and examples."] if aside else lines
