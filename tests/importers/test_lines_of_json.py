"""Lines that are JSON, and arguments that are JSON in a text, are read as the standard library reads them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragforge_memory.importers import fields
from ragforge_memory.json_line import json_of


@pytest.mark.parametrize(
    "line",
    [
        *(b'{"a":1}', b' {"a": [1, "x"]}\r', b"{}", b"[1]", b"1", b'{"a":NaN}', b'{"a":"\\ud800"}'),
        *('{"a":"é"}'.encode(code) for code in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32-be")),
        *(b"", b"{", b'{"a":}', b'{"a":1} x', b'{"a":1}{"b":2}', b'{"a":"\0"}', b'{"a":"\xff"}', b"{{{"),
    ],
)
def test_a_line(line: bytes) -> None:
    def read(reader: Any) -> str:
        try:
            return repr(reader(line))
        except ValueError as error:
            return repr(error)

    assert read(json_of) == read(json.loads)


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ('{"path": "a.py"}', {"path": "a.py"}),
        ('"{\\"path\\": \\"a\\\\ud83d.py\\"}"', {"path": "a�.py"}),
        ('{"path": "a\\ud83d.py"}', {"path": "a�.py"}),
        ("[1]", {"input": [1]}),
        ("", {}),
    ],
)
def test_arguments(given: str, found: dict[str, Any]) -> None:
    assert fields.arguments(given) == found


def test_plain_arguments_are_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fields, "plain_json", None)
    assert fields.arguments('{"path": "a.py"}') == {"path": "a.py"}
