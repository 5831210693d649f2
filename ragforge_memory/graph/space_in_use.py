"""The space that this process searches and fills, and what tells it that the project's vectors have moved.

Nobody asks for that: every statement that reads or writes vectors is told the space that it is meant for, reads in the
same breath which one the project's is, and says where they differ.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from ragforge_memory.errors import GraphError, SpaceMoved
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.spaces import Space, find_space

Follow = Callable[[Space], Awaitable[None]]


class SpaceInUse:
    """One space for all stores of a process.

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
            client: the graph.
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
