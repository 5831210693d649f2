"""JSON on stdout, for everything that has ``--json``."""

from __future__ import annotations

import json
import sys
from typing import Any

from ragforge_memory.cli.shown import CONTROLS


def print_json(value: Any) -> None:
    """Prints one JSON document, indented."""
    sys.stdout.write(as_json(value, indent=2) + "\n")


def print_json_line(value: Any) -> None:
    """Prints one JSON document as a line and sends it off."""
    sys.stdout.write(as_json(value) + "\n")
    sys.stdout.flush()


def as_json(value: Any, indent: int | None = None) -> str:
    """JSON without a sign that a terminal would take for a command, or that turns the order of others round."""
    text = json.dumps(value, ensure_ascii=_ascii(), indent=indent, default=lambda shape: shape.model_dump(mode="json"))
    return CONTROLS.sub(lambda sign: f"\\u{ord(sign[0]):04x}", text)


def _ascii() -> bool:
    """Whether characters past ASCII must be escaped because stdout cannot carry them."""
    return not (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf8")
