"""The answer to which version a project is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.quoting.pieces import MAX_LISTED, code_span, rest
from ragforge_memory.models.text import counted


def versioned(value: Mapping[str, Any]) -> list[str]:
    """What the outermost file says, what others say, and the newest tag, as `project_version` gave them."""
    files = value.get("files") or []
    git = value.get("git") or {}
    if not files:
        lines = [f"{NOTHING_FOUND}: no file of this project that I can read states its version."]
    else:
        first = files[0]
        lines = [f"It is version {code_span(first['version'])}, as {first['file']}:{first['line']} says."]
    if tag := git.get("tag"):
        behind = f"is the newest before it, {counted(git['ahead'], 'commit')} back" if git["ahead"] else "is its tag"
        lines.append(f"In git, commit {code_span(git['commit'])} is checked out; {code_span(tag)} {behind}.")
    elif git:
        lines.append(f"In git, commit {code_span(git['commit'])} is checked out; no tag leads to it.")
    if len(files) > 1:
        others = files[1 : 1 + MAX_LISTED]
        lines.append("Other files that state a version:")
        lines += [f"- {code_span(each['version'])} - {each['file']}:{each['line']}" for each in others]
        lines += rest(int(value["total"]) - 1 - len(others))
    return lines
