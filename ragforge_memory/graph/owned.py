"""What stores have in common: every statement is told whose data it is about."""

from __future__ import annotations

from typing import Any, ClassVar

from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.graph.text import owner_token
from ragforge_memory.models.owner import Owner


class OwnerStore:
    """Runs statements for one owner.

    Args:
        client: the graph.
        owner: whose data.
    """

    _timeout: ClassVar[float | None] = None
    """Of statements that name none: as a turn waits, or `PATIENT_TIMEOUT` where no user does."""

    def __init__(self, client: GraphClient, owner: Owner) -> None:
        self._client = client
        self._token = owner_token(owner.user_id, owner.project)
        self._owner: dict[str, Any] = {**owner.parameters, "owner_token": self._token}

    async def _read(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        return await self._client.read(name, **{"timeout": self._timeout, **parameters, **self._owner})

    async def _write(self, name: str, /, **parameters: Any) -> list[dict[str, Any]]:
        return await self._client.write(name, **{"timeout": self._timeout, **parameters, **self._owner})


class ProjectStore(OwnerStore):
    """Runs statements for a project, of whichever user; nobody waits for them.

    Args:
        client: the graph.
        project: its name; '' for none.
    """

    _timeout: ClassVar[float | None] = PATIENT_TIMEOUT

    def __init__(self, client: GraphClient, project: str) -> None:
        self._client = client
        self._project = project
        self._owner = {"project": project}
