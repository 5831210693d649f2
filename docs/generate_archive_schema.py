"""Writes ``docs/archive.schema.json`` from the models that write and read archives. A test compares the two."""

from __future__ import annotations

import json
from pathlib import Path

from ragforge_memory.models.archive import archive_schema

SCHEMA = Path(__file__).with_name("archive.schema.json")


def rendered() -> str:
    """The file's text."""
    return json.dumps(archive_schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    SCHEMA.write_text(rendered(), encoding="utf-8")
