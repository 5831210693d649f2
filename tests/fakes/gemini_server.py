"""A strict Gemini API on 127.0.0.1: it speaks the vendor's wire format and refuses what the vendor refuses.

with GeminiFake() as fake:
    fake.script(Answer("hello"), Failure(429, retry_delay="2s"))
    client = genai.Client(api_key=fake.api_key, http_options={"base_url": fake.url})
"""

from __future__ import annotations

import base64
import json
import re
from collections import deque
from typing import Any

from tests.fakes import gemini_rules as rules
from tests.fakes.behaviours import Answer, Behaviour, BlockedPrompt, Call, Drop, Failure, Refused, wait_for
from tests.fakes.http_server import FakeServer, Received, Reply
from tests.fakes.vectors import vector

STATUS = {
    400: "INVALID_ARGUMENT",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
PATH = re.compile(r"/(v1|v1beta)/models(?:/([^:/]+)(?::(\w+))?)?")


class GeminiFake(FakeServer):
    """The fake; ``script`` queues what the next chat requests get, ``embedding_script`` the next embeddings.

    Args:
        models: chat models that exist.
        embedders: embedding models that exist, with their full dimension.
        api_key: the only key that is let in.
    """

    def __init__(
        self,
        *,
        models: tuple[str, ...] = ("gemini-3.8-flash", "gemini-3.8-pro"),
        embedders: dict[str, int] | None = None,
        api_key: str = "test-gemini-key",
    ) -> None:
        super().__init__()
        self.models = models
        self.embedders = embedders or {"gemini-embedding-001": 3072, "gemini-embedding-2": 3072}
        self.api_key = api_key
        self.bodies: list[dict[str, Any]] = []
        self.refusals: list[str] = []
        self.issued: dict[bytes, tuple[str, dict[str, Any]]] = {}
        self._steps: deque[Behaviour] = deque()
        self._embedding_steps: deque[Failure | Drop] = deque()
        self._serial = 0

    def __enter__(self) -> GeminiFake:
        super().__enter__()
        return self

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
            await self._error(reply, Failure(refusal.status, refusal.message, code=refusal.code))

    async def _route(self, request: Received, reply: Reply) -> None:
        match = PATH.fullmatch(request.path)
        if match is None:
            raise Refused(404, f"Requested entity was not found: {request.path}", "NOT_FOUND")
        self._check_key(request)
        version, model, method = match.groups()
        if request.method != "POST" or method is None:
            raise Refused(404, f"{request.method} {request.path} is not known", "NOT_FOUND")
        known = self.embedders if method == "batchEmbedContents" else self.models
        if model not in known:
            raise Refused(
                404,
                f"models/{model} is not found for API version {version}, or is not supported for {method}. Call "
                "ListModels to see the list of available models and their supported methods.",
                "NOT_FOUND",
            )
        if request.bad_json or not isinstance(request.body, dict):
            raise rules.invalid("Invalid JSON payload received. Unexpected token.")
        match method:
            case "streamGenerateContent" if request.query.get("alt") == ["sse"]:
                await self._generate(request.body, reply, model)
            case "batchEmbedContents":
                await self._embed(request, reply, model)
            case _:
                raise Refused(404, f"Method {method} is not known", "NOT_FOUND")

    def _check_key(self, request: Received) -> None:
        key = request.headers.get("x-goog-api-key") or request.query.get("key", [""])[0]
        if not key:
            raise Refused(
                403,
                "Method doesn't allow unregistered callers (callers without established identity). Please use API "
                "Key or other form of API consumer identity to call this API.",
                "PERMISSION_DENIED",
            )
        if key != self.api_key:
            raise rules.invalid("API key not valid. Please pass a valid API key.")

    async def _embed(self, request: Received, reply: Reply, model: str) -> None:
        body = rules.canonical(request.body, rules.BATCH_EMBED)
        rules.check_embed(body, model)
        if self._embedding_steps:
            step = self._embedding_steps.popleft()
            if isinstance(step, Drop):
                reply.cut()
            else:
                await self._error(reply, step)
            return
        full = self.embedders[model]
        embeddings = []
        for entry in body["requests"]:
            text = "\n".join(part.get("text", "") for part in entry["content"]["parts"])
            size = entry.get("outputDimensionality", full)
            # gemini-embedding-001 leaves shortened vectors unnormalised; that is the caller's to do.
            unit = size == full or model != "gemini-embedding-001"
            embeddings.append({"values": vector(text, size, unit=unit)})
        await reply.json(200, {"embeddings": embeddings})

    async def _generate(self, sent: dict[str, Any], reply: Reply, model: str) -> None:
        body = rules.canonical(sent, rules.GENERATE)
        rules.check_generate(body, self.issued, model)
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
                blocked = {
                    "promptFeedback": {"blockReason": step.reason},
                    "usageMetadata": {"promptTokenCount": _tokens(body["contents"])},
                    "modelVersion": model,
                }
                await self._send(reply, [json.dumps(blocked)], Answer())
            case Answer():
                await self._answer(reply, model, body, step)

    async def _answer(self, reply: Reply, model: str, body: dict[str, Any], answer: Answer) -> None:
        thoughts = body.get("generationConfig", {}).get("thinkingConfig", {}).get("includeThoughts", False)
        chunks: list[list[dict[str, Any]]] = []
        if thoughts:
            chunks += [[{"text": text, "thought": True}] for text in answer.thoughts]
        chunks += [[{"text": text}] for text in answer.pieces]
        if answer.calls:
            chunks.append([self._call(call, answer) for call in answer.calls])
        if answer.signed and answer.calls:
            chunks[-1][0] = self._sign(model, chunks[-1][0])
        elif answer.signed:
            chunks.append([self._sign(model, {"text": ""})])
        events: list[dict[str, Any]] = []
        usage = {"usageMetadata": self._usage(body, answer)} if not answer.no_usage else {}
        for parts in chunks:
            content = {"content": {"parts": parts, "role": "model"}, "index": 0}
            events.append({"candidates": [content], **usage, "modelVersion": model, "responseId": "r1"})
        if answer.ending == "complete":
            finish = answer.finish or "STOP"
            if not events:
                events.append({"candidates": [{"content": {"role": "model"}, "index": 0}], **usage})
            events[-1]["candidates"][0]["finishReason"] = finish
            if finish in ("SAFETY", "PROHIBITED_CONTENT"):
                events[-1]["candidates"][0]["content"] = {}
        await self._send(reply, [json.dumps(e, ensure_ascii=False) for e in events], answer)

    def _call(self, call: Call, answer: Answer) -> dict[str, Any]:
        self._serial += 1
        made: dict[str, Any] = {"name": call.name, "args": call.arguments}
        if answer.ids:
            made["id"] = f"fc{self._serial:04d}"
        return {"functionCall": made}

    def _sign(self, model: str, part: dict[str, Any]) -> dict[str, Any]:
        self._serial += 1
        # Bytes that need both of base64's last two characters, and no UTF-8.
        signature = b"\xfb\xff\xfe sig %d" % self._serial
        self.issued[signature] = (model, dict(part))
        return {**part, "thoughtSignature": base64.b64encode(signature).decode()}

    def _usage(self, body: dict[str, Any], answer: Answer) -> dict[str, Any]:
        prompt = _tokens(body["contents"])
        said = sum(len(piece) for piece in answer.pieces) // 4 + 8 * len(answer.calls) + 1
        thought = sum(len(piece) for piece in answer.thoughts) // 4
        usage = {"promptTokenCount": prompt, "candidatesTokenCount": said, "totalTokenCount": prompt + said + thought}
        if thought:
            usage["thoughtsTokenCount"] = thought
        return {**usage, **(answer.usage or {})}

    async def _send(self, reply: Reply, events: list[str], answer: Answer) -> None:
        if answer.slow:
            await wait_for(answer.release)
        await reply.start_stream()
        for event in events:
            data = f"data: {event}\r\n\r\n".encode()
            await reply.send_split(data, [answer.split] * (len(data) // answer.split) if answer.split else ())
        match answer.ending:
            case "cut":
                reply.cut()
                return
            case "hang":
                await wait_for(answer.release)
            case "bad_json":
                await reply.send(b'data: {"candidates": [{"content": {"parts"\r\n\r\n')
            case "error":
                error = {"error": {"code": 503, "message": "The model is overloaded.", "status": "UNAVAILABLE"}}
                await reply.send(f"data: {json.dumps(error)}\r\n\r\n".encode())
            case _:
                pass
        await reply.finish()

    async def _error(self, reply: Reply, failure: Failure) -> None:
        headers = {"Retry-After": failure.retry_after} if failure.retry_after is not None else {}
        if failure.body is not None:
            await reply.text(failure.status, failure.body, headers, "text/html")
            return
        error: dict[str, Any] = {
            "code": failure.status,
            "message": failure.message,
            "status": failure.code or STATUS.get(failure.status, "UNKNOWN"),
        }
        details: list[dict[str, Any]] = []
        if "API key not valid" in failure.message:
            details.append({"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"})
        if failure.retry_delay is not None:
            details.append({"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": failure.retry_delay})
        if details:
            error["details"] = details
        await reply.json(failure.status, {"error": error}, headers)


def _tokens(contents: list[dict[str, Any]]) -> int:
    """About four characters a token, of everything said."""
    return sum(len(json.dumps(content["parts"])) for content in contents) // 4 + 1
