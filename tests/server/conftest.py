"""A server in this process, on a port of its own, with a scripted model."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager, nullcontext
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.config.server import ServerConfig
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.keys import KeyStore
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.access import KeyScope
from ragforge_memory.models.owner import Owner
from ragforge_memory.server.app import create_app

MakeApp = Callable[..., FastAPI]


@dataclass(frozen=True)
class Running:
    """A server that runs, and a client of it."""

    url: str
    client: httpx2.AsyncClient
    app: FastAPI


Serve = Callable[..., AbstractAsyncContextManager[Running]]
MakeKey = Callable[..., Any]


class _Server(uvicorn.Server):
    def capture_signals(self) -> Any:
        """Leaves the signals to the tests."""
        return nullcontext()


@pytest.fixture(autouse=True)
def home(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A home of its own for each test, so that journals do not meet."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


@pytest.fixture
def user() -> str:
    """A user of this test alone."""
    return f"user-{uuid4().hex[:8]}"


@pytest.fixture
def make_app(neo4j_config: Neo4jConfig, owner: Owner, tmp_path: Any) -> MakeApp:
    """Makes the application; ``steps`` is what the model says, over and over."""

    def make(*steps: Any, asks_key: bool = False, neo4j: Neo4jConfig = neo4j_config, **config: Any) -> FastAPI:
        def agent() -> AsyncConversationAgent:
            settings = {"embed_messages": False, "recall_deadline_ms": 10_000, "enable_summarization": False}
            return AsyncConversationAgent(
                neo4j,
                llm_provider=ScriptedProvider(steps or ["An answer."], loop=True),
                config=ConversationConfig(**settings),
                user_id=owner.user_id,
                project=owner.project,
                root=tmp_path,
            )

        return create_app(agent, ServerConfig(**config), asks_key=asks_key)

    return make


@pytest.fixture
def serve(make_app: MakeApp) -> Serve:
    """Starts a server on a free port of loopback; arguments as `make_app` takes them."""

    @asynccontextmanager
    async def start(*steps: Any, key: str | None = None, **options: Any) -> AsyncIterator[Running]:
        app = make_app(*steps, **options)
        listening = socket.create_server(("127.0.0.1", 0))
        server = _Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=5))
        task = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            if task.done():
                await task
            await asyncio.sleep(0.02)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=60, trust_env=False) as client:
                yield Running(url, client, app)
        finally:
            server.should_exit = True
            with contextlib.suppress(asyncio.CancelledError):
                await task

    return start


@pytest.fixture
def make_key(neo4j_config: Neo4jConfig, owner: Owner) -> MakeKey:
    """Makes a key of the test's project."""

    async def make(user_id: str, scope: KeyScope = "user") -> str:
        client = await connect(neo4j_config)
        try:
            _, text = await KeyStore(client, owner.project).create(user_id=user_id, scope=scope)
        finally:
            await client.aclose()
        return text

    return make
