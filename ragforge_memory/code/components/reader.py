"""Vue and Svelte: the scripts of their components, read as TypeScript, which takes JavaScript too."""

from __future__ import annotations

import re
from dataclasses import replace

from ragforge_memory.code.javascript import reader as javascript
from ragforge_memory.code.javascript.known import known
from ragforge_memory.code.syntax import blank

_OPENING = re.compile(rb"<!--|<script\b(?P<attributes>(?:\"[^\"]{0,2000}\"|'[^']{0,2000}'|[^>\"']){0,400})>", re.I)
_CLOSING = re.compile(rb"</script\b", re.I)
_TYPE = re.compile(rb"\btype\s*=\s*[\"']?([\w/+.-]*)", re.I)
_CODE = re.compile(rb"module|.*(?:java|type|ecma)script|", re.I)


def scripts(text: bytes) -> bytes:
    """Gives a component with all but its scripts blanked out, as long as it is."""
    kept, at = bytearray(blank(text)), 0
    while (opening := _OPENING.search(text, at)) is not None:
        begin = opening.end()
        if opening["attributes"] is None:
            ending = text.find(b"-->", begin)
            at = ending if ending >= 0 else len(text)
            continue
        closing = _CLOSING.search(text, begin)
        at = closing.start() if closing else len(text)
        of_type = _TYPE.search(opening["attributes"])
        if of_type is None or _CODE.fullmatch(of_type[1]):
            kept[begin:at] = text[begin:at]
    return bytes(kept)


READER = replace(
    javascript.READER,
    grammar="tree_sitter_typescript:language_typescript",
    grammars={},
    prepare=scripts,
    simplify=(lambda text: known(scripts(text)),),
)
