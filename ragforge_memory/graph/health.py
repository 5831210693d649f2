"""What the graph knows of a project's state, for `ragforge doctor`."""

from __future__ import annotations

from dataclasses import dataclass

from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.reembedding import Moving, ReembeddingStore
from ragforge_memory.graph.spaces import Space, find_space
from ragforge_memory.models.owner import Owner


@dataclass(frozen=True, slots=True)
class ProjectHealth:
    """Counts of a project; messages are the owner's alone.

    Args:
        root: the folder that was ingested; None before the first ingest.
        commit: the commit that the graph knows.
        incomplete: whether the last ingest did not come to its end.
        scopes: scopes of files.
        embedded: of these, how many have a vector in the project's space.
        pending: scopes and messages that wait for a vector.
        failed: those whose embedding failed for good.
        space: where the project's vectors are; None where nothing was ever embedded.
        moving: how far they are on their way to another space.
    """

    root: str | None
    commit: str | None
    incomplete: bool
    scopes: int
    embedded: int
    pending: int
    failed: int
    space: Space | None
    moving: Moving


async def project_health(client: GraphClient, owner: Owner) -> ProjectHealth:
    """Looks a project over; seconds in a graph of millions, since nothing is kept for this.

    Raises:
        GraphUnavailable: the server is away.
    """
    space = await find_space(client, owner.project)
    (row,) = await client.read(
        "project_health",
        timeout=PATIENT_TIMEOUT,
        property=space.property if space else "embedding",
        user_id=owner.user_id,
        project=owner.project,
    )
    return ProjectHealth(
        root=row["root"],
        commit=row["commit"],
        incomplete=bool(row["incomplete"]),
        scopes=row["scopes"],
        embedded=row["embedded"],
        pending=row["pending_scopes"] + row["pending_messages"],
        failed=row["failed_scopes"] + row["failed_messages"],
        space=space,
        moving=await ReembeddingStore(client, owner.project).state(),
    )


async def database_birth(client: GraphClient) -> str:
    """The database's own id: it stays for the database's life, and another database has another one.

    Raises:
        GraphUnavailable: the server is away.
    """
    return str((await client.read("database_birth", timeout=PATIENT_TIMEOUT))[0]["id"])
