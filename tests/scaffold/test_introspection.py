"""What a graph is made of is read as it is, by whoever made it, and nothing is written to it."""

from __future__ import annotations

from collections.abc import Iterator
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory import Neo4jConfig
from ragforge_memory.graph.connect import connect_as_is
from ragforge_memory.graph.introspection import introspect
from ragforge_memory.scaffold.configuration import entities_text
from ragforge_memory.scaffold.entities import blocks_of, entities_of
from ragforge_memory.scaffold.names import quoted

pytestmark = pytest.mark.anyio


@pytest.fixture
def word(neo4j_config: Neo4jConfig) -> Iterator[str]:
    """A word that begins the labels of a test's own shop, which goes with the test."""
    word = f"Shop{uuid4().hex[:8]}"
    login = (neo4j_config.username or "neo4j", neo4j_config.password)
    with neo4j.GraphDatabase.driver(neo4j_config.uri, auth=login, notifications_min_severity="OFF") as driver:
        product, customer = quoted(f"{word} `Product`"), quoted(f"{word}Customer")
        driver.execute_query(f"CREATE CONSTRAINT {word}_sku FOR (n:{product}) REQUIRE n.sku IS UNIQUE")
        driver.execute_query(f"CREATE FULLTEXT INDEX {word}_words FOR (n:{product}) ON EACH [n.name]")
        driver.execute_query(
            f"CREATE (c:{customer} {{email: 'a@b', since: date('2026-01-01'), tags: ['x'], odd: 1}}), "
            f"(:{customer} {{email: 'c@d', odd: 'one'}}), "
            f"(c)-[:BOUGHT]->(:{product} {{sku: 's1', name: 'Lamp', price: 9.5, `a b`: true}})"
        )
        yield word
        driver.execute_query(f"MATCH (n:{product}|{customer}) DETACH DELETE n")
        driver.execute_query(f"DROP CONSTRAINT {word}_sku")
        driver.execute_query(f"DROP INDEX {word}_words")


async def test_a_graph_is_looked_over(neo4j_config: Neo4jConfig, word: str) -> None:
    client = await connect_as_is(neo4j_config)
    try:
        schema = await introspect(client)
        sampled = await introspect(client, sample=1)
    finally:
        await client.aclose()
    product, customer = schema.label(f"{word} `Product`"), schema.label(f"{word}Customer")
    assert product is not None
    assert customer is not None
    assert (product.nodes, product.key, product.is_memory) == (1, "sku", False)
    assert {each.name: each.type for each in product.properties} == {
        "sku": "string",
        "name": "string",
        "price": "float",
        "a b": "boolean",
    }
    assert (customer.nodes, customer.key) == (2, "email")
    assert {each.name: (each.type, each.nodes) for each in customer.properties} == {
        "email": ("string", 2),
        "since": ("date", 1),
        "tags": ("list<string>", 1),
        "odd": ("any", 2),
    }
    assert [(each.from_label, each.to_label) for each in schema.relationships if each.type == "BOUGHT"] == [
        (customer.label, product.label)
    ]
    indexes = {each.name: (each.type, each.unique) for each in schema.indexes if each.name.startswith(word)}
    assert indexes == {f"{word}_sku": ("range", True), f"{word}_words": ("fulltext", False)}
    seen = sampled.label(f"{word}Customer")
    assert seen is not None
    assert (seen.nodes, seen.looked_at) == (2, 1)

    entities = entities_of(schema, labels=(product.label, customer.label))
    assert [(each.label, each.key, each.text_index) for each in sorted(entities, key=lambda each: each.label)] == [
        (product.label, "sku", f"{word}_words"),
        (customer.label, "email", None),
    ]
    import yaml

    told = yaml.safe_load(entities_text(entities))
    assert blocks_of(told).entities == entities


async def test_the_labels_of_memory_are_no_entities(neo4j_config: Neo4jConfig, word: str) -> None:
    client = await connect_as_is(neo4j_config)
    try:
        await client.query("CREATE (:Message:Odd {uuid: $word})", {"word": word}, write=True, timeout=30)
        schema = await introspect(client)
        await client.query("MATCH (m:Message {uuid: $word}) DELETE m", {"word": word}, write=True, timeout=30)
    finally:
        await client.aclose()
    found = {each.label for each in entities_of(schema)}
    assert {f"{word} `Product`", f"{word}Customer"} <= found
    assert not {"Message", "Odd", "Conversation", "Memory"} & found
