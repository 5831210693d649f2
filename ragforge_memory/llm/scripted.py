"""A model that says what it is told to: for tests, demonstrations and runs that must repeat exactly.

In Python the steps are values or functions; from a file (``scripted:PATH``) they are JSON, so that separate
processes can use the same script::

    {"model": "scripted", "delay_ms": 20, "loop": false, "steps": [
        {"reasoning": "Let me look.", "tools": [{"name": "search_code", "arguments": {"query": "login"}}]},
        {"text": "It is in auth.py.", "delay_ms": 50, "usage": {"input_tokens": 10, "output_tokens": 5}},
        {"text": "This one breaks", "error": {"type": "ModelStreamCut", "message": "the line went dead"}},
        "a string is an answer"],
     "purposes": {"compression": ["## Decisions\\n- use argon2"]}}
"""

from __future__ import annotations

import asyncio
import inspect
import json
import re
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragforge_memory import errors
from ragforge_memory.errors import ConfigError, ModelError
from ragforge_memory.llm.port import (
    Finished,
    ModelChunk,
    ModelRequest,
    ReasoningChunk,
    TextChunk,
    ToolRequest,
    ToolRequestChunk,
)
from ragforge_memory.models.conversation import Usage


@dataclass(frozen=True, slots=True)
class Pause:
    """Waits this many seconds, in the middle of an answer."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Hang:
    """Says nothing more until it is cancelled."""


Piece = str | ModelChunk | ToolRequest | Pause | Hang | asyncio.Event | BaseException
Step = Piece | Sequence[Piece] | Callable[[ModelRequest], Any]

_WORDS = re.compile(r"\s*\S+\s*")


class ScriptedProvider:
    """Answers with its steps, one a request, and keeps every request in ``requests``; one from a file keeps none.

    A step is a piece or a sequence of pieces: a string is text; a `ToolRequest` is asked for; a chunk is sent as it
    is; a `Pause`, a `Hang` or an ``asyncio.Event`` is waited for; an exception is raised there. A callable is given
    the request and returns (or awaits, or yields) any of these. `Finished` is added where a step has none.

    What is asked beside the conversation (a summary, a title, a compression) never takes a step of the conversation's:
    each purpose has its own, and one without any raises ModelError, as a model does that is not there for it. What is
    made in the background is not asked for then: summaries are extracted, titles stay what they are.

    Args:
        steps: what to answer, in order.
        purposes: steps for requests of another purpose than ``answer``, by purpose.
        model: the model's name.
        context_window: tokens.
        loop: begin again after the last step; otherwise one request too many raises ModelError.
        delay: seconds before each chunk.
        token_price: US dollars that each token costs, given or said; None: the price is not known.
    """

    name = "scripted"

    def __init__(
        self,
        steps: Iterable[Step] = (),
        *,
        purposes: Mapping[str, Iterable[Step]] | None = None,
        model: str = "scripted",
        context_window: int = 128_000,
        loop: bool = False,
        delay: float = 0.0,
        token_price: float | None = None,
    ) -> None:
        self.model = model
        self.context_window = context_window
        self.requests: list[ModelRequest] = []
        self._keeps = True
        self.closed = False
        self._scripts = {purpose: list(its) for purpose, its in (purposes or {}).items()} | {"answer": list(steps)}
        self._next = dict.fromkeys(self._scripts, 0)
        self._loop = loop
        self._delay = delay
        self._token_price = token_price

    @classmethod
    def from_file(cls, path: str | Path) -> ScriptedProvider:
        """The provider that a JSON file describes (see this module's head).

        Raises:
            ConfigError: the file cannot be read, or is no such script.
        """
        try:
            script = json.loads(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ConfigError(f"the script cannot be read: {error}", file=str(path)) from error
        if not isinstance(script, dict) or not isinstance(script.get("steps"), list):
            raise ConfigError("a script is a JSON object with a list of steps", file=str(path), key="steps")
        try:
            purposes = {name: [_step(step) for step in steps] for name, steps in script.get("purposes", {}).items()}
            made = cls(
                [_step(step) for step in script["steps"]],
                purposes=purposes,
                model=str(script.get("model", "scripted")),
                context_window=int(script.get("context_window", 128_000)),
                loop=bool(script.get("loop", False)),
                delay=float(script.get("delay_ms", 0)) / 1000,
                token_price=float(script["token_price"]) if "token_price" in script else None,
            )
            # Nobody looks at them, and a server would keep those of days.
            made._keeps = False
            return made
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise ConfigError(f"a step of the script cannot be used: {error!r}", file=str(path), key="steps") from error

    @property
    def purposes(self) -> frozenset[str]:
        """What there are steps for, and answers."""
        return frozenset({"answer", *(purpose for purpose, steps in self._scripts.items() if steps)})

    @property
    def unused(self) -> int:
        """How many steps of the conversation's have not been used."""
        return max(0, len(self._scripts["answer"]) - self._next["answer"])

    def add(self, *steps: Step) -> None:
        """Appends steps to the conversation's."""
        self._scripts["answer"].extend(steps)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        """Plays the next step.

        Raises:
            ModelError: there is no step left, or whatever the step holds.
        """
        if self._keeps:
            self.requests.append(request)
        step = self._take(request.purpose)
        said = 0
        asked = False
        async for piece in _pieces(step, request):
            match piece:
                case BaseException():
                    raise piece
                case Pause():
                    await asyncio.sleep(piece.seconds)
                    continue
                case Hang():
                    await asyncio.get_running_loop().create_future()
                case asyncio.Event():
                    await piece.wait()
                    continue
                case _:
                    pass
            chunk = _chunk(piece)
            if self._delay:
                await asyncio.sleep(self._delay)
            yield chunk
            if isinstance(chunk, Finished):
                return
            asked = asked or isinstance(chunk, ToolRequestChunk)
            said += len(chunk.text) if isinstance(chunk, TextChunk | ReasoningChunk) else 20
        yield Finished("tool_calls" if asked else "stop", await self.price(_estimate(request, said)))

    async def price(self, usage: Usage) -> Usage:
        """The usage with its cost, where tokens have a price."""
        if self._token_price is None:
            return usage
        return usage.model_copy(update={"cost_usd": self._token_price * (usage.input_tokens + usage.output_tokens)})

    async def aclose(self) -> None:
        """Notes that it was closed."""
        self.closed = True

    def _take(self, purpose: str) -> Step:
        steps = self._scripts.get(purpose, [])
        place = self._next.get(purpose, 0)
        if place >= len(steps) and self._loop and steps:
            place = 0
        if place >= len(steps):
            what = "" if purpose == "answer" else f" for the purpose {purpose!r}"
            raise ModelError(f"the script is at its end after {len(steps)} steps{what}", hint="add steps, or set loop")
        self._next[purpose] = place + 1
        return steps[place]


async def _pieces(step: Any, request: ModelRequest) -> AsyncGenerator[Any, None]:
    """The pieces of a step, one after another, whatever it is made of."""
    if callable(step) and not isinstance(step, type):
        step = step(request)
    if inspect.isawaitable(step):
        step = await step
    if isinstance(step, type) and issubclass(step, BaseException):
        step = step("scripted failure")
    if isinstance(step, AsyncIterable):
        async for piece in step:
            yield piece
    elif isinstance(step, Iterable) and not isinstance(step, str | Mapping):
        for piece in step:
            yield piece
    else:
        yield step


def _chunk(piece: Any) -> ModelChunk:
    match piece:
        case str():
            return TextChunk(piece)
        case ToolRequest():
            return ToolRequestChunk(piece)
        case TextChunk() | ReasoningChunk() | ToolRequestChunk() | Finished():
            return piece
        case _:
            raise TypeError(f"a scripted step cannot hold {type(piece).__name__}")


def _estimate(request: ModelRequest, said: int) -> Usage:
    """Tokens at four characters each: the same script always counts the same."""
    given = len(request.system) + sum(
        len(message.content) + sum(len(outcome.content) for outcome in message.tool_outcomes)
        for message in request.messages
    )
    return Usage(input_tokens=given // 4 + 1, output_tokens=said // 4 + 1)


def _step(step: Any) -> list[Piece]:
    """The pieces of one step of a JSON script; ``delay_ms`` waits before each of them."""
    if isinstance(step, str):
        return list(_words(step))
    pieces: list[Piece] = [ReasoningChunk(text) for text in _words(step.get("reasoning", ""))]
    pieces += _words(step.get("text", ""))
    asked = step.get("tools", [])
    for position, tool in enumerate(asked, start=1):
        id_ = str(tool.get("id", f"call_{position}"))
        pieces.append(ToolRequest(id_, str(tool["name"]), dict(tool.get("arguments", {}))))
    delay = float(step.get("delay_ms", 0)) / 1000
    if delay:
        pieces = [each for piece in pieces for each in (Pause(delay), piece)]
    if step.get("hang"):
        pieces.append(Hang())
    if error := step.get("error"):
        pieces.append(_error(error))
    elif "usage" in step or "finish" in step:
        reason = step.get("finish", "tool_calls" if asked else "stop")
        pieces.append(Finished(str(reason), Usage.model_validate(step.get("usage", {}))))
    return pieces


def _words(text: str | list[str]) -> list[str]:
    """A list's own pieces, or a text word by word: what a stream would look like."""
    return text if isinstance(text, list) else _WORDS.findall(text)


def _error(error: dict[str, Any]) -> ModelError:
    kind = getattr(errors, str(error.get("type", "ModelError")), None)
    if not (isinstance(kind, type) and issubclass(kind, ModelError)):
        raise ValueError(f"{error.get('type')!r} is not a model error")
    return kind(str(error.get("message", "scripted failure")))
