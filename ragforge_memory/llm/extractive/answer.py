"""Writes the answer: quotes of what the tools found, each with its place, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ragforge_memory.llm.extractive.authorship import written
from ragforge_memory.llm.extractive.calls import Found
from ragforge_memory.llm.extractive.command_lines import commands
from ragforge_memory.llm.extractive.commits import committed
from ragforge_memory.llm.extractive.echoes import EVERY_DECISION, EVERY_TO_DO
from ragforge_memory.llm.extractive.evidence import (
    brought_in,
    imported,
    named_exactly,
    raised,
    required,
    still_named,
    tested,
    used_as_text,
)
from ragforge_memory.llm.extractive.found_text import code_lines, named_by_word, search_results
from ragforge_memory.llm.extractive.inheritance import bases, calls_through, overridden, overrides, subclasses
from ragforge_memory.llm.extractive.look_alikes import look_alikes
from ragforge_memory.llm.extractive.members import (
    attribute,
    mentioned_owner,
    named_lines,
    no_member,
    owners_of,
    relation,
    set_lines,
)
from ragforge_memory.llm.extractive.outlines import beginning, other_file, outlined, overloaded
from ragforge_memory.llm.extractive.plan import (
    about_code,
    asks_decided,
    asks_for_decisions,
    asks_outdated,
    asks_still,
    asks_to_do,
    asks_why,
    is_about_code,
)
from ragforge_memory.llm.extractive.questions import Question, asks_how, search_words
from ragforge_memory.llm.extractive.quoting import (
    MAX_ASKED,
    MAX_LISTED,
    NOT_LOOKED_UP,
    NOTHING_FOUND,
    documentation,
    gone,
    head,
    item,
    nothing,
    rest,
    signature,
    source,
    subject,
    summary,
    taken_for,
    trimmed,
    use_item,
)
from ragforge_memory.llm.extractive.relevance import ENOUGH_WORDS
from ragforge_memory.llm.extractive.said import all_decisions, decisions, outdated, sayings, stated, with_decisions
from ragforge_memory.llm.extractive.stock import says_nothing
from ragforge_memory.llm.extractive.throws import errors_defined, thrown
from ragforge_memory.llm.extractive.unread import NOT_SURE, hint, unread_lines
from ragforge_memory.models.text import counted
from ragforge_memory.retrieval.names import HIDDEN, KINDS, is_aside

_MAX_BESIDE = 10
"""Calls that may be of something else that are listed beside those that are not."""


def write(question: Question, asked: str, found: Sequence[Found]) -> str:
    """The answer to one question; empty where no tool gave anything to say.

    Args:
        question: as read, pronouns resolved.
        asked: the name or words that the answer speaks of.
        found: what the tools gave, in the order they were asked.
    """
    failed = next((each for each in found if each.error is not None), None)
    if not found:
        return ""
    if failed is not None and all(each.error is not None for each in found):
        away = "GraphUnavailable" in str(failed.error)
        return f"{NOT_LOOKED_UP}: {'Neo4j is away. Ask again when it is back.' if away else failed.error}"
    # Of several calls of a tool the first was for what was asked, the others for what it may be instead.
    values = {each.call.tool: each.value for each in reversed(found) if isinstance(each.value, dict)}
    listed = all_decisions([each.value for each in found if each.call.tool == "list_decisions" and each.error is None])
    said = with_decisions(values.get("search_conversation", {}), listed)
    match question.form:
        case "what" if values.get("read_scope", {}).get("names_project"):
            lines = outlined(replace(question, form="overview"), asked, values)
        case "where" | "what" | "show":
            lines = _definition(question, asked, values, found)
        case "callers" | "uses":
            value = values.get("find_callers", {})
            if value.get("match") in NOT_SURE and (unread := unread_lines(asked, question.target, found)):
                lines = unread
            elif question.form == "uses" and (exactly := named_exactly(asked, question.target, found)):
                lines = [*exactly, "", *taken_for(value, asked)]
            elif value.get("scopes") or "grep_code" not in values:
                lines = _callers(question, asked, value) + still_named(question.target, found)
                lines += look_alikes(question.form, question.target, found)
            else:
                lines = used_as_text(asked, question.target, found)
        case "tests":
            lines = tested(asked, found)
        case "raises":
            lines = raised(asked, found)
        case "catches":
            lines = raised(asked, found, "caught", "catches")
        case "decorated":
            lines = raised(asked, found, "a decorator", "decorates with")
        case "dependencies":
            lines = required(values.get("dependencies", {}))
        case "commands":
            lines = commands(question.text, found)
        case "known by word":
            lines = named_by_word(question, values.get("search_code", {}), values.get("grep_code", {}))
        case "errors":
            lines = errors_defined(values.get("grep_code", {}))
        case "throws":
            lines = thrown(asked, values.get("read_scope", {}))
        case "imports":
            lines = imported(asked, question.target, found)
        case "commit":
            lines = committed(values.get("impact", {}))
        case "history":
            lines = written(asked, values.get("code_history", {}))
        case "requires":
            lines = brought_in(asked, values.get("find_imports", {}))
        case "overrides":
            lines = overrides(asked, found)
        case "overridden":
            lines = overridden(asked, values.get("find_callers", {}))
        case "subclasses":
            value = values.get("find_callers", {})
            if exactly := named_exactly(asked, question.target, found):
                lines = [*exactly, *(["", *note] if (note := taken_for(value, asked)) else [])]
            else:
                lines = subclasses(asked, value)
        case "bases":
            lines = bases(asked, values.get("find_callees", {}))
        case "callees":
            lines = _callees(asked, values.get("find_callees", {}))
        case "outline" | "overview":
            lines = outlined(question, asked, values)
        case "lines":
            lines = code_lines(asked, values.get("read_file", {})) + other_file(asked, values.get("outline", {}))
        case "said":
            if is_about_code(question, found):
                told = [each for each in found if each.call.tool != "search_conversation"]
                return write(about_code(question), asked, told)
            when = question.days.said
            if asks_outdated(question):
                lines = outdated(listed, when)
            elif asks_for_decisions(question):
                called = EVERY_TO_DO if asks_to_do(question) else EVERY_DECISION
                lines = decisions(listed, when, asks_still(question), called)
            else:
                lines = sayings(asked, said, asks_decided(question), when, asks_still(question))
        case _:
            lines = _by_name(question, found) or search_results(
                question, values.get("search_code", {}), values.get("grep_code", {})
            )
    if question.form != "said" and said["messages"]:
        # Where the user has said it, it is no answer that the code does not say it.
        silent = says_nothing("\n".join(lines))
        defined = not lines[0].startswith(NOTHING_FOUND) if lines else False
        about = " ".join(search_words(question)) if question.form == "search" else asked
        own = stated(about, said, enough=1 if defined and not asks_why(question) else ENOUGH_WORDS)
        # Lines of text that have the words too are no answer beside what was said, unless they have a name.
        silent = silent or (bool(own) and not defined and not question.target.marked)
        lines = [*own, *(["", *lines] if not silent else [])] if own else lines
    return "\n".join([*gone(values.values()), *lines, *hint(lines, found)])


def _definition(question: Question, asked: str, values: Mapping[str, Any], found: Sequence[Found] = ()) -> list[str]:
    if "outline" in values:
        text = beginning(values.get("read_file", {})) if question.form == "show" else []
        return [*text, *other_file(asked, values["outline"])] if text else outlined(question, asked, values)
    value = values.get("read_scope", {})
    scopes = value.get("scopes") or []
    if "search_code" in values and value.get("match") not in ("exact", "moved", "spelling"):
        return search_results(question, values["search_code"], values.get("grep_code", {}))
    if not scopes:
        return _member(question, asked, values, found)
    if value.get("match") in ("partial", "typo"):
        nearer = attribute(question.target, found) or set_lines(asked, question.target, values.get("grep_code", {}))
        if nearer:
            return [*nearer, "", *taken_for(value, asked)] if value.get("match") == "partial" else nearer
    if value.get("match") in NOT_SURE and (unread := unread_lines(asked, question.target, found)):
        return unread
    best = scopes[0]
    overloads = [each for each in scopes[1:] if each.get("overload") and _same_definition(each, best)]
    others = [each for each in scopes[1:] if each not in overloads]
    lines = [head(best)]
    match question.form:
        case "where":
            lines += signature(best) + summary(best)
        case "what":
            code = source(best, limit=16)
            if said := documentation(best):
                lines += signature(best) + said
            elif best["type"] == "constant":  # its code is its signature
                lines += code or signature(best)
            else:
                lines += [*signature(best), "", "It has no documentation. Its code:", *code]
        case _:
            lines += source(best)
    if best.get(HIDDEN):
        lines += ["", "A syntax error hides it now: this is how it was when its file was whole."]
    if overloads:
        lines += ["", f"{overloaded([each['line'] for each in overloads]).capitalize()}."]
    note = taken_for(value, asked)
    lines += ["", *note] if note else []
    if others:
        total = max(int(value.get("total") or 0), len(scopes)) - 1 - len(overloads)
        lines += ["", "Also defined:" if value.get("match") == "exact" else "Others:"]
        lines += [item(each) for each in others[:MAX_LISTED]]
        lines += rest(total - len(others[:MAX_LISTED]))
    return lines


def _by_name(question: Question, found: Sequence[Found]) -> list[str]:
    """The definitions of all plain words that were looked up as names; none where one of them is no name."""
    read = [(str(dict(each.call.arguments)["name"]), each.value) for each in found if each.call.tool == "read_scope"]
    if not all(isinstance(value, dict) and value.get("match") == "exact" for _, value in read):
        return []
    # How something is done its code says.
    what = replace(question, form="show" if asks_how(question) and len(read) == 1 else "what")
    answers = [_definition(what, name, {"read_scope": value}) for name, value in read]
    return trimmed([line for answer in answers for line in (*answer, "")])


def _member(question: Question, asked: str, values: Mapping[str, Any], found: Sequence[Found]) -> list[str]:
    """Nothing is defined under the name: what sets it, what it is of, or where it stands."""
    target = question.target
    owners = owners_of(found)
    lines = attribute(target, found)
    if lines:
        return lines
    if owners and target.owner:
        match relation(target):
            case "find_callees":
                return bases(target.owner, values.get("find_callees", {}))
            case "find_callers":
                return subclasses(target.owner, values.get("find_callers", {}))
            case _:
                about = {"read_scope": {"match": "exact", "scopes": owners}}
                return [no_member(target, owners[0]), "", *_definition(question, target.owner, about)]
    text = values.get("grep_code", {})
    lines = set_lines(asked, target, text) or named_lines(asked, target, text)
    lines = lines or unread_lines(asked, target, found)
    return [*(lines or [nothing(target.loose or asked)]), *mentioned_owner(owners)]


def _same_definition(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (one["file"], one["qualified_name"]) == (other["file"], other["qualified_name"])


def _callers(question: Question, asked: str, value: Mapping[str, Any]) -> list[str]:
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    lines: list[str] = []
    silent: list[str] = []
    overloads: list[str] = []
    called: list[Mapping[str, Any]] = []
    for number, scope in enumerate(scopes):
        uses = list(scope.get("callers") or [])
        if question.form == "uses":
            uses = _by_scope(uses, *(scope.get(key) or [] for key in ("decorates", "references", "subclasses")))
            uses.sort(key=lambda each: (is_aside(each), each["file"], each["lines"]))
        through = calls_through(scope, scopes)
        told = uses or through or any(scope.get(key) for key in ("top_level", "decorates", "references"))
        meant = number == 0 and question.target.sort in KINDS
        if told or meant or len(scopes) == 1:
            lines += [*_one_target(scope, uses, "used" if question.form == "uses" else "called"), *through, ""]
            called.append(scope)
        elif any(_same_definition(scope, each) for each in called):
            overloads.append(subject(scope))
        else:
            silent.append(subject(scope))
    if overloads:
        lines += [f"Overloads are not told apart: the calls above may be of {_some(overloads)} too.", ""]
    if silent:
        lines += [f"{silent[0]}: no calls of it were found in this project."] if not lines else []
        lines += [f"No calls found of {_some(silent)}.", ""] if len(silent) > 1 or len(lines) > 1 else [""]
    few = len(question.target.parts) > 1 and any(scope.get("callers") or scope.get("top_level") for scope in scopes)
    lines += _possible(scopes, few=few)
    lines += taken_for(value, asked)
    lines += rest(int(value.get("total") or 0) - len(scopes), "more definitions of that name")
    return trimmed(lines)


def _some(subjects: Sequence[str]) -> str:
    return ", ".join(subjects[:5]) + (f" and {len(subjects) - 5} others" if len(subjects) > 5 else "")


def _by_scope(*uses: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Each scope once, with all its lines: one may call a thing here and name it there."""
    found: dict[tuple[str, str], Mapping[str, Any]] = {}
    for each in chain(*uses):
        key = (each["file"], each["qualified_name"])
        lines = {*found.get(key, each)["lines"], *each["lines"]}
        found[key] = {**found.get(key, each), "lines": sorted(lines)}
    return list(found.values())


def _one_target(scope: Mapping[str, Any], uses: Sequence[Mapping[str, Any]], verb: str) -> list[str]:
    top = scope.get("top_level") or []
    lines = []
    if uses:
        left_out = int((scope.get("totals") or {}).get("callers") or 0) - len(scope.get("callers") or [])
        total = len(uses) + max(0, left_out)
        lines.append(f"{subject(scope)} is {verb} by {counted(total, 'scope')}:")
        lines += [use_item(each) for each in uses[:MAX_ASKED]]
        lines += rest(total - len(uses[:MAX_ASKED]))
    elif top:
        lines.append(f"{subject(scope)} is {verb} outside of functions only.")
    elif scope.get("possible") or scope.get("through"):
        lines.append(f"{subject(scope)}: no call is certain to be of it.")
    else:
        lines.append(f"{subject(scope)}: no calls of it were found in this project.")
    if top:
        lines.append("Outside of functions:")
        total = max(len(top), int((scope.get("totals") or {}).get("top_level") or 0))
        lines += [_outside(each) for each in top[:MAX_ASKED]] + rest(total - len(top[:MAX_ASKED]))
    if verb == "called":
        lines += _named("It decorates", scope.get("decorates") or [])
        lines += _named("It is named without a call in", scope.get("references") or [])
    return lines


def _outside(use: Mapping[str, Any]) -> str:
    inside = f" (`{use['qualified_name']}`)" if use.get("qualified_name") else ""
    return f"- {use['file']}:{', '.join(map(str, use['lines']))}{inside}"


def _named(what: str, uses: Sequence[Mapping[str, Any]]) -> list[str]:
    if not uses:
        return []
    names = list(
        dict.fromkeys(f"`{each['qualified_name']}`" if each["qualified_name"] else each["file"] for each in uses)
    )
    more = f" and {len(names) - 10} others" if len(names) > 10 else ""
    return [f"{what} {', '.join(names[:10])}{more}."]


def _possible(scopes: Sequence[Mapping[str, Any]], *, few: bool) -> list[str]:
    """Calls that may mean any of several definitions: the same for each of them, so said once.

    ``few``: of many their number alone, since it was asked for the calls of one owner's, and there are some.
    """
    possible: dict[tuple[str, str], Mapping[str, Any]] = {}
    for scope in scopes:
        for each in scope.get("possible") or []:
            possible.setdefault((each["file"], each["qualified_name"]), each)
    if not possible:
        return []
    name = scopes[0]["name"]
    total = max(len(possible), *(int((scope.get("totals") or {}).get("possible") or 0) for scope in scopes))
    if few and total > _MAX_BESIDE:
        unknown = f"{counted(total, 'scope')} more call some `{name}` on something whose type is not known"
        return [f"{unknown}; `who calls {name}?` lists them.", ""]
    listed = list(possible.values())[:MAX_ASKED]
    return [
        f"Calls of some `{name}` on something whose type is not known:",
        *(use_item(each) if each.get("qualified_name") else _outside(each) for each in listed),
        *rest(total - len(listed)),
        "",
    ]


def _callees(asked: str, value: Mapping[str, Any]) -> list[str]:
    scopes = value.get("scopes") or []
    if not scopes:
        return [nothing(asked)]
    lines: list[str] = []
    for scope in scopes[:5]:
        callees = scope.get("callees") or []
        others = scope.get("other_calls") or []
        if callees:
            lines.append(f"{subject(scope)} uses {counted(len(callees), 'definition')} of this project:")
            for each in callees[:MAX_ASKED]:
                lines.append(f"{item(each)} in line {', '.join(map(str, each['lines']))}")
            lines += rest(len(callees) - MAX_ASKED)
        else:
            lines.append(f"{subject(scope)} calls nothing that is known to be defined in this project.")
        if others:
            names = ", ".join(f"`{each['name']}`" for each in others[: 2 * MAX_LISTED])
            lines.append(f"Other calls as written: {names}.")
        lines.append("")
    lines += taken_for(value, asked)
    lines += [item(each) for each in scopes[5:]]
    return trimmed(lines)
