"""What a project is generated of: its entities and tools with their names in Python."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Literal

from pydantic import BaseModel

from ragforge_memory.memory.tools import MEMORY_ALL
from ragforge_memory.scaffold.entities import EntityConfig, is_storable
from ragforge_memory.scaffold.names import camel, plural, snake, unlike
from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS

_PYTHON = {
    "string": "str",
    "integer": "int",
    "float": "float",
    "boolean": "bool",
    "date": "date",
    "datetime": "datetime",
    "list<string>": "list[str]",
    "list<integer>": "list[int]",
    "list<float>": "list[float]",
}
_RANGES = ("integer", "float", "date", "datetime")
# What modules of the project and its models have as names of their own.
_CLASSES = frozenset({"Any", "BaseModel", "Field", "ConfigDict", "ToolContext", "ToolError"})
_FIELDS = frozenset({*dir(BaseModel), *_PYTHON.values(), "list"})
_LONGEST_TOOL = 58
_DIGITS = re.compile(r"(\d+)")
# A model that is shown more arguments than these fills in none of them well.
_MOST_FILTERS = 8

Kind = Literal["find", "related", "search", "similar", "save"]


@dataclass(frozen=True, slots=True)
class Property:
    """A property: ``name`` in the graph, ``field`` in Python; ``type`` is the configuration's."""

    name: str
    field: str
    type: str

    @property
    def annotation(self) -> str:
        """Its type in Python."""
        return _PYTHON.get(self.type, "Any")

    @property
    def argument(self) -> str:
        """Its type as the argument of a tool; times are texts there, as a model writes them."""
        return "str" if self.type in ("date", "datetime", "any") else self.annotation

    @property
    def is_range(self) -> bool:
        """Whether it is found between two bounds."""
        return self.type in _RANGES

    @property
    def is_filter(self) -> bool:
        """Whether it is found by."""
        return self.is_text or self.type in ("boolean", *_RANGES)

    @property
    def is_text(self) -> bool:
        """Whether it is found by a part of it; what may be anything is, as text."""
        return self.type in ("string", "any")

    @property
    def arguments(self) -> frozenset[str]:
        """The arguments of a tool that it is found by, and its field."""
        return frozenset({self.field, f"{self.field}_from", f"{self.field}_to"} if self.is_range else {self.field})


@dataclass(frozen=True, slots=True)
class Entity:
    """An entity with its names in Python: ``one`` and ``many`` of it, and a class."""

    config: EntityConfig
    one: str
    many: str
    model: str
    properties: tuple[Property, ...]

    @property
    def label(self) -> str:
        """Its label in the graph."""
        return self.config.label

    @property
    def key(self) -> Property | None:
        """The property that tells them apart."""
        return next((each for each in self.properties if each.name == self.config.key), None)

    @property
    def title(self) -> Property | None:
        """A property that people call them by."""
        names = ("name", "title", "label")
        return next((each for each in self.properties if each.name.lower() in names and each.type == "string"), None)

    @property
    def filters(self) -> tuple[Property, ...]:
        """The properties that they are found by."""
        return tuple(each for each in self.properties if each.is_filter)[:_MOST_FILTERS]

    @property
    def storable(self) -> tuple[Property, ...]:
        """The properties that a tool can store."""
        return tuple(each for each in self.properties if is_storable(each.type))

    @property
    def words(self) -> str:
        """What several of them are called in a sentence."""
        return self.many.replace("_", " ")


@dataclass(frozen=True, slots=True)
class ToolPlan:
    """A tool: ``entity`` is what it gives, ``start`` where it begins; ``arrow`` leads from there over ``type``."""

    name: str
    kind: Kind
    entity: Entity
    start: Entity | None = None
    type: str = ""
    arrow: Literal["out", "in"] = "out"


@dataclass(frozen=True, slots=True)
class Plan:
    """A project: its ``name``, its Python ``package``, whether its agent reads ``code``, and the library's ``extras``
    that it needs."""

    name: str
    package: str
    code: bool
    entities: tuple[Entity, ...]
    tools: tuple[ToolPlan, ...]
    extras: tuple[str, ...] = ("local",)

    @property
    def modules(self) -> tuple[str, ...]:
        """The names of the tools in the order of their imports: numbers in them count as such."""

        def parts(name: str) -> list[tuple[int, str]]:
            return [(int(part), "") if part.isdigit() else (-1, part) for part in _DIGITS.split(name)]

        return tuple(sorted((each.name for each in self.tools), key=parts))

    @property
    def distribution(self) -> str:
        """The package as what is installed is called."""
        return self.package.strip("_").replace("_", "-")


def plan(
    name: str, package: str, entities: Sequence[EntityConfig], *, code: bool, extras: Sequence[str] = ("local",)
) -> Plan:
    """Names everything, each name once."""
    planned = tuple(_entities(entities))
    return Plan(name, package, code, planned, tuple(_tools(planned)), tuple(extras))


def _entities(entities: Sequence[EntityConfig]) -> list[Entity]:
    found: list[Entity] = []
    for place, config in enumerate(entities, start=1):
        called = config.name or config.label
        one = unlike(snake(called, f"entity_{place}"), {each.one for each in found})
        many = unlike(plural(one), {each.many for each in found})
        model = unlike(camel(called, f"Entity{place}"), {*_CLASSES, *(each.model for each in found)})
        found.append(Entity(config, one, many, model, _properties(config)))
    return found


def _properties(config: EntityConfig) -> tuple[Property, ...]:
    types = dict(config.properties)
    if config.key is not None:
        types.setdefault(config.key, "any")
    found: list[Property] = []
    taken: set[str] = set()
    for place, (name, type_) in enumerate(types.items(), start=1):
        field = snake(name, f"property_{place}")
        # pydantic keeps what begins so for itself.
        field = f"field_{field}" if field.startswith("model_") else field
        field = f"{field}_" if field in _FIELDS else field
        numbered = (Property(name, field if n == 1 else f"{field}_{n}", type_) for n in count(1))
        found.append(next(each for each in numbered if taken.isdisjoint(each.arguments)))
        taken |= found[-1].arguments
    return tuple(found)


def _tools(entities: Sequence[Entity]) -> list[ToolPlan]:
    found: list[ToolPlan] = []
    taken = {each.__name__ for each in (*CODE_SEARCH_TOOLS, *MEMORY_ALL)}

    def add(name: str, kind: Kind, entity: Entity, **more: object) -> None:
        # Vendors take names of up to 64 characters.
        free = unlike(name[:_LONGEST_TOOL].rstrip("_"), taken)
        taken.add(free)
        found.append(ToolPlan(free, kind, entity, **more))  # type: ignore[arg-type]

    of_label = {each.label: each for each in entities}
    for entity in entities:
        add(f"find_{entity.many}", "find", entity)
        if entity.config.text_index:
            add(f"search_{entity.many}", "search", entity)
        if entity.config.vector_index:
            add(f"similar_{entity.many}", "similar", entity)
        if entity.config.write and entity.key is not None:
            add(f"save_{entity.one}", "save", entity)
    steps = {
        (start, each.type, end): None
        for entity in entities
        for each in entity.config.relationships
        for start, end in [(entity.label, each.to) if each.direction == "out" else (each.to, entity.label)]
    }
    for start, type_, end in steps:
        first, last = of_label[start], of_label[end]
        if first.key is not None or first.title is not None:
            add(_related(first, last, type_, steps, "out"), "related", last, start=first, type=type_, arrow="out")
        if last.key is not None or last.title is not None:
            add(_related(last, first, type_, steps, "in"), "related", first, start=last, type=type_, arrow="in")
    return found


def _related(
    start: Entity, end: Entity, type_: str, steps: dict[tuple[str, str, str], None], arrow: Literal["out", "in"]
) -> str:
    """A tool's name: with the relationship in it where two lead the same way, or both ways between two of a kind."""
    ends = (start.label, end.label)
    between = [each for each in steps if {each[0], each[2]} == set(ends)]
    name = f"{end.many}_of_{start.one}"
    if len(between) == 1 and start is not end:
        return name
    return f"{name}_{'by' if arrow == 'out' else 'from'}_{snake(type_, 'relationship')}"
