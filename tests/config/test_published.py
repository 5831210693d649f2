"""What is published: the schema, the repository's own configuration and the commented example."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import jsonschema
import pytest
import yaml

from ragforge_memory.config import AgentConfig, RagforgeConfig, load_config

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "ragforge.config.schema.json"
FILES = ("ragforge.config.yaml", "examples/ragforge.config.yaml")


def _validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_schema_is_made_from_the_models() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "generate_schema.py"))["rendered"]()
    assert SCHEMA.read_text(encoding="utf-8") == made, "run python docs/generate_schema.py"


@pytest.mark.parametrize("name", FILES)
def test_a_published_file_loads_and_fits_the_schema(name: str) -> None:
    file = ROOT / name
    loaded = load_config(file, environ={})
    assert loaded.notices == ()
    assert loaded.config.neo4j is None
    assert loaded.config.llm is None
    _validator().validate(yaml.safe_load(file.read_text(encoding="utf-8")))
    first = file.read_text(encoding="utf-8").splitlines()[0]
    schema = first.partition("$schema=")[2]
    assert (file.parent / schema).resolve() == SCHEMA


def test_the_example_shows_every_key_with_its_default() -> None:
    loaded = load_config(ROOT / "examples" / "ragforge.config.yaml", environ={})
    assert loaded.config.agent == AgentConfig()
    assert (loaded.config.source, loaded.config.server) == (RagforgeConfig().source, RagforgeConfig().server)
    text = (ROOT / "examples" / "ragforge.config.yaml").read_text(encoding="utf-8")
    for setting in loaded.settings():
        assert f"{setting.key.rpartition('.')[2]}:" in text, setting.key


@pytest.mark.parametrize(
    ("value", "fits"),
    [
        ({"agent": {"max_iterations": 3}}, True),
        ({"agent": {"max_iterations": "${ROUNDS:-3}"}}, True),
        ({"agent": {"max_iterations": "three"}}, False),
        ({"agent": {"memory": {"persistence": {"type": "sqlite"}}}}, False),
        ({"neo4j": {"uri": "http://localhost:7474"}}, False),
        ({"neo4j": {"uri": "${NEO4J_URI}"}}, True),
        ({"source": {"type": "code"}, "adapter": "x", "neo4j": None}, True),
    ],
)
def test_the_schema_knows_right_from_wrong(value: dict[str, object], fits: bool) -> None:
    assert _validator().is_valid(value) is fits
