"""Definitions of texts, as anchors are compared with them."""

from __future__ import annotations

from ragforge_memory.anchors.definition import Definition, definitions
from ragforge_memory.code.parse import parse


def read(path: str, text: str) -> list[Definition]:
    """All definitions of a text without an error."""
    parsed = parse(path, text.encode())
    assert parsed.error is None
    return definitions(parsed)


def only(path: str, text: str) -> Definition:
    """The first one."""
    return read(path, text)[0]
