"""Where this library keeps its own files on this machine, and paths as people write them."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def expanded(path: object) -> Path:
    """A path as somebody gave it, with the home directory in the place of ``~``.

    Raises:
        ValueError: it is none, and why.
    """
    try:
        found = Path(path).expanduser()  # type: ignore[arg-type]  # whatever was given
        os.fsencode(found)
    except (TypeError, RuntimeError, UnicodeEncodeError) as error:  # RuntimeError: ~somebody, who is not known
        raise ValueError(f"{path!r} is not a path: {error}") from error
    if "\0" in str(found):
        raise ValueError(f"{path!r} is not a path: it has a NUL")
    return found


def ragforge_home() -> Path:
    """The folder of everything that belongs to this user: the managed server, its data, journals.

    ``RAGFORGE_HOME`` where it is set and not empty, else the user's data folder of the operating system.
    The folder is not created here.
    """
    configured = os.environ.get("RAGFORGE_HOME")
    if configured:
        return Path(configured).expanduser().absolute()
    from platformdirs import user_data_dir

    return Path(user_data_dir("ragforge", appauthor=False))


def cache_home(home: Path | None = None) -> Path:
    """The folder of what can be fetched again: pinned downloads and the Java runtime.

    ``RAGFORGE_CACHE`` where it is set and not empty (several homes, or several runs of a CI, can share one),
    else ``home``, else ``ragforge_home()``. The folder is not created here.
    """
    configured = os.environ.get("RAGFORGE_CACHE")
    if configured:
        return Path(configured).expanduser().absolute()
    return home if home is not None else ragforge_home()


def downloads_home(home: Path | None = None) -> Path:
    """The folder of the pinned downloads, laid out like a Maven repository."""
    return cache_home(home) / "downloads"


def write_private(file: Path, text: str) -> None:
    """Write ``text`` to ``file``, atomically, readable by this user only.

    Raises:
        OSError: it cannot be written.
    """
    descriptor, temporary = tempfile.mkstemp(prefix=f"{file.name}.", suffix=".tmp", dir=file.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise
