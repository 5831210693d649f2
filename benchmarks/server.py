"""The server that a benchmark runs on."""

from __future__ import annotations

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.connect import configured


def benchmark_server() -> Neo4jConfig:
    """``NEO4J_URI``'s server where that is set, else the managed one, started if it does not run."""
    config = configured(None)
    if config is not None:
        return config
    from ragforge_memory.graph.managed import ensure_running

    server = ensure_running()
    return Neo4jConfig(server.uri, username=server.username, password=server.password)
