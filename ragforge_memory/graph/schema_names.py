"""Whether the indexes and constraints of the schema are there: where another tool has one of the same name,
``IF NOT EXISTS`` makes none and says nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ragforge_memory.errors import GraphError
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient

_MADE = re.compile(
    r"\w+ (CONSTRAINT|INDEX|FULLTEXT INDEX) (\w+) IF NOT EXISTS FOR \(n:([\w|]+)\)(.*?)(?:OPTIONS|$)", re.S
)
_FULLTEXT = "FULLTEXT INDEX"


class _Wanted(NamedTuple):
    kind: str
    name: str
    labels: list[str]
    properties: list[str]

    def is_among(self, indexes: list[dict[str, Any]]) -> bool:
        """Whether one of the indexes is this one, or does the same."""
        return any(self._is_met_by(index) for index in indexes)

    def _is_met_by(self, index: dict[str, Any]) -> bool:
        """Whether an index does what this one is for. Full text is asked for by its name; of the others any will do."""
        if (sorted(index["labels"]), index["properties"]) != (sorted(self.labels), self.properties):
            return False
        if self.kind == _FULLTEXT:
            return bool(index["type"] == "FULLTEXT" and index["name"] == self.name)
        return index["type"] == "RANGE" and (self.kind == "INDEX" or index["constraint"] is not None)


async def missing(client: GraphClient, statements: Iterable[str]) -> list[str]:
    """Those of the statements whose index or constraint is not there."""
    indexes = await _indexes(client)
    return [text for text in statements if (wanted := _wanted(text)) and not wanted.is_among(indexes)]


async def check_names(client: GraphClient, statements: Iterable[str]) -> None:
    """Compares what is there with what the schema needs.

    Raises:
        GraphError: an index or a constraint is not there, mostly since another tool has one where it belongs.
    """
    indexes = await _indexes(client)
    for statement in statements:
        wanted = _wanted(statement)
        if wanted is not None and not wanted.is_among(indexes):
            constraints = await client.autocommit("schema_constraints", timeout=PATIENT_TIMEOUT)
            raise _clash(statement, wanted, indexes, constraints)


async def _indexes(client: GraphClient) -> list[dict[str, Any]]:
    return await client.autocommit("schema_indexes", timeout=PATIENT_TIMEOUT)


def _wanted(statement: str) -> _Wanted | None:
    made = _MADE.match(statement)
    if made is None:
        return None
    kind, name, labels, properties = made.groups()
    return _Wanted(kind, name, labels.split("|"), re.findall(r"n\.(\w+)", properties))


def under_own_name(statement: str) -> str | None:
    """The statement with a name that no other tool has; None for full text, which is asked for by its name."""
    wanted = _wanted(statement)
    if wanted is None or wanted.kind == _FULLTEXT:
        return None
    return statement.replace(f" {wanted.name} ", f" ragforge_{wanted.name} ", 1)


def _clash(
    statement: str, wanted: _Wanted, indexes: list[dict[str, Any]], constraints: list[dict[str, Any]]
) -> GraphError:
    needed = f"{wanted.kind.lower()} {wanted.name} on :{'|'.join(wanted.labels)} ({', '.join(wanted.properties)})"
    others = [
        *(("CONSTRAINT", row) for row in constraints),
        *(("INDEX", row) for row in indexes if row["constraint"] is None),
    ]
    for kind, row in others if wanted.kind == _FULLTEXT else ():
        same_place = (sorted(row["labels"]), row["properties"]) == (sorted(wanted.labels), wanted.properties)
        if row["name"] == wanted.name or (same_place and row["type"] == "FULLTEXT"):
            there = f"{row['name']} on :{'|'.join(row['labels'])} ({', '.join(row['properties'])})"
            return GraphError(
                f"the {needed} cannot be made: another tool has the {kind.lower()} {there}",
                hint=f"give that one another name (DROP {kind} `{row['name']}`, then make it anew under its new name) "
                "and start again",
            )
    return GraphError(f"the {needed} is missing", hint=f"make it: {under_own_name(statement) or statement}")
