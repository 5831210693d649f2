"""The server that a benchmark runs on, and what its files have."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

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


def found_in(folder: Path, word: str) -> Counter[str]:
    """How often a word is in each file, whatever its form: as the store, the log and Lucene write it."""
    forms = [word.encode(encoding) for encoding in ("utf-8", "utf-16-le", "utf-16-be")]
    counts: Counter[str] = Counter()
    for path in sorted(each for each in folder.rglob("*") if each.is_file()):
        content = path.read_bytes()
        counts[str(path.relative_to(folder))] += sum(map(content.count, forms))
    return +counts
