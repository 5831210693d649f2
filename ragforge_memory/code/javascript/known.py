"""JavaScript and TypeScript that the grammar (0.23) does not know, as something as long that it does.

What is written so has the same place in the tree, and is read from the file itself. A file is only rewritten where it
shows errors.
"""

from __future__ import annotations

import re

from ragforge_memory.code.syntax import blank

_TYPE_STAR = re.compile(rb"(\bexport\s+)type(?=\s*\*)")
_IMPORT_TYPE = re.compile(rb"""\bimport\((['"])[^'"\n]*\1\)(?=(?:\.[\w$]+)+(?:<|\[\])|>\((?!\)))""")
_USING = re.compile(rb"\busing\b(?!\s+[\w$])")
_AMPERSAND = re.compile(rb"&(?!#?\w+;)")
_VARIANCE = re.compile(rb"(?<=[<,])(\s*)(in\s+out|in|out)(?=\s+[A-Za-z_$][\w$]*\s*(?:[,>=]|extends\b))")
_OPTIONAL_ELEMENT = re.compile(rb"\?(?=\s*[,\]])")
# Between two members of a type that a line feed parts: where the one before can end, what follows on its line and in
# lines of comments, and what the other begins with.
_NEXT_MEMBER = re.compile(
    rb"""(?<=[\w$>\])}'"`/])(?<!=>)((?:[ \t]*//[^\n]*)?\n(?:[ \t]*(?://[^\n]*)?\n)*[ \t]*)[ \t]"""
    rb"""(?=<\s*[A-Za-z_$]|(?:in|instanceof)[\d_$?:(])"""
)
_AS = re.compile(rb"([=([,;:?&|!+\-<]\s*|\b(?:await|case|const|in|let|of|return|var|yield)\s+)as\b(?!\s+[\w$])")
_BACKQUOTE = re.compile(rb"(?<!\\)((?:\\\\)*)\\`")
_VALUE = re.compile(rb"[\w$)\]]")
_TAGGED = re.compile(rb"(?<=[^=\s])\s*>(?=`)")
_BRACKETS = {b">"[0]: b"<"[0], b")"[0]: b"("[0], b"]"[0]: b"["[0], b"}"[0]: b"{"[0]}
_BRACKET = re.compile(rb"=>|[<>()\[\]{}]|(['\"])(?:\\.|(?!\1)[^\\\n])*\1|//[^\n]*|/\*.*?\*/", re.DOTALL)
_LONGEST_TYPES = 4_000
"""Bytes of type parameters or arguments; longer ones are none."""
_DEEPEST_TYPES = 40
"""So many brackets they may open."""


def known(data: bytes) -> bytes:
    """The text with what the grammar knows in place of what it does not.

    ``export type * from`` (TypeScript 5.0) as ``export * from``; ``import('./a').B<T>`` as ``i____________.B<T>``, and
    ``f<typeof import('./a')>(x)`` likewise; what is called ``using``, which opens a declaration elsewhere, or ``as``,
    under another name; an ampersand that begins no entity, in a text or an attribute of JSX, as a bar, which is an
    operator as well; an escaped backquote as other text; ``in`` and ``out`` before type parameters, the ``?`` of an
    element of a tuple, and the type arguments of a template's tag as spaces; a generic call signature of an object
    type, or what is called ``in`` or ``in_…``, that a line feed parts from what is before, with a semicolon between.
    """
    data = _TYPE_STAR.sub(rb"\1    ", data)
    data = _IMPORT_TYPE.sub(lambda found: b"i".ljust(len(found[0]), b"_"), data)
    data = _VARIANCE.sub(_blank, data)
    data = _AS.sub(rb"\1a_", data)
    data = _BACKQUOTE.sub(rb"\1__", data)
    data = _OPTIONAL_ELEMENT.sub(b" ", data)
    data = _NEXT_MEMBER.sub(_parted, data)
    data = _without_tags_types(data)
    return _AMPERSAND.sub(b"|", _USING.sub(b"u____", data))


def _blank(found: re.Match[bytes]) -> bytes:
    return found[1] + blank(found[2])


def _parted(found: re.Match[bytes]) -> bytes:
    """What is between two members with a semicolon in it; a call signature has brackets behind its types."""
    if found.string[found.end()] == b"<"[0]:
        end = _closing(found.string, found.end())
        if end is None or not found.string[end : end + 200].lstrip().startswith(b"("):
            return found[0]
    return found[1] + b";"


def _closing(data: bytes, start: int) -> int | None:
    """Where what opens here is closed: behind its bracket; None where that is not told."""
    open_: list[int] = []
    for found in _BRACKET.finditer(data, start, start + _LONGEST_TYPES):
        if len(found[0]) > 1:
            continue
        bracket = found[0][0]
        if bracket not in _BRACKETS:
            open_.append(bracket)
        elif not open_ or open_.pop() != _BRACKETS[bracket]:
            return None
        if not open_:
            return found.end()
    return None


def _without_tags_types(data: bytes) -> bytes:
    """``tag<Kind>`…` `` without the types."""
    kept, at = [], 0
    for tag in _TAGGED.finditer(data):
        start = _opening(data, tag.end())
        if start is not None and start >= at:
            kept += [data[at:start], blank(data[start : tag.end()])]
            at = tag.end()
    return b"".join([*kept, data[at:]])


def _opening(data: bytes, end: int) -> int | None:
    """Where the type arguments begin that end here, behind what they are given to."""
    start = end
    for _ in range(_DEEPEST_TYPES):
        start = data.rfind(b"<", max(0, end - _LONGEST_TYPES), start)
        if start <= 0:
            break
        if _VALUE.match(data, start - 1) and _closing(data, start) == end:
            return start
    return None
