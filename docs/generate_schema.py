"""Writes ``docs/ragforge.config.schema.json`` from the configuration's models. A test compares the two."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ragforge_memory.config import RagforgeConfig

SCHEMA = Path(__file__).with_name("ragforge.config.schema.json")
# A place for a value from the environment: any key may hold one, whatever its own type.
_PLACEHOLDER = {"type": "string", "pattern": r"\$\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\}"}


def rendered() -> str:
    """The file's text."""
    return json.dumps(config_schema(), indent=2, ensure_ascii=False) + "\n"


def config_schema() -> dict[str, Any]:
    """The schema (draft 2020-12), made from the models, so it says what the loader accepts.

    What follows from other keys (an embedding provider from its model) and which models were shut down is known to
    the loader alone.
    """
    schema = RagforgeConfig.model_json_schema(by_alias=True)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ragforge.config.yaml",
        "description": "Configuration of ragforge-memory and of the projects that RagForge generates.",
        **{key: _published(value) for key, value in schema.items() if key not in ("title", "description")},
    }


def _published(node: Any, *, key: str = "") -> Any:
    """A part of pydantic's schema without its class names, with places for variables beside typed values."""
    if isinstance(node, list):
        return [_published(item) for item in node]
    if not isinstance(node, dict):
        return node
    if key in ("properties", "$defs"):
        return {name: _published(part) for name, part in node.items()}
    plain = {name: _published(part, key=name) for name, part in node.items() if name != "title"}
    if plain.get("type") in ("integer", "number", "boolean") or {"enum", "const"} & plain.keys() or plain.get("format"):
        told = {name: plain.pop(name) for name in ("description", "default") if name in plain}
        return {"anyOf": [plain, _PLACEHOLDER], **told}
    return plain


if __name__ == "__main__":
    SCHEMA.write_text(rendered(), encoding="utf-8")
