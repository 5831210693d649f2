"""The files of the project that a configuration means."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.errors import ConfigError
from ragforge_memory.scaffold.entities import blocks_of
from ragforge_memory.scaffold.initial import CONFIG, check_package, env_example, package_for
from ragforge_memory.scaffold.plan import plan
from ragforge_memory.scaffold.rendering import render

if TYPE_CHECKING:
    from ragforge_memory.config import LoadedConfig
    from ragforge_memory.project import ProjectIdentity


def files_of(loaded: LoadedConfig, project: ProjectIdentity, folder: Path) -> dict[str, str]:
    """The text of each file, by its path; the configuration is one where it is made elsewhere.

    Args:
        loaded: the configuration.
        project: that it is of.
        folder: where the project shall be.

    Raises:
        ConfigError: there is none, or its entities cannot be used.
        InvalidInput: the package cannot be called so.
    """
    if loaded.file is None:
        raise ConfigError("there is no ragforge.config.yaml here to generate from", hint="ragforge init makes one")
    blocks = blocks_of(loaded.config.model_extra)
    package = check_package(blocks.generate.package or package_for(project.name))
    files = render(plan(project.name, package, blocks.entities, code=blocks.generate.code))
    files[".env.example"] = env_example()
    if loaded.file.resolve() != (folder / CONFIG).resolve():
        files[CONFIG] = loaded.file.read_text(encoding="utf-8")
    return files
