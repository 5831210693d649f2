"""What is remembered of all conversations."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from ragforge_memory.models.conversation import Page
from ragforge_memory.models.erasure import Erasure
from ragforge_memory.models.memory import (
    Fact,
    FactVersion,
    Memory,
    MemoryKind,
    RecalledMemory,
    RecallResult,
)
from ragforge_memory.models.metrics import MemoryMetrics
from ragforge_memory.server.bodies import Asked, Cursor, FactChange, Forgetting, Limit, NewFact, NewMemory
from ragforge_memory.server.errors import documented
from ragforge_memory.server.state import Agent, Caller, State

router = APIRouter(tags=["memories"])
_THERE = documented(404)


@router.get("/api/memories")
async def list_memories(
    agent: Agent,
    limit: Limit = 50,
    kind: Annotated[list[MemoryKind] | None, Query(description="Only of these kinds.")] = None,
    include_inactive: bool = False,
    cursor: Cursor = None,
) -> Page[Memory]:
    """Lists what is remembered, the newest first."""
    return await agent.memory.list(limit, kind, include_inactive, cursor)


@router.post("/api/memories", status_code=201)
async def add_memory(agent: Agent, access: Caller, new: NewMemory) -> Memory:
    """Remembers a note, a decision, a rule or something to do."""
    access.check_writes()
    return await agent.memory.add(new.text, new.kind)


@router.get("/api/memories/search")
async def search_memories(agent: Agent, query: Asked, limit: Limit = 10) -> list[RecalledMemory]:
    """Finds what is remembered about something."""
    return await agent.memory.search(query, limit)


@router.get("/api/memories/recall")
async def recall(
    agent: Agent, query: Asked, limit: Limit = 5, deadline_ms: Annotated[int, Query(ge=1, le=60_000)] = 50
) -> RecallResult:
    """Recalls what a turn would, within a deadline; for an agent loop of your own."""
    return await agent.recall(query, limit=limit, deadline_ms=deadline_ms)


@router.get("/api/memories/metrics")
async def get_metrics(agent: Agent) -> MemoryMetrics:
    """Says what the tools of memory have done for this user."""
    return await agent.memory.metrics()


@router.post("/api/memories/facts", status_code=201)
async def remember_fact(agent: Agent, access: Caller, new: NewFact) -> Fact:
    """Remembers a fact; another value of its type and key becomes the current one."""
    access.check_writes()
    return await agent.memory.remember_fact(new.type, new.key, new.value, new.confidence)


@router.get("/api/memories/facts")
async def recall_facts(
    agent: Agent,
    query: Annotated[str | None, Query(min_length=1, max_length=10_000, pattern=r"\S")] = None,
    type: Annotated[list[str] | None, Query(description="Only of these types.")] = None,
    min_confidence: Annotated[float | None, Query(ge=0, le=1)] = None,
    limit: Limit = 10,
    include_inactive: bool = False,
) -> list[Fact]:
    """Gives facts, the most certain and newest first."""
    return await agent.memory.recall_facts(query, type, min_confidence, limit, include_inactive)


@router.patch("/api/memories/facts/{memory_id}", responses=_THERE)
async def update_fact(agent: Agent, memory_id: str, change: FactChange) -> Fact:
    """Gives a fact another value; its history keeps the old one."""
    return await agent.memory.update_fact(memory_id, change.value, change.reason)


@router.get("/api/memories/{memory_id}", responses=_THERE)
async def get_memory(agent: Agent, memory_id: str) -> Memory:
    """Gives a memory, whatever became of it."""
    return await agent.memory.get(memory_id)


@router.get("/api/memories/{memory_id}/history", responses=_THERE)
async def get_history(agent: Agent, memory_id: str) -> list[FactVersion]:
    """Says what it said before, and why it changed."""
    return await agent.memory.history(memory_id)


@router.post("/api/memories/{memory_id}/forget", responses=_THERE)
async def forget(agent: Agent, memory_id: str, forgetting: Forgetting) -> Memory:
    """Hides it from everything but its history."""
    return await agent.memory.forget(memory_id, forgetting.reason)


@router.post("/api/memories/{memory_id}/restore", responses=_THERE)
async def restore(agent: Agent, memory_id: str) -> Memory:
    """Makes it hold again."""
    return await agent.memory.restore(memory_id)


@router.delete("/api/memories/{memory_id}", responses=_THERE)
async def erase(agent: Agent, memory_id: str, state: State, access: Caller) -> Erasure:
    """Forgets it for good, and gives a certificate."""
    certificate = await agent.memory.erase(memory_id)
    await state.record(access, agent.user_id or "", "erase memory", certificate.uuid)
    return certificate
