"""How PHP files reach one another: namespaces, and what has none; and the names that everybody has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ragforge_memory.code.packages import root_package
from ragforge_memory.code.php.uses import GLOBAL

if TYPE_CHECKING:
    from ragforge_memory.code.index import ProjectIndex
    from ragforge_memory.code.links import Place
    from ragforge_memory.code.parsed import ParsedFile


_COMMON_MEMBERS = """
add all append asXML attach bind bindParam bindValue call clear close commit contains count createElement current
detach diff each end execute exec expects fetch fetchAll fetchColumn filter find first format get getArguments
getArrayCopy getAttributes getCode getDocComment getFile getIterator getLine getMessage getMethod getName
getParameters getPrevious getProperty getTimestamp getTrace getTraceAsString getType getValue has
implementsInterface invoke isEmpty isInstance isset item key keys last length load map merge method modify name
newInstance next offsetExists offsetGet offsetSet offsetUnset open pop prepare push query read remove reset rewind
save seek send set setAccessible setTimezone setValue shift sort start stop toArray top valid values will willReturn
with write
"""
COMMON_MEMBERS: frozenset[str] = frozenset(_COMMON_MEMBERS.split())
"""From SPL, DateTime, PDO, DOM, Reflection, Exception and PHPUnit's doubles: an unknown receiver's method of such a
name is not taken for the project's."""


def linked(index: ProjectIndex, file: ParsedFile, name: str) -> Place | None:
    """What files without a namespace define is seen everywhere (functions and constants), else a root namespace."""
    if name == GLOBAL:
        return f"php:{GLOBAL}/", ""
    places = [
        (path, scope.key)
        for path, scope in index.defined("php", name)
        if scope.parent is None and index.files[path].placed.package == GLOBAL
    ]
    return places[0] if len(places) == 1 else root_package(index, file, name)
