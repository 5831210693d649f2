"""The knowledge base: documents, their search, and how they come and go."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request

from ragforge_memory.models.conversation import Page
from ragforge_memory.models.knowledge import DocumentInfo, KnowledgeHit, KnowledgeReport
from ragforge_memory.server.bodies import NAMED, Asked, Cursor, Limit
from ragforge_memory.server.errors import Refusal, check_body, documented
from ragforge_memory.server.state import Agent, Caller

router = APIRouter(tags=["knowledge"])
uploads = APIRouter(tags=["knowledge"])

DocumentName = Annotated[
    str,
    Path(
        min_length=1,
        max_length=NAMED,
        pattern=r"\S",
        description="Its name; the end of it says the format: `guide.md`, `terms.pdf`, `faq.jsonl`.",
    ),
]


@router.get("/api/knowledge/search")
async def search_knowledge(agent: Agent, query: Asked, limit: Limit = 5) -> list[KnowledgeHit]:
    """Finds the parts of documents that bear on a question, each with its source and place."""
    return await agent.knowledge.search(query, limit)


@router.get("/api/knowledge/documents")
async def list_documents(agent: Agent, limit: Limit = 50, cursor: Cursor = None) -> Page[DocumentInfo]:
    """Lists the user's documents and the project's, by their source."""
    return await agent.knowledge.list(limit, cursor)


@uploads.put(
    "/api/knowledge/documents/{source:path}",
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {}}}}},
)
async def add_document(
    agent: Agent,
    access: Caller,
    request: Request,
    source: DocumentName,
    shared: Annotated[bool, Query(description="For everybody in the project; it takes more than an own key.")] = False,
) -> KnowledgeReport:
    """Takes a document in; one of the same name takes its place, and the same again does nothing."""
    access.check_writes()
    if shared and access.scope == "user":
        raise Refusal(403, "this key adds documents for its own user alone", hint="a key of scope others or admin may")
    content = await request.body()
    check_body(len(content))
    return await agent.knowledge.add(source, content, shared=shared)


@router.delete("/api/knowledge/documents/{source:path}", responses=documented(404))
async def remove_documents(agent: Agent, access: Caller, source: DocumentName) -> dict[str, int]:
    """Removes a document, or all below a folder, by its source or its uuid; an own key removes its user's alone."""
    return {"removed": await agent.knowledge.remove(source, shared=access.scope != "user")}
