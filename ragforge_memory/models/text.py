"""Text as it can be sent and stored."""

from __future__ import annotations


def well_formed(text: str) -> str:
    """``text`` with each half of a surrogate pair (a cut text, an odd file name) as a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")
