"""Makes the small shop that the agent of this folder answers about: ``python make_graph.py``.

NEO4J_URI and NEO4J_PASSWORD say where; those of the local server are told by ``ragforge neo4j status --json``.
"""

from __future__ import annotations

import os
import sys

import neo4j

CUSTOMERS = [
    ("ada@example.org", "Ada Lovelace", "2025-03-01"),
    ("grace@example.org", "Grace Hopper", "2025-07-14"),
    ("alan@example.org", "Alan Turing", "2026-01-09"),
]
PRODUCTS = [
    ("lamp-1", "Reading lamp", 49.0, True),
    ("desk-1", "Oak desk", 420.0, False),
    ("chair-1", "Swivel chair", 129.5, True),
]
ORDERS = [
    (1001, "ada@example.org", ["lamp-1", "desk-1"]),
    (1002, "grace@example.org", ["lamp-1"]),
    (1003, "alan@example.org", ["chair-1"]),
]

WRITE = """
UNWIND $products AS p
MERGE (x:ShopProduct {sku: p[0]}) SET x.name = p[1], x.price = p[2], x.in_stock = p[3]
WITH count(*) AS products
UNWIND $customers AS c
MERGE (y:ShopCustomer {email: c[0]}) SET y.name = c[1], y.since = date(c[2])
WITH count(*) AS customers
UNWIND $orders AS o
MATCH (y:ShopCustomer {email: o[1]})
MERGE (z:ShopOrder {number: o[0]}) SET z.at = datetime('2026-10-01T09:00:00Z')
MERGE (y)-[:PLACED]->(z)
WITH o, z
UNWIND o[2] AS sku
MATCH (x:ShopProduct {sku: sku})
MERGE (z)-[:CONTAINS]->(x)
WITH z, sum(x.price) AS total
SET z.total = total
"""
SCHEMA = (
    "CREATE CONSTRAINT shop_product_sku IF NOT EXISTS FOR (n:ShopProduct) REQUIRE n.sku IS UNIQUE",
    "CREATE CONSTRAINT shop_customer_email IF NOT EXISTS FOR (n:ShopCustomer) REQUIRE n.email IS UNIQUE",
    "CREATE CONSTRAINT shop_order_number IF NOT EXISTS FOR (n:ShopOrder) REQUIRE n.number IS UNIQUE",
    "CREATE FULLTEXT INDEX shop_product_words IF NOT EXISTS FOR (n:ShopProduct) ON EACH [n.name]",
)


def main() -> None:
    """Writes the graph; run again, it changes nothing."""
    if not os.environ.get("NEO4J_URI"):
        sys.exit("set NEO4J_URI and NEO4J_PASSWORD; `ragforge neo4j status --json` tells those of the local server")
    login = (os.environ.get("NEO4J_USERNAME") or "neo4j", os.environ.get("NEO4J_PASSWORD") or "")
    with neo4j.GraphDatabase.driver(os.environ["NEO4J_URI"], auth=login) as driver:
        for statement in SCHEMA:
            driver.execute_query(statement)
        driver.execute_query(WRITE, products=PRODUCTS, customers=CUSTOMERS, orders=ORDERS)
        driver.execute_query("CALL db.awaitIndexes(60)")


if __name__ == "__main__":
    main()
