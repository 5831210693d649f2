"""Reads what a graph is made of, whoever made it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from typing import Any

from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.schema import schema_statements
from ragforge_memory.models.graph_schema import (
    GraphSchema,
    IndexSchema,
    LabelSchema,
    PropertySchema,
    RelationshipSchema,
)

SAMPLE = 1_000
"""Nodes of a label, and relationships of a type, that are looked at."""

_OF_OURS = re.compile(r"\(n:(\w+(?:\|\w+)*)\)")
# In this order a property that has a unique value by its name is taken for a key where no constraint says so.
_KEYS = ("uuid", "id", "key", "code", "sku", "email", "name", "title")


async def introspect(client: GraphClient, *, sample: int = SAMPLE) -> GraphSchema:
    """Looks a graph over; nothing is written, and no value of anybody's is kept.

    Args:
        client: the graph; it needs no schema of ours.
        sample: nodes of each label, and relationships of each type, to look at.

    Raises:
        GraphUnavailable: the server is away, or takes longer than a minute.
    """
    indexes = tuple(map(_index, await client.read("graph_indexes", timeout=PATIENT_TIMEOUT)))
    labels = []
    for row in await client.read("graph_labels", timeout=PATIENT_TIMEOUT):
        label = row["label"]
        [seen] = await client.read("label_properties", timeout=PATIENT_TIMEOUT, label=label, sample=sample)
        labels.append(_label(label, row["nodes"], seen, indexes))
    of_memory = {each.label for each in labels if each.is_memory}
    relationships = [
        found
        for row in await client.read("graph_relationships", timeout=PATIENT_TIMEOUT, sample=sample)
        for found in _relationships(row, of_memory)
    ]
    return GraphSchema(labels=tuple(labels), relationships=tuple(relationships), indexes=indexes, sample=sample)


def _label(label: str, nodes: int, seen: dict[str, Any], indexes: Sequence[IndexSchema]) -> LabelSchema:
    properties = tuple(
        PropertySchema(name=each["name"], type=_type(each["types"]), nodes=each["nodes"]) for each in seen["properties"]
    )
    beside = {each["label"] for each in seen["labels"] if each["nodes"] == seen["nodes"]}
    return LabelSchema(
        label=label,
        nodes=nodes,
        looked_at=seen["nodes"],
        properties=properties,
        key=_key(label, properties, seen["nodes"], indexes),
        is_memory=bool(({label} | beside) & _labels_of_memory()),
    )


def _key(
    label: str, properties: Sequence[PropertySchema], looked_at: int, indexes: Sequence[IndexSchema]
) -> str | None:
    """A property that is unique by a constraint, else one that every node has and whose name says so."""
    for index in indexes:
        if index.unique and index.entity == "NODE" and index.labels == (label,) and len(index.properties) == 1:
            return index.properties[0]
    whole = {each.name for each in properties if each.nodes == looked_at and each.type in ("string", "integer")}
    return next((name for name in _KEYS if name in whole), None)


def _index(row: dict[str, Any]) -> IndexSchema:
    return IndexSchema(
        name=row["name"],
        type=row["type"].lower(),
        entity=row["entity"],
        labels=tuple(row["labels"]),
        properties=tuple(row["properties"]),
        unique=row["unique"],
        dimensions=row["dimensions"],
    )


def _relationships(row: dict[str, Any], of_memory: set[str]) -> list[RelationshipSchema]:
    """One for each pair of labels; where nodes have several labels, those that this library did not give."""
    pairs = {
        (start, end): None
        for ends in row["ends"]
        for start in _told(ends["from"], of_memory)
        for end in _told(ends["to"], of_memory)
    }
    return [
        RelationshipSchema(type=row["type"], from_label=start, to_label=end, total=row["total"])
        for start, end in sorted(pairs)
    ]


def _told(labels: Sequence[str], of_memory: set[str]) -> Sequence[str]:
    return [each for each in labels if each not in of_memory] or labels[:1]


def _type(types: Sequence[str]) -> str:
    """A type's name as configurations have it; values of several types are ``any``."""
    names = {each.removesuffix(" NOT NULL") for each in types}
    names = {"FLOAT"} if names == {"INTEGER", "FLOAT"} else names
    if len(names) != 1:
        return "any"
    name = names.pop().replace(" NOT NULL", "").lower()
    return {"zoned datetime": "datetime", "list<nothing>": "list<any>"}.get(name, name)


@cache
def _labels_of_memory() -> frozenset[str]:
    found = [_OF_OURS.findall(statement) for statement in schema_statements()]
    return frozenset(label for some in found for labels in some for label in labels.split("|"))
