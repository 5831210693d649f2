"""Which directories are taken for a project's, unasked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.config.load import find_config
from ragforge_memory.errors import InvalidInput
from ragforge_memory.project import git_toplevel

if TYPE_CHECKING:
    from ragforge_memory.config import RagforgeConfig


def refused_root(root: Path, settings: RagforgeConfig | None = None) -> str | None:
    """Why a directory is not read as a project, in a sentence; None where it is.

    What holds everything (the file system's root, the user's home, what is above it) is one where it is in a
    repository or a configuration is in it, or where the configuration in use names the folder of the code.
    """
    place, home = root.resolve(), _home()
    if place == place.parent:
        what = "the file system's root"
    elif place == home:
        what = "your home directory"
    elif home is not None and place in home.parents:
        what = "above your home directory"
    else:
        return None
    named = settings is not None and "root" in settings.source.model_fields_set
    if named or git_toplevel(place) is not None or find_config(place) is not None:
        return None
    return f"{place} is {what}, and no project"


def check_root(root: Path, settings: RagforgeConfig | None = None) -> None:
    """Refuses a directory that is none of a project's, before anything of it is looked at.

    Raises:
        InvalidInput: see `refused_root`.
    """
    why = refused_root(root, settings)
    if why is not None:
        raise InvalidInput(f"no code is read: {why}", hint=HINT)


HINT = "cd into a project, or put a ragforge.config.yaml where the project is"


def _home() -> Path | None:
    try:
        return Path.home().resolve()
    except RuntimeError:
        return None
