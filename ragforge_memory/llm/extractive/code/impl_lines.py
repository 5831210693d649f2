"""Rust's ``impl Trait for Type`` as lines of text: an `impl` is no definition, and where its type is not the project's
(``[u8]``, any ``T``) or is of another file, nothing in the graph stands for it; of a library's trait nothing ever does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.question import Question
from ragforge_memory.llm.extractive.code.evidence import grep
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import rest, text_line
from ragforge_memory.models.text import counted
from ragforge_memory.text.names import stands_aside

MAX_IMPLS = 40
"""Lines that are listed."""

_ENDING = ".rs"
# "What implements Iterator for Chars?": both the trait and the type.
_BOTH = re.compile(r"\bimpl(?:ement)?s?\s+(?:the\s+)?(?:trait\s+)?`?([\w:]+)(?:<\S*>)?`?\s+for\s+`?([\w:]+)`?", re.I)
_COMMENT = re.compile(r"\s*(?://|/?\*)")
_TYPES = ("struct", "enum", "type")

Line = Mapping[str, Any]


def impl_calls(question: Question, value: Mapping[str, Any]) -> tuple[Call, ...]:
    """Looks for the lines that implement a trait that is asked about, or of a type those that implement one for it.

    Args:
        question: for what inherits from something, or for what something inherits from.
        value: what was found under its name.
    """
    pattern = _pattern(question, value)
    return (grep(pattern, path=_ENDING),) if pattern else ()


def implemented(question: Question, found: Sequence[Found]) -> list[str]:
    """The answer where all there is are lines: of a trait for a type, of a trait that the project does not define.

    Nothing where no line implements it.
    """
    both, lines = _BOTH.search(question.text), impl_lines(question, found)
    name = question.target.member
    if not both:
        # Another case names another thing, where the text has it as it was asked.
        defined = any(each["name"] == name for each in _value(found).get("scopes") or [])
        lines = [] if defined else [each for each in lines if re.search(rf"\b{re.escape(name)}\b", each["text"])]
    if not lines:
        return []
    of = f"`{both[1]}` is implemented for `{both[2]}`" if both else f"`{name}` is implemented"
    return [f"{of} in {counted(len(lines), 'line')}:", *listed_impls(lines)]


def impl_lines(question: Question, found: Sequence[Found]) -> list[Line]:
    """The lines that implement what is asked about, or something for it, and that no scope found tells of; those of
    tests last."""
    value = _value(found)
    wanted = impl_calls(question, value)
    kind = "bases" if question.form == "bases" else "subclasses"
    told = {
        (each["file"], line)
        for scope in value.get("scopes") or []
        for each in (scope, *(scope.get(kind) or []))
        for line in each.get("lines") or []
    }
    lines = [
        line
        for each in found
        if each.call in wanted and isinstance(each.value, dict)
        for line in each.value.get("matches") or []
        if (line["file"], line["line"]) not in told and not _COMMENT.match(line["text"])
    ]
    return sorted(lines, key=lambda each: stands_aside(each["file"]))


def listed_impls(lines: Sequence[Line]) -> list[str]:
    """The first `MAX_IMPLS` of such lines."""
    return [f"- {text_line(each)}" for each in lines[:MAX_IMPLS]] + rest(len(lines) - MAX_IMPLS)


def _pattern(question: Question, value: Mapping[str, Any]) -> str:
    both = _BOTH.search(question.text)
    if both:
        return f"{_of(both[1])}{_for(both[2])}"
    scopes = [each for each in value.get("scopes") or [] if str(each["file"]).endswith(_ENDING)]
    if question.form == "bases":
        types = [each["name"] for each in scopes if each["type"] in _TYPES]
        return rf"\bimpl\b.*{_for(types[0])}" if types else ""
    name = question.target.member if question.target.kind == "name" else ""
    known = {each["name"] for each in value.get("scopes") or []}
    wanted = [rf"{_of(trait)}\sfor\s" for trait in sorted({each["name"] for each in scopes if each["type"] == "trait"})]
    if name and name not in known:
        wanted += [rf"{_of(name)}\sfor\s", rf"#!?\[.*\bderive\(.*\b{re.escape(name)}\b"]
    return "|".join(wanted)


def _of(trait: str) -> str:
    return rf"\bimpl\b.*\b{re.escape(trait.rpartition(':')[2])}\b(?:<.*>)?"


def _for(kind: str) -> str:
    return rf"\sfor\s+&?\s*(?:'\w+\s+)?(?:mut\s+)?(?:\w+::)*{re.escape(kind.rpartition(':')[2])}\b"


def _value(found: Sequence[Found]) -> Mapping[str, Any]:
    tools = ("find_callers", "find_callees")
    return next((each.value for each in found if each.call.tool in tools and isinstance(each.value, dict)), {})
