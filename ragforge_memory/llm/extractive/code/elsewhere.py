"""A name that is asked for in a folder which defines none: what is called so elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.targets import is_folder
from ragforge_memory.llm.extractive.quoting.calls import Found

_BY_NAME = ("where", "what", "show", "callers", "uses", "callees", "subclasses", "bases", "overrides", "overridden")


def is_elsewhere(question: Question, found: Sequence[Found]) -> bool:
    """Whether the folder that a name is asked for in was looked through, and defines nothing that is called so."""
    target = question.target
    if question.form not in _BY_NAME or target.kind != "name" or not is_folder(target.file) or not found:
        return False
    first = found[0].value
    return isinstance(first, dict) and first.get("match") == "none"


def anywhere_else(question: Question) -> Question:
    """The same, asked of the whole project."""
    return replace(question, target=replace(question.target, file=""))


def not_there(question: Question, asked: str) -> str:
    """The sentence for a name that its folder does not define."""
    return (
        f"Nothing below `{question.target.file.strip('/')}` is defined as `{asked}`; this is told of the whole project:"
    )
