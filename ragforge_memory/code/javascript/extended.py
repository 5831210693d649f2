"""Which ``tsconfig.json`` others take over by ``extends``."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import normpath
from typing import TYPE_CHECKING

from ragforge_memory.code.layout import folder_of
from ragforge_memory.code.reads import FILE, PACKAGE

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex


def extended(index: ProjectIndex, here: str) -> dict[str, tuple[str, int]]:
    """The files that those around a folder take over, however far that goes: each with the nearest folder of one that
    begins it, and by how many steps."""
    return index.remember(("javascript", "extended", here), lambda: _found(index, here))


def _found(index: ProjectIndex, here: str) -> dict[str, tuple[str, int]]:
    found: dict[str, tuple[str, int]] = {}
    beginning = [path for path in index.packages.get("jsconfig:=/", ()) if here.startswith(folder_of(path))]
    for first in sorted(beginning, key=lambda path: (-len(folder_of(path)), path)):
        steps, seen, last = 0, {first}, [first]
        while last:
            steps += 1
            # What was seen is not gone through again: they may take over each other.
            last = [base for path in last for base in _bases(index, path) if base not in seen]
            seen.update(last)
            for base in last:
                found.setdefault(base, (folder_of(first), steps))
    return found


def _bases(index: ProjectIndex, path: str) -> Iterator[str]:
    """What a file itself takes over."""
    for word in index.layout.outlines[path].package.split():
        if word.startswith("=") and word != "=":
            index.reads.note(PACKAGE, f"jsconfig:{word}/")
            base = normpath(folder_of(path) + word[1:])
            for each in (base, f"{base}.json", f"{base}/tsconfig.json"):
                index.reads.note(FILE, each)
                known = index.layout.outlines.get(each)
                if known is not None and known.language == "jsconfig":
                    yield each
                    break
