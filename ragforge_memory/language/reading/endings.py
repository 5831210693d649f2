"""Which files are no code, by the endings of their names."""

from __future__ import annotations

import re

_PROSE = r"mdx?|mdc|rst|txt|adoc|html?|json|lock|po|svg|csv|snap"
_SETTINGS = r"ya?ml|toml|cfg|ini|css"

PROSE = re.compile(rf"\.(?:{_PROSE})$", re.I)
"""What is written or made: nothing in it sets a name, whatever its lines look like."""

TEXT = re.compile(rf"\.(?:{_PROSE}|{_SETTINGS})$", re.I)
"""No code: that, and settings."""

DATA = re.compile(rf"[\w.-]+\.(?:{_PROSE}|{_SETTINGS}|sh|sql|cypher)", re.I)
"""A name that is a file as a whole, and no module of its stem: that of ``java.sql`` would be java."""
