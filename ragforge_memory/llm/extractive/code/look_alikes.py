"""Lines that look like calls of what no call was found of: an import that is not followed may bring it there."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from ragforge_memory.language.reading.endings import is_text
from ragforge_memory.language.reading.targets import Target
from ragforge_memory.llm.extractive.code.evidence import COMMENT, calling
from ragforge_memory.llm.extractive.code.members import MAX_LINES, texts_last
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import MAX_LISTED, rest, text_line

_TOLD = ("callers", "top_level", "possible", "through")
_NAMED = ("references", "decorates", "subclasses")
# A path that is seen from the file, or from a folder that a tool is told of.
_NEAR = re.compile(r"[.~#/]|@/|(?:crate|self|super)\b")


def look_alike_calls(form: str, target: Target, value: Mapping[str, Any]) -> tuple[Call, ...]:
    """Looks for such lines, and for those that import the name, where a definition has no calls that are known."""
    scopes = value.get("scopes") or []
    if value.get("match") != "exact" or any(each["name"] != target.member for each in scopes):
        return ()
    kinds = (*_TOLD, *_NAMED) if form == "uses" else _TOLD
    if not scopes or target.member.startswith("__") or any(each.get(kind) for each in scopes for kind in kinds):
        return ()
    name = re.escape(target.member)
    return (Call("grep_code", (("pattern", f"{calling(name)}|{_import(name)}"), ("limit", MAX_LINES))),)


def look_alikes(form: str, target: Target, found: Sequence[Found]) -> list[str]:
    """The lines that look like calls: of what their file imports from elsewhere under the name, else perhaps of it."""
    value = next((each.value for each in found if each.call.tool == "find_callers"), None)
    wanted = look_alike_calls(form, target, value) if isinstance(value, dict) else ()
    given = next((each.value for each in found if each.call in wanted and isinstance(each.value, dict)), {})
    if not isinstance(value, dict) or not given.get("matches"):
        return []
    name, scopes = re.escape(target.member), value["scopes"]
    defined = {(each["file"], each["line"]) for each in scopes}
    modules: dict[str, str] = {}
    for line in given["matches"]:
        imported = re.search(_import(name), line["text"])
        module = next(filter(None, imported.groups()), "") if imported else ""
        if module and not _NEAR.match(module) and not any(_is_of(module, each["file"]) for each in scopes):
            modules.setdefault(line["file"], module)
    calls = [
        line
        for line in given["matches"]
        if re.search(calling(name), line["text"])
        and (line["file"], line["line"]) not in defined
        and not is_text(line)
        and not COMMENT.match(line["text"])
        and not re.search(_definition(name), line["text"])
    ]
    answer: list[str] = []
    for module in dict.fromkeys(modules[each["file"]] for each in calls if each["file"] in modules):
        lines = [each for each in calls if modules.get(each["file"]) == module]
        which = "This line calls" if len(lines) == 1 else f"These {len(lines)} lines call"
        how = "as the file imports it" if len({each["file"] for each in lines}) == 1 else "as their files import it"
        answer += ["", f"{which} `{target.member}` of {module}, {how}, not this one:", *_listed(lines)]
    perhaps = [each for each in calls if each["file"] not in modules]
    if perhaps:
        which = "this line looks like a call" if len(perhaps) == 1 else f"these {len(perhaps)} lines look like calls"
        answer += ["", f"But {which} of it, or of something else of that name:", *_listed(texts_last(perhaps))]
    return [*answer, "There may be others."] if answer and given.get("more") else answer


def _import(name: str) -> str:
    """A line that imports the name as it is, with the module: in Python's ways, from a path in quotes, or dotted."""
    bare = rf"(?<![\w$]){name}(?![\w$])(?!\s+as\b)"
    return (
        rf"^\s*from\s+([\w.]+)\s+import\b[^#]*{bare}|\bimport\b[^'\"]*{bare}[^'\"]*\bfrom\s*['\"]([^'\"]+)"
        rf"|^\s*(?:import|use)\s+(?:static\s+)?([\w.:\\]+?)(?:\.|::|\\){bare}"
    )


def _definition(name: str) -> str:
    return rf"\b(?:def|function\*?|class|fn|func|func\s*\([^)]*\))\s+{name}\b"


def _is_of(module: str, file: str) -> bool:
    """Whether a module may be that of a file: its last word is what the file or its folder is called."""
    last = re.split(r"[./:\\]+", module.strip("./:\\"))[-1]
    path = PurePosixPath(file)
    return last in (path.name.partition(".")[0], path.parent.name)


def _listed(lines: Sequence[Mapping[str, Any]]) -> list[str]:
    return [f"- {text_line(each)}" for each in lines[:MAX_LISTED]] + rest(len(lines) - MAX_LISTED)
