"""The answer to a text that came with a question: the definitions that it names, each with its place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.given_text import Mentions, Places, mentions_of
from ragforge_memory.language.said.openings import NOTHING_FOUND, WHAT_WAS_SAID
from ragforge_memory.language.said.stock import WITHOUT_A_MODEL
from ragforge_memory.llm.extractive.quoting.calls import Found
from ragforge_memory.llm.extractive.quoting.pieces import item, rest
from ragforge_memory.llm.extractive.said.sayings import belongs, quoted_message, since
from ragforge_memory.models.text import counted

MAX_NAMED = 40
"""Definitions that are listed; what is left is counted."""

_DOES = {"diff": "The diff touches", "traceback": "The traceback goes through", "text": "The text names"}


def named_code(text: str, found: Sequence[Found]) -> list[str]:
    """The lines of the answer.

    Args:
        text: what came with the question.
        found: what the tools gave for what it names.
    """
    mentions = mentions_of(text)
    listed: dict[tuple[str, str, int], str] = {}
    unknown: list[str] = []
    outside: list[str] = []
    for each in found:
        value = each.value if isinstance(each.value, dict) else {}
        asked = dict(each.call.arguments)
        if each.call.tool == "outline":
            target = str(asked.get("target"))
            named, match = mentions.files.get(target, Places()), value.get("match")
            places: Places | None = named if match == "exact" else None
            if match == "partial" and mentions.sort == "traceback":
                places = _defined(value.get("scopes") or [], named)
            if value.get("kind") != "file" or places is None:
                unknown.append(f"`{target}`")
                continue
            lines_outside = _add_file(listed, value, places, mentions)
            if lines_outside:
                outside.append(f"- {value['file']}, {_numbered(lines_outside)}")
        elif each.call.tool == "read_scope":
            scopes = value.get("scopes") or []
            if value.get("match") not in ("exact", "inherited") or not scopes:
                # Emphasis, an abbreviation and the level of a line of a log are written like a constant: "ERROR".
                if not (name := str(asked.get("name"))).isalpha() or not name.isupper():
                    unknown.append(
                        f"`{asked['file']}::{name.replace('.', '::')}`" if asked.get("file") else f"`{name}`"
                    )
                continue
            listed.setdefault(_key(scopes[0]), item(scopes[0]))
    if mentions.sort == "diff":
        listed |= _taken_away(found, mentions)
    does = _DOES[mentions.sort]
    lines = [f"{NOTHING_FOUND} in this project of what the {mentions.sort} names."]
    if listed:
        lines = [f"{does} {counted(len(listed), 'definition')} of this project:", *list(listed.values())[:MAX_NAMED]]
        if len(listed) > MAX_NAMED:
            lines.append(f"… and {len(listed) - MAX_NAMED} more.")
    if outside:
        if not listed:
            lines = [f"{does} no definition of this project."]
        lines += ["Outside of definitions, or in functions without a name:", *outside[:MAX_NAMED]]
    if mentions.more:
        files = counted(mentions.more, "more file")
        hint = "; `ragforge impact` reads all of a commit" if mentions.sort == "diff" else ""
        lines.append(f"The {mentions.sort} names {files}, which were not looked at{hint}.")
    if mentions.more_tests:
        lines.append(f"It names {counted(mentions.more_tests, 'more test')}, which were not looked at.")
    if unknown:
        more = f" and {len(unknown) - 10} others" if len(unknown) > 10 else ""
        lines.append(f"No definitions are known here of {', '.join(unknown[:10])}{more}.")
    return [*lines, *_decided(found, [(file, name) for file, name, _ in listed], mentions), "", WITHOUT_A_MODEL]


def _decided(found: Sequence[Found], definitions: Sequence[tuple[str, str]], mentions: Mentions) -> list[str]:
    """What was decided about some of the definitions, each decision once; about what is inside of one, too, and about
    what the text takes away."""
    about: dict[str, Mapping[str, Any]] = {}
    names: dict[str, None] = {}
    for each in found:
        lists = each.call.tool in ("list_decisions", "impact")
        value = each.value if lists and isinstance(each.value, dict) else {}
        for decision in value.get("decisions") or []:
            for code in decision["code"]:
                now = _now(code)
                if any(now[0] == file and belongs(now[1], name) for file, name in definitions) or _is_taken_away(
                    code, mentions
                ):
                    about[decision["message_id"]] = decision
                    names[code["name"]] = None
    if not about:
        return []
    told = ", ".join(f"`{name}`" for name in names)
    lines = ["", f"{WHAT_WAS_SAID} {told}:"]
    shown = list(about.values())[:MAX_NAMED]
    for decision in shown:
        lines += quoted_message(decision, ())
    lines += rest(len(about) - len(shown), "more decisions; `ragforge decisions NAME` lists those on one")
    return lines + since(shown, all_at="`ragforge decisions NAME` tells of one")


def _taken_away(found: Sequence[Found], mentions: Mentions) -> dict[tuple[str, str, int], str]:
    """The definitions that a diff takes away: as git's comparison knows of what is not committed yet, else as their
    first lines tell."""
    value = next((each.value for each in found if each.call.tool == "impact" and isinstance(each.value, dict)), {})
    away: dict[tuple[str, str], str] = {}
    for file, places in mentions.files.items():
        before = places.was or file
        for each in value.get("scopes") or []:
            name = each["qualified_name"].rpartition(".")[2]
            if each["file"] == before and each["change"] in ("removed", "moved") and name in places.removed:
                to, _, new = (each.get("moved_to") or "").rpartition(" ")
                change = f"moved to {to} as `{new}`" if new else "removed"
                away[before, each["qualified_name"]] = f" ({each['type']}), {change}"
        named = {name.rpartition(".")[2] for at, name in away if at == before}
        for name in +places.undefined:
            if name not in named:
                away[before, name] = ", its definition is taken away"
    return {(file, name, 0): f"- `{name}` - {file}{what}" for (file, name), what in away.items()}


def _now(code: Mapping[str, Any]) -> tuple[str, str]:
    """The file and the name that code of a decision has now, or had last."""
    if not code.get("moved_to"):
        return code["file"], code["name"]
    file, _, name = str(code["moved_to"]).rpartition(" ")
    return file, name


def _is_taken_away(code: Mapping[str, Any], mentions: Mentions) -> bool:
    """Whether code that is not where it was went with a text's file, or is named by the lines that it takes away."""
    if code["status"] not in ("moved", "orphaned"):
        return False
    name = code["name"].rpartition(".")[2]
    return any(
        code["file"] == (places.was or file) and (bool(places.was) or name in places.removed)
        for file, places in mentions.files.items()
    )


def _add_file(
    listed: dict[tuple[str, str, int], str], value: Mapping[str, Any], places: Places, mentions: Mentions
) -> list[int]:
    """Adds the innermost definitions around the places of one file, where no place is named its outermost; gives the
    lines that are in none."""
    scopes = [{"file": value["file"], **each} for each in value.get("scopes") or []]
    if not places.lines and not places.gaps:
        if mentions.sort == "text":
            for scope in scopes:
                if "." not in scope["qualified_name"]:
                    listed.setdefault(_key(scope), item(scope))
        return []
    lines_of: dict[tuple[str, str, int], list[int]] = {}
    around: dict[tuple[str, str, int], Mapping[str, Any]] = {}
    outside: list[int] = []
    wanted = [*((line, line) for line in places.lines), *((gap - 1, gap) for gap in places.gaps - places.lines)]
    for first, last in sorted(wanted):
        found = _named(scopes, places.frames.get(last, ""), last) or _innermost(scopes, first, last)
        if found is not None:
            around[_key(found)] = found
            lines_of.setdefault(_key(found), []).append(last)
        elif first == last:  # what was in a gap may have been a definition
            outside.append(last)
    for key in sorted(around, key=lambda each: each[2]):
        said = _numbered(lines_of[key])
        if mentions.sort == "diff":
            said += " changed"
        elif not all(_holds(around[key], line, line) for line in lines_of[key]):
            said += f" in the {mentions.sort}"  # it has moved since
        listed.setdefault(key, f"{item(around[key])}, {said}")
    return outside


def _defined(scopes: Sequence[Mapping[str, Any]], places: Places) -> Places | None:
    """The frames that are in a definition of the file, None where none is: a path that only ends like the file's may be
    that of an installed copy, or of anything."""
    frames = {line: name for line, name in places.frames.items() if _named(scopes, name, line) is not None}
    return Places(set(frames), frames=frames) if frames else None


def _numbered(lines: Sequence[int]) -> str:
    numbers = _ranges(lines)
    return f"{'lines' if '-' in numbers or ',' in numbers else 'line'} {numbers}"


def _named(scopes: Sequence[Mapping[str, Any]], name: str, line: int) -> Mapping[str, Any] | None:
    """The definition that a frame names, of several the one that has its line, or is nearest to it; None where there is
    none: the code may have changed since, so that a line tells less than a name."""
    last = name.rpartition(".")[2]
    same = [each for each in scopes if name and each["qualified_name"].rpartition(".")[2] == last]
    # A frame may know the type, and its package before that, or the bare name alone.
    exact = [each for each in same if f".{name}".endswith(f".{each['qualified_name']}")]
    return min(exact or same, key=lambda each: _distance(each, line), default=None)


def _distance(scope: Mapping[str, Any], line: int) -> int:
    return max(int(scope.get("start_line", scope["line"])) - line, line - int(scope["end_line"]), 0)


def _holds(scope: Mapping[str, Any], first: int, last: int) -> bool:
    return bool(scope.get("start_line", scope["line"]) <= first and last <= scope["end_line"])


def _innermost(scopes: Sequence[Mapping[str, Any]], first: int, last: int) -> Mapping[str, Any] | None:
    holding = [each for each in scopes if _holds(each, first, last)]
    return max(holding, key=lambda each: (each["line"], -each["end_line"]), default=None)


def _key(scope: Mapping[str, Any]) -> tuple[str, str, int]:
    return scope["file"], scope["qualified_name"], scope["line"]


def _ranges(numbers: Sequence[int]) -> str:
    """``3-5, 9`` of 3, 4, 5, 9."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs)
