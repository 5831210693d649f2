"""What the driver reads, as plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from neo4j.vector import Vector

_PLAIN = frozenset({str, int, float, bool, type(None)})


def plain(value: Any) -> Any:
    """A driver value as plain Python: temporal values as aware datetimes, nodes as dicts, and vectors as the bytes of
    their numbers, most significant first, since lists take five times as long to read."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is Vector:
        return value.raw()
    if kind is dict:
        return {key: plain(item) for key, item in value.items()}
    if kind is list:
        return value if _PLAIN.issuperset(map(type, value)) else [plain(item) for item in value]
    if hasattr(value, "to_native"):
        return value.to_native()
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    return value
