"""Which project is meant, and where its code is: one answer for the command line and the library."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from ragforge_memory.config.load import LoadedConfig, load_config
from ragforge_memory.project import ProjectIdentity, identify


@dataclass(frozen=True, slots=True)
class Place:
    """Where work is done: the configuration, the project, and the folder of its code."""

    loaded: LoadedConfig
    project: ProjectIdentity
    source: Path


def find_place(config: str | os.PathLike[str] | None = None, folder: str | os.PathLike[str] | None = None) -> Place:
    """Finds the project that is meant by a configuration file, by a folder, or by neither: then the current folder's.

    A folder that was named is of the project whose configuration it takes, as the current one is. Where there is none,
    or another was named with it, nothing says that it is a part of anything: it is a project of its own.

    Args:
        config: the configuration file; None: looked for from the folder.
        folder: the folder; None: the current one.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    loaded = load_config(config, folder)
    if folder is None or (config is None and loaded.file is not None):
        return Place(loaded, identify(loaded.root, loaded.config.name), loaded.source_root)
    root = Path(folder).resolve()
    return Place(loaded, identify(root, loaded.config.name), (root / loaded.config.source.root).resolve())
