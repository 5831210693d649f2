"""Statements of a tool's own, on the database that the agent is on."""

from __future__ import annotations

from typing import Any

from ragforge_memory.graph.client import GraphClient

_TIMEOUT = 30.0


class OwnQueries:
    """Runs what a team's tools ask of the team's graph; see `tools.ports.GraphQueries`.

    Args:
        client: the agent's own.
    """

    def __init__(self, client: GraphClient) -> None:
        self._client = client

    async def query(self, text: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """The rows of a statement that only reads."""
        return await self._client.query(text, parameters, write=False, timeout=_TIMEOUT)

    async def change(self, text: str, /, **parameters: Any) -> list[dict[str, Any]]:
        """The rows of a statement that writes."""
        return await self._client.query(text, parameters, write=True, timeout=_TIMEOUT)
