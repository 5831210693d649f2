"""Texts that say the same in several layouts, each in one form, for the tokens of fingerprint.py."""

from __future__ import annotations

import re

_SPACES = b" \t\r"
_SPLICE = b"\\\n"

_MACRO_TOKEN = re.compile(
    rb"""
    (?P<comment> /\*.*?\*/ | //[^\n]* )
    | (?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)"
    | (?:u8|[uUL])?"(?:\\.|[^"\\\n])*"
    | (?:u8|[uUL])?'(?:\\.|[^'\\\n])*'
    | \.?\d(?:[eEpP][+-]|'(?=\w)|[\w.])*
    | [\w$\x80-\xff]+
    | %:%: | <<= | >>= | <=> | ->\* | \.\.\.
    | \#\# | %: | <: | :> | <% | %> | << | >> | [-+*/%&|^<>=!]= | && | \|\| | \+\+ | -- | -> | :: | \.\*
    | \S
    """,
    re.VERBOSE | re.DOTALL,
)

_WINDOW = 4_000
"""So far before its body a heredoc of Ruby is looked for, in bytes."""


def one_line(data: bytes, start: int, end: int) -> bytes:
    """A text of JSX on one line, as it is shown: without the spaces beside its line breaks, and without blank lines."""
    first, *others = data[start:end].split(b"\n")
    if not others:
        return first
    lines = [first, *(line.lstrip(_SPACES) for line in others)]
    return b" ".join(filter(None, [*(line.rstrip(_SPACES) for line in lines[:-1]), lines[-1]]))


def dedented(data: bytes, start: int, end: int) -> bytes:
    """A text whose lines stand as deep as the code around it, at the margin (PHP's heredocs, raw strings of C#)."""
    first, *others = data[start:end].split(b"\n")
    return b"\n".join([first, *_at_margin(others)])


def text_block(data: bytes, start: int, end: int) -> bytes:
    """A string of Java: at the margin where it is a text block."""
    return dedented(data, start, end) if data.startswith(b'"""', start) else data[start:end]


def heredoc_body(data: bytes, start: int, end: int) -> bytes:
    """The lines of a heredoc of Ruby with the word that ends it: at the margin where it begins with ``<<~``."""
    *lines, last = data[start:end].split(b"\n")
    word = last.lstrip(_SPACES)
    begun = re.findall(rb"<<([~-]?)([\"'`]?)" + re.escape(word) + rb"\2", data[max(0, start - _WINDOW) : start])
    if begun and begun[-1][0] == b"~":
        lines = _at_margin(lines)
    return b"\n".join([*lines, word])


def macro_body(data: bytes, start: int, end: int) -> bytes:
    """What a macro stands for: its tokens (C 6.4, C++ [lex.pptoken]) with a space before each.

    The first space tells it from the same token behind the line of the ``#define``.
    """
    tokens = _MACRO_TOKEN.finditer(data[start:end].replace(_SPLICE, b""))
    return b"".join(b" " + token[0] for token in tokens if token["comment"] is None)


def _at_margin(lines: list[bytes]) -> list[bytes]:
    margin = min((len(line) - len(line.lstrip(_SPACES)) for line in lines if line.strip(_SPACES)), default=0)
    return [line[margin:] for line in lines]
