"""What a fake vendor is told to do with the next request; the same words for both vendors."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from typing import Any, Literal

Ending = Literal["complete", "cut", "no_finish", "bad_json", "hang", "error"]


@dataclass(frozen=True)
class Call:
    """A tool call that the model makes. ``raw`` replaces the arguments' JSON (OpenAI only)."""

    name: str
    arguments: dict[str, Any]
    raw: str | None = None


@dataclass(frozen=True)
class Answer:
    """A good answer, or one that ends badly after its pieces.

    Args:
        text: the pieces of the text, one event each; a plain string is one piece.
        thoughts: pieces of reasoning, before the text.
        calls: tool calls, all in one step.
        finish: the vendor's finish reason; None means its normal one.
        ending: ``complete``; ``cut`` drops the connection, ``no_finish`` ends the body well but without a finish
            reason, ``bad_json`` ends with an event that is not JSON, ``hang`` writes no more until ``release``,
            ``error`` sends an error event with status 503 in the stream.
        slow: hold the answer back before its first byte until ``release`` is set.
        release: the event that ends ``slow`` and ``hang``; without it they last until the client goes.
        split: bytes a packet, to tear characters apart; 0 writes an event at once.
        signed: whether Gemini signs (a text-only answer gets its signature on a last, empty text part).
        ids: whether Gemini gives ids to its calls.
        usage: overrides of the vendor's usage fields; None sends no usage.
    """

    text: str | tuple[str, ...] = ()
    thoughts: tuple[str, ...] = ()
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    ending: Ending = "complete"
    slow: bool = False
    release: threading.Event | None = None
    split: int = 0
    signed: bool = True
    ids: bool = True
    usage: dict[str, Any] | None = None
    no_usage: bool = False
    reasoning_field: str = "reasoning_content"

    @property
    def pieces(self) -> tuple[str, ...]:
        return (self.text,) if isinstance(self.text, str) else self.text


@dataclass(frozen=True)
class Failure:
    """An HTTP error, with the vendor's delay in its header or body where given.

    Args:
        status: HTTP status.
        message: the vendor's words.
        retry_after: value of the ``Retry-After`` header, verbatim.
        retry_after_ms: value of ``retry-after-ms`` (OpenAI).
        retry_delay: ``RetryInfo.retryDelay`` (Gemini), such as ``"7s"``.
        body: the whole body, verbatim, instead of the vendor's error object.
        code: the vendor's own code or status.
    """

    status: int
    message: str = "scripted failure"
    retry_after: str | None = None
    retry_after_ms: str | None = None
    retry_delay: str | None = None
    body: str | None = None
    code: str | None = None


@dataclass(frozen=True)
class Drop:
    """The connection is dropped before the first byte of an answer."""


@dataclass(frozen=True)
class BlockedPrompt:
    """The prompt is refused by the vendor's filter."""

    reason: str = "PROHIBITED_CONTENT"


Behaviour = Answer | Failure | Drop | BlockedPrompt


class Refused(Exception):
    """The vendor would refuse this request."""

    def __init__(self, status: int, message: str, code: str | None = None, param: str | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code
        self.param = param


async def wait_for(event: threading.Event | None) -> None:
    """Waits without blocking the fake's loop; without an event, until it is cancelled."""

    while event is None or not event.is_set():  # noqa: ASYNC110 - the event is set by another thread
        await asyncio.sleep(0.005)
