"""``POST /api/chat``: a message in, an answer out, whole or as a stream."""

from __future__ import annotations

import re
from contextlib import AsyncExitStack
from typing import Annotated
from uuid import NAMESPACE_URL, uuid5

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse
from starlette.requests import Request
from starlette.responses import Response

from ragforge_memory.api.agent import AsyncConversationAgent
from ragforge_memory.api.conversation import AsyncConversation
from ragforge_memory.models.conversation import AssistantResponse, Message
from ragforge_memory.server.bodies import ChatReply, ChatRequest
from ragforge_memory.server.errors import documented
from ragforge_memory.server.state import Caller, State
from ragforge_memory.server.turns import encode_event

router = APIRouter(tags=["chat"])

SESSION_HEADER = "X-Session-Id"
STREAM = {"text/event-stream": {"schema": {"type": "string"}}}
"""How the description says that an answer may come as events."""

IdempotencyKey = Annotated[
    str | None,
    Header(
        min_length=1,
        max_length=200,
        pattern=r"^[\x21-\x7e]+$",
        description="The same key with the same message again is the same turn: asked once, answered once.",
    ),
]


@router.post(
    "/api/chat",
    response_model=ChatReply,
    responses={200: {"content": STREAM}, **documented(409, 429, 502, 503, 504)},
)
async def chat(
    asked: ChatRequest, request: Request, state: State, access: Caller, idempotency_key: IdempotencyKey = None
) -> Response:
    """Says something in a session and gives the answer.

    With `Accept: text/event-stream` it comes as server-sent events, one for each event of the turn. A client that goes
    away cancels the turn; what was said until then is kept as a partial answer.
    """
    held = AsyncExitStack()
    async with AsyncExitStack() as opening:
        opening.push_async_callback(held.aclose)
        lent = await state.lend(access, asked.user_id, "POST /api/chat", held)
        services = await lent.agent.open()
        if idempotency_key is None:
            await state.turns.check_plan(services)
        session = asked.session_id
        if session is None and idempotency_key is not None:
            session = uuid5(NAMESPACE_URL, f"{lent.user_id}\0{idempotency_key}").hex
        conversation = await session_of(lent.agent, session)
        stream = (
            conversation.stream_message(asked.message, metadata=asked.metadata)
            if idempotency_key is None
            else await conversation.ask_once(asked.message, idempotency_key, metadata=asked.metadata)
        )
        if idempotency_key is not None and not isinstance(stream, Message):  # what was answered before costs nothing
            await state.turns.check_plan(services)
        opening.pop_all()
    name = conversation.session_id or conversation.uuid
    headers = {SESSION_HEADER: name} if re.fullmatch(r"[\x21-\x7e]+", name) else {}
    if "text/event-stream" in request.headers.get("accept", ""):
        return state.turns.respond(services, stream, held, encode_event, headers)
    response = await state.turns.answer(services, stream, request, held)
    return JSONResponse(_reply(response, name).model_dump(mode="json"), headers=headers)


async def session_of(agent: AsyncConversationAgent, session: str | None) -> AsyncConversation:
    """The conversation of a session: one that has this name or this uuid, else a new one."""
    if session is None:
        return await agent.create_conversation()
    exact = await agent.exact_conversation(session) if re.fullmatch("[0-9a-f]{32}", session) else None
    return exact or await agent.open_conversation(session)


def _reply(response: AssistantResponse, session_id: str) -> ChatReply:
    return ChatReply(
        reply=response.content,
        session_id=session_id,
        conversation_id=response.conversation_id,
        message_id=response.message_id,
        user_message_id=response.user_message_id,
        reasoning=response.reasoning,
        model=response.model,
        usage=response.usage,
        state=response.state,
        degraded=response.degraded,
    )
