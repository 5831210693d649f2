"""The managed local server: a private Neo4j that this library fetches, starts, watches and stops.

One server a home; a small supervisor process owns it and holds a lock for its life, so "is it running" is a question
to the operating system and never a guess by process id.
"""

from __future__ import annotations

from ragforge_memory.graph.managed.server import (
    ServerInfo,
    ServerStatus,
    ensure_running,
    external_status,
    logs,
    release,
    status,
    stop,
)

__all__ = [
    "ServerInfo",
    "ServerStatus",
    "ensure_running",
    "external_status",
    "logs",
    "release",
    "status",
    "stop",
]
