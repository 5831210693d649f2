"""Reading lines that are JSON, of which imports read very many."""

from __future__ import annotations

import json
from typing import Any

_decode = json.JSONDecoder().raw_decode


def json_of(line: bytes) -> Any:
    """The value that a line is, as `json.loads` reads it.

    Raises:
        UnicodeDecodeError: it is not text.
        ValueError: it is not JSON.
    """
    # json.loads finds out the encoding and passes over white space at both ends: that takes longer than a small value.
    if line[:1] == b"{" and line[1:2] != b"\0":
        text = line.decode("utf-8", "surrogatepass")
        try:
            value, end = _decode(text)
        except ValueError:
            pass
        else:
            if end == len(text):
                return value
    return json.loads(line)
