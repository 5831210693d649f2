"""Which tools to ask about files and a project as a whole, where one look is enough."""

from __future__ import annotations

from ragforge_memory.language.reading.question import Question
from ragforge_memory.llm.extractive.code.command_lines import command_calls
from ragforge_memory.llm.extractive.code.entry_points import entry_calls
from ragforge_memory.llm.extractive.code.environment import environment_call
from ragforge_memory.llm.extractive.code.outlines import kinds_of
from ragforge_memory.llm.extractive.code.runtimes import runtime_call
from ragforge_memory.llm.extractive.quoting.calls import Call


def project_calls(question: Question) -> tuple[Call, ...]:
    """The calls for such a question; none for others."""
    match question.form:
        case "exports":
            return (Call("exports", (("file", question.target.text),)),)
        case "dependencies":
            return (Call("dependencies", ()),)
        case "version":
            return (Call("project_version", ()),)
        case "runtime":
            return (runtime_call(question),)
        case "commands":
            return command_calls(question.text)
        case "entry":
            return entry_calls()
        case "environment":
            return (environment_call(question),)
        case "unused":
            return (Call("find_unused", (("kind", "class" if "class" in question.sorts else "function"),)),)
        case "untested":
            kind = "class" if "class" in question.sorts else "function"
            path = (("path", question.target.text),) if question.target.text else ()
            return (Call("find_untested", (("kind", kind), *path)),)
        case "files":
            return (Call("find_files", (("words", question.target.text),)),)
        case "of kind":
            kinds = ("kinds", list(kinds_of(question)))
            return (Call("list_definitions", (kinds, ("words", question.target.text))),)
        case _:
            return ()
