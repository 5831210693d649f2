"""Ruby that the grammar (0.23) does not know, as something as long that it does."""

from __future__ import annotations

import re

_PASSED_ON = re.compile(rb"(?<=[(,\s])(?:&|\*{1,2})(?=\s*\n\s*\))")
_SYMBOL = re.compile(rb"(?<![\w:]):\$[!-/:-@\[-`{-~]")


def known(data: bytes) -> bytes:
    """The text with what the grammar knows in place of what it does not, which is tried for a file with errors alone.

    A block or arguments without a name that are passed on (``&``) at a line's end as spaces; the symbol of a special
    variable (``:$'``) as that of another.
    """
    return _SYMBOL.sub(b":$_", _PASSED_ON.sub(lambda found: b" " * len(found[0]), data))
