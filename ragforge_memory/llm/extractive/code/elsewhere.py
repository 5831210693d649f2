"""What is asked for in another place, or in another way, where nothing is called so: a name that its folder does not
define, and plain words whose callers are asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ragforge_memory.language.reading.patterns import Form
from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.targets import Target, is_folder
from ragforge_memory.llm.extractive.quoting.calls import Found
from ragforge_memory.text.names import KINDS

_FILES = ("file", "folder")
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*\.(?:json|html|css|sql)")
_DASHED = re.compile(r"[A-Za-z]\w*(?:-\w+)+")
_CREATED = re.compile(r"\b(?:created|constructed|instantiated)\W*$", re.I)
_MADE = KINDS["class"]
_BY_NAME = ("where", "what", "show", "callers", "uses", "callees", "subclasses", "bases", "overrides", "overridden")


def otherwise(question: Question, found: Sequence[Found]) -> Question | None:
    """The question to ask instead, once the first look-up shows that nothing is called so as asked; else None.

    A name that its folder does not define is asked of the whole project. Plain words that no definition is called by
    are searched for: "where is the session cookie created?" asks for no callers of a test that resembles them, nor
    "where is the logger created?" for those of a property. What ends as a file's name does and is no file is a name:
    ``res.json``; what has dashes stands in lines.
    """
    first = found[0].value if found else None
    if not isinstance(first, dict):
        return None
    target, match = question.target, first.get("match")
    if target.kind == "file" and first.get("kind") not in (*_FILES, None) and not first.get("unread"):
        if _DOTTED.fullmatch(target.text) is None:
            return None
        form: Form = "what" if question.form == "outline" else question.form
        return replace(question, form=form, target=replace(target, kind="name"))
    if question.form in _BY_NAME and target.kind == "name" and is_folder(target.file) and match == "none":
        return replace(question, target=replace(target, file=""))
    if question.form not in ("callers", "uses"):
        return None
    scopes = first.get("scopes") or []
    made = not target.marked and _CREATED.search(question.text) and all(each["type"] not in _MADE for each in scopes)
    if _DASHED.fullmatch(target.text):
        return replace(question, form="where", target=replace(target, kind="name", marked=True))
    if made or (target.kind == "words" and match in ("none", "partial", "typo")):
        return replace(question, form="search", target=Target("words", question.text))
    return None


def not_there(question: Question, asked: str) -> str:
    """The sentence for a name that its folder does not define."""
    return (
        f"Nothing below `{question.target.file.strip('/')}` is defined as `{asked}`; this is told of the whole project:"
    )
