"""Named Cypher statements: every statement of this library lives in ``cypher/*.cypher``.

A file holds statements one after another. Each begins with a line ``// name: NAME``; the comment lines below it
say why the statement is as it is. Three marks change how it is run:

``// requires: 2026.2``
    a variant for servers of that version and later; several statements may share one name, and the newest that
    the server can run is taken.
``// autocommit``
    the statement opens its own transactions (``CALL … IN TRANSACTIONS``) and is not retried.
``// at once``
    a write that is begun, run and committed in one round trip to the server, as every read is. Where the connection is
    lost before the answer it may have been committed, and is run again: the second run must give what the first gave.

``// part: NAME`` instead of a name begins what several statements have in common; a line ``// include: NAME`` in them
is replaced by it. The comment lines below it say which variables it takes and gives.

``{{NAME}}`` in a statement is replaced by a name that this library owns (an index of an embedding space, say),
never by anything from a caller: the names allowed are letters, digits and underscores.

A statement is sent with its parameters in one map: ``$uuid`` as ``$given.uuid``. Neo4j keeps a plan for each size of
each parameter (lists and texts of 0, 1, up to 10, 100, …), and planning takes 200 to 700 ms: a turn with two tool calls
after one with three would wait for it. What is in a map has no size for the planner.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

from ragforge_memory.errors import GraphError

Version = tuple[int, ...]

_NAME = re.compile(r"^// (name|part): (\w+)\s*$")
_INCLUDE = re.compile(r"^ *// include: (\w+)$", re.M)
_REQUIRES = re.compile(r"^// requires: ([\d.]+)\s*$")
_PLACE = re.compile(r"\{\{(\w+)\}\}")
_SAFE_NAME = re.compile(r"\w+", re.ASCII)
_PARAMETER = re.compile(r"\$(\w+)", re.ASCII)


_DRIVERS_LOG = logging.getLogger("neo4j.io")

GIVEN = "given"
"""The one parameter that a statement is sent with."""


class _Parameters(dict[str, Any]):
    """Parameters that the driver writes into its log where that is read: it spells them out for each statement, read
    or not, which for a thousand messages takes as long as sending them."""

    def __repr__(self) -> str:
        return super().__repr__() if _DRIVERS_LOG.isEnabledFor(logging.DEBUG) else "{…}"


@dataclass(frozen=True)
class Statement:
    """One statement as a server of version ``requires`` and later runs it."""

    name: str
    text: str
    requires: Version = ()
    autocommit: bool = False
    file: str = ""
    part: bool = False
    at_once: bool = False

    @cached_property
    def parameters(self) -> frozenset[str]:
        """The names of its parameters."""
        return frozenset(_PARAMETER.findall(self.text))

    @cached_property
    def nested(self) -> Statement:
        """The same with its parameters in one map, without comments and indentation, as it is sent."""
        lines = [line.strip() for line in self.text.splitlines()]
        text = "\n".join(line for line in lines if line and not line.startswith("//"))
        return replace(self, text=_PARAMETER.sub(rf"${GIVEN}.\1", text))

    def given(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters as `nested` takes them.

        Raises:
            GraphError: one is missing; in a map that would be null to Neo4j, and no error.
        """
        if missing := self.parameters - parameters.keys():
            raise GraphError(f"statement {self.name} was not given {', '.join(sorted(missing))}")
        return {GIVEN: _Parameters(parameters)}

    def filled(self, names: Mapping[str, str]) -> str:
        """The text with each ``{{NAME}}`` replaced.

        Raises:
            GraphError: a name is missing or is not made of letters, digits and underscores alone.
        """

        def fill(match: re.Match[str]) -> str:
            value = names.get(match.group(1))
            if value is None or not _SAFE_NAME.fullmatch(value):
                raise GraphError(f"statement {self.name} needs a plain name for {match.group(1)}, not {value!r}")
            return value

        return _PLACE.sub(fill, self.text)


def parse_version(text: str) -> Version:
    """``2026.09.0`` as (2026, 9, 0); parts that are not numbers end it."""
    numbers = []
    for part in text.split("."):
        digits = re.match(r"\d+", part)
        if digits is None:
            break
        numbers.append(int(digits.group()))
    return tuple(numbers)


def cypher_directory() -> Path:
    """Where the statements are: inside the installed package, or at the root of the checkout."""
    package = Path(__file__).resolve().parent.parent
    for candidate in (package / "cypher", package.parent / "cypher"):
        if candidate.is_dir():
            return candidate
    raise GraphError("the cypher/ directory is missing from this installation", hint="reinstall ragforge-memory")


def parse_statements(text: str, *, file: str = "") -> Iterator[Statement]:
    """The statements and parts of one file, in order."""
    name, part = "", False
    requires: Version = ()
    autocommit = at_once = False
    body: list[str] = []

    def finished() -> Iterator[Statement]:
        statement = "\n".join(body).strip().rstrip(";").rstrip()
        if name and not statement:
            raise GraphError(f"{file}: statement {name} is empty")
        if name:
            yield Statement(name, statement, requires, autocommit, file, part, at_once)

    for line in text.splitlines():
        if match := _NAME.match(line):
            yield from finished()
            part, name = match.group(1) == "part", match.group(2)
            requires, autocommit, at_once, body = (), False, False, []
        elif match := _REQUIRES.match(line):
            requires = parse_version(match.group(1))
        elif line.strip() == "// autocommit":
            autocommit = True
        elif line.strip() == "// at once":
            at_once = True
        elif not line.startswith("//") or _INCLUDE.match(line):
            body.append(line)
    yield from finished()


@cache
def all_statements() -> dict[str, tuple[Statement, ...]]:
    """Every named statement: name → its variants, the newest server's first."""
    found: dict[str, list[Statement]] = {}
    parts: dict[str, str] = {}
    for path in sorted(cypher_directory().glob("*.cypher")):
        for statement in parse_statements(path.read_text(encoding="utf-8"), file=path.name):
            if not statement.part:
                found.setdefault(statement.name, []).append(statement)
            elif parts.setdefault(statement.name, statement.text) != statement.text:
                raise GraphError(f"the part {statement.name} is there twice")
    for name, variants in found.items():
        files = {variant.file for variant in variants}
        versions = [variant.requires for variant in variants]
        if len(files) > 1 or len(set(versions)) < len(versions):
            raise GraphError(f"the statement name {name} is used twice ({', '.join(sorted(files))})")
    return {
        name: tuple(
            sorted((_whole(each, parts) for each in variants), key=lambda variant: variant.requires, reverse=True)
        )
        for name, variants in found.items()
    }


def _whole(statement: Statement, parts: Mapping[str, str]) -> Statement:
    """The statement with its parts in it."""

    def part(match: re.Match[str]) -> str:
        if match.group(1) not in parts:
            raise GraphError(f"statement {statement.name} includes {match.group(1)}, which no file has")
        return _INCLUDE.sub(part, parts[match.group(1)])

    return replace(statement, text=_INCLUDE.sub(part, statement.text))


def statement_for(name: str, server: Version) -> Statement:
    """The variant of a named statement that a server of this version runs.

    Raises:
        GraphError: there is no such name, or no variant for so old a server.
    """
    variants = all_statements().get(name)
    if variants is None:
        raise GraphError(f"there is no statement named {name}")
    for variant in variants:
        if variant.requires <= server:
            return variant
    needed = ".".join(map(str, variants[-1].requires))
    raise GraphError(f"{name} needs Neo4j {needed} or later", hint="upgrade the Neo4j server")
