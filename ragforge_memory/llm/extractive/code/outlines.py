"""Answers about what is inside: of a file, a folder, a class."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from types import MappingProxyType
from typing import Any

from ragforge_memory.language.reading.question import ASYNC, Question
from ragforge_memory.llm.extractive.code.found_text import code_lines
from ragforge_memory.llm.extractive.code.tests_listed import number_of_tests, tests_of, where_tests_are
from ragforge_memory.llm.extractive.quoting.docstrings import readable
from ragforge_memory.llm.extractive.quoting.pieces import (
    MAX_ASKED,
    code_span,
    head,
    item,
    nothing,
    quotation,
    rest,
    taken_for,
)
from ragforge_memory.models.text import counted
from ragforge_memory.text.names import is_test_case

MAX_OUTLINED = 60
"""Definitions of a file that are listed a line each; of more only the outermost have one."""

MAX_NAMES = 12
"""Names of one file in the list of a folder's files."""

PURPOSE_LINES = 6

# A heading, a list, a table, a badge, a directive or a piece of code says little of what a project is for.
_NO_PROSE = re.compile(r"^\s*(?:[#=~+|<!\[>*:-]|```|\.\. |\d+[.)] )|^[\W_]*$")
_UNDERLINE = re.compile(r"^\s*([=~^\"'+*-])\1{2,}\s*$")
_PROSE = 40
"""Characters of a paragraph that says something."""
_SENTENCE = 4
"""Words of a whole sentence that does."""

_SORTS = {
    "function": ("function", "method"),
    "test": ("function", "method"),
    "class": ("class", "struct", "interface", "enum", "trait"),
    "variable": ("constant",),
    "type": ("type", "class", "struct", "interface", "enum", "trait"),
}
MODULE = "module"


def outlined(question: Question, asked: str, values: Mapping[str, Any]) -> list[str]:
    """The lines that say what a file, a folder or a definition holds."""
    value = values.get("outline", {})
    match value.get("kind"):
        case "file" if values.get("list_tests", {}).get("total"):
            return [*tests_of(value["file"], values["list_tests"]), *other_file(asked, value)]
        case "file":
            return _file_outline(question, asked, value)
        case "folder":
            said = purpose(values.get("read_file", {})) if question.form == "overview" else []
            kinds = values.get("list_definitions", {})
            told = (
                _of_kinds(question, asked, value, kinds)
                if "total" in kinds
                else _folder_outline(question, asked, value, values.get("list_tests", {}))
            )
            return [*said, *([""] if said else []), *told]
        case "scope":
            owner = value["scope"]
            inside, none = _asked_for([{"file": owner["file"], **each} for each in value.get("scopes") or []], question)
            number = _numbered(inside, question, none, int(value.get("total") or 0) - len(value.get("scopes") or []))
            number = f"no {number[2:]}" if number.startswith("0 ") else number
            lines = [head(owner), f"It has {number} inside{':' if inside else '.'}"]
            lines += [_listed(each) for each in inside[:MAX_ASKED]] + rest(len(inside) - MAX_ASKED)
            if others := value.get("other_scopes"):
                lines += ["", "Also defined:" if value["match"] == "exact" else "Others:", *map(item, others)]
            note = taken_for({**value, "scopes": [owner]}, asked)
            return [*lines, *note]
        case _:
            text = beginning(values.get("read_file", {}))
            return [*text, *other_file(asked, value)] if text else [nothing(asked)]


def _file_outline(question: Question, asked: str, value: Mapping[str, Any]) -> list[str]:
    everything = [{"file": value["file"], **each} for each in value.get("scopes") or []]
    scopes, none = _asked_for(everything, question)
    unseen = max(0, int(value.get("total") or 0) - len(everything))
    number = _numbered(scopes, question, none, unseen)
    lines = [f"`{value['file']}` contains {number}{':' if scopes else '.'}"]
    if len(scopes) <= MAX_OUTLINED:
        lines += [_listed(each) for each in scopes]
    else:
        names = {each["qualified_name"] for each in scopes}
        top = [each for each in scopes if not names & set(_around(each["qualified_name"]))]
        for each in top[: 2 * MAX_OUTLINED]:
            prefix = f"{each['qualified_name']}."
            inside = [f"`{one['name']}`" for one in scopes if one["qualified_name"].startswith(prefix)]
            lines.append(_listed(each) + (f": {', '.join(inside)}" if inside else ""))
        more = "more" if len(top) == len(scopes) else "more, and what is inside them"
        lines += rest(len(top) - 2 * MAX_OUTLINED, more)
    lines += rest(unseen, "more definitions deeper inside, which are not looked at here")
    return lines + other_file(asked, value)


def shown_to_others(asked: str, value: Mapping[str, Any]) -> list[str]:
    """What a file exports, or what of it is public, as `exports` told it."""
    file, names = value.get("file"), value.get("exports") or []
    if not file:
        return [nothing(asked)]
    if value.get("broken"):
        return [f"`{file}` cannot be read as code now, so that what it exports is not known."]
    rule = f" ({value['rule']})" if value["rule"] else ""
    lines = [f"`{file}` exports {counted(value['total'], 'name') if names else 'nothing'}{rule}{':' if names else '.'}"]
    for each in names[:MAX_ASKED]:
        what = f"from {code_span(each['module'])}" if each["module"] else each["type"]
        lines.append(f"- `{each['name']}` - {file}:{each['line']}{f' ({what})' if what else ''}")
    return [*lines, *rest(int(value["total"]) - len(names[:MAX_ASKED])), *other_file(asked, value)]


def other_file(asked: str, value: Mapping[str, Any]) -> list[str]:
    """What to say where another file than the one shown may be meant, or the one shown is in no graph."""
    lines = []
    if value.get("unread"):
        lines.append(f"`{value['unread']}` was not read as code, so no definition in it is known.")
    if value.get("match") == "typo":
        lines.append(f"Did you mean `{value['file']}`? No file is called `{asked}`.")
    if others := value.get("other_files"):
        lines.append(f"Other files of that name: {', '.join(others)}.")
    return lines


def _around(qualified_name: str) -> list[str]:
    """The names of what a definition is inside of."""
    parts = qualified_name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _listed(scope: Mapping[str, Any]) -> str:
    overloads = scope.get("overloads") or []
    return f"{item(scope)}, {overloaded(overloads)}" if overloads else item(scope)


def overloaded(lines: Sequence[int]) -> str:
    """Where else a definition is spelled out for other types: ``overloaded in lines 3, 7``."""
    return f"overloaded in line{'s' if len(lines) > 1 else ''} {', '.join(map(str, lines))}"


def _asked_for(scopes: Sequence[dict[str, Any]], question: Question) -> tuple[list[dict[str, Any]], str]:
    """The definitions of the sorts that were asked for, without overloads; all, and what there is none of."""
    implemented = {each["qualified_name"]: each for each in scopes if not each.get("overload")}
    overloads: dict[str, list[int]] = {}
    for each in scopes:
        if each.get("overload") and each["qualified_name"] in implemented:
            overloads.setdefault(each["qualified_name"], []).append(each["line"])
    whole = [
        {**each, "overloads": overloads[each["qualified_name"]]}
        if implemented.get(each["qualified_name"]) is each and each["qualified_name"] in overloads
        else each
        for each in scopes
        if not each.get("overload") or each["qualified_name"] not in implemented
    ]
    wanted = {kind for sort in question.sorts for kind in _SORTS.get(sort, (sort,))}
    chosen = [
        each
        for each in whole
        if (not wanted or each["type"] in wanted)
        and (question.sorts != ("test",) or _may_be_test(each))
        # Of many each says so itself, and has no signature here.
        and (not question.asynchronous or each.get("async") or ASYNC.search(each.get("signature") or ""))
    ]
    none = " or ".join(question.sorts) or ("definition" if question.asynchronous else "")
    return (chosen, "") if chosen else (whole, none and f"{_adjective(question)}{none}")


def _may_be_test(scope: Mapping[str, Any]) -> bool:
    """Whether a definition is a test."""
    return bool(scope.get("test")) or is_test_case(scope["name"], scope["file"])


def _adjective(question: Question) -> str:
    return "async " if question.asynchronous else ""


def _numbered(scopes: Sequence[Mapping[str, Any]], question: Question, none: str, unseen: int) -> str:
    """How many there are of what is listed: ``3 functions and 1 method`` where sorts were asked for."""
    which = "" if none else _adjective(question)
    everything = counted(len(scopes) + (0 if question.sorts and not none else unseen), f"{which}definition")
    if none:
        return f"no {none}, but {everything}" if scopes else f"no {none}"
    if question.sorts == ("test",):
        return counted(len(scopes), "test")
    if not question.sorts:
        return everything
    numbers: dict[str, int] = {}
    for each in scopes:
        numbers[each["type"]] = numbers.get(each["type"], 0) + 1
    said = [
        counted(number, f"{which}{kind}", f"{which}classes" if kind == "class" else None)
        for kind, number in numbers.items()
    ]
    return said[0] if len(said) == 1 else f"{', '.join(said[:-1])} and {said[-1]}"


def _folder_outline(
    question: Question, asked: str, value: Mapping[str, Any], tests: Mapping[str, Any] = MappingProxyType({})
) -> list[str]:
    files = value.get("files") or []
    total = int(value.get("total") or len(files))
    name = _folder_name(asked, value)
    number = number_of_tests(tests, total) if "total" in tests else _number_below(question, value.get("types") or {})
    lines = [f"{name} contains {number}{counted(total, 'source file')}:"]
    folders: Mapping[str, int] = value.get("folders") or {}
    if total <= 40 or len(folders) == 1:  # one folder alone would only say its number again
        defined = value.get("definitions") or {}
        lines += [f"- {file}{_names(defined.get(file) or ())}" for file in files[:MAX_OUTLINED]]
        lines += rest(total - len(files[:MAX_OUTLINED]), "more files")
    else:
        lines += [f"- {folder}: {counted(number, 'file')}" for folder, number in list(folders.items())[:40]]
        lines += rest(len(folders) - 40, "more folders")
    if "total" in tests:
        lines += where_tests_are(tests)
    elif question.sorts:
        sorts = " and ".join("classes" if each == "class" else f"{each}s" for each in question.sorts)
        lines.append(f"Which definitions are {sorts} is told of a file: `list the {sorts} in FILE`.")
    return lines


def kinds_of(question: Question) -> tuple[str, ...]:
    """The types of scope that a question asks to list; none where it asks for tests, or for all there is."""
    if "test" in question.sorts:
        return ()
    return tuple(dict.fromkeys(kind for each in question.sorts for kind in _SORTS.get(each, (each,))))


def _of_kinds(question: Question, asked: str, value: Mapping[str, Any], kinds: Mapping[str, Any]) -> list[str]:
    """What is of the kinds that were asked for, a line each; of many the names by file; of too many only how many."""
    total, scopes = int(kinds["total"]), kinds["scopes"]
    modules = MODULE in question.sorts
    if not total and modules:
        return _folder_outline(replace(question, text=""), asked, value)  # in most languages files are
    name = _folder_name(asked, value)
    which = f"{question.modifier} " if question.modifier else ""
    if not total:
        sorts = " or ".join("classes" if each == "class" else f"{each}s" for each in question.sorts)
        return [f"{name} has no {which}{sorts} that the code says are such."]
    kind_of = {"trait": MODULE} if modules else {}
    number = " and ".join(
        counted(count, f"{which}{kind}", f"{which}classes" if kind == "class" else None)
        for each, count in kinds["types"].items()
        for kind in [kind_of.get(each, each)]
    )
    if len(scopes) < total:
        return [f"{name} has {number}, too many to list. Its files:", *_folder_outline(question, asked, value)[1:]]
    files: dict[str, list[str]] = {}
    for each in scopes:
        files.setdefault(each["file"], []).append(each["qualified_name"])
    lines = [f"{name} has {number} in {counted(len(files), 'file')}:"]
    if total <= MAX_OUTLINED:
        return [*lines, *map(item, scopes)]
    lines += [f"- {file}{_names(names)}" for file, names in list(files.items())[:MAX_OUTLINED]]
    return [*lines, *rest(len(files) - MAX_OUTLINED, "more files")]


def _folder_name(asked: str, value: Mapping[str, Any]) -> str:
    return "This project" if value.get("asked") == "." else f"`{asked.strip('/')}`"


def _number_below(question: Question, types: Mapping[str, int]) -> str:
    """How many definitions of the sorts that were asked for a folder has, before the files that have them."""
    if not types or not question.sorts or question.asynchronous:
        return ""
    tests = [f"{counted(types.get('test', 0), 'test')}"] if "test" in question.sorts else []
    kinds = dict.fromkeys(kind for each in question.sorts if each != "test" for kind in _SORTS.get(each, (each,)))
    found = [kind for kind in kinds if types.get(kind)] or list(kinds)[:1]
    told = [counted(types.get(kind, 0), kind, "classes" if kind == "class" else None) for kind in found]
    return f"{' and '.join([*tests, *told])} in "


def _names(names: Sequence[str]) -> str:
    more = f" and {len(names) - MAX_NAMES} more" if len(names) > MAX_NAMES else ""
    return f": {', '.join(f'`{each}`' for each in names[:MAX_NAMES])}{more}" if names else ""


def purpose(value: Mapping[str, Any]) -> list[str]:
    """What a project's README says first, quoted with its place; nothing where there is none, or no prose in it.

    Args:
        value: the README as `read_file` gave it, from its first line on.
    """
    file = str(value.get("file") or "")
    written = enumerate(str(value.get("content") or "").split("\n"), 1)
    for blank, numbered in groupby(written, key=lambda each: not each[1].strip()):
        paragraph = [] if blank else [{"line": number, "text": text} for number, text in numbered]
        # What is underlined is a heading, though the text begins right behind it.
        headings = [at for at, each in enumerate(paragraph) if _UNDERLINE.match(str(each["text"]))]
        paragraph = paragraph[headings[-1] + 1 :] if headings else paragraph
        text = [str(each["text"]).strip() for each in paragraph]
        if not text or _NO_PROSE.match(text[0]) or not _says_something(text):
            continue
        said = text if file.endswith((".md", ".txt")) else readable("\n".join(text), "README.py")
        shown = said[:PURPOSE_LINES]
        cut = [*shown[:-1], f"{shown[-1]} …"] if len(said) > PURPOSE_LINES else shown
        return [f"{file}:{paragraph[0]['line']} says:", *quotation(cut)]
    return []


def _says_something(paragraph: Sequence[str]) -> bool:
    if sum(map(len, paragraph)) >= _PROSE:
        return True
    return paragraph[-1].endswith((".", "!")) and len(" ".join(paragraph).split()) >= _SENTENCE


def there(value: Mapping[str, Any]) -> list[str]:
    """That a file that defines nothing is there, and how to see it; none where it was not read."""
    if not value.get("content"):
        return []
    file, lines = value["file"], counted(int(value["total_lines"]), "line")
    return [f"`{file}` is there, with {lines} and no definition that I know: `show me {file}` shows how it begins."]


def beginning(value: Mapping[str, Any]) -> list[str]:
    """The first lines of a file that defines nothing; none where they were not read."""
    return code_lines("", value) if value.get("content") else []
