"""Answers about code: one definition, what uses it, what is in a file, what a change touches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ragforge_memory.llm.extractive.lines import (
    block,
    docs,
    either,
    entry,
    listed,
    not_read,
    signature,
    source,
    statements,
)
from ragforge_memory.llm.extractive.search import MAX_LINES, is_sure, is_unread, search_answer, search_calls
from ragforge_memory.llm.extractive.values import Answer, Call, Outcomes, Question
from ragforge_memory.models.text import counted

_Scope = Mapping[str, Any]
# Items of lists: other definitions, guesses, callers, possible ones, uses that are not calls, names of a file.
_BESIDE, _GUESSES, _CERTAIN, _POSSIBLE, _ASIDE, _NAMES = 25, 5, 300, 100, 10, 12
_DEFINITIONS, _FILES, _CHANGED, _PASTED = 100, 60, 60, 6
# Lines of a file that was asked for, of one that defines nothing, of a README.
_FILE_LINES, _BEGINNING, _README = 60, 40, 12
# What is not a call from a function: how it is told of, and the list of `find_callers`.
_OTHERWISE = {
    "Outside of functions": "top_level",
    "It decorates": "decorates",
    "Named without a call": "references",
    "Inherits from it": "subclasses",
    "Overrides it": "overrides",
}


def name_calls(tool: str, question: Question, **more: Any) -> list[Call]:
    """The call of a tool that takes a name, perhaps its file and what it is said to be; of a file, which one it is."""
    target = question.target
    if target.sort == "file":
        return [Call("outline", {"target": target.text})]
    known = {key: value for key, value in (("file", target.file), ("kind", target.kind)) if value}
    return [Call(tool, {"name": target.text, **known, **more})]


def search_if_missing(question: Question, found: Outcomes) -> list[Call]:
    """The lines of a file; a search for a name that nothing has."""
    value, target = found.first("read_scope", "find_callers", "find_callees", "outline"), question.target
    if target.sort != "file":
        return search_calls(question, target.text) if value and not is_sure(value) else []
    first, last = target.lines
    # A line alone is read with what is around it.
    first, last = (max(1, first - 5), first + 10) if first and first == last else (first or 1, last or _FILE_LINES)
    path = value.get("file") or value.get("unread") or target.text
    return [Call("read_file", {"path": path, "start_line": first, "end_line": last})]


def placed(scope: _Scope) -> list[str]:
    """What a definition is for: its signature and the beginning of its documentation."""
    return [*signature(scope), *docs(scope, brief=True)]


def described(scope: _Scope) -> list[str]:
    """What a definition does: its documentation or, where there is none, its code."""
    undocumented = ["", "It has no documentation. Its code:", ""]
    return [*signature(scope), *(docs(scope) or [*undocumented, *source(scope)])]


def definition(shown: Callable[[_Scope], list[str]], question: Question, found: Outcomes) -> Answer:
    """One definition with its place, as it is to be shown, and where else the name is defined; or lines of a file."""
    if text := found.first("read_file"):
        return Answer(_file_lines(text))
    value = found.first("read_scope")
    if not value or not is_sure(value):
        return missing(question, value, found) if value else failure(found)
    scope, *others = value["scopes"]
    lines = [entry(scope, lines=True), *shown(scope)]
    if scope.get("hidden"):
        lines.append("A syntax error hides it now: this is how it was when its file was whole.")
    also = listed([f"- {entry(each)}" for each in others], _BESIDE, int(value.get("total") or 0) - 1)
    return Answer([*lines, *_taken_for(question, value), *(["", "Also defined:", *also] if others else [])])


def missing(question: Question, value: _Scope, found: Outcomes) -> Answer:
    """That no definition has the name, which ones are near to it, and what a search for its words gives."""
    near = [f"- {entry(each)}" for each in value.get("scopes") or ()]
    guess = " The nearest, as a guess:" if near else ""
    lines = [f"No definition here is called `{question.target.text.rstrip('?!')}`.{guess}", *listed(near, _GUESSES)]
    lines = [] if is_unread(found) else [*lines, *_taken_for(question, value)]
    if not found.all("search_code", "search_conversation"):
        return Answer([*lines, *not_read(value)], echo=not near)
    search, name = search_answer(question, found, MAX_LINES - len(lines) - 2), question.target.text
    lines += [each for each in not_read(value) if each not in search.lines]
    # "How does caching work?" names no definition.
    lines = [] if question.intent.name == "what" and name.isalpha() and name.islower() else [*lines, ""]
    return Answer([*lines, *search.lines], echo=search.echo and not near)


def failure(found: Outcomes) -> Answer:
    """Why nothing was looked up."""
    return Answer([f"{found.error or 'The tools for that are not offered'}."], echo=True)


def _taken_for(question: Question, value: _Scope) -> list[str]:
    """How a name was taken that is not written just so, and where it was when it was spoken of."""
    if value.get("match") == "spelling":
        return [f"It is spelled `{value['scopes'][0]['qualified_name']}`."]
    if value.get("match") == "inherited":
        return [f"`{question.target.text}` is inherited from there."]
    if not (was := value.get("was")):
        return []
    now = "; it is gone since." if was.get("status") == "orphaned" else "."
    now += f" Perhaps it is {either(was['candidates'])} now." if was.get("candidates") else ""
    return [f"When it was spoken of, `{was['qualified_name']}` was in {was['file']}, line {was['line']}{now}"]


def _file_lines(value: _Scope) -> list[str]:
    lines = f"lines {value['start_line']}-{value['end_line']} of {value['total_lines']}"
    return [f"{value['file']}, {lines}:", "", *block(str(value["content"]).split("\n"))]


def uses(told: Callable[[Sequence[_Scope]], list[str]], question: Question, found: Outcomes) -> Answer:
    """What calls a definition or is called by it; of a name that nothing has those of the nearest."""
    value = found.first("find_callers", "find_callees")
    if not value:
        return failure(found)
    scopes = value.get("scopes") or []
    if not is_sure(value):
        guess = missing(question, value, Outcomes() if scopes else found)
        return Answer([*guess.lines, "", *told(scopes)]) if scopes else guess
    more = int(value.get("total") or 0) - len(scopes)
    also = [f"There is {counted(more, 'more definition')} of that name."] if more > 0 else []
    return Answer([*told(scopes), *_taken_for(question, value), *also, *not_read(value)])


def callers(scopes: Sequence[_Scope]) -> list[str]:
    """What is certain to call each definition, what else names it, and what is possible."""
    lines: list[str] = []
    silent: list[str] = []
    for scope in scopes:
        calls = [_use(each) for each in scope.get("callers") or ()]
        total = _total(scope, "callers", calls)
        otherwise = []
        for title, key in _OTHERWISE.items():
            names = (
                f" (`{each['qualified_name']}`)" if each.get("qualified_name") else "" for each in scope.get(key, ())
            )
            # The line first, so that none of these is taken for a caller.
            places = [f"- {_place(each)}{name}" for each, name in zip(scope.get(key, ()), names, strict=True)]
            otherwise += [f"{title}:", *listed(places, _ASIDE, _total(scope, key, places))] if places else []
        if calls:
            lines += [f"{entry(scope)} is called by {counted(total, 'scope')}:", *listed(calls, _CERTAIN, total)]
        elif otherwise or len(scopes) == 1:
            unsure = "is certain" if scope.get("possible") or scope.get("through") else "was found in this project"
            lines.append(f"{entry(scope)}: no call of it from a function {unsure}.")
        else:
            silent.append(f"`{scope['qualified_name']}` ({scope['file']}, line {scope['line']})")
        lines += otherwise
    lines += [f"No call was found of {', '.join(listed(silent, _ASIDE))}."] if silent else []
    # Calls that may be of something else of the name are the same for each definition, so they are told once.
    unknown = [each for scope in scopes for key in ("possible", "through") for each in scope.get(key) or ()]
    possible = {(each["file"], each.get("qualified_name")): _use(each) for each in reversed(unknown)}
    if not possible:
        return lines
    total = max(len(possible), *(_total(scope, "possible", ()) for scope in scopes))
    title = f"Possible: {counted(total, 'scope')} more, on something whose type is not known:"
    return [*lines, "", title, *listed([*possible.values()][::-1], _POSSIBLE, total)]


def callees(scopes: Sequence[_Scope]) -> list[str]:
    """What each definition calls, of this project and else."""
    lines: list[str] = []
    for scope in scopes:
        known = [f"- {entry(each)} in line {', '.join(map(str, each['lines']))}" for each in scope.get("callees") or ()]
        others = [f"`{each['name']}`" for each in scope.get("other_calls") or ()]
        total, more = _total(scope, "callees", known), _total(scope, "other_calls", others)
        calls = f"uses {counted(total, 'definition')} of this project:" if known else "calls nothing of this project."
        lines += [f"{entry(scope)} {calls}", *listed(known, _CERTAIN, total)]
        lines += [f"Other calls, as written: {', '.join(listed(others, 2 * _BESIDE, more))}"] if others else []
    return lines


def _use(use: _Scope) -> str:
    through = f" (calls `{use['calls']}`)" if use.get("calls") else ""
    return f"- {'`' + use['qualified_name'] + '` - ' if use.get('qualified_name') else ''}{_place(use)}{through}"


def _place(use: _Scope) -> str:
    return f"{use['file']}:{', '.join(map(str, use['lines']))}"


def _total(scope: _Scope, key: str, here: Sequence[Any]) -> int:
    """How many there are of a list that a result may have no room for."""
    return max(len(here), int((scope.get("totals") or {}).get(key) or 0))


def outline_call(question: Question) -> list[Call]:
    """The outline; of the whole project what its README begins with as well."""
    readme = Call("read_file", {"path": "README", "start_line": 1, "end_line": _README})
    return [*([readme] if question.target.sort == "project" else []), Call("outline", {"target": question.target.text})]


def beyond_outline(question: Question, found: Outcomes) -> list[Call]:
    """The beginning of a file that defines nothing; a search where there is nothing of that name."""
    value = found.first("outline")
    if value.get("kind") != "none":
        return []
    path = value.get("unread") or (question.target.text if question.target.sort == "file" else "")
    file = [Call("read_file", {"path": path, "start_line": 1, "end_line": _BEGINNING})]
    return file if path else search_if_missing(question, found)


def outline(question: Question, found: Outcomes) -> Answer:
    """What is in something."""
    value, text = found.first("outline"), found.first("read_file")
    if not value or (value["kind"] == "none" and question.target.sort == "file" and not text):
        return failure(found)
    if value["kind"] == "none":
        known = ["No definition in it is known. It begins:", *_file_lines(text)] if text else []
        return Answer(known) if text else missing(question, value, found)
    return Answer(
        [*([*_file_lines(text), ""] if text else []), *(_folder(value) if "files" in value else _inside(value))]
    )


def _inside(value: _Scope) -> list[str]:
    scopes = [{"file": value["file"], **each} for each in value.get("scopes") or ()]
    lines = [f"{value['file']} has {counted(value['total'], 'definition')}:"]
    if owner := value.get("scope"):
        lines = [entry(owner, lines=True), *placed(owner), "", f"It has {counted(value['total'], 'member')}:"]
    # The outermost go first where not all fit, each in its place.
    order = sorted(range(len(scopes)), key=lambda at: scopes[at]["qualified_name"].count("."))
    lines += listed([f"- {entry(scopes[at])}" for at in sorted(order[:_DEFINITIONS])], _DEFINITIONS, value["total"])
    others = [f"- {entry(each)}" for each in value.get("other_scopes") or ()]
    others += [f"- {each}" for each in value.get("other_files") or ()]
    return [*lines, *(["", "Of that name too:", *listed(others, _NAMES)] if others else [])]


def _folder(value: _Scope) -> list[str]:
    types = sorted((value.get("types") or {}).items(), key=lambda each: -int(each[1]))
    kinds = [counted(number, kind, f"{kind}{'es' if kind.endswith('s') else 's'}") for kind, number in types]
    names = (value.get("definitions") or {}).items()
    inside = [
        f"- {file}: {', '.join(listed([f'`{name}`' for name in here], _NAMES)) or 'nothing'}" for file, here in names
    ]
    inside += [f"- {folder}: {counted(number, 'file')}" for folder, number in (value.get("folders") or {}).items()]
    also = f" ({', '.join(kinds)})" if kinds else ""
    asked = "The project" if value["asked"] == "." else value["asked"]
    return [f"{asked} has {counted(value['total'], 'file')}{also}:", *listed(inside, _FILES)]


def change_calls(question: Question) -> list[Call]:
    """What a commit, or what is not committed, changes; for a diff, which may be neither, what was decided there."""
    files = [*question.pasted.files][:_PASTED]
    about = [Call("list_decisions", {"about": file, "limit": _BESIDE}) for file in files]
    return [Call("impact", {"revision": question.revision}), *about]


def changes(question: Question, found: Outcomes) -> Answer:
    """The definitions that change, then the decisions behind them."""
    value, files = found.first("impact"), question.pasted.files
    if not value and not files:
        return failure(found)
    changed, outside = value.get("scopes") or [], value.get("outside") or []
    decided, total = value.get("decisions") or (), int((value.get("totals") or {}).get("scopes") or 0)
    what = f"`{question.revision}`" if question.revision else "What is not committed"
    places = [{each["file"], each.get("moved_to", "").rpartition(" ")[0]} for each in changed]
    if not files.keys() <= set().union(outside, *places):
        said = statements(each for listing in found.all("list_decisions") for each in listing.get("decisions") or ())
        lines = [f"This diff ({', '.join(files)}) is not what is not committed here: ask `what does COMMIT touch?`."]
        lines += ["", "Decided about these files:", *said] if said else []
        return Answer(lines)
    if files:
        what = f"This diff, in {counted(len(files), 'file')} and not committed,"
        changed = [each for each, place in zip(changed, places, strict=True) if not place.isdisjoint(files)]
        outside, total = [each for each in outside if each in files], len(changed)
        decided = [each for each in decided if any(code["file"] in files for code in each["code"])]
    scopes = []
    for each in changed:
        moved = f" to {each['moved_to']}" if each.get("moved_to") else ""
        scopes.append(f"- {each['change']}{moved}: `{each['qualified_name']}` in {each['file']}")
    lines = [f"{what} changes {counted(total, 'definition')}{':' if total else '.'}", *listed(scopes, _CHANGED, total)]
    lines += [f"Outside of known definitions: {', '.join(listed(outside, _CHANGED))}"] if outside else []
    said = statements(decided)
    lines += ["", "Decided about them:", *said] if said else ["", "Nothing decided about them was found."]
    return Answer(lines)
