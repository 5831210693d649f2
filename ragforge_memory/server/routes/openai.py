"""OpenAI's form of a chat, so that its clients talk to this server as they are."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from ragforge_memory import events
from ragforge_memory.agent.turns.handover import Handover, Round
from ragforge_memory.llm.port import ToolOutcome, ToolRequest, ToolSpec
from ragforge_memory.models.conversation import AssistantResponse, Usage
from ragforge_memory.server.bodies import NAMED, Line
from ragforge_memory.server.errors import OpenAIProblem, Refusal, documented
from ragforge_memory.server.histories import Home, asked_last, home_of
from ragforge_memory.server.routes.chat import SESSION_HEADER, STREAM, session_of
from ragforge_memory.server.state import Caller, State

router = APIRouter(tags=["openai"])

MODEL = "ragforge"
"""The agent, whichever model answers for it."""

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


class Function(_Given):
    """A function that the client runs; or a call of it, with its arguments as JSON."""

    name: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
    description: str = ""
    parameters: dict[str, Any] | None = None
    arguments: str = "{}"


class Tool(_Given):
    """A tool that the client runs, or a call of it."""

    id: str = ""
    type: Literal["function"] = "function"
    function: Function


class ChatMessage(_Given):
    """A message as OpenAI's clients send it."""

    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[Part] | None = None
    tool_calls: list[Tool] | None = None
    tool_call_id: str = ""

    @property
    def text(self) -> str:
        """Its text."""
        content = self.content or ""
        return content if isinstance(content, str) else "".join(part.text for part in content)

    @property
    def plain(self) -> dict[str, Any]:
        """Its role and text."""
        return {"role": "system" if self.role == "developer" else self.role, "content": self.text}


class StreamOptions(_Given):
    """What a stream has besides."""

    include_usage: bool = False


class CompletionRequest(_Given):
    """A chat as OpenAI's clients send it; the agent's settings decide what is not listed here."""

    model: Line
    messages: Annotated[list[ChatMessage], Field(min_length=1, max_length=10_000)]
    stream: bool = False
    stream_options: StreamOptions | None = None
    tools: Annotated[list[Tool], Field(max_length=128)] | None = None
    tool_choice: Literal["auto", "none"] | None = None
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
    responses={200: {"content": STREAM}, **documented(404, 409, 429, 502, 503, 504, model=OpenAIProblem)},
)
async def complete(
    asked: CompletionRequest, request: Request, state: State, access: Caller, session_id: SessionId = None
) -> Response:
    """Answers the last message of a chat.

    The conversation is that of the session in the header, or the one of which the messages are the history: it goes on
    where they end, and becomes a branch where they end earlier. The agent's own tools run here. `tools` of the client
    are offered beside them: where the model asks for one, the answer ends with `tool_calls`, and goes on when the
    client sends what they gave.
    """
    last = _last_question(asked.messages)
    messages = [each.plain for each in asked.messages[: last + 1]]
    handover = Handover(_specs(asked), _rounds(asked.messages[last + 1 :]))
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
            home = Home(await session_of(lent.agent, session_id))
            if handover.rounds:
                home = await asked_last(home.conversation, services.place, messages[-1]["content"])
        else:
            home = await home_of(lent.agent, messages, resumed=bool(handover.rounds))
        stream = home.answer or home.conversation.stream_answer(
            messages[-1]["content"], message_id=home.question_id, asked_seq=home.asked_seq, handover=handover
        )
        opening.pop_all()
    headers = {SESSION_HEADER: home.conversation.uuid}
    if asked.stream:
        usage = asked.stream_options is not None and asked.stream_options.include_usage
        return state.turns.respond(services, stream, held, _encoder(asked.model, usage=usage), headers)
    response = await state.turns.answer(services, stream, request, held)
    return JSONResponse(_completion(response, asked.model), headers=headers)


def _last_question(messages: Sequence[ChatMessage]) -> int:
    """The place of the last question, behind which there is at most what the client's tools gave.

    Raises:
        Refusal: there is none.
    """
    last = max((place for place, each in enumerate(messages) if each.role == "user"), default=-1)
    tail = messages[last + 1 :]
    if last < 0 or not messages[last].text.strip() or (tail and tail[-1].role != "tool"):
        raise Refusal(422, "the last message must be the user's with text, or what a tool gave", hint="see /docs")
    return last


def _specs(asked: CompletionRequest) -> tuple[ToolSpec, ...]:
    if asked.tool_choice == "none":
        return ()
    empty = {"type": "object", "properties": {}}
    functions = (each.function for each in asked.tools or ())
    return tuple(ToolSpec(each.name, each.description, each.parameters or empty) for each in functions)


def _rounds(tail: Sequence[ChatMessage]) -> tuple[Round, ...]:
    """What the client's tools gave since the question: each call of a message with its result.

    Raises:
        Refusal: a call has no result, or none that can be read.
    """
    results = {each.tool_call_id: each.text for each in tail if each.role == "tool"}
    rounds = []
    for message in tail:
        given: list[tuple[ToolRequest, ToolOutcome]] = []
        for call in message.tool_calls or ():
            if call.id not in results:
                raise Refusal(422, f"the call {call.id!r} has no result", hint="send a message of role tool for each")
            name = call.function.name
            request = ToolRequest(call.id, name, _arguments(call.function.arguments))
            given.append((request, ToolOutcome(call.id, name, results[call.id])))
        if given:
            rounds.append(tuple(given))
    return tuple(rounds)


def _arguments(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text or "{}")
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Refusal(422, "the arguments of a call are not a JSON object", hint="send them back as they came")
    return value


def _completion(response: AssistantResponse, model: str) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": response.content}
    if response.reasoning:
        message["reasoning_content"] = response.reasoning
    if response.requested:
        message["tool_calls"] = _calls(response)
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
                calls = [{"index": place, **call} for place, call in enumerate(_calls(response))]
                end = (chunk({"tool_calls": calls}) if calls else "") + chunk({}, _reason(response))
                total = _data({**base, "choices": [], "usage": _usage(response.usage)}) if usage else ""
                return f"{end}{total}data: [DONE]\n\n"
            case events.Error():
                error = {"message": event.message, "type": event.error, "code": None, "param": None}
                return _data({"error": error})
        return ""

    return encode


def _data(value: dict[str, Any]) -> str:
    return f"data: {json.dumps(value, ensure_ascii=False)}\n\n"


def _calls(response: AssistantResponse) -> list[dict[str, Any]]:
    return [
        {
            "id": each.id,
            "type": "function",
            "function": {"name": each.name, "arguments": json.dumps(each.arguments, ensure_ascii=False)},
        }
        for each in response.requested
    ]


def _reason(response: AssistantResponse) -> str:
    if response.requested:
        return "tool_calls"
    return "length" if response.state == "partial" else "stop"


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }
