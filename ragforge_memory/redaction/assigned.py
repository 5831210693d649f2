"""Secrets that are told by the name before them: in code and JSON, in files of settings, in a shell, in a sentence.

What is looked for is the value: the name before it is looked at afterwards, which is several times faster.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ragforge_memory.redaction.values import (
    NAMED,
    PARTS,
    is_lone_secret,
    is_plain_secret,
    is_quoted_secret,
    is_said_secret,
    kind_before,
    kind_of,
)

MARK = "[redacted secret]"

# A literal without white space, as code, JSON and YAML write it, and JSON in a string of JSON.
_LITERAL = re.compile(r"[:=]>?[ \t]{0,20}[rbu]?(\\{0,8}[\"'`])([^\"'`\s]{6,500})\1", re.I)
_ELEMENT = re.compile(r">([^<>\s\"']{6,500})(?=</)")
# What a shell takes without quotes: in a .env file, a script, or anywhere in a command.
_SHELL = re.compile(
    r"(?<![A-Za-z0-9])(?:SECRET(?:_KEY|_ACCESS_KEY)?|TOKEN|PASSWORD|PASSWD|API_KEY|ACCESS_KEY|PRIVATE_KEY)="
    r"((?=\S{0,200}\d)(?=\S{0,200}[A-Za-z])[^\s\"'`${}<>()%]{8,500})(?=[\s\"'`]|\Z)"
)
# The last value of a line or of a string without quotes, as YAML and headers have it, and the argument of an option.
# The look at its end comes last: what is called, indexed or assigned there is code. A type is written in capitals, with
# digits in the middle.
_PLAIN = (
    r"(?=[^\s]{0,200}\d)(?=[^\s]{0,200}[A-Za-z])(?![A-Z][a-z]+\d{0,3}(?:[A-Z]\w*)?(?:\s|\Z))"
    r"[^\s\"'`${}<>()\[\]%,;|&=*\\]{8,500}"
)
_YAML = re.compile(rf":[ \t]{{1,20}}({_PLAIN})(?=\\{{0,8}}[\"'`]|[ \t\r]{{0,20}}(?:\n|\Z)|[ \t]{{1,20}}[#;] )")
_UNQUOTED = re.compile(rf"=({_PLAIN})(?=[\s&;\"'`]|\Z)")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+\Z")
_ARGUMENT = re.compile(r"(?:\s*\d+: )?[ \t]+(?:[^\n]*,[ \t]*)?[\w-]+\Z")
_LINE_REACH = 200
_OPTION = re.compile(
    rf"--[a-z-]{{0,30}}(?:password|passwd|token|secret|secret-key|api-key|access-key)[ =]({_PLAIN})(?=\s|\Z)"
)
_SAID = re.compile(r"[ \t](?:is|was|be)(?: now)?:?[ \t]{1,4}[\"'`]?([^\s\"'`]{8,200}?)(?=[.,;!?]{0,3}[\"'`]?(?:\s|\Z))")
# A line that is an assignment and nothing else, behind the number of a line and the signs of diffs, quotes, lists and
# comments; its own comment may follow.
_LINE = re.compile(
    r"(?:(?:[\w./\\@-]{1,200}[:-])?[ \t]{0,8}\d{1,6}(?::|-|\t| ?[|→]))?(?P<indent>[ \t]{0,200})"
    r"(?P<sign>[-+>|*#;/]{0,3}[ \t]{0,40})(?:(?:export|set|setx|ENV|ARG|-e|declare|local|readonly)[ \t]{1,8})?"
    r"(?P<name>[\w./@:\"'`*\\-]{1,120}?)(?P<sep>[ \t]{0,40}(?:=|:[ \t])[ \t]{0,40})"
    r"(?:(?P<quote>[\"'])(?P<quoted>[^\"']{6,500})(?P=quote)|(?P<value>[^\s\"'`=]\S{3,2000}))"
    r"[ \t\r]*(?:[ \t][#;].*)?\Z"
)


def without_assigned(text: str) -> str:
    """``text`` with a mark in the place of each value that its name makes a secret."""
    small = text.lower()
    parts = [part for part in PARTS if part in small]
    if not parts:
        return text
    if len(small) != len(text):  # a few capitals have small letters of two characters
        small = "".join([letter.lower()[:1] for letter in text])
    done, pieces = 0, []
    for begin, end in sorted({line for part in parts for line in _lines_with(part, small)}):
        if NAMED.search(small, begin, end):
            pieces += [text[done:begin], _without(text[begin:end])]
            done = end
    return "".join([*pieces, text[done:]]) if pieces else text


def _lines_with(part: str, text: str) -> Iterator[tuple[int, int]]:
    place = text.find(part)
    while place >= 0:
        end = text.find("\n", place)
        end = len(text) if end < 0 else end
        yield text.rfind("\n", 0, place) + 1, end
        place = text.find(part, end)


def _without(line: str) -> str:
    if "=" in line or ":" in line:
        line = _line(line)
    if " is" in line or " was " in line or " be " in line:
        line = _SAID.sub(_said, line)
    if "--" in line:
        line = _OPTION.sub(_plain, line)
    if ": " in line or ":\t" in line:
        line = _YAML.sub(_named, line)
    if "=" in line:
        line = _UNQUOTED.sub(_unquoted, _SHELL.sub(_named, line))
    if "</" in line:
        line = _ELEMENT.sub(_literal_alone, line)
    return _LITERAL.sub(_literal, line) if "=" in line or ":" in line else line


def _line(line: str) -> str:
    match = _LINE.match(line)
    kind = match and kind_of(match["name"].rstrip("\\\"'`*"))
    if not match or kind is None:
        return line
    name, sep = match["name"], match["sep"]
    shell = sep == "=" and re.search(r"[A-Z0-9_]+\Z", name) is not None and name.upper() == name
    sign = "=" if sep == "=" else " = " if "=" in sep else ":"
    inside = bool(match["indent"]) and not match["sign"].strip(" \t/#")
    if match["value"]:
        secret = is_lone_secret(kind, match["value"], sign=sign, shell=shell, inside=inside)
        return _marked(match, "value") if secret else line
    # What code assigns so has spaces around its sign; only a shell's password may have some in it.
    secret = shell and kind != "token" and bool(re.search(r"\d", match["quoted"]))
    secret = secret and is_quoted_secret(kind, match["quoted"])
    return _marked(match, "quoted") if secret else line


def _marked(match: re.Match[str], group: int | str) -> str:
    begin, end = (match.span(group)[side] - match.start() for side in (0, 1))
    return f"{match[0][:begin]}{MARK}{match[0][end:]}"


def _literal(match: re.Match[str]) -> str:
    kind = kind_before(match.string, match.start())
    if kind is None:
        return match[0]
    data = match.string[match.start() - 1 : match.start()] in ('"', "'")
    return _marked(match, 2) if is_quoted_secret(kind, match[2], data=data) else match[0]


def _literal_alone(match: re.Match[str]) -> str:
    kind = kind_before(match.string, match.start())
    return _marked(match, 1) if kind and is_quoted_secret(kind, match[1]) else match[0]


def _named(match: re.Match[str]) -> str:
    kind = kind_before(match.string, match.start(1))
    return _marked(match, 1) if kind and is_plain_secret(kind, match[1]) else match[0]


def _plain(match: re.Match[str]) -> str:
    return _marked(match, 1) if is_plain_secret("password", match[1]) else match[0]


def _said(match: re.Match[str]) -> str:
    kind = kind_before(match.string, match.start())
    return _marked(match, 1) if kind and kind != "login" and is_said_secret(match[1]) else match[0]


def _unquoted(match: re.Match[str]) -> str:
    """The mark for a value as a shell and connection strings write it; what code gives to a function stays."""
    kind = kind_before(match.string, match.start())
    named = kind is not None and is_plain_secret(kind, match[1]) and not _ATTRIBUTE.match(match[1])
    return _marked(match, 1) if named and not _is_argument(match.string, match.start()) else match[0]


def _is_argument(text: str, end: int) -> bool:
    """Whether the name that ends there is a parameter's: behind an open bracket, or on an indented line of its own."""
    begin = max(0, end - _LINE_REACH, text.rfind("\n", 0, end) + 1)
    before = text[begin:end]
    if _ARGUMENT.match(before):
        return True
    opened = sum(map(before.count, "([{")) > sum(map(before.count, ")]}"))
    quoted = sum(map(before.count, "\"'`")) % 2 == 1
    return opened and not quoted
