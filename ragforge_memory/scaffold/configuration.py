"""Entities as text of ``ragforge.config.yaml``, and into it."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.config.load import FILE_NAME
from ragforge_memory.config.sections import RagforgeConfig
from ragforge_memory.config.yaml_file import read_yaml
from ragforge_memory.errors import ConfigError, InvalidInput
from ragforge_memory.scaffold.merging import write_new

if TYPE_CHECKING:
    from ragforge_memory.config import LoadedConfig
    from ragforge_memory.scaffold.entities import EntityConfig

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:<[a-z]+>)?")
# YAML takes these for something else than text.
_WORDS = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})


def add_entities(loaded: LoadedConfig, entities: Sequence[EntityConfig]) -> tuple[Path, list[str]]:
    """Writes entities, where there are any, behind what a configuration has; returns its file and their labels.

    Raises:
        ConfigError: there is no file.
        InvalidInput: it has entities already, which are the team's.
    """
    if loaded.file is None:
        raise ConfigError(
            "there is no ragforge.config.yaml here to write entities into", hint="ragforge init makes one"
        )
    text = loaded.file.read_text(encoding="utf-8")
    before = read_yaml(loaded.file, RagforgeConfig, os.environ).data
    if "entities" in before:
        raise InvalidInput(
            f"{loaded.file} has entities already, which are left as they are",
            hint="take them out, or see `ragforge introspect --json` for what there is",
        )
    if not entities:
        return loaded.file, []
    longer = f"{text.rstrip()}\n\n{entities_text(entities)}"
    if _read(longer) != {**before, **_read(entities_text(entities))}:
        raise InvalidInput(
            f"nothing can be written behind the end of {loaded.file}",
            hint="write it as a block, a key on each line, without `...` at its end",
        )
    write_new(loaded.file.parent, {loaded.file.name: longer})
    return loaded.file, [each.label for each in entities]


def _read(text: str) -> dict[str, Any]:
    """What a configuration says; nothing where it is none."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE_NAME
        file.write_text(text, encoding="utf-8")
        try:
            return read_yaml(file, RagforgeConfig, os.environ).data
        except ConfigError:
            return {}


def entities_text(entities: Sequence[EntityConfig]) -> str:
    """The block ``entities:`` as YAML."""
    lines = ["entities:"]
    for each in entities:
        lines.append(f"  - label: {_value(each.label)}")
        if each.key is not None:
            lines.append(f"    key: {_value(each.key)}")
        if each.properties:
            given = ", ".join(f"{_value(name)}: {_value(type_)}" for name, type_ in each.properties.items())
            lines.append(f"    properties: {{{given}}}")
        if each.relationships:
            lines.append("    relationships:")
            lines += [f"      - {{type: {_value(it.type)}, to: {_value(it.to)}}}" for it in each.relationships]
        for name in ("text_index", "vector_index"):
            if (value := getattr(each, name)) is not None:
                lines.append(f"    {name}: {_value(value)}")
        lines.append("    write: false")
    return "\n".join(lines) + "\n"


def _value(text: str) -> str:
    """A text as YAML takes it: as it is, or as JSON, which is YAML; ``${`` is no variable there."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False).replace("${", "$${")
