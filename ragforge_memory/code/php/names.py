"""Method names that everyday PHP objects have."""

from __future__ import annotations

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
