"""Method names that everyday Java objects have."""

from __future__ import annotations

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
