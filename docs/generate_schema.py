"""Writes ``docs/ragforge.config.schema.json`` from the configuration's models. A test compares the two."""

from __future__ import annotations

import json
from pathlib import Path

from ragforge_memory.config.schema import config_schema

SCHEMA = Path(__file__).with_name("ragforge.config.schema.json")


def rendered() -> str:
    """The file's text."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(rendered(), encoding="utf-8")
