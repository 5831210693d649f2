"""A server whose graph is not there yet."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from ragforge_memory import Neo4jConfig
from tests.agent.outages import Proxy

pytestmark = pytest.mark.anyio


@pytest.fixture
async def proxy(neo4j_config: Neo4jConfig) -> AsyncIterator[Proxy]:
    """Stands between the server and Neo4j, and is gone."""
    address = urlsplit(neo4j_config.uri)
    proxy = Proxy(address.hostname or "", address.port or 0)
    await proxy.serve()
    await proxy.end()
    yield proxy
    await proxy.end()


async def test_it_refuses_until_its_graph_is_there(
    make_app: Any, serve: Any, neo4j_config: Neo4jConfig, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.server.app._OPEN_AGAIN_SECONDS", 0.2)
    away = neo4j_config.model_copy(update={"uri": f"bolt://127.0.0.1:{proxy.port}"})
    async with serve(neo4j=away) as server:
        assert (await server.client.get("/healthz")).status_code == 200
        assert (await server.client.get("/readyz")).status_code == 503
        refused = await server.client.post("/api/chat", json={"message": "hello"})
        assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
        await proxy.recover()
        async with asyncio.timeout(60):
            while (await server.client.get("/readyz")).status_code != 200:  # noqa: ASYNC110 - of another process
                await asyncio.sleep(0.1)
        assert (await server.client.post("/api/chat", json={"message": "hello"})).status_code == 200
