"""The same database is known by every way to write its address."""

from __future__ import annotations

import pytest

from ragforge_memory import Neo4jConfig
from ragforge_memory.graph.connect import place_of


@pytest.mark.parametrize(
    "uri", ["bolt://localhost", "bolt://127.0.0.1:7687", "neo4j://[::1]:7687", "bolt+ssc://LOCALHOST:7687"]
)
def test_of_this_machine(uri: str) -> None:
    assert place_of(Neo4jConfig(uri)) == "localhost:7687/neo4j"


def test_other_places_are_others() -> None:
    written = [
        Neo4jConfig("bolt://localhost:17687"),
        Neo4jConfig("bolt://graph.example.org"),
        Neo4jConfig("bolt://graph.example.org", database="talks"),
    ]
    assert [place_of(each) for each in written] == [
        "localhost:17687/neo4j",
        "graph.example.org:7687/neo4j",
        "graph.example.org:7687/talks",
    ]
