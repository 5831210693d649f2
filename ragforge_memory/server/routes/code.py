"""The project's code in the graph."""

from __future__ import annotations

from fastapi import APIRouter

from ragforge_memory.models.code import IngestReport
from ragforge_memory.server.errors import documented
from ragforge_memory.server.state import Caller, State

router = APIRouter(tags=["code"])


@router.post("/api/code/ingest", responses=documented(403, 409))
async def ingest(state: State, access: Caller, full: bool = False) -> IngestReport:
    """Reads the project's code again where it has changed; it takes an administrator's key."""
    access.check_admin()
    return await state.hub.first.ingest(full=full)
