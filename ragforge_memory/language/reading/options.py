"""Questions for options and settings: names that stand in quotes, as flags or as symbols, and defaults."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.wording import content_words

_SORTS = (
    r"(?:command[- ]line |cli )?(?:options?|settings?|flags?|switch(?:es)?|keys?|values?|commands?|parameters?|params?)"
)
# `--warmup`, `-w`; `:port`, but no `A::b`; `history-limit`.
_FLAG = r"(?<![\w-])--?(?P<flag>[A-Za-z][\w-]*)(?![\w-])"
_SYMBOL = r"(?<![\w:.]):(?P<symbol>[A-Za-z_]\w*)(?![\w:])"
_MARKED = re.compile(rf"{_FLAG}|{_SYMBOL}")
_DASHED = re.compile(
    rf"(?:(?:the|an?|our) )*(?:{_SORTS} )?[`'\"]?(?P<name>[A-Za-z]\w*(?:-\w+)+)[`'\"]?(?: {_SORTS})?", re.I
)
_DEFAULTS = r"default(?: (?:value|setting)s?|s)?"
_ITS_DEFAULT = re.compile(
    rf"(?:(?:the|an?|our|its) )*{_DEFAULTS} (?:of|for) (?P<x>\S.*)|(?P<y>\S+?)['’]s {_DEFAULTS}", re.I
)
_DEFAULT = re.compile(r"\bdefaults?\b", re.I)
_NAMED_DEFAULT = re.compile(rf"(?:(?:the|an?|our) )*default (?P<x>\S.*?)(?: {_SORTS})?", re.I)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")

MOST_WORDS = 3
"""Words that may be the name of a setting: "the default history limit"."""


@dataclass(frozen=True, slots=True)
class Option:
    """What may stand in files as an option or a setting.

    Args:
        asked: as it was written.
        name: without what marks it; words apart where it is not known how they are joined.
        mark: ``-`` of a flag, ``:`` of a symbol, ``""`` of what stands in quotes.
        sure: whether it can be nothing else; plain words may be any name, and only what sets them tells of them.
        within: words that the path of its file has.
    """

    asked: str
    name: str
    mark: str = ""
    sure: bool = True
    within: tuple[str, ...] = ()


def options_of(question: Question) -> tuple[Option, ...]:
    """What the option or setting that a question is for may be called, the likeliest first; empty where it is for none.

    "The default cors origin" is `cors_origin`, or an `origin` in a file that is called after cors.
    """
    option = _option(question)
    if option is None:
        return ()
    *first, last = option.name.split()
    return (option, replace(option, asked=last, name=last, within=tuple(first))) if first else (option,)


def _option(question: Question) -> Option | None:
    if question.form not in ("where", "what", "show", "search") or question.target.kind == "file":
        return None
    asked = question.target.text
    if marked := _MARKED.search(asked):
        flag = marked["flag"]
        return Option(marked[0], flag or marked["symbol"], "-" if flag else ":")
    if dashed := _DASHED.fullmatch(asked.strip(" ?!.,")):
        return Option(dashed["name"], dashed["name"])
    if not asks_default(question):
        return None
    if question.target.kind == "name":
        return Option(asked, asked, sure=False) if _IDENTIFIER.fullmatch(asked) else None
    named = _NAMED_DEFAULT.fullmatch(asked.strip(" ?!.,"))
    words = content_words(named["x"] if named else asked)
    plain = 1 <= len(words) <= MOST_WORDS and all(_IDENTIFIER.fullmatch(each) for each in words)
    return Option(" ".join(words), " ".join(words), sure=False) if plain else None


def asks_default(question: Question) -> bool:
    """Whether a default is asked for."""
    return bool(_DEFAULT.search(question.text))


def without_default(asked: str) -> str:
    """What the default is asked of: ``port`` of "the default of port"; what has no such words stays as it is."""
    found = _ITS_DEFAULT.fullmatch(asked.strip(" ?!.,;:"))
    return (found["x"] or found["y"]) if found else asked
