"""A small configuration file that would become a large or a deep value is refused before it does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragforge_memory.config import LoadedConfig, load_config
from ragforge_memory.errors import ConfigError

Load = Callable[[str], LoadedConfig]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads a text as the configuration file."""

    def from_text(text: str) -> LoadedConfig:
        file = tmp_path / "ragforge.config.yaml"
        file.write_text(text, encoding="utf-8")
        return load_config(file, environ={})

    return from_text


def test_deep_nesting_is_refused_and_cycles_too(load: Load) -> None:
    for text in ("x: " + "[" * 200 + "]" * 200, "x: &a {b: *a}"):
        with pytest.raises(ConfigError):
            load(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{', '.join(['*a' + str(n)] * 9)}]\n" for n in range(9)),
            "too often",
        ),
        (
            "a0: &a0 {x: 1}\n"
            + "".join(f"a{n + 1}: &a{n + 1} {{<<: [{', '.join(['*a' + str(n)] * 9)}]}}\n" for n in range(9)),
            "too often",
        ),
        ("a: " + "[" * 20_000, "too deeply"),
        ("{a: " * 5_000, "too deeply"),
        ("a: " + "[" * 51 + "]" * 51, "too deeply"),
    ],
    ids=["aliases", "merges", "lists", "blocks", "a list"],
)
def test_a_small_text_that_becomes_large_is_refused(load: Load, text: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        load(text)
