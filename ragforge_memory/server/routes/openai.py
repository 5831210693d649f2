"""OpenAI's form of a chat, so that its clients talk to this server as they are."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import AsyncExitStack
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from ragforge_memory import events
from ragforge_memory.models.conversation import AssistantResponse, Usage
from ragforge_memory.server.bodies import NAMED, Line
from ragforge_memory.server.errors import Refusal, documented
from ragforge_memory.server.histories import home_of
from ragforge_memory.server.routes.chat import SESSION_HEADER, session_of
from ragforge_memory.server.state import Caller, State

router = APIRouter(tags=["openai"])

MODEL = "ragforge"
"""The agent, whichever model answers for it."""

_STREAM = {"text/event-stream": {"schema": {"type": "string"}}}
SessionId = Annotated[
    str | None,
    Header(
        alias=SESSION_HEADER,
        min_length=1,
        max_length=NAMED,
        pattern=r"\S",
        description="The conversation; without it, the messages say which.",
    ),
]


class _Given(BaseModel):
    """A part of a request, of which fields that are not used here are passed over."""

    model_config = ConfigDict(extra="ignore")


class Part(_Given):
    """A part of a message; only text is understood."""

    type: Literal["text"] = "text"
    text: str


class ChatMessage(_Given):
    """A message as OpenAI's clients send it."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None

    @property
    def plain(self) -> dict[str, Any]:
        """Its role and text."""
        text = self.content or ""
        if not isinstance(text, str):
            text = "".join(part.text for part in text)
        return {"role": "system" if self.role == "developer" else self.role, "content": text}


class StreamOptions(_Given):
    """What a stream has besides."""

    include_usage: bool = False


class CompletionRequest(_Given):
    """A chat as OpenAI's clients send it; the agent's settings decide what is not listed here."""

    model: Line
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=10_000)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    tools: list[dict[str, Any]] | None = None
    n: Annotated[int, Field(ge=1, le=1)] = 1


class ServedModel(BaseModel):
    """A model that can be asked for."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "ragforge"


class ServedModels(BaseModel):
    """The models that there are."""

    object: Literal["list"] = "list"
    data: list[ServedModel]


@router.get("/v1/models")
async def list_models(state: State) -> ServedModels:
    """Lists what ``model`` may be: the agent, or the model that answers for it."""
    services = await state.hub.first.open()
    return ServedModels(data=[ServedModel(id=MODEL), ServedModel(id=services.models.model_name)])


@router.post(
    "/v1/chat/completions",
    response_model=dict[str, Any],
    responses={200: {"content": _STREAM}, **documented(404, 409, 429, 502, 503, 504)},
)
async def complete(
    asked: CompletionRequest, request: Request, state: State, access: Caller, session_id: SessionId = None
) -> Response:
    """Answers the last message of a chat.

    The conversation is that of the session in the header, or the one of which the messages are the history: it goes on
    where they end, and becomes a branch where they end earlier. Tools are the agent's own.
    """
    if asked.tools:
        raise Refusal(400, "tools of a client are not run here", hint="leave tools out: the agent has its own")
    messages = [each.plain for each in asked.messages]
    held = AsyncExitStack()
    async with AsyncExitStack() as opening:
        opening.push_async_callback(held.aclose)
        lent = await state.lend(access, None, "POST /v1/chat/completions", held)
        services = await lent.agent.open()
        names = (MODEL, services.models.model_name)
        if asked.model not in names:
            raise Refusal(404, f"there is no model {asked.model!r}", hint=" or ".join(names))
        await state.turns.check_plan(services)
        if session_id is not None:
            conversation, question_id = await session_of(lent.agent, session_id), None
        else:
            home = await home_of(lent.agent, messages)
            conversation, question_id = home.conversation, home.question_id
        stream = conversation.stream_answer(messages[-1]["content"], message_id=question_id)
        opening.pop_all()
    headers = {SESSION_HEADER: conversation.uuid}
    if asked.stream:
        usage = asked.stream_options is not None and asked.stream_options.include_usage
        return state.turns.respond(services, stream, held, _encoder(asked.model, usage=usage), headers)
    response = await state.turns.answer(services, stream, request, held)
    return JSONResponse(_completion(response, asked.model), headers=headers)


def _completion(response: AssistantResponse, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": response.content}
    if response.reasoning:
        message["reasoning_content"] = response.reasoning
    return {
        "id": f"chatcmpl-{response.message_id}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": model,
        "choices": [{"index": 0, "message": message, "finish_reason": _reason(response), "logprobs": None}],
        "usage": _usage(response.usage),
    }


def _encoder(model: str, *, usage: bool) -> Callable[[events.Event], str]:
    """What makes the chunks of a stream; ``usage``: the last one says what it took."""
    base: dict[str, Any] = {"object": "chat.completion.chunk", "created": int(time.time()), "model": model}

    def chunk(delta: dict[str, Any], reason: str | None = None) -> str:
        return _data({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}]})

    def encode(event: events.Event) -> str:
        match event:
            case events.MessageStarted(message_id=uuid):
                base["id"] = f"chatcmpl-{uuid}"
                return chunk({"role": "assistant", "content": ""})
            case events.TextDelta(text=text):
                return chunk({"content": text})
            case events.ReasoningDelta(text=text):
                return chunk({"reasoning_content": text})
            case events.MessageCompleted(response=response):
                end = chunk({}, _reason(response))
                total = _data({**base, "choices": [], "usage": _usage(response.usage)}) if usage else ""
                return f"{end}{total}data: [DONE]\n\n"
            case events.Error():
                error = {"message": event.message, "type": event.error, "code": None, "param": None}
                return _data({"error": error})
        return ""

    return encode


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def _reason(response: AssistantResponse) -> str:
    return "length" if response.state == "partial" else "stop"


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }
