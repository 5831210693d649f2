"""The application: routes, gate and errors put together, opened and closed with its process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Annotated, Any

from fastapi import Depends, FastAPI
from fastapi.security import HTTPBearer
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragforge_memory.api.agent import AsyncConversationAgent
from ragforge_memory.config.server import ServerConfig
from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.keys import KeyStore
from ragforge_memory.models.access import ApiKey
from ragforge_memory.server import errors
from ragforge_memory.server.gate import Gate
from ragforge_memory.server.hub import Hub
from ragforge_memory.server.metrics import ServerMetrics
from ragforge_memory.server.routes import (
    branches,
    chat,
    code,
    conversations,
    health,
    knowledge,
    memories,
    openai,
    users,
)
from ragforge_memory.server.state import ServerState, state_of
from ragforge_memory.server.turns import Turns

log = logging.getLogger(__name__)

_OPEN_AGAIN_SECONDS = 2.0

# Only described here: the gate has read the key before a route is found.
_bearer = HTTPBearer(auto_error=False, description="`rf_…`, made by `ragforge keys create`")

_UPLOADS = (conversations.uploads, knowledge.uploads)
_GUARDED = (
    chat.router,
    conversations.router,
    branches.router,
    memories.router,
    code.router,
    knowledge.router,
    users.router,
    users.admin,
)


def create_app(
    agent: Callable[[], AsyncConversationAgent], config: ServerConfig | None = None, *, asks_key: bool = False
) -> FastAPI:
    """Makes the application.

    Args:
        agent: makes the first agent, whose connection, model and embedder all others use; its user is who comes
            without a key.
        config: the block ``server`` of the configuration.
        asks_key: whether a key is needed, as it is on every address but loopback.
    """
    config = config or ServerConfig()
    metrics = ServerMetrics()
    first = agent()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        hub, turns = Hub(first, config.max_agents), Turns(config, metrics)

        async def open_state() -> None:
            services = await first.open()
            keys = KeyStore(services.stores.graph, services.place.owner.project)
            app.state.server = ServerState(hub, turns, keys, metrics)

        async def open_later() -> None:
            while app.state.server is None:
                await asyncio.sleep(_OPEN_AGAIN_SECONDS)
                with contextlib.suppress(GraphUnavailable):
                    await open_state()

        waiting: asyncio.Task[None] | None = None
        try:
            await open_state()
        except GraphUnavailable as error:
            # A worker that ended here would take the whole server with it, while others do without the graph.
            log.warning("%s; requests are refused until it is there", error)
            waiting = asyncio.create_task(open_later())
        try:
            yield
        finally:
            if waiting is not None:
                waiting.cancel()
            app.state.server = None
            await turns.aclose()
            await hub.aclose()

    async def verify(text: str) -> ApiKey | None:
        return await state_of(app).keys.verify(text)

    app = _Application(
        title="ragforge",
        version=version("ragforge-memory"),
        summary="The memory of a code agent, kept in a Neo4j graph.",
        lifespan=lifespan,
        max_body_size=config.max_body_bytes,
        responses=errors.documented(503),
    )
    app.state.server, app.state.config = None, config
    errors.install(
        app, [route for router in (*_UPLOADS, *_GUARDED, openai.router, health.router) for route in router.routes]
    )
    refusals = errors.documented(401, 403, 413, 422, 429)
    for router in _UPLOADS:
        app.include_router(
            router,
            dependencies=[Depends(_described)],
            responses=refusals,
            max_body_size=config.max_upload_bytes,
        )
    for router in _GUARDED:
        app.include_router(router, dependencies=[Depends(_described)], responses=refusals)
    app.include_router(
        openai.router,
        dependencies=[Depends(_described)],
        responses=errors.documented(401, 403, 413, 422, 429, 503, model=errors.OpenAIProblem),
    )
    app.include_router(health.router)
    app.add_middleware(
        Gate, config=config, verify=verify, asks_key=asks_key or config.require_key, user_id=first.user_id or ""
    )
    app.add_middleware(_Counted, metrics=metrics)
    if config.cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(config.cors_origins),
            allow_methods=["*"],
            allow_headers=["*"],
            expose_headers=[chat.SESSION_HEADER],
        )
    return app


class _Application(FastAPI):
    """Has the errors of the framework's outermost parts, the limit of a body among them, in our form too."""

    def build_middleware_stack(self) -> ASGIApp:
        config: ServerConfig = self.state.config
        return errors.OneForm(
            super().build_middleware_stack(), most=config.max_body_bytes, most_uploaded=config.max_upload_bytes
        )


async def _described(_: Annotated[Any, Depends(_bearer)]) -> None:
    """Says in the description that a key is sent."""


class _Counted:
    """Counts requests by their route, so that no uuid becomes a label."""

    def __init__(self, app: ASGIApp, *, metrics: ServerMetrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on and counts its status."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 499  # the client went before an answer began

        async def counted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, counted)
        except BaseException:
            status = 500
            raise
        finally:
            route = getattr(scope.get("route"), "path", "none")
            self._metrics.request(scope["method"], route, status)
