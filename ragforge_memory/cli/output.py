"""JSON on stdout, for everything that has ``--json``."""

from __future__ import annotations

import json
import sys
from typing import Any


def print_json(value: Any) -> None:
    """Prints one JSON document, indented."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=_ascii(), indent=2) + "\n")


def print_json_line(value: Any) -> None:
    """Prints one JSON document as a line and sends it off."""
    sys.stdout.write(json.dumps(plain(value), ensure_ascii=_ascii()) + "\n")
    sys.stdout.flush()


def plain(value: Any) -> Any:
    """The value as JSON has it; shapes give their ``model_dump(mode="json")``."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return value


def _ascii() -> bool:
    """Whether characters past ASCII must be escaped because stdout cannot carry them."""
    return not (sys.stdout.encoding or "").lower().replace("-", "").startswith("utf8")
