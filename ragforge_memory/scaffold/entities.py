"""The ``entities:`` and ``generate:`` blocks of ``ragforge.config.yaml``: what a generated project is made of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from ragforge_memory.config.blocks import Line, Section, refusal
from ragforge_memory.config.refusal import nearest, refused
from ragforge_memory.errors import ConfigError, InvalidInput
from ragforge_memory.models.graph_schema import GraphSchema, LabelSchema
from ragforge_memory.scaffold.names import is_speakable


def _speakable(name: str) -> str:
    if not is_speakable(name):
        raise refusal("must be 1 to 200 characters without a backslash", hint="rename it in the graph")
    return name


Name = Annotated[Line, AfterValidator(_speakable)]

TYPES = ("string", "integer", "float", "boolean", "date", "datetime", "list<string>", "list<integer>", "list<float>")
"""The types of properties that have one in Python; whatever else stands for any value."""


_OTHER_WORDS = {
    **dict.fromkeys(("str", "text"), "string"),
    **dict.fromkeys(("int", "long"), "integer"),
    **dict.fromkeys(("double", "number"), "float"),
    "bool": "boolean",
    "zoned datetime": "datetime",
}


def _with_types(value: Any) -> Any:
    """Properties as a list of names are of any type."""
    names = isinstance(value, list) and all(isinstance(each, str) for each in value)
    return dict.fromkeys(value, "any") if names else value


_FOREIGN = ("any", "point", "duration", "time", "local time", "zoned time", "local datetime", "bytes", "map", "vector")
"""What properties may be besides, as a graph that is looked at says."""


def _type(name: str) -> str:
    """A type in the word that is used for it here."""
    small = name.strip().lower()
    known = _OTHER_WORDS.get(small, small)
    if known not in (*TYPES, *_FOREIGN) and not known.startswith(("list<", "vector<")):
        near = nearest(known, (*TYPES, *_FOREIGN))
        told = f"did you mean {near}?" if near else f"one of {', '.join(TYPES)}, or any"
        raise refusal(f"there is no type {name!r}", hint=told)
    return known


def is_storable(type_: str) -> bool:
    """Whether a tool can store values of a type: a point, a duration or bytes come back from JSON as something else."""
    return type_ in (*TYPES, "any")


class RelationshipConfig(Section):
    """A relationship of an entity."""

    type: Name = Field(description="its type in the graph")
    to: Name = Field(description="the label at its other end")
    direction: Literal["out", "in"] = Field("out", description="out: from this entity; in: to it")


class EntityConfig(Section):
    """A label of the team's graph that tools are made for."""

    label: Name = Field(description="the label in the graph")
    name: Name | None = Field(None, description="what one of them is called; absent: from the label")
    key: Name | None = Field(None, description="the property that tells them apart")
    properties: Annotated[dict[Name, Annotated[str, AfterValidator(_type)]], BeforeValidator(_with_types)] = Field(
        default_factory=dict, description="properties by name with their types, or their names alone"
    )
    relationships: tuple[RelationshipConfig, ...] = Field((), description="what leads to other entities")
    text_index: Name | None = Field(None, description="a full-text index to search by words")
    vector_index: Name | None = Field(None, description="a vector index to search by meaning")
    write: bool = Field(False, description="whether a tool may make and change them; needs a key")

    @model_validator(mode="after")
    def _a_write_needs_a_key(self) -> EntityConfig:
        if self.write and self.key is None:
            raise refusal("needs a key, so that what is saved twice is one", hint="add key: NAME", key="write")
        if self.write and not is_storable(key_type := self.properties.get(self.key or "", "any")):
            raise refusal(f"needs a key that a tool can store, not a {key_type}", hint="another key", key="write")
        return self


class GenerateConfig(Section):
    """How a project is generated."""

    package: Name | None = Field(None, description="the Python package's name; absent: from the project's")
    code: bool = Field(True, description="whether the agent reads the project's code")


class Blocks(Section):
    """Both blocks."""

    entities: tuple[EntityConfig, ...] = ()
    generate: GenerateConfig = Field(default_factory=GenerateConfig)


def blocks_of(extra: Mapping[str, Any] | None, origins: Mapping[str, str] | None = None) -> Blocks:
    """The blocks of a configuration, out of what it has beside our own keys.

    Args:
        extra: that.
        origins: where each key is written.

    Raises:
        ConfigError: naming the key and where it is.
    """
    given = {name: value for name, value in (extra or {}).items() if name in Blocks.model_fields and value is not None}

    def origin(*path: str) -> str | None:
        lengths = range(len(path), 0, -1)
        return next((found for n in lengths if (found := (origins or {}).get(".".join(path[:n])))), None)

    try:
        blocks = Blocks.model_validate(given)
    except ValidationError as error:
        raise refused(error, Blocks, place_of=lambda path: (origin(*path), None)) from error
    labels = [each.label for each in blocks.entities]
    for place, entity in enumerate(blocks.entities):
        if labels.count(entity.label) > 1:
            raise ConfigError(
                f"there are two of {entity.label!r}",
                key="entities",
                hint="leave one of them out",
                file=origin("entities", str(place)),
            )
        for number, each in enumerate(entity.relationships):
            if each.to not in labels:
                raise ConfigError(
                    f"{each.to!r} is none of the entities",
                    key=f"entities.{place}.relationships.{number}.to",
                    hint=f"one of {', '.join(labels)}, or an entity more",
                    file=origin("entities", str(place), "relationships", str(number)),
                )
    return blocks


def entities_of(schema: GraphSchema, *, labels: tuple[str, ...] = ()) -> tuple[EntityConfig, ...]:
    """The entities of a graph as a configuration has them; without ``labels`` all that are not this library's own.

    Raises:
        InvalidInput: the graph has none such, or a label cannot be spoken of.
    """
    there = [each.label for each in schema.labels]
    for label in labels:
        if label not in there:
            near = nearest(label, there)
            raise InvalidInput(
                f"the graph has no label {label!r}",
                hint=f"did you mean {near}?" if near else "ragforge introspect shows all labels",
            )
        if not is_speakable(label):
            raise InvalidInput(f"the label {label!r} cannot stand in a query", hint="rename it in the graph")
    chosen = [
        each
        for each in schema.labels
        if is_speakable(each.label) and (each.label in labels or (not labels and not each.is_memory))
    ]
    names = {each.label for each in chosen}
    return tuple(_entity(each, schema, names) for each in chosen)


def _entity(label: LabelSchema, schema: GraphSchema, names: set[str]) -> EntityConfig:
    vectors = {
        name
        for index in schema.indexes
        if index.type == "vector" and label.label in index.labels
        for name in index.properties
    }
    speakable = [each for each in label.properties if is_speakable(each.name)]
    of_nodes = [index for index in schema.indexes if index.entity.lower() == "node" and label.label in index.labels]
    on = [index for index in of_nodes if is_speakable(index.name)]
    return EntityConfig(
        label=label.label,
        key=label.key if any(each.name == label.key for each in speakable) else None,
        properties={each.name: each.type for each in speakable if each.name not in vectors},
        relationships=tuple(
            RelationshipConfig(type=each.type, to=each.to_label)
            for each in schema.relationships
            if each.from_label == label.label and each.to_label in names and is_speakable(each.type)
        ),
        text_index=next((index.name for index in on if index.type == "fulltext"), None),
        vector_index=next((index.name for index in on if index.type == "vector"), None),
    )
