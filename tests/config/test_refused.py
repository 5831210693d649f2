"""What ragforge.config.yaml is refused for, and what the error says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.config import environment_config, load_config
from ragforge_memory.errors import ConfigError
from tests.config.conftest import Load

ERRORS: dict[str, tuple[str, int | None, str | None, str]] = {
    # what: (text, line, key, words of message or hint)
    "unknown key": ("agent:\n  max_iteration: 3\n", 2, "agent.max_iteration", "max_iterations"),
    "unlike any key": ("agent:\n  zzz: 3\n", 2, "agent.zzz", "known here: system_prompt, max_iterations"),
    "not a number": ("agent:\n  max_iterations: many\n", 2, "agent.max_iterations", "whole number, not 'many'"),
    "a switch for a number": ("agent:\n  max_iterations: yes\n", 2, "agent.max_iterations", "whole number, not true"),
    "out of range": ("agent:\n  memory:\n    compression: {threshold: 1.5}\n", 3, None, "at most 1"),
    "not a choice": (
        "agent:\n  memory:\n    tools:\n      rollout: {mode: news}\n",
        4,
        "agent.memory.tools.rollout.mode",
        "did you mean new?",
    ),
    "not a scheme of Neo4j": (
        "neo4j:\n  username: a\n  uri: http://ada:hush@h:7474\n",
        3,
        "neo4j.uri",
        "bolt://host:7687",
    ),
    "no such port": ("neo4j:\n  uri: bolt://localhost:99999\n", 2, "neo4j.uri", "at most 65535"),
    "a provider that is not a model's": ("llm:\n  model: quotes\n", 2, "llm.model", "write openai:MODEL"),
    "two providers": ("llm:\n  provider: gemini\n  model: 'openai:gpt-6'\n", 3, "llm.model", "provider is gemini"),
    "a script without a path": ("llm:\n  provider: scripted\n", 1, "llm.model", "path of its script"),
    "a model's address without a scheme": ("llm:\n  base_url: notaurl\n", 2, "llm.base_url", "no scheme"),
    "no date": (
        "agent: {memory: {tools: {rollout: {since: yesterday}}}}\n",
        1,
        "agent.memory.tools.rollout.since",
        "must be a date, as 2026-01-31, or a time, as 2026-01-31T09:00, not 'yesterday'",
    ),
    "two lines": ('name: "a\\nb"\n', 1, "name", "on one line"),
    "not a list": ("source:\n  include: '*.py'\n", 2, "source.include", "the default is ['**/*'];"),
    "a list at the top": ("- agent\n", 1, None, "block of keys"),
    "twice": ("name: a\nname: b\n", 2, "name", "twice"),
    "not YAML": ("agent:\n  memory: [\n", 2, None, "valid YAML"),
    "code": ("x: !!python/object/apply:os.getcwd []\n", 1, "x", "cannot be read"),
    "bad placeholder": ("name: a\nsource: {root: '${ROOT'}\n", 2, "source.root", "$${"),
    "shut down": (
        "agent:\n  memory:\n    embeddings:\n      model: text-embedding-004\n",
        4,
        "agent.memory.embeddings.model",
        "use gemini-embedding-2",
    ),
    "no dimension": (
        "agent: {memory: {embeddings: {provider: openai, model: nobodys}}}\n",
        1,
        "agent.memory.embeddings.dimension",
        "number of floats",
    ),
    "wrong dimension": (
        "agent:\n  memory:\n    embeddings:\n      dimension: 768\n",
        4,
        "agent.memory.embeddings.dimension",
        "set it to 384",
    ),
}


@pytest.mark.parametrize("what", sorted(ERRORS))
def test_an_error_says_file_line_key_and_what_to_do(load: Load, tmp_path: Path, what: str) -> None:
    text, line, key, words = ERRORS[what]
    with pytest.raises(ConfigError) as refused:
        load(text)
    error = refused.value
    assert error.exit_code == 3
    assert error.file == str(tmp_path / "ragforge.config.yaml")
    assert error.line == line
    if key is not None:
        assert error.key == key
        assert key in str(error)
    assert str(error).startswith(f"{error.file}:{line}: ")
    assert words in f"{error} {error.hint}"
    assert error.hint


def test_an_error_of_the_environment_names_the_variable() -> None:
    with pytest.raises(ConfigError, match=r"environment variable MEMORY_TOOL_TIMEOUT_MS.*whole number") as refused:
        environment_config({"MEMORY_TOOL_TIMEOUT_MS": "soon"})
    assert refused.value.key == "agent.memory.tools.timeout_ms"
    assert refused.value.hint == "the default is 200; unset MEMORY_TOOL_TIMEOUT_MS to take it"


@pytest.mark.parametrize(
    "text", ["llm: {provider: openai, api_key: [hush, hush]}\n", "neo4j: {uri: 'https://ada:hush@host:7473'}\n"]
)
def test_an_error_never_shows_a_secret(load: Load, text: str) -> None:
    with pytest.raises(ConfigError) as refused:
        load(text)
    assert "hush" not in f"{refused.value} {refused.value.hint}"


@pytest.mark.parametrize("kind", ["missing", "folder", "binary", "huge"])
def test_a_file_that_cannot_be_read(tmp_path: Path, kind: str) -> None:
    file = tmp_path / "x.yaml"
    if kind == "folder":
        file.mkdir()
    elif kind == "binary":
        file.write_bytes(b"\xff\xfe\x00name")
    elif kind == "huge":
        file.write_bytes(b"# " + b"x" * 1_000_001)
    with pytest.raises(ConfigError) as refused:
        load_config(file, environ={})
    assert refused.value.file == str(file)


@pytest.mark.parametrize("path", ["a\0b", "~nobody-of-that-name/x", "\ud800", 5])
def test_what_is_no_path_is_told(path: Any) -> None:
    with pytest.raises(ConfigError, match="is not a path"):
        load_config(path, environ={})
    with pytest.raises(ConfigError, match="is not a path"):
        load_config(start=path, environ={})
