"""Errors as HTTP answers: one form for all, ``{"error", "message", "hint"}``, and never a word of a traceback."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Match
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ragforge_memory import errors
from ragforge_memory.errors import RagforgeError

if TYPE_CHECKING:
    from starlette.requests import Request

log = logging.getLogger(__name__)

RETRY_SECONDS = 2
"""What a caller is told to wait where the graph is away or a question is being answered."""

# The first that fits; what is not listed is a fault of ours.
_STATUS: tuple[tuple[type[RagforgeError], int], ...] = (
    (errors.NotFound, 404),
    (errors.BeingAnswered, 409),
    (errors.HereAlready, 409),
    (errors.ProjectConflict, 409),
    (errors.TurnCancelled, 409),
    (errors.InvalidInput, 422),
    (errors.GraphUnavailable, 503),
    (errors.GraphError, 503),
    (errors.ConversationFileError, 503),
    (errors.ConfigError, 503),
    (errors.AgentClosed, 503),
    (errors.EmbeddingError, 503),
    (errors.ModelTimeout, 504),
    (errors.ModelRateLimited, 503),
    (errors.ModelUnavailable, 503),
    (errors.ModelError, 502),
)


class Refusal(RagforgeError):
    """A request that the server does not take; ``status`` is what HTTP calls it."""

    def __init__(
        self, status: int, message: str, *, hint: str | None = None, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.headers = dict(headers or {})


class Problem(BaseModel):
    """What every error looks like."""

    error: str
    message: str
    hint: str | None = None


class Fault(BaseModel):
    """What is wrong, as OpenAI's clients read it."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class OpenAIProblem(BaseModel):
    """What every error of ``/v1`` looks like."""

    error: Fault


class OneForm:
    """Gives the framework's own errors the form of ours, and those of ``/v1`` the one that OpenAI's clients read.

    Args:
        app: what is behind it.
        most: bytes of a request at most, as the error says it.
        most_uploaded: the same of a document.
    """

    def __init__(self, app: ASGIApp, *, most: int, most_uploaded: int) -> None:
        self._app = app
        self._limits = (
            f"the body is too large: {most:,} bytes are the most, of a document or an archive {most_uploaded:,}",
            "server.max_body_bytes and server.max_upload_bytes set the limits",
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on, and writes an error anew."""
        openai = str(scope.get("path", "")).startswith("/v1/")
        start: Message | None = None

        async def formed(message: Message) -> None:
            nonlocal start
            if message["type"] == "http.response.start" and (message["status"] == 413 or openai):
                start = message if message["status"] >= 400 else None
                if start is not None:
                    return
            if start is None:
                await send(message)
                return
            status, headers = start["status"], Headers(raw=start["headers"])
            found: dict[str, Any]
            if status == 413:
                found = {"error": "Refused", "message": self._limits[0], "hint": self._limits[1]}
            else:
                found = json.loads(message["body"])
            if openai:
                text = "; ".join(filter(None, (found["message"], found["hint"])))
                found = OpenAIProblem(error=Fault(message=text, type=found["error"])).model_dump()
            kept = {name: value for name, value in headers.items() if name not in ("content-length", "content-type")}
            start = None
            await JSONResponse(found, status_code=status, headers=kept)(scope, receive, send)

        await self._app(scope, receive, formed)


def check_body(size: int) -> None:
    """Refuses a file of no bytes.

    Raises:
        Refusal: it is one.
    """
    if not size:
        raise Refusal(422, "the body is empty", hint="send the file as the body")


def documented(*statuses: int, model: type[BaseModel] = Problem) -> dict[int | str, dict[str, Any]]:
    """The errors of a route, as its description lists them."""
    return {status: {"model": model, "description": _TITLES[status]} for status in statuses}


_TITLES = {
    400: "It cannot be read",
    401: "There is no key, or none that holds",
    403: "The key does not allow it",
    404: "There is no such thing for this user",
    405: "Another method is asked for",
    409: "Something else is going on with it",
    413: "The body is too large",
    415: "The body is of another type",
    422: "Something asked for is not possible",
    429: "Too much was asked for in this time",
    502: "The model failed",
    503: "Something that it needs is away",
    504: "The model did not answer in time",
}


def answer_of(error: BaseException) -> JSONResponse:
    """The HTTP answer for an error."""
    if isinstance(error, Refusal):
        return problem(error.status, "Refused", error.message, error.hint, error.headers)
    if isinstance(error, RagforgeError):
        status = status_of(error)
        headers = {"Retry-After": str(_wait(error))} if status in (409, 503) else None
        return problem(status, type(error).__name__, error.message, error.hint, headers)
    log.error("a request failed", exc_info=error)
    return problem(500, "InternalError", "the server has a fault", "its log says more", None)


def status_of(error: RagforgeError) -> int:
    """The HTTP status of one of our errors."""
    return next((status for kind, status in _STATUS if isinstance(error, kind)), 500)


def problem(
    status: int, error: str, message: str, hint: str | None, headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """An error in the form that all have."""
    return JSONResponse(
        {"error": error, "message": message, "hint": hint}, status_code=status, headers=dict(headers or {})
    )


def install(app: FastAPI, routes: Sequence[BaseRoute]) -> None:
    """Has the app answer every error in one form; ``routes`` are all that it has."""

    async def ours(_: Request, error: Exception) -> JSONResponse:
        return answer_of(error)

    async def malformed(_: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, RequestValidationError)
        return problem(422, "InvalidRequest", *_what_is_wrong(error))

    async def plain(request: Request, error: Exception) -> JSONResponse:
        assert isinstance(error, HTTPException)
        headers = dict(error.headers or {})
        if error.status_code == 400:  # the framework's word for a body that is no text at all
            return problem(422, "InvalidRequest", "the body is not JSON", "see /docs for what it takes", headers)
        if error.status_code == 405:
            headers["Allow"] = ", ".join(sorted(_methods(routes, request)))
        return problem(error.status_code, "Refused", str(error.detail), "see /docs", headers)

    app.add_exception_handler(RagforgeError, ours)
    app.add_exception_handler(RequestValidationError, malformed)
    app.add_exception_handler(HTTPException, plain)
    app.add_exception_handler(Exception, ours)


def _wait(error: RagforgeError) -> int:
    asked = getattr(error, "retry_after", None)
    return RETRY_SECONDS if asked is None else max(1, round(asked))


def _what_is_wrong(error: RequestValidationError) -> tuple[str, str]:
    """The first thing that is wrong, and where; what was sent is not repeated."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"] if part != "body") or "the body"
    more = len(error.errors()) - 1
    others = f" (and {more} more)" if more else ""
    return f"{place}: {first['msg']}{others}".encode(errors="replace").decode(), "see /docs for what it takes"


def _methods(routes: Sequence[BaseRoute], request: Request) -> set[str]:
    """All methods of the resource that a path names: of the first route that it fits, and those beside it."""
    ours = [each for each in routes if isinstance(each, APIRoute)]
    path = next((each.path for each in ours if each.matches(request.scope)[0] is not Match.NONE), None)
    return {method for each in ours if each.path == path for method in each.methods or ()}
