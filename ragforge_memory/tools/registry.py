"""The tools that a model may call: their specifications, and how one call is run.

Whatever goes wrong inside a call is a result that the model sees, never an exception: only cancelling the
turn comes through.
"""

from __future__ import annotations

import asyncio
import copy
import difflib
import inspect
import json
import logging
import time
import traceback
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ragforge_memory.errors import InvalidInput, RagforgeError, ToolError
from ragforge_memory.llm.port import ToolRequest, ToolSpec
from ragforge_memory.models.code import ScopeTie
from ragforge_memory.models.text import well_formed
from ragforge_memory.redaction import redact
from ragforge_memory.tools.declare import ToolDeclaration, ToolOutput, checked_tools, declare, tool
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.schema import ArgumentProblem, Arguments, arguments_of

__all__ = ["ToolContext", "ToolOutput", "ToolRegistry", "ToolRun", "tool"]

log = logging.getLogger(__name__)

DEFAULT_RESULT_LIMIT = 64 * 1024
"""Bytes of a result that the model sees: some 16,000 tokens, an eighth of a window of 128,000."""


@dataclass(frozen=True, slots=True)
class ToolRun:
    """How one call went.

    Args:
        content: what the model sees: a string as it is, everything else as JSON.
        value: the same as JSON-able data; None after an error.
        success: whether the tool gave a result.
        error: what went wrong, in one sentence; None after a success.
        error_kind: the name of the error's class where it is one of this library's.
        duration_ms: wall time.
        size_bytes: of the whole result as UTF-8, also where it was cut.
        truncated: whether the result was cut at the registry's limit.
        scopes: the code scopes that the result shows, and what was done with them.
    """

    content: str
    value: Any
    success: bool
    error: str | None = None
    error_kind: str | None = None
    duration_ms: int = 0
    size_bytes: int = 0
    truncated: bool = False
    scopes: tuple[ScopeTie, ...] = ()


@dataclass(frozen=True, slots=True)
class _Tool:
    function: Callable[..., Any]
    declaration: ToolDeclaration
    arguments: Arguments


class ToolRegistry:
    """The tools of an agent.

    Args:
        tools: functions, with or without the ``tool`` decorator.
        on_demand: tools of ours that are offered in some prompts only; a tool of the same name in ``tools`` goes first.
        timeout: seconds for a call of a tool that sets none.
        result_limit: bytes of UTF-8 of a result that the model sees.

    Raises:
        InvalidInput: a function cannot be a tool, or two tools have one name.
    """

    def __init__(
        self,
        tools: Iterable[Callable[..., Any]] = (),
        *,
        on_demand: Iterable[Callable[..., Any]] = (),
        timeout: float = 60.0,
        result_limit: int = DEFAULT_RESULT_LIMIT,
    ) -> None:
        if timeout <= 0 or result_limit < 1024:
            raise InvalidInput(
                f"tools need a time-out above 0 s and a result limit of at least 1,024 bytes, not {timeout} "
                f"and {result_limit}"
            )
        self._timeout = timeout
        self._result_limit = result_limit
        self._tools = _declared(checked_tools(tools) or ())
        self._on_demand = _declared(on_demand)
        self._elsewhere: tuple[ToolSpec, ...] = ()

    def offering(self, specs: Sequence[ToolSpec]) -> ToolRegistry:
        """These tools, and beside them some that run elsewhere; one of those takes the place of ours of its name."""
        if not specs:
            return self
        wider = copy.copy(self)
        wider._elsewhere = tuple(specs)
        names = {each.name for each in specs}
        wider._tools = {name: each for name, each in self._tools.items() if name not in names}
        return wider

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model sees them, in the order they were given."""
        return (*map(_spec, self._tools.values()), *self._elsewhere)

    def spec(self, name: str) -> ToolSpec:
        """A tool as a model sees it, those on demand among them."""
        return _spec(self._found(name) or self._tools[name])

    def offer(self, name: str) -> None:
        """Has one of those on demand be offered in every prompt from now on; what is offered stays as it is."""
        if name in self._on_demand:
            self._tools.setdefault(name, self._on_demand[name])

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in the order they were given."""
        return tuple(self._tools)

    @property
    def foreign(self) -> tuple[str, ...]:
        """The names of those that are not this library's: nobody here knows what another call of them costs."""
        ours = __name__.partition(".")[0]
        return tuple(name for name, each in self._tools.items() if each.function.__module__.partition(".")[0] != ours)

    def __len__(self) -> int:
        return len(self._tools)

    def __contains__(self, name: object) -> bool:
        return name in self._tools

    def side_effects(self, name: str) -> bool:
        """Whether a call of this tool changes anything outside; False for one that does not exist."""
        found = self._found(name)
        return found is not None and found.declaration.side_effects

    def concurrent(self, name: str) -> bool:
        """Whether a call of this tool may run beside others; True for one that does not exist."""
        found = self._found(name)
        return found is None or found.declaration.concurrent

    async def run(self, request: ToolRequest, context: ToolContext | None = None) -> ToolRun:
        """Runs one call and says how it went; raises nothing but cancellation."""
        started = time.perf_counter()
        clean = redact if context is None else context.redacted
        found = self._found(request.name)
        if found is None:
            return self._failed(self._unknown(request.name), started)
        if request.error is not None:
            return self._failed(
                f"the arguments of {request.name} are not valid JSON: {request.error}; "
                f"it takes: {found.arguments.expected()}",
                started,
            )
        try:
            given = found.arguments.check(request.arguments)
        except ArgumentProblem as problem:
            return self._failed(
                f"bad arguments for {request.name}: {problem}; it takes: {found.arguments.expected()}", started
            )
        if found.arguments.context_name is not None:
            if context is None:
                return self._failed(f"{request.name} works inside a conversation only", started)
            given[found.arguments.context_name] = context
        try:
            returned = await self._call(found, given)
        except _TookTooLong as late:
            return self._failed(f"{request.name} was given up after {late.seconds:g} s", started)
        except RagforgeError as error:
            if not isinstance(error, ToolError):
                log.warning("the tool %s failed: %s", request.name, clean(str(error)))
            hint = f" ({error.hint})" if error.hint else ""
            return self._failed(f"{error.message}{hint}", started, type(error).__name__)
        except Exception as error:  # noqa: BLE001 - told and logged
            # A tool is someone else's code: whatever it raises must not end the turn.
            log.warning("the tool %s failed: %s", request.name, clean(traceback.format_exc()))
            return self._failed(f"{request.name} failed: {_named(error)}", started)
        try:
            return self._succeeded(returned, started)
        except Exception as error:  # noqa: BLE001 - told and logged
            log.warning("what the tool %s gave is not JSON: %s", request.name, clean(traceback.format_exc()))
            # A model that read of a failure would do it again.
            return self._failed(f"{request.name} ran, but JSON cannot hold what it gave: {_named(error)}", started)

    async def _call(self, found: _Tool, given: dict[str, Any]) -> Any:
        import anyio
        import anyio.to_thread

        seconds = found.declaration.timeout or self._timeout
        returned: Any = None
        with anyio.move_on_after(seconds) as limit:
            if inspect.iscoroutinefunction(found.function):
                returned = await _awaited(found.function(**given))
            else:
                # The thread of a call that was given up runs on; Python cannot stop it.
                returned = await anyio.to_thread.run_sync(_contained(found.function, given), abandon_on_cancel=True)
                if inspect.isawaitable(returned):
                    returned = await _awaited(returned)
        if limit.cancelled_caught:
            raise _TookTooLong(seconds)
        return returned

    def _succeeded(self, returned: Any, started: float) -> ToolRun:
        from pydantic_core import to_jsonable_python

        output = returned if isinstance(returned, ToolOutput) else ToolOutput(returned)
        value = to_jsonable_python(output.value, inf_nan_mode="null")
        content = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        encoded = content.encode("utf-8", "replace")
        if encoded.decode("utf-8") != content:
            # Half a surrogate pair (a cut text, an odd file name) can be neither sent nor stored.
            content = encoded.decode("utf-8")
            value = content if isinstance(value, str) else json.loads(content)
        size = len(encoded)
        truncated = size > self._result_limit
        if truncated:
            value = _cut(content, size, self._result_limit)
            content = json.dumps(value, ensure_ascii=False)
        return ToolRun(
            content=content,
            value=value,
            success=True,
            duration_ms=_milliseconds_since(started),
            size_bytes=size,
            truncated=truncated,
            scopes=tuple(ScopeTie(scope, output.kind) for scope in dict.fromkeys(output.scopes)),
        )

    def _failed(self, message: str, started: float, kind: str | None = None) -> ToolRun:
        message = well_formed(message)
        content = json.dumps({"error": message}, ensure_ascii=False)
        return ToolRun(
            content=content,
            value=None,
            success=False,
            error=message,
            error_kind=kind,
            duration_ms=_milliseconds_since(started),
            size_bytes=len(content.encode("utf-8", "replace")),
        )

    def _found(self, name: str) -> _Tool | None:
        return self._tools.get(name) or self._on_demand.get(name)

    def _unknown(self, name: str) -> str:
        near = difflib.get_close_matches(name, self._tools, n=1, cutoff=0.5)
        if near:
            return f"there is no tool {name}; the nearest is {near[0]}"
        return f"there is no tool {name}; there are: {', '.join(self._tools) or 'none'}"


def _declared(functions: Iterable[Callable[..., Any]]) -> dict[str, _Tool]:
    made = [(function, declare(function)) for function in functions]
    return {each.name: _Tool(function, each, arguments_of(function, each.name)) for function, each in made}


def _spec(each: _Tool) -> ToolSpec:
    return ToolSpec(each.declaration.name, each.arguments.description, each.arguments.schema)


def _contained(function: Callable[..., Any], given: dict[str, Any]) -> Callable[[], Any]:
    """The call, with what is not an Exception (argparse in a tool ends the process, Rust panics) as a failure of the
    tool's: it would end the loop that the call runs on."""

    def call() -> Any:
        try:
            return function(**given)
        except Exception:
            raise
        except BaseException as error:
            raise ToolError(f"the tool raised {_named(error)}") from error

    return call


async def _awaited(result: Awaitable[Any]) -> Any:
    """The same of what is awaited; a cancellation is the turn's where that is being cancelled, and else the tool's."""
    try:
        return await result
    except Exception:
        raise
    except BaseException as error:
        task = asyncio.current_task()
        if isinstance(error, GeneratorExit) or (
            isinstance(error, asyncio.CancelledError) and task is not None and task.cancelling()
        ):
            raise
        raise ToolError(f"the tool raised {_named(error)}") from error


def _named(error: BaseException) -> str:
    """An exception of somebody else's in a line; even its text may fail."""
    try:
        return f"{type(error).__name__}: {error}"
    except Exception:  # noqa: BLE001 - its own failure says no more
        return type(error).__name__


class _TookTooLong(Exception):
    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


def _cut(content: str, size: int, limit: int) -> dict[str, Any]:
    """The start of a result that is too long, wrapped so that it is still JSON of at most ``limit`` bytes."""
    kept = len(content)
    while True:
        wrapped = {
            "truncated": True,
            "total_bytes": size,
            "note": "the result was longer than what fits here; ask for less",
            "beginning": content[:kept],
        }
        length = len(json.dumps(wrapped, ensure_ascii=False).encode("utf-8", "replace"))
        if length <= limit:
            return wrapped
        kept = min(kept - 1, int(kept * limit / length))


def _milliseconds_since(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
