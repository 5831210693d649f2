"""Conversations: to list, to read, to search, to change, to export and to import."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query
from starlette.background import BackgroundTask
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response

from ragforge_memory.models.code import CodeReference
from ragforge_memory.models.context import ContextReceipt, Snapshot
from ragforge_memory.models.conversation import (
    ContextStrategy,
    ConversationContext,
    ConversationInfo,
    ConversationStatus,
    Message,
    Page,
    Role,
    ScoredMessage,
    ToolCall,
)
from ragforge_memory.models.decisions import Decision
from ragforge_memory.models.imports import ImportReport, OnConflict
from ragforge_memory.server.bodies import (
    AnswerMessage,
    Asked,
    CodeReferences,
    ConversationChanges,
    Cursor,
    Limit,
    Name,
    NewConversation,
    Time,
)
from ragforge_memory.server.errors import check_body, documented
from ragforge_memory.server.state import Agent, Conversation, State

router = APIRouter(tags=["conversations"])
uploads = APIRouter(tags=["conversations"])
_THERE = documented(404)


@router.get("/api/conversations")
async def list_conversations(
    agent: Agent,
    limit: Limit = 50,
    status: ConversationStatus | None = None,
    tag: Annotated[list[str] | None, Query(description="Those that have any of these.")] = None,
    cursor: Cursor = None,
) -> Page[ConversationInfo]:
    """Lists conversations, the newest first."""
    return await agent.list_conversations(limit, status=status, tags=tag, cursor=cursor)


@router.post("/api/conversations", status_code=201)
async def create_conversation(agent: Agent, new: NewConversation) -> ConversationInfo:
    """Begins a conversation; with a session id it is that session's, found or begun."""
    if new.session_id is not None:
        opened = await agent.open_conversation(new.session_id, new.title, new.tags, metadata=new.metadata)
        return opened.info
    return (await agent.create_conversation(new.title, new.tags, metadata=new.metadata)).info


@router.get("/api/conversations/similar")
async def find_similar_conversations(
    agent: Agent,
    query: Asked,
    limit: Limit = 5,
    min_score: Annotated[float | None, Query(ge=0, le=1)] = None,
) -> list[ConversationInfo]:
    """Finds conversations that are about something."""
    return await agent.find_similar_conversations(query, limit, min_score)


@router.get("/api/conversations/about")
async def conversations_about(
    agent: Agent,
    scope: Annotated[str, Query(min_length=1, max_length=2_000, pattern=r"\w", description="A name or a file.")],
    limit: Limit = 20,
) -> list[ConversationInfo]:
    """Finds conversations that talked about a definition or a file, under its name of then or of now."""
    return await agent.conversations_about(scope, limit=limit)


@router.get(
    "/api/conversations/export",
    response_class=FileResponse,
    responses={200: {"content": {"application/jsonl": {"schema": {"type": "string"}}}}},
)
async def export_all(agent: Agent, embeddings: bool = False) -> Response:
    """Gives all conversations and memories as JSON lines, which the import takes."""
    folder = await run_in_threadpool(tempfile.TemporaryDirectory, prefix="ragforge-export-")
    path = Path(folder.name) / "conversations.jsonl"
    try:
        await agent.export_all(path, embeddings=embeddings)
    except BaseException:
        folder.cleanup()
        raise
    return FileResponse(
        path, media_type="application/jsonl", filename=path.name, background=BackgroundTask(folder.cleanup)
    )


@uploads.post(
    "/api/conversations/import",
    openapi_extra={"requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {}}}}},
)
async def import_conversations(agent: Agent, request: Request, on_conflict: OnConflict = "skip") -> ImportReport:
    """Stores the conversations of a file: an export of ours, or one of another program's that is recognised."""
    with tempfile.TemporaryFile(prefix="ragforge-import-") as file:
        async for part in request.stream():
            await run_in_threadpool(file.write, part)
        check_body(file.tell())
        file.seek(0)
        return await agent.import_conversations(file, on_conflict)


@router.get("/api/messages/search")
async def search_messages(
    agent: Agent,
    query: Asked,
    limit: Limit = 10,
    role: Role | None = None,
    since: Time = None,
    until: Time = None,
    tag: Annotated[list[str] | None, Query()] = None,
    tool: Name = None,
) -> list[ScoredMessage]:
    """Finds messages in all conversations."""
    return await agent.search_messages(query, limit, role=role, since=since, until=until, tags=tag, tool=tool)


@router.get("/api/decisions")
async def list_decisions(
    agent: Agent,
    about: Name = None,
    doubtful: bool = False,
    since: Time = None,
    until: Time = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Page[Decision]:
    """Lists notes, decisions, rules and things to do, and whether they still hold."""
    return await agent.decisions(about, doubtful=doubtful, since=since, until=until, limit=limit, cursor=cursor)


@router.get("/api/conversations/{uuid}", responses=_THERE)
async def get_conversation(conversation: Conversation) -> ConversationInfo:
    """Gives a conversation: by its uuid, the start of it, its session or its title."""
    return conversation.info


@router.patch("/api/conversations/{uuid}", responses=_THERE)
async def change_conversation(conversation: Conversation, changes: ConversationChanges) -> ConversationInfo:
    """Changes its title, its tags or its status."""
    if changes.title is not None:
        await conversation.set_title(changes.title)
    if changes.tags is not None:
        await conversation.set_tags(changes.tags)
    if changes.status is not None:
        await (conversation.archive() if changes.status == "archived" else conversation.unarchive())
    return await conversation.refresh()


@router.delete("/api/conversations/{uuid}", status_code=204, responses=_THERE)
async def delete_conversation(conversation: Conversation) -> None:
    """Deletes it with all that hangs on it; what its branches share stays with them."""
    await conversation.delete()


@router.get("/api/conversations/{uuid}/messages", responses=_THERE)
async def get_messages(
    conversation: Conversation,
    limit: Limit = 50,
    before: Name = None,
    view: Annotated[
        Literal["all", "answers"], Query(description="`answers`: texts alone, without tool calls and thoughts.")
    ] = "all",
) -> list[Message] | list[AnswerMessage]:
    """Gives its newest messages, oldest first."""
    whole = view == "all"
    messages = await conversation.get_history(
        limit, before_message_id=before, include_tool_calls=whole, include_reasoning=whole
    )
    if whole:
        return messages
    return [
        AnswerMessage(id=each.uuid, role=each.role, content=each.content, timestamp=each.timestamp) for each in messages
    ]


@router.get("/api/conversations/{uuid}/tool-calls", responses=_THERE)
async def get_tool_calls(
    conversation: Conversation, tool: Name = None, success: bool | None = None, limit: Limit = 50
) -> list[ToolCall]:
    """Gives its tool calls with their results."""
    return await conversation.get_tool_calls(tool, success=success, limit=limit)


@router.get("/api/conversations/{uuid}/search", responses=_THERE)
async def search_history(
    conversation: Conversation,
    query: Asked,
    limit: Limit = 10,
    min_score: Annotated[float | None, Query(ge=0, le=1)] = None,
    role: Role | None = None,
    since: Time = None,
    until: Time = None,
    tool: Name = None,
) -> list[ScoredMessage]:
    """Finds messages of this conversation and of what it shares as a branch."""
    return await conversation.search_history(
        query, limit, min_score=min_score, role=role, since=since, until=until, tool=tool
    )


@router.get("/api/conversations/{uuid}/context", responses=_THERE)
async def build_context(
    conversation: Conversation,
    query: Annotated[str | None, Query(min_length=1, max_length=10_000, pattern=r"\S")] = None,
    strategy: ContextStrategy = "hybrid",
    recent_messages: Annotated[int, Query(ge=0, le=1_000)] = 5,
    relevant_messages: Annotated[int, Query(ge=0, le=1_000)] = 10,
    include_summary: bool = True,
    max_tokens: Annotated[int | None, Query(ge=1, le=10_000_000)] = None,
) -> ConversationContext:
    """Gives what a prompt of your own could hold of it."""
    return await conversation.build_context(
        strategy,
        recent_messages=recent_messages,
        relevant_messages=relevant_messages,
        include_summary=include_summary,
        query=query,
        max_tokens=max_tokens,
    )


@router.post("/api/conversations/{uuid}/summary", responses=_THERE)
async def summarize(conversation: Conversation, agent: Agent, state: State) -> dict[str, str]:
    """Makes a summary of it, stores it and gives it."""
    await state.turns.check_plan(await agent.open())
    return {"summary": await conversation.summarize()}


@router.get("/api/conversations/{uuid}/receipt", responses=_THERE)
async def get_receipt(conversation: Conversation, message_id: Name = None) -> ContextReceipt:
    """Says what an answer was given; the last one where none is named."""
    return await conversation.receipt(message_id)


@router.get("/api/conversations/{uuid}/as-of/{message_id}", responses=_THERE)
async def get_snapshot(conversation: Conversation, message_id: str) -> Snapshot:
    """Gives the conversation as it was at a message."""
    return await conversation.as_of(message_id)


@router.get("/api/conversations/{uuid}/code", responses=_THERE)
async def get_code(conversation: Conversation) -> list[CodeReference]:
    """Gives the code that it is about, and what became of it."""
    return await conversation.referenced_code()


@router.post("/api/conversations/{uuid}/code", responses=_THERE)
async def add_code(conversation: Conversation, references: CodeReferences) -> list[CodeReference]:
    """Ties a message to code."""
    return await conversation.reference_code(references.message_id, references.scopes, references.kind)


@router.get(
    "/api/conversations/{uuid}/export",
    response_model=dict[str, Any],
    responses={200: {"content": {"text/markdown": {"schema": {"type": "string"}}}}, **_THERE},
)
async def export(conversation: Conversation, format: Literal["json", "markdown"] = "json") -> Response:
    """Gives it as JSON, which the import takes, or as Markdown."""
    given: Any = await conversation.export(format=format)
    return Response(given, media_type="text/markdown") if format == "markdown" else JSONResponse(given)


@router.post("/api/conversations/{uuid}/cancel", responses=_THERE)
async def cancel(conversation: Conversation) -> dict[str, bool]:
    """Stops its turns that run in this process; what they had said is kept."""
    return {"cancelled": await conversation.cancel()}
