"""Which project an agent is of, and which folder its tools read: what its maker said, else what the folder says."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.agent.inputs import root_of

if TYPE_CHECKING:
    from ragforge_memory.config import RagforgeConfig
    from ragforge_memory.project import ProjectIdentity


def project_of(
    project: str | None, root: str | os.PathLike[str] | None
) -> tuple[str, Path, RagforgeConfig | None, ProjectIdentity | None]:
    """The project's name, the agent's root, and of a project that was not named what a configuration file says of the
    code, and the folder that names it.

    A project that was not named is the root's (else the current folder's), by the function that the command line asks.
    A root that was given stays: no tool reads above it, whatever a file says.

    Raises:
        InvalidInput: the root is not a directory.
        ConfigError: the file cannot be used, or has the code in a folder outside that its user has not allowed.
    """
    directory = None if root is None else root_of(root)
    if project is not None:
        return project, directory or Path.cwd(), None, None
    from ragforge_memory.config import RagforgeConfig
    from ragforge_memory.config.allowed import SOURCE, check_allowed
    from ragforge_memory.config.load import find_place

    place = find_place(folder=directory)
    if directory is None:
        check_allowed(place.loaded, (SOURCE,))
    # Model and graph are what the constructor says; which files are code is the project's own affair.
    source = RagforgeConfig(source=place.loaded.config.source)
    return place.project.name, directory or place.source, source, place.project
