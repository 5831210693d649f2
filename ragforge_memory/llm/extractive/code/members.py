"""Members that are no definition: attributes that code sets, and words that only sound like a member.

"The parent of Command" may be a member of it, an attribute that some line sets, a relation, or nothing at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ragforge_memory.language.reading.endings import PROSE, is_text
from ragforge_memory.language.reading.targets import Target, spelled
from ragforge_memory.language.said.openings import NOTHING_FOUND
from ragforge_memory.llm.extractive.code.declared import declares, literal
from ragforge_memory.llm.extractive.quoting.calls import Call, Found
from ragforge_memory.llm.extractive.quoting.pieces import code_span, item, quotation, text_line
from ragforge_memory.models.text import lines_of
from ragforge_memory.text.names import stands_aside

MAX_PLACES = 8
"""Lines that are listed beside the first."""

MAX_LINES = 200
"""Lines that are looked through; `grep_code` gives no more."""

MAX_COMMENT = 6
"""Lines of comment above an attribute that are quoted."""

# What stands above or below a type, where it is no member of it: "the parent of Command".
_ABOVE = re.compile(r"(?:parent|base|ancestor|super|superclass|supertype)s?|hierarchy|inheritance", re.I)
_BELOW = re.compile(r"child(?:ren)?|descendants?|subtypes?|heirs?", re.I)
_STATEMENT = (
    r"(?!(?:return|del|import|from|if|elif|while|for|assert|raise|throw|yield|await|print|else|lambda|case|not|and|or"
    r"|in|is|delete|new|goto)\b)"
)
_TYPED = r"(?:[\w<>\[\],.*&?]+\s+){0,4}"
# A field of Go has its type behind it and nothing between: `Aliases []string`, `Run func(args []string)`.
_BARE_TYPE = (
    r"(?:, *\w+)* +(?:\*\w|\[\w*\]|map\[|func\(|chan\b|(?:interface|struct) ?\{"
    r"|(?:string|bool|byte|rune|error|any|u?int(?:8|16|32|64|ptr)?|float(?:32|64))\b(?! *\()"
    r"|(?:\w+\.)?[A-Z]\w* *(?:`[^`]*`)? *(?://.*)?$)"
)
_CALLED = ("function", "method")
_COMMENT = re.compile(r"^\s*(?:#:?|//[/!]?)\s?(?P<text>.*)$")


def setting(name: str) -> str:
    """A regular expression for lines that assign or annotate a name: ``self.x = 1``, ``x: int``, ``private int x;``,
    ``X *int``."""
    return setting_spelled(re.escape(name))


def setting_spelled(name: str) -> str:
    """The same for a name that is a regular expression itself."""
    return (
        rf"^\s*{_STATEMENT}{_TYPED}(?:(?:self|this|cls)(?:\.|->)|@|\$)?(?:{name})"
        rf"(?:\??\s*(?::(?!:)|=(?![=>])|;)|{_BARE_TYPE})"
    )


def visibly_setting(name: str) -> str:
    """For lines that set a name in no block, or as an object's own; a local variable is neither."""
    own = rf"^\s*(?:(?:self|this|cls)(?:\.|->)|@|\$this->){re.escape(name)}\s*(?::[^=]*)?=(?![=>])"
    at_start = setting(name).removeprefix(r"^\s*")
    return rf"^{at_start}|{own}"


def relation(target: Target) -> str:
    """The tool that knows what such a word means of a type; ``''`` where the word names no relation."""
    if not target.owner:
        return ""
    return (
        "find_callees" if _ABOVE.fullmatch(target.member) else "find_callers" if _BELOW.fullmatch(target.member) else ""
    )


def member_calls(target: Target, found: Sequence[Found]) -> tuple[Call, ...]:
    """What to ask for a name that nothing is defined under: its lines, and what it would be a member of."""
    parts = target.parts
    if not parts:
        # No name, but a text that may stand somewhere: "where is `{/.}`?".
        return (Call("grep_code", (("pattern", re.escape(target.text)), ("limit", MAX_LINES))),) if target.text else ()
    # Of a dotted name all has to stand there: the last part alone means anything, unless its owner sets it.
    whole = spelled(parts)
    if len(parts) == 1:
        return (Call("grep_code", (("pattern", whole), ("limit", MAX_LINES))),)
    pattern = f"{whole}|{setting(parts[-1])}"
    owner = target.owner or target.before(parts[-1])
    file = (("file", target.file),) if target.file else ()
    calls = [
        Call("read_scope", (("name", owner), *file)),
        Call("grep_code", (("pattern", pattern), ("limit", MAX_LINES))),
    ]
    kin = relation(target)
    if kin:
        calls.append(Call(kin, (("name", owner), *file)))
    owners = owners_of(found)
    if owners and owners[0]["type"] not in _CALLED and not any(own_lines(target, each, found) for each in owners):
        # What a class does not set itself a base may.
        calls.append(Call("find_callees", (("name", owners[0]["qualified_name"]), ("file", owners[0]["file"]))))
    return tuple(dict.fromkeys(calls))


def owners_of(found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """The definitions that the name would be a member of, the likeliest first."""
    read = [each.value for each in found if each.call.tool == "read_scope" and isinstance(each.value, dict)][1:]
    return [
        scope
        for value in read
        if value.get("match") in ("exact", "moved", "spelling", "inherited")
        for scope in value.get("scopes") or []
    ]


def own_lines(target: Target, owner: Mapping[str, Any], found: Sequence[Found]) -> list[Mapping[str, Any]]:
    """Lines that set the member: in the owner's own source, else in its file, else in the files of its bases."""
    lines = _setting_lines(target.member, found)
    inside = [
        each
        for each in lines
        if each["file"] == owner["file"] and owner["start_line"] <= each["line"] <= owner["end_line"]
    ]
    if inside:
        depths = _depths(owner)
        # A class's own lines before those of its methods; lines of a list of parameters end with a comma.
        return sorted(inside, key=lambda each: (each["text"].endswith(","), depths.get(each["line"], 0), each["line"]))
    if owner["type"] in _CALLED:
        return []
    bases = [
        base["file"]
        for each in found
        if each.call.tool == "find_callees" and isinstance(each.value, dict)
        for scope in each.value.get("scopes") or []
        for base in scope.get("bases") or []
    ]
    at_home = [each for each in lines if each["text"].startswith(("self.", "this.")) and each["file"] == owner["file"]]
    return at_home or [each for each in lines if each["file"] in bases and not each["text"].endswith(",")]


def attribute(target: Target, found: Sequence[Found]) -> list[str]:
    """The lines that set what is no definition, the first with its place; none where no line does."""
    for owner in owners_of(found):
        lines = own_lines(target, owner, found)
        if lines:
            return _set_at(f"{owner['qualified_name']}.{target.member}", lines, _comment(owner, lines[0]))
    return []


def set_lines(asked: str, target: Target, value: Mapping[str, Any]) -> list[str]:
    """The lines of code that set a bare name, and others that have it; none where no line sets it."""
    if len(target.parts) != 1:
        return []
    matches = value.get("matches") or []
    lines = _code_first((each for each in matches if _sets(target.member, each)), target.member)
    if not lines:
        return []
    others = [each for each in matches if each not in lines]
    stands = ["", "It stands in these lines too:", *listed(others, more=bool(value.get("more")))] if others else []
    return [*_set_at(asked, lines, []), *stands]


def sets_by_itself(target: Target, value: Mapping[str, Any], others: Sequence[Mapping[str, Any]]) -> bool:
    """Whether lines that are no tests set a bare name, and not only to one of the definitions called nearly so: a local
    variable `user_manager` is made of `UserManager`."""
    made = re.compile("|".join(rf"(?<!\w){re.escape(each['name'])}(?!\w)" for each in others) or "(?!)")
    lines = [each for each in value.get("matches") or [] if _sets(target.member, each)]
    return any(not stands_aside(each["file"]) and not made.search(each["text"]) for each in lines)


def named_lines(asked: str, target: Target, value: Mapping[str, Any]) -> list[str]:
    """Lines of files that have a name which nothing is defined under; none where there are none."""
    matches = value.get("matches") or []
    if len(target.parts) > 1:
        whole = re.compile(spelled(target.parts))
        matches = [each for each in matches if whole.search(each["text"])]
    return standing_in(asked, matches, more=bool(value.get("more")))


def standing_in(asked: str, lines: Sequence[Mapping[str, Any]], *, more: bool = False) -> list[str]:
    """That nothing is defined as a name, and the lines that have it; nothing where there are none."""
    if not lines:
        return []
    heading = f"{NOTHING_FOUND} that is defined as `{asked}`. The name stands in these lines:"
    return [heading, *listed(lines, more=more)]


def listed(matches: Sequence[Mapping[str, Any]], *, more: bool = False) -> list[str]:
    """The first `MAX_PLACES` lines of files as a list, those of code first, and whether there are more."""
    lines = [f"- {text_line(each)}" for each in texts_last(matches)[:MAX_PLACES]]
    return [*lines, "… and more."] if len(matches) > MAX_PLACES or more else lines


def texts_last(matches: Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Lines of files in their order, but those of tests and examples behind the rest, and those of no code last."""
    return sorted(matches, key=lambda each: (is_text(each), stands_aside(each["file"])))


def no_member(target: Target, owner: Mapping[str, Any]) -> str:
    """The sentence for a word that is no member of what it was said of."""
    if owner["type"] in _CALLED and re.search(rf"\b{re.escape(target.member)}\b", owner.get("signature") or ""):
        return f"`{target.member}` is a parameter of `{owner['qualified_name']}`:"
    return f"`{owner['qualified_name']}` has no member called `{target.member}`; this is what it is:"


def mentioned_owner(owners: Sequence[Mapping[str, Any]]) -> list[str]:
    """Where a name with dots is missing, and what it would be in is not."""
    return [f"`{owners[0]['qualified_name']}` itself is defined:", item(owners[0])] if owners else []


def _set_at(name: str, lines: Sequence[Mapping[str, Any]], comment: Sequence[str]) -> list[str]:
    first = lines[0]
    answer = [f"`{name}` - {first['file']}:{first['line']} (no definition of its own; it is set here)"]
    answer += quotation([code_span(first["text"].strip()), *comment])
    if len(lines) > 1:
        answer += ["", "Also set in:", *listed(lines[1:])]
    return answer


def _setting_lines(name: str, found: Sequence[Found]) -> list[Mapping[str, Any]]:
    # Two searches may find one line.
    lines = {
        (line["file"], line["line"]): line
        for each in found
        if each.call.tool == "grep_code" and isinstance(each.value, dict)
        for line in each.value.get("matches") or []
    }
    return _code_first((line for line in lines.values() if _sets(name, line)), name)


def _sets(name: str, line: Mapping[str, Any]) -> bool:
    text = line["text"].strip()
    if PROSE.search(line["file"]) or re.match(rf"{re.escape(name)}=.*[,)]$", text):
        return False  # prose, or an argument of a call by its keyword
    return bool(re.search(setting(name), text)) or declares(literal(re.escape(name)), text)


def _code_first(lines: Iterable[Mapping[str, Any]], name: str) -> list[Mapping[str, Any]]:
    """Tests last; before them parameters (they end with a comma), before those what only hands a name of its own on."""
    handed = re.compile(rf"=\s*(?:\w+\.)*{re.escape(name)}\W*$")
    return sorted(
        lines,
        key=lambda each: (stands_aside(each["file"]), each["text"].endswith(","), bool(handed.search(each["text"]))),
    )


def _depths(owner: Mapping[str, Any]) -> dict[int, int]:
    """How far each line of a definition is indented."""
    source = lines_of(str(owner.get("source") or ""))
    return {owner["start_line"] + at: len(line) - len(line.lstrip()) for at, line in enumerate(source)}


def _comment(owner: Mapping[str, Any], line: Mapping[str, Any]) -> list[str]:
    """The comment right above a line of a definition."""
    source = lines_of(str(owner.get("source") or ""))
    at = line["line"] - owner["start_line"]
    if line["file"] != owner["file"] or not 0 < at < len(source):
        return []
    above: list[str] = []
    while at > 0 and (match := _COMMENT.match(source[at - 1])) and source[at - 1].strip():
        above.insert(0, match["text"])
        at -= 1
    shown = above[:MAX_COMMENT]
    while shown and not shown[-1].strip():
        shown.pop()
    return [*shown[:-1], f"{shown[-1]} …"] if len(above) > MAX_COMMENT and shown else shown
