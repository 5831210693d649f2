"""What a graph is made of: labels, properties, relationships and indexes, as values."""

from __future__ import annotations

from typing import Literal

from ragforge_memory.models.shape import Shape


class PropertySchema(Shape):
    """A property of a label.

    ``type`` is ``string``, ``integer``, ``float``, ``boolean``, ``date``, ``datetime``, ``list<…>`` of these, another
    type of Neo4j in lower case, or ``any`` where values differ. ``nodes`` of those that were looked at have it.
    """

    name: str
    type: str
    nodes: int


class IndexSchema(Shape):
    """An index; ``unique``: no two nodes have the same of its properties. ``dimensions`` are a vector index's."""

    name: str
    type: str
    entity: Literal["NODE", "RELATIONSHIP"]
    labels: tuple[str, ...]
    properties: tuple[str, ...]
    unique: bool = False
    dimensions: int | None = None


class LabelSchema(Shape):
    """A label: how many nodes have it, what the first ``looked_at`` of them have, and a property that tells them apart.

    ``is_memory``: these nodes are this library's own.
    """

    label: str
    nodes: int
    looked_at: int
    properties: tuple[PropertySchema, ...]
    key: str | None = None
    is_memory: bool = False


class RelationshipSchema(Shape):
    """A type of relationship from nodes of one label to those of another; ``total`` counts all of its type."""

    type: str
    from_label: str
    to_label: str
    total: int


class GraphSchema(Shape):
    """What a graph is made of; of each label and type only a sample of at most ``sample`` was looked at."""

    labels: tuple[LabelSchema, ...]
    relationships: tuple[RelationshipSchema, ...]
    indexes: tuple[IndexSchema, ...]
    sample: int

    def label(self, name: str) -> LabelSchema | None:
        """The label of this name."""
        return next((each for each in self.labels if each.label == name), None)
