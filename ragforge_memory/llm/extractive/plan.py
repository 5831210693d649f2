"""Which tools to ask for a question, step by step."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ragforge_memory.language.reading.aims import (
    asks_before_changing,
    asks_decided,
    asks_for_decisions,
    asks_how,
    asks_outdated,
    asks_still,
    asks_to_do,
    asks_why,
    may_be_ruled,
)
from ragforge_memory.language.reading.given_text import mentions_of
from ragforge_memory.language.reading.question import Question, search_words
from ragforge_memory.language.reading.questions import MAX_QUESTION, plain_names
from ragforge_memory.language.reading.targets import FOLDERS, Target, has_pronoun, read_target
from ragforge_memory.language.reading.wording import content_words, subject_words
from ragforge_memory.language.said.corrections import may_correct
from ragforge_memory.llm.extractive.code.command_lines import command_sections
from ragforge_memory.llm.extractive.code.constructors import constructor_of
from ragforge_memory.llm.extractive.code.doubtful_code import deprecation_call
from ragforge_memory.llm.extractive.code.elsewhere import otherwise
from ragforge_memory.llm.extractive.code.entry_points import entry_scopes
from ragforge_memory.llm.extractive.code.evidence import (
    catching,
    decorating,
    importing,
    is_renamed,
    is_unused_aside,
    naming,
    raising,
    testing,
)
from ragforge_memory.llm.extractive.code.files_found import likely_files
from ragforge_memory.llm.extractive.code.impl_lines import impl_calls
from ragforge_memory.llm.extractive.code.inheritance import inheriting_calls, is_cut
from ragforge_memory.llm.extractive.code.look_alikes import look_alike_calls
from ragforge_memory.llm.extractive.code.members import MAX_LINES, member_calls, visibly_setting
from ragforge_memory.llm.extractive.code.message_lines import message_calls
from ragforge_memory.llm.extractive.code.option_lines import block_calls, option_calls, without_options
from ragforge_memory.llm.extractive.code.outlines import kinds_of
from ragforge_memory.llm.extractive.code.raised import anywhere
from ragforge_memory.llm.extractive.code.registered import registered_calls, without_registered
from ragforge_memory.llm.extractive.code.threads import thread_calls
from ragforge_memory.llm.extractive.code.throws import DEFINES_ERROR, MAX_ERRORS, error_lines
from ragforge_memory.llm.extractive.code.unread import NOT_SURE
from ragforge_memory.llm.extractive.project_calls import project_calls
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import MAX_SAID
from ragforge_memory.llm.extractive.said.retractions import retracted_words
from ragforge_memory.llm.extractive.said.sayings import stated
from ragforge_memory.retrieval.relevance import MAX_SEARCHED, judged, line_pattern, named_so, stand_aside
from ragforge_memory.text.names import KINDS

# What a project is, not what lies in it.
_PURPOSE = re.compile(
    r"^(?!.*\b(?:files|modules|packages|inside|in)\b)\W*"
    r"(?:what\b|(?:give me )?(?:an )?overview|(?:tell me|describe|explain|summari[sz]e|introduce)\b)",
    re.I,
)
# Messages that a search for what was said of something brings.
_SOME = 30
# Files of a diff whose decisions are listed: each list is a reading of all.
_CHANGED = 5
MAX_STEPS = 3
"""Steps of tool calls for one question: a name, a search for its words, the lines that have them."""

# "Where does the queue run?" reads as a question for callers.
_OF_ANYTHING = ("where", "what", "show", "search", "callers", "callees", "uses")
_BY_NAME = ("read_scope", "find_callers", "find_callees")


_OVERVIEW = (
    Call("outline", (("target", "."),)),
    # A README of a folder tells of that folder.
    Call("read_file", (("path", "README"), ("start_line", 1), ("end_line", 200))),
)


def next_calls(question: Question, found: Sequence[Found]) -> tuple[Call, ...]:
    """The calls to make now, given what the earlier ones of this question gave; none when it can be answered."""
    if question.form == "message":
        done = {each.call.key for each in found}
        return tuple(call for call in message_calls(question, found) if call.key not in done)
    if is_about_code(question, found):
        return next_calls(about_code(question), found)
    if (other := otherwise(question, found)) is not None:
        return next_calls(other, found[1:])
    about = _decisions(question) if asks_before_changing(question) else ()
    wanted = (*_first(question), *about, *_reasons(question), *option_calls(question))
    done = {each.call.key for each in found}
    missing = tuple(call for call in wanted if call.key not in done)
    if missing:
        return missing
    rest = without_registered(question, without_options(question, found))
    second = (*registered_calls(question, found), *(block_calls(question, found) or _second(question, rest)))
    return tuple(call for call in (*second, *_notes(question, found)) if call.key not in done)


def is_about_code(question: Question, found: Sequence[Found]) -> bool:
    """Whether a reason was looked for in what was said, and is not there: the code may have one."""
    if question.form != "said" or not asks_why(question) or not question.target.text:
        return False
    said = next((each.value for each in found if each.call.tool == "search_conversation"), None)
    return isinstance(said, dict) and not stated(question.target.text, said)


def about_code(question: Question) -> Question:
    """What the code says of what a question is about."""
    target = question.target.text
    return replace(question, form="what", target=read_target(target), text=target)


def is_no_code(question: Question, found: Sequence[Found]) -> bool:
    """Whether what is asked about is looked for by words, or by a name, and no definition is called so."""
    if question.form not in _OF_ANYTHING or question.target.kind not in ("name", "words"):
        return False
    if not found or any(each.error is not None for each in found):
        return False
    called = (each.value.get("match") for each in found if each.call.tool in _BY_NAME)
    # Plain words that only resemble a name may be about anything.
    sure = ("exact", "moved", "inherited", *(("spelling",) if question.target.kind == "name" else ()))
    return not any(match in sure for match in called)


def is_unnamed(question: Question, value: Mapping[str, Any]) -> bool:
    """Whether nothing is called by a name as asked, or nothing but tests is called nearly so."""
    match, scopes = value.get("match"), value.get("scopes") or []
    return match == "none" or (match == "partial" and stand_aside(question.text, scopes))


def name_call(tool: str, target: Target, called: str = "name", **more: Any) -> Call:
    """A call of a tool that takes a name, perhaps the file that has it and what it is said to be.

    ``called`` is what the tool calls the name.
    """
    known = [("file", target.file)] if target.file else []
    if target.sort in KINDS:
        known.append(("kind", target.sort))
    return Call(tool, ((called, target.text), *known, *more.items()))


def _first(question: Question) -> tuple[Call, ...]:
    target = question.target
    match question.form:
        case "where":
            if target.kind == "file":
                return (Call("outline", (("target", target.text),)),)
            if target.kind == "words":
                return (*_guess(target), *_search(question))
            return (name_call("read_scope", target, include_source=False),)
        case "what" | "show":
            if target.kind == "file":
                return (Call("outline", (("target", target.text),)),)
            if target.kind == "words":
                return (*_guess(target), *_search(question))
            return (name_call("read_scope", target),)
        case "callers" | "uses" | "subclasses" | "overridden":
            return (name_call("find_callers", target),) if target.text else ()
        case "tests" if target.text:
            return (name_call("find_callers", target), testing(target)) if target.kind == "name" else (testing(target),)
        case "raises" | "catches" if not target.text or target.kind == "file":
            return (anywhere(question),)
        case "raises" if target.text:
            return (name_call("find_callers", target), raising(target))
        case "catches" if target.text:
            return (name_call("find_callers", target), catching(target))
        case "decorated" if target.text:
            return (name_call("find_callers", target), decorating(target))
        case "errors":
            return (Call("grep_code", (("pattern", DEFINES_ERROR), ("limit", MAX_ERRORS))),)
        case "throws" | "threads" if target.text:
            return (name_call("read_scope", target),)
        case "imports" if target.text:
            return (importing(target), Call("find_imports", (("target", target.text),)))
        case "commit":
            return (Call("impact", (("revision", target.text),) if target.text else ()),)
        case "changed":
            since = {"revision": question.revision} if question.revision is not None else {"since": question.days.since}
            return (name_call("code_changes", target, called="target", **since),)
        case "history":
            return (name_call("code_history", target, called="target"),)
        case "requires":
            return (Call("find_imports", (("target", target.text),)),)
        case "callees" | "bases" | "overrides":
            return (name_call("find_callees", target),) if target.text else ()
        case "outline":
            inside = f"{target.file}:{target.text}" if target.file else target.text
            folder = "/" if target.sort in FOLDERS and not target.file and target.kind == "name" else ""
            return (Call("outline", (("target", inside + folder),)),)
        case "overview":
            return _OVERVIEW if _PURPOSE.match(question.text) and not question.sorts else _OVERVIEW[:1]
        case "lines":
            return (Call("outline", (("target", target.text),)),)
        case "said":
            decided = _decisions(question)
            return decided if asks_for_decisions(question) else (*decided, *_said(search_words(question), question))
        case "recap":
            return (Call("recent_conversations", (("limit", 11), *question.days.arguments)),)
        case "noted":
            # What it corrects is told with the answer.
            before = Call("list_decisions", (("doubtful", True), ("limit", _SOME)))
            return (before,) if may_correct(question.text) else ()
        case "taken back" if about := retracted_words(question.text):
            return (Call("list_decisions", (("about", about), ("limit", _SOME))),)
        case "known by word":
            return _search(question)
        case "search":
            names = (Call("read_scope", (("name", name),)) for name in plain_names(question))
            return (*names, *_search(question))
        case "given":
            mentions = mentions_of(question.text)
            short = ("include_source", False)
            names = (Call("read_scope", (("name", name), short)) for name in mentions.names)
            tests = (Call("read_scope", (("name", name), ("file", file), short)) for file, name in mentions.tests)
            files = (Call("outline", (("target", file),)) for file in mentions.files)
            changed = list(mentions.files.items())[:_CHANGED] if mentions.sort == "diff" else []
            paths = dict.fromkeys(path for file, places in changed for path in (file, places.was) if path)
            ruling = (Call("list_decisions", (("about", path), ("limit", _SOME))) for path in paths)
            # What it takes away stands in no file any more.
            away = (Call("impact", ()),) if any(places.gaps for places in mentions.files.values()) else ()
            return (*files, *tests, *names, *ruling, *away)
        case "deprecated":
            named = (name_call("read_scope", target),) if target.kind == "name" else ()
            return (*named, deprecation_call(target))
        case _:
            return project_calls(question)


def _said(words: Sequence[str], question: Question) -> tuple[Call, ...]:
    days = question.days.arguments
    return (Call("search_conversation", (("query", " ".join(words)), ("limit", _SOME), *days)),) if words else ()


def _decisions(question: Question) -> tuple[Call, ...]:
    """What was decided: of all that was said, or about what code or words are called."""
    if not asks_decided(question) and not asks_still(question) and not asks_before_changing(question):
        return ()
    target = question.target.text
    only = (("doubtful", True),) if asks_outdated(question) else ()
    rest = (*only, ("limit", MAX_SAID), *question.days.arguments)
    # "Todo: …", "still to do: …", "I still have to …".
    about = (target,) if target else ("todo", "still") if asks_to_do(question) else ()
    return tuple(Call("list_decisions", (("about", each), *rest)) for each in about) or (Call("list_decisions", rest),)


def _names_project(found: Sequence[Found]) -> bool:
    """Whether what is asked for is the project itself."""
    return any(isinstance(each.value, dict) and each.value.get("names_project") for each in found)


def _reasons(question: Question) -> tuple[Call, ...]:
    """What was said of what a reason is asked for."""
    return _said(content_words(question.text), question) if question.form != "said" and asks_why(question) else ()


def _notes(question: Question, found: Sequence[Found]) -> tuple[Call, ...]:
    """What was said of what is no code: it comes before text that happens to have the words."""
    if asks_why(question) or len(question.text) > MAX_QUESTION or _names_project(found):
        return ()
    if not may_be_ruled(question) and not is_no_code(question, found):
        return ()
    words = search_words(question)
    # "That is wrong" is about nothing by itself.
    if not subject_words(" ".join(words)):
        return ()
    return (*_said(words, question), Call("list_decisions", (("about", " ".join(words)), ("limit", _SOME))))


def _second(question: Question, found: Sequence[Found]) -> tuple[Call, ...]:
    """A second look where the first found nothing, or only then knows the file."""
    target = question.target
    searched = next((each.value for each in found if each.call.tool == "search_code"), None)
    if isinstance(searched, dict):
        return _beyond_search(question, searched)
    value = next((each.value for each in found if isinstance(each.value, dict)), {})
    if question.form == "what" and _names_project(found):
        return _OVERVIEW
    match question.form:
        case "outline" | "overview" if question.sorts == ("test",) and value.get("kind") in ("file", "folder"):
            place = value["file"] if value["kind"] == "file" else target.text.strip("/") or "."
            return (Call("list_tests", (("target", place),)),)
        case "outline" | "overview" if value.get("kind") == "folder" and (kinds := kinds_of(question)):
            folder = target.text.strip("/") or "."
            only = (("modifier", question.modifier),) if question.modifier else ()
            return (Call("list_definitions", (("kinds", list(kinds)), ("folder", folder), *only)),)
        case "entry":
            return entry_scopes(found)
        case "commands":
            return command_sections(question.text, found)
        case "threads":
            return thread_calls(question, value) or _search(question)
        case "files" if not likely_files(value):
            return _search(question)
        case "of kind" if value.get("total") == 0:
            return _search(question)
        case "lines":
            path = value.get("file") or value.get("unread") or target.text
            return (Call("read_file", (("path", path), ("start_line", question.first), ("end_line", question.last))),)
        case "show" if target.kind == "file" and value.get("kind") != "folder":
            path = value.get("file") or value.get("unread") or target.text
            return (Call("read_file", (("path", path), ("start_line", 1), ("end_line", 60))),)
        case "where" if value.get("kind") == "none" and target.kind == "file":
            # A text defines nothing, and is there all the same.
            path = value.get("unread") or target.text
            return (Call("read_file", (("path", path), ("start_line", 1), ("end_line", 1))),)
        case "outline" if value.get("kind") == "none" and target.kind == "file":
            path = value.get("unread") or target.text
            return (Call("read_file", (("path", path), ("start_line", 1), ("end_line", 40))),)
        case "overrides":
            return inheriting_calls(found)
        case "errors" if lines := error_lines(value):
            # What inherits from an error is one, whatever it is called.
            return (Call("find_subtypes", (("places", [f"{each['file']}:{each['line']}" for each in lines]),)),)
        case "overridden" | "subclasses" if is_cut(value):
            return (name_call("find_overrides", target),)
        case "callers" | "uses" if target.kind == "name" and value.get("match") == "none":
            return naming(target)
        case "subclasses" | "bases":
            named = naming(target) if target.kind == "name" and question.form == "subclasses" else ()
            shown = {"none": named, "partial": named[:1]}.get(str(value.get("match")), ())
            return (*shown, *impl_calls(question, value))
        case "uses" if target.kind == "name" and value.get("match") == "partial":
            # What only contains the name is farther from it than a parameter or a type of a library that has it.
            return naming(target)[:1]
        case "where" if target.kind == "name" and not target.marked and value.get("match") == "partial":
            # A word of plain English is some local variable everywhere.
            return (Call("grep_code", (("pattern", visibly_setting(target.member)), ("limit", MAX_LINES))),)
        case "callers" | "uses" if target.kind == "name" and is_renamed(target, value):
            return naming(target)[:1]
        case "uses" if target.marked and is_unused_aside(value):
            return naming(target)[:1]
        case "callers" | "uses" if target.marked and target.kind == "name" and value.get("match") in NOT_SURE:
            return naming(target)[:1]
        case "callers" | "uses" if target.kind == "name":
            return look_alike_calls(question.form, target, value)
        case "what" if constructor := constructor_of(question, value):
            # What it takes its constructor says, its own or an inherited one.
            return (constructor,)
        case "what" if target.kind == "name" and not target.marked and is_unnamed(question, value):
            # A plain word may be a folder's.
            return (Call("outline", (("target", f"{target.text}/"),)), *_search(question))
        case "where" | "what" | "show" if target.kind == "name" and value.get("match") == "none":
            # No definition, but it may be a field, a key or a parameter, or of a language that is not read: the text
            # will tell.
            return (*member_calls(target, found), *(naming(target)[:1] if len(target.parts) > 1 else ()))
        case "where" | "what" | "show" if target.marked and value.get("match") in NOT_SURE:
            # What is set under just that name is nearer than what is called nearly so.
            return member_calls(target, found)
        case _:
            return ()


def _beyond_search(question: Question, searched: dict[str, Any]) -> tuple[Call, ...]:
    """How something is done the code of what is called so tells.

    Where no definition answers, the text may: a decorator, a comment, a page of documentation.
    """
    asked = search_words(question)
    results = judged(asked, searched.get("results") or [])
    best = named_so(asked, results) if asks_how(question) else None
    if best is not None:
        return (Call("read_scope", (("name", best["qualified_name"]), ("file", best["file"]))),)
    if not results.missing:
        return ()
    return (Call("grep_code", (("pattern", line_pattern(results.missing)), ("ignore_case", True), ("limit", 200))),)


def _guess(target: Target) -> tuple[Call, ...]:
    """Plain words may spell a name: "the option parser" is ``OptionParser``."""
    words = target.text.split()
    if (
        2 <= len(words) <= 4
        and not has_pronoun(target.text)
        and all(re.fullmatch(r"[A-Za-z0-9]+", word) for word in words)
    ):
        return (Call("read_scope", (("name", "_".join(words)), ("include_source", False))),)
    return ()


def _search(question: Question) -> tuple[Call, ...]:
    words = search_words(question)
    return (Call("search_code", (("query", " ".join(words)), ("limit", MAX_SEARCHED))),) if words else ()
