"""The room is small, and stays so: its patterns, and how long those are."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from pathlib import Path
from typing import Any

import pytest

import ragforge_memory.llm.extractive

ROOM = Path(ragforge_memory.llm.extractive.__file__).parent
MOST_PATTERNS, LONGEST_PATTERN = 40, 200


def test_the_room_has_few_patterns_and_short_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    patterns: list[str] = []
    compiled = re.compile

    def counted(pattern: Any, *flags: Any) -> Any:
        patterns.append(pattern)
        return compiled(pattern, *flags)

    monkeypatch.setattr(re, "compile", counted)
    for path in ROOM.rglob("*.py"):
        spec = importlib.util.spec_from_file_location(f"counted_{path.stem}", path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, module.__name__, module)
        spec.loader.exec_module(module)
    assert {pattern for pattern in patterns if len(pattern) > LONGEST_PATTERN} == set()
    assert 20 < len(patterns) <= MOST_PATTERNS


def test_every_pattern_is_compiled_where_it_is_counted() -> None:
    """`re.search(pattern, text)` would be one that nobody counts."""
    called = [
        f"{path.name}:{node.lineno} re.{node.attr}"
        for path in ROOM.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re"
        if node.attr not in ("compile", "Pattern", "Match", "I", "M", "S", "escape")
    ]
    assert called == []
