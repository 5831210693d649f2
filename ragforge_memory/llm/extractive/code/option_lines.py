"""Options and settings that no definition is called by: the lines that declare them, with what belongs to them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.endings import is_text
from ragforge_memory.language.reading.options import Option, asks_default, options_of
from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.wording import content_words
from ragforge_memory.llm.extractive.code.declared import (
    COMMENTED,
    as_field,
    as_symbol,
    asks_which,
    declares,
    falls_back,
    has_value,
    in_dashes,
    in_quotes,
    is_key,
    literal,
    opens_list,
    spelled_so,
)
from ragforge_memory.llm.extractive.code.members import MAX_LINES, listed, setting_spelled, visibly_setting
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import block, code_span
from ragforge_memory.models.text import lines_of
from ragforge_memory.text.names import stands_aside

MAX_BLOCK = 8
"""Lines of what declares an option that are quoted."""

_DECLARES, _SETS, _HAS = range(3)
# A line that is one of several parts: `.name = "limit",` of a table, `.long("limit")` of a chain.
_PART = re.compile(r"\.\w|[\"'`]?(?:name|key|id|long)[\"'`]?\s*[:=]", re.I)


def option_calls(question: Question) -> tuple[Call, ...]:
    """Looks for the lines that have an option or a setting that is asked for; nothing where none is."""
    patterns = [each for option in options_of(question) for each in (_literal(option), *_setting(option))]
    return (Call("grep_code", (("pattern", "|".join(patterns)), ("limit", MAX_LINES))),) if patterns else ()


def block_calls(question: Question, found: Sequence[Found]) -> tuple[Call, ...]:
    """Reads what stands below the line that declares it best; nothing where no line does."""
    _, lines = _lines(question, found)
    if not lines:
        return ()
    at = lines[0]["line"]
    return (Call("read_file", (("path", lines[0]["file"]), ("start_line", at), ("end_line", at + MAX_BLOCK - 1))),)


def without_options(question: Question, found: Sequence[Found]) -> list[Found]:
    """What was found but for the lines of `option_calls`."""
    keys = {each.key for each in option_calls(question)}
    return [each for each in found if each.call.key not in keys]


def option_lines(question: Question, found: Sequence[Found]) -> list[str]:
    """The line that declares an option best, with what belongs to it, and others that have it; none where none does."""
    option, lines = _lines(question, found)
    if option is None or not lines:
        return []
    first, others = lines[0], lines[1:]
    does = "stands" if _rank(option, first, asks_default(question)) == _HAS else "is set"
    answer = [f"`{option.asked}` - {first['file']}:{first['line']} (no definition of its own; it {does} here)"]
    shown = _belonging(first, found)
    answer += block(shown) if len(shown) > 1 else [f"> {code_span(first['text'].strip())}"]
    more = any(each.value.get("more") for each in _greps(question, found))
    return [*answer, "", "It stands in these lines too:", *listed(others, more=more)] if others else answer


def _literal(option: Option) -> str:
    spelled = spelled_so(option.name)
    if option.mark == ":":
        return as_symbol(spelled)
    return in_quotes(spelled) if option.sure else literal(spelled)


def _setting(option: Option) -> tuple[str, ...]:
    """Lines that set a name, where the option may be one: a parser makes a flag of a field that is called so."""
    if option.sure and option.mark != "-":
        return ()
    if option.sure or not re.fullmatch("[a-z]+", option.name):
        return (setting_spelled(_name(option)),)
    # A local variable sets nothing that a word of plain English may mean.
    return visibly_setting(option.name), rf"^\s*[\"'`]?{option.name}[\"'`]?\??\s*:(?!:)"


def _stands(option: Option, line: Mapping[str, Any]) -> bool:
    patterns = (_literal(option), *_setting(option))
    path = line["file"].lower()
    return all(each.lower() in path for each in option.within) and any(
        re.search(each, line["text"]) for each in patterns
    )


def _greps(question: Question, found: Sequence[Found]) -> list[Found]:
    keys = {each.key for each in option_calls(question)}
    return [each for each in found if each.call.key in keys and isinstance(each.value, dict)]


def _lines(question: Question, found: Sequence[Found]) -> tuple[Option | None, list[Mapping[str, Any]]]:
    """What is taken for the option, and the lines of code that have it; see `_lines_of`."""
    for option in options_of(question):
        if not option.sure and _is_defined(question, found):
            break
        if lines := _lines_of(option, question, found):
            return option, lines
    return None, []


def _lines_of(option: Option, question: Question, found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """The lines of code that have an option: those that declare it first, those of tests last."""
    lines = [
        line
        for each in _greps(question, found)
        for line in each.value.get("matches") or []
        if not is_text(line) and not COMMENTED.match(line["text"]) and _stands(option, line)
    ]
    if not option.sure:
        # Plain words stand anywhere: only what gives them a value, and no test, tells of a setting.
        # An argument of a call by its keyword has no default.
        argument = re.compile(rf"{re.escape(option.name)}=.*[,)]$")
        lines = [
            each
            for each in lines
            if not stands_aside(each["file"])
            and _rank(option, each, False) < _HAS
            and not argument.match(each["text"].strip())
        ]
    about = {each.lower() for each in content_words(question.text)}
    default = asks_default(question)
    name = _name(option)

    def order(line: Mapping[str, Any]) -> tuple[bool, bool, int, int, bool, bool, bool]:
        path = re.findall(r"[a-z0-9]+", line["file"].lower())
        text = line["text"]
        return (
            stands_aside(line["file"]),
            "language" in line,  # files that are not read are seldom what a project is made of
            _rank(option, line, default),
            -len(about.intersection(path)),
            default and not falls_back(text),
            default and not has_value(name, text),
            opens_list(name, text),
        )

    return sorted(lines, key=order)


def _is_defined(question: Question, found: Sequence[Found]) -> bool:
    """Whether a definition is called as was asked: the constant `DEFAULT_PORT`, the function `port`."""
    spelled = ("spelling",) if question.target.kind == "words" else ()
    read = (each.value for each in found if each.call.tool == "read_scope" and isinstance(each.value, dict))
    return any(value.get("match") in ("exact", "moved", "inherited", *spelled) for value in read)


def _rank(option: Option, line: Mapping[str, Any], default: bool) -> int:
    text, name = line["text"], _name(option)
    if option.mark == "-":
        dashed = in_dashes(option.name)
        if default and has_value(name, text) and re.search(setting_spelled(name), text):
            return _DECLARES
        # A key that is called so may be of anything.
        known = re.search(dashed, text) or not is_key(_literal(option), text)
        return _DECLARES if known and (declares(_literal(option), text) or asks_which(dashed, text)) else _HAS
    if declares(_literal(option), text):
        return _DECLARES
    if option.sure:
        return _SETS if asks_which(_literal(option), text) else _HAS
    sets = re.search(setting_spelled(name), text) and (has_value(name, text) or falls_back(text))
    return _SETS if sets else _HAS


def _name(option: Option) -> str:
    """A regular expression for the name as a field, a key or a variable may have it."""
    return as_field(option.name) if option.mark == "-" else spelled_so(option.name)


def _belonging(first: Mapping[str, Any], found: Sequence[Found]) -> list[str]:
    """The line and those below that belong to it: deeper ones, and its neighbours where it is one of several parts."""
    read = (each.value for each in found if each.call.tool == "read_file" and isinstance(each.value, dict))
    place = first["file"], first["line"]
    content = next((each["content"] for each in read if (each["file"], each["start_line"]) == place), "")
    lines = lines_of(str(content))
    if not lines:
        return []
    indent = _indent(lines[0])
    part = bool(_PART.match(lines[0].strip()))
    shown = [lines[0]]
    for line in lines[1:]:
        if not line.strip() or _indent(line) < indent:
            break
        closing = _indent(line) == indent and line.strip()[0] in ")]}"
        if closing and len(shown) > 1:
            shown.append(line)
        if _indent(line) == indent and (closing or not part):
            break
        shown.append(line)
    return [line[indent:] for line in shown]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
