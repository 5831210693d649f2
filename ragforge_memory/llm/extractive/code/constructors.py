"""What a class takes: the signature of its constructor."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.question import Question
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import item, signature
from ragforge_memory.text.names import KINDS

_TAKES = re.compile(
    r"\b(?:arguments?|parameters?|params|args|inputs?|takes?|accepts?|signature|construct(?:ed|or)?|instantiated?)\b",
    re.I,
)
# What it is called, where it has not the name of its class.
_CALLED = {
    "python": "__init__", "javascript": "constructor", "typescript": "constructor", "tsx": "constructor",
    "php": "__construct", "ruby": "initialize", "rust": "new",
}  # fmt: skip
_CALLED_AS_ITS_CLASS = ("java", "csharp", "cpp")


def constructor_of(question: Question, read: Mapping[str, Any]) -> Call | None:
    """The call that reads the constructor of the class that `read_scope` gave; None where another thing is asked."""
    best = next(iter(read.get("scopes") or []), None)
    said = question.text.replace(question.target.text, " ")
    if best is None or best["type"] not in KINDS["class"] or not _TAKES.search(said):
        return None
    language = str(best.get("language") or "")
    name = best["name"] if language in _CALLED_AS_ITS_CLASS else _CALLED.get(language)
    if name is None:
        return None
    whole = f"{best['qualified_name']}.{name}"
    return Call("read_scope", (("name", whole), ("file", best["file"]), ("include_source", False)))


def constructors(question: Question, found: Sequence[Found]) -> list[str]:
    """The signatures of a class's constructors; nothing where it has none, or another thing is asked."""
    read = [each for each in found if each.call.tool == "read_scope" and isinstance(each.value, dict)]
    call = constructor_of(question, read[0].value) if read else None
    value: Mapping[str, Any] = next((each.value for each in read[1:] if call and each.call.key == call.key), {})
    if value.get("match") not in ("exact", "inherited"):
        return []
    scopes = [each for each in value.get("scopes") or [] if each["type"] == "method"]
    several = "s" if len(scopes) > 1 else ""
    lines = [f"Its constructor{several}{', inherited' if value['match'] == 'inherited' else ''}:"]
    for each in scopes:
        lines += [item(each), *signature(each)]
    return [*lines, ""] if scopes else []
