"""A strict OpenAI-compatible server on 127.0.0.1 (chat completions, embeddings, models).

Answers are streamed, whether asked for in this form or not: this library asks for no other.

with OpenAIFake() as fake:
    fake.script(Answer("hello"), Failure(429, retry_after="2"))
    client = openai.AsyncOpenAI(api_key=fake.api_key, base_url=fake.base_url)
"""

from __future__ import annotations

import base64
import json
import struct
from collections import deque
from typing import Any, Literal

from tests.fakes import openai_rules as rules
from tests.fakes.behaviours import Answer, Behaviour, BlockedPrompt, Call, Drop, Failure, Refused, wait_for
from tests.fakes.http_server import FakeServer, Received, Reply
from tests.fakes.vectors import vector


class OpenAIFake(FakeServer):
    """The fake; ``script`` queues what the next chat requests get, ``embedding_script`` the next embeddings.

    Args:
        models: chat models that exist.
        embedders: embedding models that exist, with their full dimension.
        api_key: the only key that is let in; None lets everyone in, as local servers do.
        reasoning: what becomes of ``reasoning_content`` that comes back (see `openai_rules.check_chat`).
    """

    def __init__(
        self,
        *,
        models: tuple[str, ...] = ("gpt-5.2", "qwen3:8b"),
        embedders: dict[str, int] | None = None,
        api_key: str | None = "test-openai-key",
        reasoning: Literal["unknown", "taken", "required"] = "unknown",
    ) -> None:
        super().__init__()
        self.models = models
        self.embedders = embedders or {"text-embedding-3-small": 1536, "text-embedding-3-large": 3072}
        self.api_key = api_key
        self.reasoning = reasoning
        self.bodies: list[dict[str, Any]] = []
        self.refusals: list[str] = []
        self._steps: deque[Behaviour] = deque()
        self._embedding_steps: deque[Failure | Drop] = deque()
        self._serial = 0

    def __enter__(self) -> OpenAIFake:
        super().__enter__()
        return self

    @property
    def base_url(self) -> str:
        """The address for ``OPENAI_BASE_URL``, with ``/v1``."""
        return f"{self.url}/v1"

    def script(self, *steps: Behaviour) -> None:
        """Queues behaviours for chat requests."""
        self._steps.extend(steps)

    def embedding_script(self, *steps: Failure | Drop) -> None:
        """Queues failures for embedding requests; without them they succeed."""
        self._embedding_steps.extend(steps)

    @property
    def unused(self) -> int:
        """How many scripted steps are left."""
        return len(self._steps)

    async def respond(self, request: Received, reply: Reply) -> None:
        try:
            await self._route(request, reply)
        except Refused as refusal:
            self.refusals.append(refusal.message)
            await self._error(reply, Failure(refusal.status, refusal.message, code=refusal.code), refusal.param)

    async def _route(self, request: Received, reply: Reply) -> None:
        route = (request.method, request.path)
        if route not in (
            ("GET", "/v1/models"),
            ("POST", "/v1/chat/completions"),
            ("POST", "/v1/embeddings"),
        ):
            raise Refused(404, f"Invalid URL ({request.method} {request.path})", "unknown_url")
        self._check_key(request)
        if request.method == "GET":
            names = (*self.models, *self.embedders)
            listed = [{"id": name, "object": "model", "created": 0, "owned_by": "fake"} for name in names]
            await reply.json(200, {"object": "list", "data": listed})
            return
        if request.bad_json or not isinstance(request.body, dict):
            raise rules.invalid("We could not parse the JSON body of your request.")
        body = request.body
        chat = request.path.endswith("completions")
        known = self.models if chat else self.embedders
        if not body.get("model"):
            raise rules.invalid("you must provide a model parameter")
        if body["model"] not in known:
            message = f"The model `{body['model']}` does not exist or you do not have access to it."
            raise Refused(404, message, "model_not_found")
        await (self._chat(body, reply) if chat else self._embed(body, reply))

    def _check_key(self, request: Received) -> None:
        if self.api_key is None:
            return
        scheme, _, key = request.headers.get("authorization", "").partition(" ")
        if scheme != "Bearer" or not key:
            raise Refused(401, "You didn't provide an API key.")
        if key != self.api_key:
            raise Refused(401, f"Incorrect API key provided: {key[:4]}****.", "invalid_api_key")

    async def _embed(self, body: dict[str, Any], reply: Reply) -> None:
        texts = rules.check_embeddings(body)
        full = self.embedders[body["model"]]
        size = body.get("dimensions", full)
        if not isinstance(size, int) or not 1 <= size <= full:
            raise rules.invalid(f"Invalid value for 'dimensions' = {size}.", "dimensions")
        if self._embedding_steps:
            step = self._embedding_steps.popleft()
            if isinstance(step, Drop):
                reply.cut()
            else:
                await self._error(reply, step)
            return
        data = []
        for index, text in enumerate(texts):
            values: Any = vector(text, size)
            if body.get("encoding_format") == "base64":
                values = base64.b64encode(struct.pack(f"<{size}f", *values)).decode()
            data.append({"object": "embedding", "index": index, "embedding": values})
        used = sum(len(text) for text in texts) // 4 + 1
        usage = {"prompt_tokens": used, "total_tokens": used}
        await reply.json(200, {"object": "list", "model": body["model"], "data": data, "usage": usage})

    async def _chat(self, body: dict[str, Any], reply: Reply) -> None:
        rules.check_chat(body, reasoning=self.reasoning)
        self.bodies.append(body)
        if not self._steps:
            raise rules.invalid("the fake has no scripted answer left")
        step = self._steps.popleft()
        match step:
            case Failure():
                await self._error(reply, step)
            case Drop():
                reply.cut()
            case BlockedPrompt():
                message = "Invalid prompt: your prompt was flagged as potentially violating our usage policy."
                await self._error(reply, Failure(400, message, code="content_filter"))
            case Answer():
                if step.slow:
                    await wait_for(step.release)
                await self._stream(body, reply, step)

    async def _stream(self, body: dict[str, Any], reply: Reply, answer: Answer) -> None:
        await reply.start_stream()
        envelope = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": body["model"]}
        counted = body.get("stream_options", {}).get("include_usage", False) and not answer.no_usage

        async def send(value: dict[str, Any]) -> None:
            data = f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()
            await reply.send_split(data, [answer.split] * (len(data) // answer.split) if answer.split else ())

        async def choice(delta: dict[str, Any], finish: str | None = None) -> None:
            event = {**envelope, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
            await send({**event, "usage": None} if counted else event)

        await choice({"role": "assistant", "content": ""})
        for text in answer.thoughts:
            await choice({answer.reasoning_field: text})
        for text in answer.pieces:
            await choice({"content": text})
        for index, made in enumerate(self._call(call) for call in answer.calls):
            head = {**made, "function": {**made["function"], "arguments": ""}, "index": index}
            await choice({"tool_calls": [head]})
            arguments = made["function"]["arguments"]
            for start in range(0, len(arguments), 7):
                piece = {"index": index, "function": {"arguments": arguments[start : start + 7]}}
                await choice({"tool_calls": [piece]})
        match answer.ending:
            case "cut":
                reply.cut()
                return
            case "hang":
                await wait_for(answer.release)
            case "bad_json":
                await reply.send(b'data: {"choices": [{"delta"\n\n')
            case "error":
                await send({"error": {"message": "The server is overloaded.", "type": "server_error", "code": 503}})
            case "no_finish":
                pass
            case "complete":
                await choice({}, _finish(answer))
        if answer.ending in ("complete", "no_finish"):
            if counted:
                await send({**envelope, "choices": [], "usage": _usage(body, answer)})
            if answer.ending == "complete":
                await reply.send(b"data: [DONE]\n\n")
        await reply.finish()

    def _call(self, call: Call) -> dict[str, Any]:
        self._serial += 1
        arguments = call.raw if call.raw is not None else json.dumps(call.arguments)
        return {
            "id": f"call_{self._serial:04d}",
            "type": "function",
            "function": {"name": call.name, "arguments": arguments},
        }

    async def _error(self, reply: Reply, failure: Failure, param: str | None = None) -> None:
        headers = {"Retry-After": failure.retry_after} if failure.retry_after is not None else {}
        if failure.retry_after_ms is not None:
            headers["retry-after-ms"] = failure.retry_after_ms
        if failure.body is not None:
            await reply.text(failure.status, failure.body, headers, "text/html")
            return
        kind = "invalid_request_error" if failure.status < 429 else "server_error"
        error = {"message": failure.message, "type": kind, "param": param, "code": failure.code}
        await reply.json(failure.status, {"error": error}, headers)


def _finish(answer: Answer) -> str:
    return answer.finish or ("tool_calls" if answer.calls else "stop")


def _usage(body: dict[str, Any], answer: Answer) -> dict[str, Any]:
    prompt = len(json.dumps(body["messages"])) // 4 + 1
    thought = sum(len(piece) for piece in answer.thoughts) // 4
    said = sum(len(piece) for piece in answer.pieces) // 4 + 8 * len(answer.calls) + 1 + thought
    usage = {
        "prompt_tokens": prompt,
        "completion_tokens": said,
        "total_tokens": prompt + said,
        "completion_tokens_details": {"reasoning_tokens": thought},
        "prompt_tokens_details": {"cached_tokens": 0},
    }
    return {**usage, **(answer.usage or {})}
