"""Blanks out the macros that keep a grammar from reading C and C++: annotations that look like types.

Only the parser sees the result, byte for byte as long as the source; texts come from the source itself.
"""

from __future__ import annotations

import re

from ragforge_memory.code.directives import one_branch, whole_branches
from ragforge_memory.code.syntax import blank

_CAPS = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]+"
_IN_CLASS = re.compile(
    rb"\b(?:class|struct|union|enum class)\s+(" + _CAPS + rb"(?:\([^()\n]*\))?|[A-Z]{3,})\s+"
    rb"(?=[A-Za-z_][\w:]*\s*(?:final\s*)?[:{])"
)
"""``class LIB_EXPORT Name {``, ``class LIB_VISIBLE("default") Name {``"""

_BEFORE_TEMPLATE = re.compile(
    rb"^[ \t]*(" + _CAPS + rb"(?:\([^()\n]*\))?|[A-Z]{3,})[ \t\n]+"
    rb"(?=template\s*<|(?:class|struct|union|enum)\s+[A-Za-z_])",
    re.MULTILINE,
)
"""``LIB_EXPORT template <…> class Name {``"""

_BEFORE_FUNCTION = re.compile(
    rb"^[ \t]*(?:(?:static|inline|extern|constexpr|virtual|friend|explicit|template\s*<[^<>\n]*>)[ \t]+)*("
    + _CAPS
    + rb"(?:\([^()\n]*\))?)[ \t\n]+(?=(?:explicit[ \t]+)?operator\b"
    rb"|(?:[\w:]+(?:<[^;{}()\n]*>)?[ \t*&]+)+[*&]*(?:~?[\w:]+|operator[^\w\s]{1,3})[ \t]*\()",
    re.MULTILINE,
)
"""``LIB_API int name(``: at least a type and a name follow, or an ``operator``."""

_BEFORE_NAME = re.compile(
    rb"^[ \t]*(?:(?:static|inline|extern|constexpr|virtual|friend|const)[ \t]+)*"
    rb"(?:(?:struct|union|enum|class)[ \t]+\w+"
    rb"|(?!(?:static|inline|extern|constexpr|virtual|friend|const|explicit|struct|union|enum|class|return|else|case|throw"
    rb"|do|goto|delete|new|typedef|sizeof)\b)[\w:]+(?:<[^;{}()\n]*>)?)"
    rb"(?:[ \t]+const)?[ \t*&]+(" + _CAPS + rb"(?:\([^()\n]*\))?)[ \t\n]+(?=~?[\w:]+[ \t]*\()",
    re.MULTILINE,
)
"""``int LIB_CALL name(``, behind the type."""

_BEFORE_CONSTRUCTOR = re.compile(
    rb"^[ \t]*(?:(?:inline|constexpr|virtual|explicit)[ \t]+)*(" + _CAPS + rb"(?:\([^()\n]*\))?)[ \t\n]+"
    rb"(?=(?:(?:inline|constexpr|virtual|explicit)[ \t]+)*~?(\w+)[ \t]*\()",
    re.MULTILINE,
)
"""``LIB_API Name(``, where the file has a class ``Name``."""

_CLASS = re.compile(rb"\b(?:class|struct|union)\s+(?:" + _CAPS + rb"(?:\([^()\n]*\))?\s+)?(\w+)")

_AFTER_DECLARATOR = re.compile(rb"(?<=[\w)>\]])[ \t\n]+(" + _CAPS + rb"\([^()\n]*\))(?=\s*[;{,)=])")
"""``int value_ GUARDED_BY(mutex_);``"""

_AFTER_PARAMETERS = re.compile(
    rb"(?<=\))[ \t\n]+(?:(?:const|override|final)[ \t\n]+)*(" + _CAPS + rb")(?=\s*(?:[;{]|->))"
)
"""``void f() const LIB_NOEXCEPT {``"""

_AFTER_IF = re.compile(rb"\bif[ \t]+(" + _CAPS + rb")[ \t]*(?=\()")
"""``if LIB_CONSTEXPR (small)``"""

LEADING = re.compile(rb"[ \t]*((?:" + _CAPS + rb"(?:\([^()\n]*\))?[ \t]+)+)")
"""Such macros before a definition, on its line: they are its own, and what is changed of them is changed of it."""

_ALONE = re.compile(
    rb"^[ \t]*([A-Z_]*(?:BEGIN|END|NAMESPACE|DECLS|EXPORT|WARNING|PUSH|POP|DISABLE)[A-Z0-9_]*"
    rb"(?:\([^()\n]*\))?);?[ \t]*$",
    re.MULTILINE,
)
"""``LIB_BEGIN_NAMESPACE`` on a line of its own."""

_PATTERNS = (_IN_CLASS, _ALONE, _BEFORE_TEMPLATE, _BEFORE_FUNCTION, _BEFORE_FUNCTION, _BEFORE_NAME,
             _BEFORE_CONSTRUCTOR, _AFTER_DECLARATOR, _AFTER_PARAMETERS, _AFTER_IF)  # fmt: skip

_KEYWORDS = re.compile(rb"\b(?:return|else|case|throw|do|goto|delete|new|typedef|sizeof)\s*$")

_QUOTED = rb'"(?:\\.|[^"\\\n])*"'
_COMMENTED_MACRO = re.compile(rb"#[ \t]*define\b(?:\\\n|[^\n])*?/\*")
_MACRO = re.compile(
    rb"/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\\n])+'|" + _QUOTED
    + rb"|^[ \t]*#[ \t]*(?P<macro>define\b(?:/\*.*?\*/|//(?:\\\n|[^\n])*|" + _QUOTED + rb"|\\\n|[^\n])*)",
    re.MULTILINE | re.DOTALL,
)  # fmt: skip
_MACRO_HEAD = re.compile(rb"define\s+\w+(?:\((?:/\*.*?\*/|[^()])*\))?(?:[ \t]|\\\n|/\*.*?\*/)*", re.DOTALL)
"""Up to what the macro stands for; a comment here is one to a grammar."""
_COMMENT_OR_QUOTED = re.compile(rb"/\*.*?\*/|//.*|" + _QUOTED, re.DOTALL)


def _without_comments(macro: bytes) -> bytes:
    """A ``#define`` in which nothing looks like a block comment, which a grammar takes for the macro's end; a line feed
    in one is not its end either."""

    def blank(found: re.Match[bytes]) -> bytes:
        text = found[0]
        if text.startswith(b"//") or b"/*" not in text:
            return text
        if text.startswith(b'"'):
            return text.replace(b"/*", b"/_")
        lines = text.split(b"\n")
        return b"\n".join([b" " * (len(line) - 1) + b"\\" for line in lines[:-1]] + [b" " * len(lines[-1])])

    # An empty line in a comment has no room for what would continue it.
    head = _MACRO_HEAD.match(macro)
    if head is None or b"\n\n" in macro:
        return macro
    return head[0] + _COMMENT_OR_QUOTED.sub(blank, macro[head.end() :])


def blanked(data: bytes) -> bytes:
    """The source with such macros as spaces, and without comments in a ``#define``; line breaks stay."""
    text = bytearray(data)
    if _COMMENTED_MACRO.search(data):
        for found in _MACRO.finditer(data):
            if found["macro"]:
                text[found.start("macro") : found.end("macro")] = _without_comments(found["macro"])
    classes = set(_CLASS.findall(data))
    for pattern in _PATTERNS:
        for found in pattern.finditer(bytes(text)):
            start, end = found.span(1)
            if pattern is _BEFORE_CONSTRUCTOR and found[2] not in classes:
                continue
            if _in_directive(text, start) or _KEYWORDS.search(bytes(text[max(0, start - 12) : start])):
                continue
            text[start:end] = blank(bytes(text[start:end]))
    return bytes(text)


def _in_directive(text: bytearray, place: int) -> bool:
    """Whether a place is on a preprocessor line or on one that continues it."""
    start = text.rfind(b"\n", 0, place) + 1
    while start >= 2 and text[start - 2 : start - 1] == b"\\":
        start = text.rfind(b"\n", 0, start - 1) + 1
    return bytes(text[start:place]).lstrip().startswith(b"#")


def blanked_cuts(data: bytes) -> bytes:
    """The source without such macros, and with one branch of each ``#if`` that cuts a statement in two."""
    return whole_branches(blanked(data))


def blanked_branches(data: bytes) -> bytes:
    """The source without such macros, and with one branch of each ``#if``."""
    return one_branch(blanked(data))
