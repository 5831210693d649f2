"""Which files are no code, by the endings of their names and by what `grep_code` says of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_PROSE = r"mdx?|mdc|rst|txt|adoc|html?|json|lock|po|svg|csv|snap"
_SETTINGS = r"ya?ml|toml|cfg|ini|css"

PROSE = re.compile(rf"\.(?:{_PROSE})$", re.I)
"""What is written or made: nothing in it sets a name, whatever its lines look like."""

TEXT = re.compile(rf"\.(?:{_PROSE}|{_SETTINGS})$", re.I)
"""No code: that, and settings."""

MADE = re.compile(
    r"(?:[.-]lock(?:\.\w+)?|\.lockb|\.svg|\.csv|\.snap|\.min\.\w+|(?:^|/)go\.sum)$|(?:^|/)(?:CHANGE|HISTORY|NEWS)", re.I
)
"""What a program wrote, or what tells of what was: nothing in it says how something is now."""

DATA = re.compile(rf"[\w.-]+\.(?:{_PROSE}|{_SETTINGS}|sh|sql|cypher)", re.I)
"""A name that is a file as a whole, and no module of its stem: that of ``java.sql`` would be java."""


def is_text(line: Mapping[str, Any]) -> bool:
    """Whether a line that `grep_code` gave is of a file that is no code: a text, settings, a licence, a manual page."""
    return line.get("code") is False or bool(TEXT.search(line["file"]))
