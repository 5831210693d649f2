"""Which files of Java see one another without an import, and the names that everybody has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.code.packages import package_neighbours

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.parsed import ParsedFile


_COMMON_MEMBERS = """
accept add addAll andThen append apply charAt clear clone close collect compareTo compute contains containsKey
containsValue copyOf count distinct empty endsWith entrySet equals filter find findFirst flatMap flush forEach
format get getBytes getCause getClass getKey getMessage getName getOrDefault getStackTrace getType getValue group
hasNext hashCode indexOf insert intValue isEmpty isPresent iterator join keySet lastIndexOf length limit lines list
longValue map matcher matches max min name next nextInt of offer ofNullable open orElse ordinal parse peek poll pop
print printStackTrace println push put putAll putIfAbsent read readLine reduce remove removeAll replace replaceAll
reset resolve reverse run set setName size skip sort sorted split start startsWith stop stream submit subList
substring sum test toArray toCharArray toList toLowerCase toString toUpperCase trim valueOf values wait write
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From java.lang, java.util, java.util.function, java.util.stream and java.io: an unknown receiver's method of such a
name is not taken for the project's."""


def neighbours(index: ProjectIndex, file: ParsedFile) -> Sequence[str]:
    """The files of the same package; without one, those of none in the same directory."""
    if file.package:
        return package_neighbours(index, file)
    directory = file.path[: file.path.rfind("/") + 1]
    return index.remember(("java", "unnamed", directory), lambda: _unnamed(index, directory))


def _unnamed(index: ProjectIndex, directory: str) -> list[str]:
    outlines = index.layout.outlines
    here = [path for path in index.directories.get(directory, ()) if path in index.files]  # asked, so that it is noted
    return [path for path in here if outlines[path].language == "java" and not outlines[path].package]
