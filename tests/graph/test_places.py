"""The same database is known by every way to write its address."""

from __future__ import annotations

from ragforge_memory import Neo4jConfig
from ragforge_memory.graph.connect import place_of


def test_places() -> None:
    for uri in ("bolt://localhost", "bolt://127.0.0.1:7687", "neo4j://[::1]:7687", "bolt+ssc://LOCALHOST:7687"):
        assert place_of(Neo4jConfig(uri)) == "localhost:7687/neo4j"
    assert place_of(Neo4jConfig("bolt://localhost:17687")) == "localhost:17687/neo4j"
    assert place_of(Neo4jConfig("bolt://g.example.org", database="talks")) == "g.example.org:7687/talks"
