"""What a file imports, and what a project depends on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.evidence import LATE
from ragforge_memory.llm.extractive.quoting.pieces import code_span, nothing, rest
from ragforge_memory.models.text import counted


def brought_in(asked: str, value: Mapping[str, Any]) -> list[str]:
    """What a file imports: files of the project with the lines that do, then other packages as they are written."""
    if not value.get("file"):
        return [nothing(asked)]
    imports = value.get("imports") or []
    file, own = value["file"], [each for each in imports if each["to"]]
    others = dict.fromkeys(module for each in imports if not each["to"] for module in each["modules"])
    if not imports:
        lines = [f"`{file}` imports nothing."]
    elif own:
        lines = [f"`{file}` imports from this project in {counted(len(own), 'line')}:"]
        by_target: dict[str, list[Mapping[str, Any]]] = {}
        for each in own:
            by_target.setdefault(", ".join(each["to"]), []).append(each)
        lines += [
            f"- {to} - line {some[0]['line']} {code_span(some[0]['text'])}"
            if len(some) == 1
            else f"- {to} - lines {', '.join(str(each['line']) for each in some)}"
            for to, some in by_target.items()
        ]
    else:
        lines = [f"`{file}` imports nothing of this project."]
    if others:
        lines.append(f"Of other packages it imports {', '.join(map(code_span, others))}.")
    lines += rest(int(value["totals"]["imports"]) - len(imports), "more imports")
    if value.get("late"):
        lines.append(f"{LATE}: some of these may be of this project.")
    if value.get("other_files"):
        lines.append(f"Other files of that name: {', '.join(value['other_files'])}.")
    return lines


def required(value: Mapping[str, Any]) -> list[str]:
    """What a project depends on, as `dependencies` read it in the files that say so."""
    files = value.get("files") or []
    if not files:
        return [f"{NOTHING_FOUND}: no file of this project that I can read says what it depends on."]
    lines = []
    for each in files:
        lines.append(f"`{each['file']}` {'says:' if each['groups'] else 'names none.'}")
        for group, packages in each["groups"].items():
            lines.append(f"- {group}: {', '.join(map(code_span, packages))}")
    return lines + rest(int(value["total"]) - len(files), "more files that say what something needs")
