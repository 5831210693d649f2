"""What a project registers under names, in tables of its code: ``FILTERS = {"default": do_default, …}``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.endings import is_text
from ragforge_memory.language.reading.question import Question, search_words
from ragforge_memory.language.reading.wording import beginning, content_words, stem
from ragforge_memory.llm.extractive.code.around import around_calls, scopes_around
from ragforge_memory.llm.extractive.code.evidence import COMMENT, grep
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import rest, text_line
from ragforge_memory.models.text import counted
from ragforge_memory.text.names import is_aside, words

_MAX_TABLES = 2
_MAX_VALUES = 3
_MAX_ENTRIES = 100
# Lines of a table that are read, and what is no list of names yet.
_MAX_LINES = 400
_FEWEST = 3

_CLOSING = {"(": ")", "[": "]", "{": "}"}
# What three quotes enclose is no name; a lone quote is a lifetime of Rust.
_TOKEN = re.compile(
    r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`|(?<!\S)(?://|#(?!\[))[^\n]*|/\*.*?\*/|[\[\](){},;]",
    re.S,
)
_OF_TABLES = re.compile(r"keys|options|settings|values|entries|names|variables", re.I)
_OF_DOCS = re.compile(r"docs?/", re.I)
_COMMENT = re.compile(r"(?://|#|/\*)")
# `map[string]Command{` has a bracket before that of the table.
_GOES_ON = re.compile(r"[ \t]*[\w.*&]*[ \t]*[{(]")
_ENTRY = re.compile(
    r"^[\[({]?\s*(?:new\s+)?(?:\[?([\"'`])(?P<quoted>.+?)\1\]?|:?(?P<bare>[A-Za-z_$][\w.:$-]*?))"
    r"\s*[\])}]?\s*(?:(?:=>|:(?!:)|=|,)\s*&?(?P<value>[A-Za-z_$][\w.:$]*)\s*(?:[,\])}].*)?|(?:=>|:(?!:)|=|,|\().*)?$",
    re.S,
)
_VALUE = r"\s*[\"'`]?\s*[\])}]?\s*(?:=>|:(?!:)|=|,)\s*&?(?P<value>[A-Za-z_$][\w.:$]*)\s*[,\])};]*\s*(?://.*|#.*)?$"


def registered_calls(question: Question, found: Sequence[Found]) -> tuple[Call, ...]:
    """Looks for the tables that a question is for, or for what is registered as the first of two words where the second
    says what it is ("the default filter"), then reads them; nothing for other questions."""
    if question.form == "known by word":
        begun = _begun(question, found)
        return (_table_call(question), *map(_read, begun), *around_calls(begun))
    pair = _pair(question)
    if pair is None or _is_spelled(question, found):
        return ()
    lines = _candidates(question, found)
    values = dict.fromkeys(value for line in lines if (value := _value_of(pair[0], line)))
    reads = (Call("read_scope", (("name", value),)) for value in list(values)[:_MAX_VALUES])
    return (grep(_registering(pair[0])), *around_calls(lines), *reads)


def without_registered(question: Question, found: Sequence[Found]) -> Sequence[Found]:
    """What the tools gave besides."""
    own = {each.key for each in registered_calls(question, found)}
    return [each for each in found if each.call.key not in own] if own else found


def tables(question: Question, found: Sequence[Found]) -> list[str]:
    """The tables with what is in them, one after the other; none where there is none."""
    if question.form != "known by word":
        return []
    lines: list[str] = []
    begun = _begun(question, found)
    around = scopes_around(found, begun)
    for line in begun:
        inside = around.get((line["file"], line["line"]), "").rpartition(".")[2]
        if inside and inside != _name(line) and not inside[0].isupper():
            continue  # a local variable
        read = next((each.value for each in found if each.call.key == _read(line).key), None)
        entries = list(entries_of(str(read.get("content") or ""))) if isinstance(read, dict) else []
        if len(entries) < _FEWEST:
            continue
        shown = ", ".join(
            f"`{name}`" if not value or value == name else f"`{name}` (`{value}`)"
            for name, value in entries[:_MAX_ENTRIES]
        )
        place = f"{line['file']}:{line['line']}"
        lines += [f"`{_name(line)}` - {place} has {counted(len(entries), 'entry', 'entries')}:", shown]
        lines += [*rest(len(entries) - _MAX_ENTRIES), ""]
    return lines[:-1]


def registered(question: Question, found: Sequence[Found]) -> tuple[list[str], Mapping[str, Any] | None]:
    """The lines that register it, and what `read_scope` gave for what it is registered as, where that is known."""
    lines, pair = _registered(question, found), _pair(question)
    if not lines or pair is None:
        return [], None
    value = _value_of(pair[0], lines[0])
    inside = scopes_around(found, lines)[lines[0]["file"], lines[0]["line"]]
    told = [f"`{pair[0]}` is {f'`{value}`' if value else 'an entry'} in `{inside}`:", f"- {text_line(lines[0])}"]
    read = (each for each in found if each.call.tool == "read_scope" and ("name", value) in each.call.arguments)
    known = next((each.value for each in read if isinstance(each.value, dict)), None)
    return told, known if known is not None and known.get("match") == "exact" else None


def entries_of(text: str) -> Iterator[tuple[str, str]]:
    """The names of a table's entries, each with the name that it is bound to, ``''`` where it is to none.

    Args:
        text: from the line that sets the table on; what is behind its end is left out, and all of one without an end.
    """
    at = text.find("=") + 1
    depth, begun, parts, ended = 0, 0, list[str](), False
    kept = list(text)
    for token in _TOKEN.finditer(text, at):
        sign = token[0]
        if _COMMENT.match(sign):
            kept[token.start() : token.end()] = " " * len(sign)
        elif sign in _CLOSING:
            depth += 1
            if depth == 1:
                begun, parts = token.end(), []
        elif sign in _CLOSING.values() or (sign == "," and depth == 1):
            if depth == 1:
                parts.append("".join(kept[begun : token.start()]).strip())
                begun = token.end()
            depth -= sign in _CLOSING.values()
            if depth <= 0 and not _GOES_ON.match(text, token.end()):
                ended = True
                break
    if len(parts) == 1 and parts[0][:1] in _CLOSING:
        yield from entries_of(f"={parts[0]}")  # `new Map([…])`, `frozenset({…})`
        return
    for part in parts if ended else ():
        entry = _ENTRY.match(part)
        if entry is not None:
            yield entry["quoted"] or entry["bare"], entry["value"] or ""


def _called(question: Question) -> tuple[str, ...]:
    """The words that a table's name has to have: of "config keys" ``config``, for keys has every table."""
    asked = search_words(question)
    return asked[:-1] if len(asked) > 1 and _OF_TABLES.fullmatch(asked[-1]) else asked


def _table_call(question: Question) -> Call:
    """Looks for lines that begin a table whose name has the last word that tells, in any form."""
    called = re.escape(beginning(_called(question)[-1].lower()))
    name = rf"[\w$.]*{called}\w*(?:\[\w*\])?"
    typed = r"(?:\s*:[^=\n]{1,60}|\s+[^=\n]{1,60})?"
    begun = r"[^=\n]{0,60}?[\[{(]\s*$"
    in_line = r"[^\"'\n]{0,30}[\[{(]\s*[\"'][^\"']+[\"']\s*(?:,|:|=>).*"
    return grep(rf"^[ \t]*(?:[\w$&*:<>\[\],.@-]+\s+){{0,4}}{name}{typed}\s*=\s*(?:{begun}|{in_line})", ignore_case=True)


def _begun(question: Question, found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """The lines that begin tables called so, what is called just so first; none of what stands aside."""
    wanted = {stem(each) for each in _called(question)}
    given = _lines(_table_call(question), found)
    called = [each for each in given if wanted <= {stem(word) for word in words(_name(each))}]
    own = [each for each in called if not is_aside(each) and not _OF_DOCS.match(each["file"])]
    return sorted(own, key=lambda each: len(words(_name(each))))[:_MAX_TABLES]


def _lines(call: Call, found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """The lines of code that one search gave."""
    value = next((each.value for each in found if each.call.key == call.key), None)
    matches = value.get("matches") or [] if isinstance(value, dict) else []
    return [each for each in matches if not is_text(each) and not COMMENT.match(each["text"])]


def _name(line: Mapping[str, Any]) -> str:
    """What a line that begins a table sets."""
    before = str(line["text"]).partition("=")[0].split(":")[0]
    names = re.findall(r"[A-Za-z_$][\w$]*", re.sub(r"\[\w*\]\s*$", "", before.strip()))
    return str(names[-1]) if names else ""


def _read(line: Mapping[str, Any]) -> Call:
    first = line["line"]
    return Call("read_file", (("path", line["file"]), ("start_line", first), ("end_line", first + _MAX_LINES)))


def _pair(question: Question) -> tuple[str, str] | None:
    """A name and the word for what is called so; None where a question is about more, or about less."""
    if question.form not in ("where", "what", "show", "search") or question.target.kind != "words":
        return None
    found = content_words(question.target.text)
    return (found[0], found[1]) if len(found) == 2 and all(map(str.isidentifier, found)) else None


def _is_spelled(question: Question, found: Sequence[Found]) -> bool:
    """Whether something is defined as both words together: "the option parser" is ``OptionParser``."""
    whole = ("name", "_".join(question.target.text.split()))
    read = (each.value for each in found if each.call.tool == "read_scope" and whole in each.call.arguments)
    return any(isinstance(value, dict) and value.get("match") in ("exact", "moved", "spelling") for value in read)


def _registering(name: str) -> str:
    """A regular expression for lines that have a name as a key, an argument or the first of a pair."""
    return rf"[\"'`]{re.escape(name)}[\"'`]\s*[\])}}]?\s*(?:=>|:(?!:)|=(?!=)|,)|^\s*{re.escape(name)}:\s*[\w.]+,?\s*$"


def _candidates(question: Question, found: Sequence[Found]) -> list[Mapping[str, Any]]:
    pair = _pair(question)
    return [each for each in _lines(grep(_registering(pair[0])), found) if not is_aside(each)] if pair else []


def _registered(question: Question, found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """Those of the lines that stand in what is called as the second word says."""
    pair, lines = _pair(question), _candidates(question, found)
    around = scopes_around(found, lines)
    return [
        each
        for each in lines
        if pair
        and (inside := around.get((each["file"], each["line"])))
        and stem(pair[1]) in {stem(word) for word in words(inside.rpartition(".")[2])}
    ]


def _value_of(name: str, line: Mapping[str, Any]) -> str:
    value = re.search(rf"(?<!\w){re.escape(name)}{_VALUE}", str(line["text"]))
    return value["value"] if value else ""
