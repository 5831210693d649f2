"""Embedding spaces: whose vectors stand in which property, and the guard that keeps models apart.

A space is (model, dimension). The first space of a server uses the property ``embedding``, the n-th ``embedding_n``,
each with indexes of its own; ``:RagforgeMeta`` says which space a project uses. A vector of a wrong dimension is
stored by Neo4j without an error and never found, so a space checks what is written through it.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragforge_memory.errors import EmbeddingMismatch, GraphError, GraphTimeout, SpaceMoved
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.failures import exists_already
from ragforge_memory.graph.retries import Pauses, repeat

log = logging.getLogger(__name__)

# Seconds that a drop may wait for those who write to a label.
_DROP_TIMEOUT = 10.0

# To make an index takes a lock on its label, which waits for every open write there, and whoever comes later waits
# behind it. So it waits for some seconds at a time and lets the others pass in between, for about two minutes in all.
_TURN = 5.0
_LET_PASS: Pauses = {"wait_initial": 1.0, "wait_max": 1.0, "wait_jitter": 0.0}
_TURNS = 20

# How far two floats of 32 bits that stand for the same may be apart, in a cosine.
_ROUNDING = 1e-6


def cosine_of_score(score: float) -> float:
    """The cosine for which Neo4j scores (1 + cosine) / 2; what is 1 but for its rounding to 32 bits is 1."""
    cosine = 2 * score - 1
    return 1.0 if cosine > 1 - _ROUNDING else cosine


@dataclass(frozen=True, slots=True)
class Space:
    """Where the vectors of one model are: the property's name and the names of its indexes.

    Args:
        dimension: floats in each vector.
        number: from 1; which property and indexes are this model's.
    """

    model: str
    dimension: int
    number: int

    @property
    def key(self) -> str:
        """What the server calls it."""
        return f"space/{self.model}/{self.dimension}"

    @property
    def conversation_property(self) -> str:
        """The vector property of conversations: that of their summary, before the first one of title and message."""
        return self._numbered("summary_embedding")

    @property
    def message_index(self) -> str:
        """The vector index of messages."""
        return self._numbered("message_embedding_index")

    @property
    def scope_index(self) -> str:
        """The vector index of scopes."""
        return self._numbered("scope_embedding_index")

    @property
    def conversation_index(self) -> str:
        """The vector index of conversations."""
        return self._numbered("conversation_summary_embedding_index")

    @property
    def summary_index(self) -> str:
        """The vector index of summaries."""
        return self._numbered("summary_embedding_index")

    @property
    def memory_index(self) -> str:
        """The vector index of memories."""
        return self._numbered("memory_embedding_index")

    @property
    def chunk_index(self) -> str:
        """The vector index of chunks of documents."""
        return self._numbered("chunk_embedding_index")

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

    # The last member: below it in this class, the name no longer means the decorator.
    @property
    def property(self) -> str:
        """The vector property of messages, scopes, summaries, memories and chunks."""
        return self._numbered("embedding")


async def find_space(client: GraphClient, project: str) -> Space | None:
    """The space that a project's vectors are in, or None where nothing of it was ever embedded; makes nothing."""
    rows = await client.read("chosen_space", project_key=f"project/{project}")
    return Space(rows[0]["model"], int(rows[0]["dimension"]), int(rows[0]["number"])) if rows else None


async def open_space(client: GraphClient, project: str, model: str, dimension: int) -> Space:
    """The space of a project's vectors; made, with its indexes, where model or project are new.

    A project of which nothing is embedded yet changes its model freely.

    Args:
        model: the embedder's model: whatever names the vectors' origin for good.
        dimension: floats in a vector.

    Raises:
        EmbeddingMismatch: the project's vectors come from another model or have another dimension.
    """
    project_key, space_key = f"project/{project}", f"space/{model}/{dimension}"
    row = (await client.read("space_of_project", project_key=project_key, space_key=space_key))[0]
    if row["model"] is not None and (row["model"], row["dimension"]) != (model, dimension):
        await _leave(client, project)
        row = {**row, "model": None}
    if row["model"] is None or row["number"] is None:
        row = (
            await client.write(
                "claim_space",
                timeout=PATIENT_TIMEOUT,
                project_key=project_key,
                space_key=space_key,
                project=project,
                model=model,
                dimension=dimension,
                least=await _first_free_number(client, dimension) if row["number"] is None else 1,
            )
        )[0]
    if (row["model"], row["dimension"]) != (model, dimension):
        raise _mismatch(project, row["model"], row["dimension"], f"{model} ({dimension})")
    return await _with_indexes(client, Space(model, dimension, int(row["number"])), ready=row["ready"])


async def prepare_space(client: GraphClient, model: str, dimension: int) -> Space:
    """A space with its indexes, for a project that still has its vectors in another one."""
    row = (
        await client.write(
            "number_space",
            timeout=PATIENT_TIMEOUT,
            space_key=Space(model, dimension, 0).key,
            model=model,
            dimension=dimension,
            least=await _first_free_number(client, dimension),
        )
    )[0]
    return await _with_indexes(client, Space(model, dimension, int(row["number"])), ready=row["ready"])


async def _with_indexes(client: GraphClient, space: Space, *, ready: bool) -> Space:
    if not ready:
        await _make_indexes(client, space)
    return space


async def retire_space(client: GraphClient, space: Space) -> bool:
    """Drops the indexes of a space that no project uses; returns whether they are gone.

    A busy server may not let them go within 10 s: they are empty and harm nobody, and `retire_spaces` tries again.
    """
    retired = await client.write("retire_space", timeout=PATIENT_TIMEOUT, space_key=space.key)
    if not retired:
        return False
    try:
        for _, index in _names(space).values():
            if space.number > 1 or index in retired[0]["made"]:
                await client.autocommit("drop_vector_index", timeout=_DROP_TIMEOUT, names={"index": index})
    except (GraphTimeout, GraphError) as error:
        log.info("the indexes of %s are left for now: %s", space.model, error)
        dropped = False
    else:
        dropped = bool(await client.write("space_dropped", timeout=PATIENT_TIMEOUT, space_key=space.key))
    # Whoever has chosen it meanwhile may have found the old indexes still there.
    if not await client.write("retire_space", timeout=PATIENT_TIMEOUT, space_key=space.key):
        await _make_indexes(client, space)
        return False
    if dropped:
        await client.write("space_dropped", timeout=PATIENT_TIMEOUT, space_key=space.key)
    return dropped


async def retire_spaces(client: GraphClient) -> None:
    """Drops the indexes of spaces that no project uses any more and that could not be dropped before."""
    for row in await client.read("retired_spaces", timeout=PATIENT_TIMEOUT):
        await retire_space(client, Space(row["model"], int(row["dimension"]), int(row["number"])))


async def _make_indexes(client: GraphClient, space: Space) -> None:
    known = {row["name"] for row in await client.autocommit("vector_indexes")}
    for label, (vector_property, index) in _names(space).items():
        names = {"index": index, "property": vector_property, "dimension": str(space.dimension)}
        await _made(client, label, names)
    await client.autocommit("await_indexes", timeout=130)
    made = [index for _, index in _names(space).values() if index not in known]
    await client.write("space_ready", timeout=PATIENT_TIMEOUT, space_key=space.key, made=made)


async def _made(client: GraphClient, label: str, names: dict[str, str]) -> None:
    async def once() -> None:
        try:
            await client.autocommit(f"create_{label.lower()}_vector_index", timeout=_TURN, names=names)
        except GraphError as error:
            if not exists_already(error):
                raise

    await repeat(once, on=lambda error: isinstance(error, GraphTimeout), attempts=_TURNS, pauses=_LET_PASS)


def _names(space: Space) -> dict[str, tuple[str, str]]:
    """Label → (property, index) of everything that has vectors."""
    return {
        "Message": (space.property, space.message_index),
        "Scope": (space.property, space.scope_index),
        "Conversation": (space.conversation_property, space.conversation_index),
        "Summary": (space.property, space.summary_index),
        "Memory": (space.property, space.memory_index),
        "Chunk": (space.property, space.chunk_index),
    }


async def _leave(client: GraphClient, project: str) -> None:
    """Takes a project that has no vectors out of the space that it chose before.

    Raises:
        EmbeddingMismatch: it has some.
    """
    space = await find_space(client, project)
    if space is None:
        return
    found = await client.read(
        "project_has_vectors",
        timeout=PATIENT_TIMEOUT,
        project=project,
        property=space.property,
        conversation_property=space.conversation_property,
    )
    if found[0]["used"]:
        raise _mismatch(project, space.model, space.dimension, "the configured model")
    await client.write("leave_space", project_key=f"project/{project}", model=space.model, dimension=space.dimension)


async def _first_free_number(client: GraphClient, dimension: int) -> int:
    """The first number after ours whose names and property nobody else has taken: other tools have indexes of these
    names, and vectors in these properties, too."""
    taken = await client.autocommit("vector_indexes")
    number = int((await client.read("last_space", timeout=PATIENT_TIMEOUT))[0]["number"]) + 1
    while True:
        space = Space("", dimension, number)
        if not any(_in_the_way(index, space) for index in taken):
            found = await client.read(
                "other_vectors", timeout=PATIENT_TIMEOUT, property=space.property, dimension=dimension
            )
            if not found[0]["found"]:
                return number
        number += 1


def _in_the_way(index: dict[str, Any], space: Space) -> bool:
    """Whether a vector index has a name or a place of this space's without being the one that belongs there."""
    for label, (vector_property, name) in _names(space).items():
        same_name = index["name"] == name
        same_place = (index["label"], index["property"]) == (label, vector_property)
        if (same_name or same_place) and not (same_name and same_place and index["dimension"] == space.dimension):
            return True
    return False


def how_to_return(model: str, dimension: int) -> str:
    """What to do where a project's vectors are another model's than the configured one."""
    return (
        f"set {settings_of(model, dimension)} again; "
        "or run `ragforge reembed` (agent.reembed()) to have all vectors made anew by the configured model"
    )


def settings_of(model: str, dimension: int) -> str:
    """The settings that name a model."""
    provider, _, name = model.partition(":")
    told = f"provider {provider}, model {name}" if provider and name else f"model {model}"
    return f"agent.memory.embeddings to {told}, dimension {dimension}"


def _mismatch(project: str, model: str, dimension: int, wanted: str) -> EmbeddingMismatch:
    return EmbeddingMismatch(
        f"the vectors of the project {project or '(none)'!r} come from {model} ({dimension} dimensions), "
        f"not from {wanted}",
        hint=how_to_return(model, dimension),
    )


Follow = Callable[[Space], Awaitable[None]]


class SpaceInUse:
    """One space for all stores of a process, which is told when the project's vectors have moved.

    Nobody asks for that: every statement that reads or writes vectors is told the space that it is meant for, reads in
    the same breath which one the project's is, and says where they differ.

    Args:
        space: the project's space; None: nothing is found by meaning here, and no vector is stored.
    """

    def __init__(self, space: Space | None) -> None:
        self.space = space
        self.follow: Follow | None = None
        """Awaited once with the space that was left; afterwards ``space`` is another one, or None."""

    @classmethod
    def of(cls, space: Space | SpaceInUse | None) -> SpaceInUse:
        """The same, or one that is always this space."""
        return space if isinstance(space, SpaceInUse) else cls(space)

    async def left(self, space: Space) -> SpaceMoved:
        """Goes along with a project whose vectors are not in this space any more; returns the error to be raised."""
        if self.space == space and self.follow is not None:
            await self.follow(space)
        return moved(space)

    async def read(
        self,
        name: str,
        /,
        client: GraphClient,
        space: Space,
        *,
        names: Mapping[str, str] | None = None,
        **parameters: Any,
    ) -> list[dict[str, Any]]:
        """Runs a statement that looks among the vectors of a space; see `GraphClient.read`.

        Args:
            name: the statement; its rows say ``moved``.
            space: whose vectors, and whose model made the vector that is looked for.
            names, parameters: as there; ``project`` is among the parameters.

        Raises:
            SpaceMoved: the project's vectors are in another space by now; this process has gone along.
        """
        try:
            rows = await client.read(name, names=names, **in_space(space), **parameters)
        except GraphError:
            # The index of a space that nobody uses any more is dropped: then the statement cannot even be planned.
            if await find_space(client, parameters["project"]) == space:
                raise
            raise await self.left(space) from None
        if rows and rows[0]["moved"]:
            raise await self.left(space)
        return rows


def in_space(space: Space) -> dict[str, Any]:
    """The parameters by which a statement tells whether a space is still the project's."""
    return {"space_model": space.model, "space_dimension": space.dimension}


def stored(rows: list[dict[str, Any]], space: Space) -> int:
    """How many vectors a write has stored.

    Raises:
        SpaceMoved: none, since the project's vectors are in another space by now; what waits goes on waiting.
    """
    if rows[0]["moved"]:
        raise moved(space)
    return int(rows[0]["stored"])


def moved(space: Space) -> SpaceMoved:
    """The error for a space that is the project's no more."""
    return SpaceMoved(
        f"the project's vectors are not those of {space.model} ({space.dimension} dimensions) any more",
        hint="set agent.memory.embeddings to the model that `ragforge doctor` names, or "
        "`ragforge reembed` (agent.reembed()) back",
    )
