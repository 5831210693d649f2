"""Writes the answer: quotes of what the tools found, each with its place, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragforge_memory.language.reading.aims import (
    asks_decided,
    asks_for_decisions,
    asks_how,
    asks_outdated,
    asks_still,
    asks_to_do,
    asks_whether,
    asks_why,
)
from ragforge_memory.language.reading.question import Question, search_words
from ragforge_memory.language.said.openings import EVERY_DECISION, EVERY_TO_DO, NO_REASON, NOT_LOOKED_UP, NOTHING_FOUND
from ragforge_memory.language.said.stock import says_nothing
from ragforge_memory.llm.extractive.code.authorship import written
from ragforge_memory.llm.extractive.code.command_lines import commands
from ragforge_memory.llm.extractive.code.commits import changed_of, committed
from ragforge_memory.llm.extractive.code.constructors import constructor_of, constructors
from ragforge_memory.llm.extractive.code.doubtful_code import deprecated, untested, unused
from ragforge_memory.llm.extractive.code.elsewhere import not_there, otherwise
from ragforge_memory.llm.extractive.code.entry_points import entry_points
from ragforge_memory.llm.extractive.code.environment import environment_lines
from ragforge_memory.llm.extractive.code.evidence import (
    imported,
    named_exactly,
    raised,
    still_named,
    tested,
    used_as_text,
)
from ragforge_memory.llm.extractive.code.files_found import files_found, likely_files, of_kind
from ragforge_memory.llm.extractive.code.found_text import code_lines, named_by_word, search_results
from ragforge_memory.llm.extractive.code.impl_lines import impl_lines, implemented
from ragforge_memory.llm.extractive.code.inheritance import bases, overridden, overrides, subclasses
from ragforge_memory.llm.extractive.code.look_alikes import look_alikes
from ragforge_memory.llm.extractive.code.members import (
    attribute,
    mentioned_owner,
    named_lines,
    no_member,
    owners_of,
    relation,
    set_lines,
    sets_by_itself,
)
from ragforge_memory.llm.extractive.code.message_lines import message_lines
from ragforge_memory.llm.extractive.code.option_lines import option_lines, without_options
from ragforge_memory.llm.extractive.code.outlines import (
    beginning,
    other_file,
    outlined,
    overloaded,
    shown_to_others,
    there,
)
from ragforge_memory.llm.extractive.code.raised import raised_anywhere
from ragforge_memory.llm.extractive.code.registered import registered, tables, without_registered
from ragforge_memory.llm.extractive.code.requirements import brought_in, required
from ragforge_memory.llm.extractive.code.runtimes import runtime_lines
from ragforge_memory.llm.extractive.code.threads import threads
from ragforge_memory.llm.extractive.code.throws import errors_defined, thrown
from ragforge_memory.llm.extractive.code.unread import NOT_SURE, hint, unread_lines
from ragforge_memory.llm.extractive.code.uses_listed import callees, callers, same_definition
from ragforge_memory.llm.extractive.code.versioned import versioned
from ragforge_memory.llm.extractive.plan import about_code, is_about_code
from ragforge_memory.llm.extractive.quoting.calls import Found
from ragforge_memory.llm.extractive.quoting.pieces import (
    MAX_LISTED,
    declared,
    documentation,
    gone,
    head,
    item,
    nothing,
    rest,
    signature,
    source,
    spelled_otherwise,
    summary,
    taken_for,
    trimmed,
    without_mark,
)
from ragforge_memory.llm.extractive.said.sayings import (
    all_decisions,
    decisions,
    outdated,
    sayings,
    stated,
    with_decisions,
)
from ragforge_memory.retrieval.relevance import ENOUGH_WORDS
from ragforge_memory.text.names import HIDDEN


def write(question: Question, asked: str, found: Sequence[Found]) -> str:
    """The answer to one question; empty where no tool gave anything to say.

    Args:
        question: as read, pronouns resolved.
        asked: the name or words that the answer speaks of.
        found: what the tools gave, in the order they were asked.
    """
    if len(found) > 1 and (other := otherwise(question, found)) is not None:
        whole = write(other, asked, found[1:])
        away = other.target.file != question.target.file and not whole.startswith(NOTHING_FOUND)
        return f"{not_there(question, asked)}\n\n{whole}" if away else whole
    failed = next((each for each in found if each.error is not None), None)
    if not found:
        return ""
    if failed is not None and all(each.error is not None for each in found):
        away = failed.error_kind == "GraphUnavailable"
        return f"{NOT_LOOKED_UP}: {'Neo4j is away. Ask again when it is back.' if away else failed.error}"
    option, listed_in, entry = option_lines(question, found), tables(question, found), _entry(question, found)
    found = without_registered(question, without_options(question, found))
    # Of several calls of a tool the first was for what was asked, the others for what it may be instead.
    values = {each.call.tool: each.value for each in reversed(found) if isinstance(each.value, dict)}
    listed = all_decisions([each.value for each in found if each.call.tool == "list_decisions" and each.error is None])
    searched = values.get("search_conversation", {})
    if _is_folder(values):
        # What was decided of code below a folder need not be said of the folder.
        worded = {each["message_id"] for each in searched.get("messages") or []}
        listed = {"decisions": [each for each in listed["decisions"] if each["message_id"] in worded]}
    said = with_decisions(searched, listed)
    match question.form:
        case "what" if values.get("read_scope", {}).get("names_project"):
            lines = outlined(replace(question, form="overview"), asked, values)
        case "where" | "what" | "show" | "search" if entry or option:
            lines = entry or option
        case "where" | "what" | "show":
            lines = _definition(question, asked, values, found)
        case "callers" | "uses":
            value = values.get("find_callers", {})
            if value.get("match") in NOT_SURE and (unread := unread_lines(asked, question.target, found)):
                lines = unread
            elif exactly := named_exactly(asked, question.target, found, called=question.form == "callers"):
                lines = [*exactly, "", *spelled_otherwise(value, asked)]
            elif value.get("scopes") or "grep_code" not in values:
                lines = callers(question, asked, value) + still_named(question.target, found)
                lines += look_alikes(question.form, question.target, found)
            else:
                lines = used_as_text(asked, question.target, found)
        case "tests":
            lines = tested(asked, found)
        case "raises" | "catches" if not question.target.text or question.target.kind == "file":
            lines = raised_anywhere(question, found)
        case "raises":
            lines = raised(asked, found)
        case "catches":
            lines = raised(asked, found, "caught", "catches")
        case "decorated":
            lines = raised(asked, found, "a decorator", "decorates with")
        case "exports":
            lines = shown_to_others(asked, values.get("exports", {}))
        case "deprecated":
            lines = deprecated(asked, question.target, found)
        case "unused":
            lines = unused(values.get("find_unused", {}))
        case "untested":
            lines = untested(values.get("find_untested", {}))
        case "files" if files := likely_files(values.get("find_files", {})):
            lines = files_found(question, files)
        case "of kind" if values.get("list_definitions", {}).get("total"):
            lines = of_kind(question, values["list_definitions"])
        case "dependencies":
            lines = required(values.get("dependencies", {}))
        case "commands":
            lines = commands(question.text, found)
        case "entry":
            lines = entry_points(found)
        case "threads" if of_threads := threads(found):
            lines = of_threads
        case "message":
            lines = message_lines(question, found)
        case "environment":
            lines = environment_lines(question, values.get("grep_code", {}))
        case "known by word":
            by_word = named_by_word(question, values.get("search_code", {}), values.get("grep_code", {}), listed_in)
            lines = [*listed_in, *by_word]
        case "errors":
            lines = errors_defined(values.get("grep_code", {}), values.get("find_subtypes", {}))
        case "throws":
            lines = thrown(asked, values.get("read_scope", {}))
        case "imports":
            lines = imported(asked, question.target, found)
        case "commit":
            lines = committed(values.get("impact", {}))
        case "changed":
            lines = changed_of(asked, values.get("code_changes", {}))
        case "version":
            lines = versioned(values.get("project_version", {}))
        case "runtime":
            lines = runtime_lines(question, values.get("grep_code", {}))
        case "history":
            lines = written(asked, values.get("code_history", {}))
        case "requires":
            lines = brought_in(asked, values.get("find_imports", {}))
        case "overrides":
            lines = overrides(asked, found)
        case "overridden":
            lines = overridden(asked, _below(values))
        case "subclasses":
            below = _below(values)
            if by_lines := implemented(question, found):
                lines = by_lines
            elif exactly := named_exactly(asked, question.target, found):
                lines = [*exactly, *(["", *note] if (note := taken_for(below, asked)) else [])]
            else:
                lines = subclasses(asked, below, impl_lines(question, found))
        case "bases":
            lines = bases(asked, values.get("find_callees", {}), impl_lines(question, found))
        case "callees":
            lines = callees(asked, values.get("find_callees", {}))
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
            # What was to be found by names, and is not, was searched for by its words.
            searched_for = replace(question, form="search") if question.form in ("files", "of kind") else question
            lines = _by_name(question, found) or search_results(
                searched_for, values.get("search_code", {}), values.get("grep_code", {})
            )
    own: list[str] = []
    if question.form != "said" and said["messages"]:
        # Where the user has said it, it is no answer that the code does not say it.
        silent = says_nothing("\n".join(lines))
        defined = not lines[0].startswith(NOTHING_FOUND) if lines else False
        about = " ".join(search_words(question)) if question.form == "search" else asked
        own = stated(about, said, enough=1 if defined and not asks_why(question) else ENOUGH_WORDS)
        # Lines of text that have the words too are no answer beside what was said, unless they have a name.
        silent = silent or (bool(own) and not defined and not question.target.marked)
        lines = [*own, *(["", *lines] if not silent else [])] if own else lines
    if asks_why(question) and question.form == "what" and not own and not says_nothing("\n".join(lines)):
        lines += ["", NO_REASON]
    elif question.guessed and question.form != "message" and lines and not lines[0].startswith(NOTHING_FOUND):
        what = "what is in" if question.form == "outline" else "what is"
        lines += ["", f"I read this as `{what} {asked}?`: the rest of the question I did not understand."]
    lines += ["", f"I read {question.slip}."] if question.slip and lines else []
    lines += without_mark(question.target.text, question.text, values.values())
    return "\n".join([*gone(values.values()), *lines, *hint(lines, question.target, found)])


def _definition(question: Question, asked: str, values: Mapping[str, Any], found: Sequence[Found] = ()) -> list[str]:
    if _is_folder(values):
        return outlined(replace(question, form="outline"), asked, values)
    if "outline" in values and "read_scope" not in values:
        text = beginning(values.get("read_file", {})) if question.form == "show" else []
        if question.form == "where" and (place := there(values.get("read_file", {}))):
            return [*place, *other_file(asked, values["outline"])]
        return [*text, *other_file(asked, values["outline"])] if text else outlined(question, asked, values)
    value = values.get("read_scope", {})
    scopes = value.get("scopes") or []
    if "search_code" in values and value.get("match") not in ("exact", "moved", "spelling"):
        lines = search_results(question, values["search_code"], values.get("grep_code", {}))
        # A test that is called nearly so is better than nothing; so is what plain words are a slip of.
        near = question.target.kind == "name" or value.get("match") == "typo"
        if not near or not scopes or not lines[0].startswith(NOTHING_FOUND):
            return lines
    if not scopes:
        return _member(question, asked, values, found)
    if nearer := _set_so(question, asked, value, values.get("grep_code", {}), found):
        return nearer
    if value.get("match") in NOT_SURE and (unread := unread_lines(asked, question.target, found)):
        return unread
    best = scopes[0]
    overloads = [each for each in scopes[1:] if each.get("overload") and same_definition(each, best)]
    others = [each for each in scopes[1:] if each not in overloads]
    lines = [head(best)]
    if asks_whether(question):
        lines.append(declared(best, question.modifier))
    match question.form:
        case "where":
            lines += signature(best) + summary(best)
        case "what" if asks_why(question):
            # Why it does something its code shows, whatever its documentation says.
            lines += [*signature(best), *documentation(best), "", *source(best)]
        case "what":
            code = source(best, limit=16)
            takes = constructors(question, found)
            if said := documentation(best):
                lines += signature(best) + takes + said
                if not takes and constructor_of(question, value) is not None:
                    lines += ["", "No constructor of it is known. Its code:", *code]
            elif takes:
                lines += signature(best) + trimmed(takes)
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


def _entry(question: Question, found: Sequence[Found]) -> list[str]:
    """What is registered under the name that is asked for, and what that is; none where nothing is."""
    lines, value = registered(question, found)
    if value is None:
        return lines
    form = "show" if asks_how(question) else question.form
    about = replace(question, form="what" if form == "search" else form)
    return [*lines, "", *_definition(about, str(value["scopes"][0]["qualified_name"]), {"read_scope": value})]


def _set_so(
    question: Question, asked: str, value: Mapping[str, Any], text: Mapping[str, Any], found: Sequence[Found]
) -> list[str]:
    """What is set under the very name that was asked for, where only others are defined; none where nothing is."""
    match = value.get("match")
    if match not in NOT_SURE:
        return []
    own = attribute(question.target, found)
    lines = own or set_lines(asked, question.target, text)
    if match == "typo" or not lines:
        return lines
    if not own and not sets_by_itself(question.target, text, value["scopes"]):
        return []
    return [*lines, "", *(spelled_otherwise if match == "spelling" else taken_for)(value, asked)]


def _below(values: Mapping[str, Any]) -> Mapping[str, Any]:
    """What stands below a name: of many members what was looked up for all of them."""
    every: Mapping[str, Any] = values.get("find_overrides", {})
    return every if every.get("scopes") else values.get("find_callers", {})


def _is_folder(values: Mapping[str, Any]) -> bool:
    """Whether what was looked up as a name is a folder's."""
    return "read_scope" in values and values.get("outline", {}).get("kind") == "folder"


def _by_name(question: Question, found: Sequence[Found]) -> list[str]:
    """The definitions of all plain words that were looked up as names; none where one of them is no name."""
    # Of a turn whose rounds are used up only the results are known.
    read = [
        (str(dict(each.call.arguments).get("name", "")), each.value) for each in found if each.call.tool == "read_scope"
    ]
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
