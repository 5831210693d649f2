"""A scope while its inside is read, as the draft keeps it and handlers see it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TypedDict

from ragforge_memory.code.parsed import TYPE_TYPES, Binding, ScopeType, Use


class Said(TypedDict, total=False):
    """What `Draft.open` is told of a scope beside its name and place; see ParsedScope."""

    signature: str
    docstring: str | None
    owner: str | None
    return_type: str | None
    returns: str | None
    parameters: Sequence[str]
    takes: tuple[int, int | None] | None
    modifiers: Sequence[str]
    decorators: Sequence[str]
    bases: Sequence[str]
    interfaces: Sequence[str]


@dataclass(slots=True)
class OpenScope:
    """A scope while its inside is read; fields as in ParsedScope. Handlers may set what ``open`` was not told."""

    key: str
    name: str
    qualified_name: str
    type: ScopeType
    start_line: int
    definition_line: int
    end_line: int
    start_byte: int
    end_byte: int
    name_byte: int | None
    token_bytes: tuple[int, int]
    """Where its tokens begin and end."""
    parent: OpenScope | None
    depth: int
    signature: str = ""
    docstring: str | None = None
    owner: str | None = None
    return_type: str | None = None
    returns: str | None = None
    parameters: Sequence[str] = ()
    takes: tuple[int, int | None] | None = None
    modifiers: Sequence[str] = ()
    complexity: int = 1
    decorators: Sequence[str] = ()
    bases: Sequence[str] = ()
    interfaces: Sequence[str] = ()
    uses: list[Use] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)
    by_name: dict[str, list[Binding]] = field(default_factory=dict)
    """The same, for each name."""
    outside: set[str] = field(default_factory=set)
    """Names that are assigned here but belong to a scope further out (``global``, ``nonlocal``)."""

    def bind(self, binding: Binding) -> None:
        """One more binding."""
        self.bindings.append(binding)
        self.by_name.setdefault(binding.name, []).append(binding)

    def bound(self, name: str) -> Sequence[Binding]:
        """The bindings of a name, in their order."""
        return self.by_name.get(name, ())

    def implement(self, text: str, line: int) -> None:
        """It implements an interface or a trait, by its dotted text, which is said outside of it or behind."""
        receiver, _, name = text.rpartition(".")
        self.interfaces = (*self.interfaces, text)
        self.uses.append(Use(name, receiver or None, "implement", line))

    @property
    def is_type(self) -> bool:
        """Whether it can have members."""
        return self.type in TYPE_TYPES

    @property
    def is_astray(self) -> bool:
        """Whether it is a method whose type was lost."""
        return self.type == "method" and self.parent is None and self.owner is None
