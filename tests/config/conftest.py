"""A configuration that is loaded from a text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragforge_memory.config import LoadedConfig, load_config

Load = Callable[..., LoadedConfig]


@pytest.fixture
def load(tmp_path: Path) -> Load:
    """Loads a text as the configuration file, in an environment of its own."""

    def from_text(text: str, **environ: str) -> LoadedConfig:
        file = tmp_path / "ragforge.config.yaml"
        file.write_text(text, encoding="utf-8")
        return load_config(file, environ=environ)

    return from_text
