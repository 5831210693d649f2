"""What was set aside out of a journal: lines that no database has taken, each group of them under its reason."""

from __future__ import annotations

import json
import os
from pathlib import Path


def forget_aside(path: Path, conversation_id: str) -> None:
    """Drops a conversation's groups of lines (fsync); the file goes with the last of all groups.

    Whoever calls it has the lock of the journal beside it.

    Raises:
        OSError: the disk refuses; the file is as it was.
    """
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return
    groups: list[list[bytes]] = []
    for line in lines:
        if not groups or _said(line).get("kind") == "aside":
            groups.append([])
        groups[-1].append(line)
    stay = [group for group in groups if all(_said(line).get("conversation_id") != conversation_id for line in group)]
    if len(stay) == len(groups):
        return
    if not stay:
        path.unlink()
        return
    beside = path.with_suffix(".aside.new")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.writelines(line for group in stay for line in group)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _said(line: bytes) -> dict[str, object]:
    try:
        said = json.loads(line)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
