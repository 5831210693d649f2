"""Whether the server works, and what it has done: for those who watch it."""

from __future__ import annotations

import asyncio
import logging

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.project_metrics import project_counts
from ragforge_memory.memory.metrics import metrics_of
from ragforge_memory.models.metrics import MemoryMetrics
from ragforge_memory.server.bodies import Health
from ragforge_memory.server.state import State

router = APIRouter(tags=["health"])
log = logging.getLogger(__name__)

_READY_SECONDS = 2.0


@router.get("/healthz")
async def healthz() -> Health:
    """Says that the process answers."""
    return Health(status="ok")


@router.get("/readyz", responses={503: {"model": Health, "description": "The graph is away"}})
async def readyz(request: Request) -> Response:
    """Says whether the graph answers; without it turns are kept on disk, and everything else has to wait."""
    state = getattr(request.app.state, "server", None)
    try:
        if state is None:
            return _away("the server is not open")
        async with asyncio.timeout(_READY_SECONDS):
            await (await state.hub.first.open()).stores.graph.contact()
    except (RagforgeError, TimeoutError) as error:
        return _away(str(error) or "the graph did not answer")
    return JSONResponse(Health(status="ok").model_dump())


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
async def metrics(state: State) -> Response:
    """Gives the metrics in Prometheus's form; without those of memory while the graph is away."""
    from prometheus_client import CONTENT_TYPE_LATEST

    memory: MemoryMetrics | None = None
    try:
        services = await state.hub.first.open()
        memory = metrics_of(*await project_counts(services.stores.graph, services.place.owner.project))
    except RagforgeError as error:
        log.warning("the metrics of memory cannot be read: %s", error)
    return Response(state.metrics.text(memory), media_type=CONTENT_TYPE_LATEST)


def _away(detail: str) -> JSONResponse:
    return JSONResponse(Health(status="away", detail=detail).model_dump(), status_code=503)
