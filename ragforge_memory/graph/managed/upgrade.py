"""A newer Neo4j opens the data for the first time: the old data is kept beside it until that has gone well."""

from __future__ import annotations

import os
import shutil

from ragforge_memory.errors import ServerStartError
from ragforge_memory.graph.managed.files import ServerFiles, State


def copy_data(files: ServerFiles, version: str) -> None:
    """Keep a copy of the data as server ``version`` left it. The server must not run.

    Raises:
        ServerStartError: the copy cannot be made; nothing has changed then.
    """
    copy = files.data_copy(version)
    part = copy.with_name(f"{copy.name}.part")
    try:
        shutil.copytree(files.data, part)
        os.rename(part, copy)
    except OSError as error:
        shutil.rmtree(part, ignore_errors=True)
        raise ServerStartError(
            f"The data cannot be copied before Neo4j is upgraded from {version}: {error.strerror or error}.",
            hint=f"Make room on the disk of {files.root} for a second copy of its data, then try again.",
        ) from error


def settle(files: ServerFiles, state: State | None) -> None:
    """Bring an upgrade to its end that was begun earlier. The server must not run.

    The record says which server's data it is: still the old one's, and the upgrade failed, so the copy takes its
    place again; or a newer one's, and the copy is not needed any more. Without a record nobody knows, and it stays.

    Raises:
        OSError: a file cannot be moved or removed.
    """
    for part in files.root.glob("data.before-upgrade-from-*.part"):
        shutil.rmtree(part)
    for copy in files.root.glob("data.before-upgrade-from-*"):
        if state is None:
            continue
        if copy == files.data_copy(state.store_version or ""):
            shutil.rmtree(files.data, ignore_errors=True)
            os.rename(copy, files.data)
        else:
            shutil.rmtree(copy)
