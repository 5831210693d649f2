"""Embedding spaces: whose vectors stand in which property, and the guard that keeps models apart.

A space is (model, dimension). The first space of a server uses the property ``embedding``, the n-th ``embedding_n``,
each with indexes of its own; ``:RagforgeMeta`` says which space a project uses. A vector of a wrong dimension is
stored by Neo4j without an error and never found, so a space checks what is written through it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ragforge_memory.errors import EmbeddingMismatch
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient


@dataclass(frozen=True, slots=True)
class Space:
    """Where the vectors of one model are: the property's name and the names of its indexes."""

    model: str
    dimension: int
    number: int

    @property
    def property(self) -> str:
        """The vector property of messages and scopes."""
        return self._numbered("embedding")

    @property
    def message_index(self) -> str:
        """The vector index of messages."""
        return self._numbered("message_embedding_index")

    @property
    def scope_index(self) -> str:
        """The vector index of scopes."""
        return self._numbered("scope_embedding_index")

    def check(self, vectors: Iterable[Sequence[float]]) -> None:
        """Refuses vectors that this space's indexes would never find.

        Raises:
            EmbeddingMismatch: one has another dimension.
        """
        for vector in vectors:
            if len(vector) != self.dimension:
                raise EmbeddingMismatch(
                    f"a vector of {len(vector)} dimensions does not belong into the space of {self.model} "
                    f"({self.dimension} dimensions)",
                    hint="check agent.memory.embeddings",
                )

    def _numbered(self, name: str) -> str:
        return name if self.number == 1 else f"{name}_{self.number}"


async def open_space(client: GraphClient, project: str, model: str, dimension: int) -> Space:
    """The space of a project's vectors; made, with its indexes, where model or project are new.

    Args:
        client: the graph.
        project: the project's name; '' for none.
        model: ``provider:model`` or whatever names the vectors' origin for good.
        dimension: floats in a vector.

    Raises:
        EmbeddingMismatch: the project's vectors come from another model or have another dimension.
    """
    keys = {"project_key": f"project/{project}", "space_key": f"space/{model}/{dimension}"}
    row = (await client.read("space_of_project", **keys))[0]
    if row["model"] is None or row["number"] is None:
        row = (
            await client.write(
                "claim_space", timeout=PATIENT_TIMEOUT, project=project, model=model, dimension=dimension, **keys
            )
        )[0]
    if (row["model"], row["dimension"]) != (model, dimension):
        raise EmbeddingMismatch(
            f"the vectors of the project {project or '(none)'!r} come from {row['model']} ({row['dimension']} "
            f"dimensions), not from {model} ({dimension})",
            hint=f"set agent.memory.embeddings back to {row['model']}, or use another project name",
        )
    space = Space(model, dimension, int(row["number"]))
    if not row["ready"]:
        for kind, index in (("message", space.message_index), ("scope", space.scope_index)):
            names = {"index": index, "property": space.property, "dimension": str(dimension)}
            await client.autocommit(f"create_{kind}_vector_index", names=names)
        await client.autocommit("await_indexes", timeout=130)
        await client.write("space_ready", timeout=PATIENT_TIMEOUT, space_key=keys["space_key"])
    return space
