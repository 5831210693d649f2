"""How a plain function becomes a tool: the ``tool`` decorator and what a tool may return."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar, get_args, overload

from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.code import ReferenceKind

Function = TypeVar("Function", bound=Callable[..., Any])

DECLARATION = "__ragforge_tool__"
"""The attribute of a function that holds its ToolDeclaration."""


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """What a tool returns when it has more to say than its value.

    Args:
        value: anything that JSON can hold, pydantic models and dataclasses included.
        scopes: uuids of the code scopes that the value shows; the message is tied to them in the graph.
        kind: what was done with them: ``read``, ``edited`` (the tool changed them) or ``tested`` (it ran their tests).

    Raises:
        InvalidInput: ``kind`` is none of these.
    """

    value: Any
    scopes: tuple[str, ...] = ()
    kind: ReferenceKind = "read"

    def __post_init__(self) -> None:
        if self.kind not in get_args(ReferenceKind):
            raise InvalidInput(
                f"a tool does not say {self.kind!r} of code", hint=f"say one of {', '.join(get_args(ReferenceKind))}"
            )


@dataclass(frozen=True, slots=True)
class ToolDeclaration:
    """What ``tool`` noted about a function. ``timeout`` is in seconds, None for the registry's."""

    name: str
    side_effects: bool = False
    concurrent: bool = True
    timeout: float | None = None


@overload
def tool(function: Function, /) -> Function: ...


@overload
def tool(
    *,
    name: str | None = None,
    side_effects: bool = False,
    concurrent: bool | None = None,
    timeout: float | None = None,
) -> Callable[[Function], Function]: ...


def tool(
    function: Function | None = None,
    /,
    *,
    name: str | None = None,
    side_effects: bool = False,
    concurrent: bool | None = None,
    timeout: float | None = None,
) -> Function | Callable[[Function], Function]:
    """Marks a function as a tool; usable bare (``@tool``) and with arguments (``@tool(side_effects=True)``).

    The function stays what it was and can be called and tested as such. Its docstring tells the model what it
    does, its type hints and the docstring's ``Args:`` section make the JSON schema of its arguments, and a
    parameter annotated with `ToolContext` is filled in and hidden from the model. Sync and async both work; a
    sync tool runs in a worker thread.

    Args:
        name: what the model calls it; the function's name when None. Letters, digits, ``_`` and ``-``, at most 64.
        side_effects: whether a call changes anything outside; such a call is written down before it runs.
        concurrent: whether calls may run beside other tools'; when None, true for tools without side effects.
        timeout: seconds until a call is given up; the registry's default when None.

    Raises:
        InvalidInput: it is a lambda, has no docstring, or is not a function.
    """

    def mark(target: Function) -> Function:
        declaration = declare(target, name=name, side_effects=side_effects, concurrent=concurrent, timeout=timeout)
        setattr(target, DECLARATION, declaration)
        return target

    return mark if function is None else mark(function)


def declare(
    function: Callable[..., Any],
    *,
    name: str | None = None,
    side_effects: bool = False,
    concurrent: bool | None = None,
    timeout: float | None = None,
) -> ToolDeclaration:
    """The declaration that ``function`` carries, or a new one of these settings.

    Raises:
        InvalidInput: it cannot be a tool; the message says why and the hint what to do.
    """
    noted = getattr(function, DECLARATION, None)
    if isinstance(noted, ToolDeclaration):
        return noted
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        raise InvalidInput(
            f"a tool must be a function, and {function!r} is a {type(function).__name__}",
            hint="write a function with def, type hints and a docstring",
        )
    called = name or function.__name__
    if called == "<lambda>":
        raise InvalidInput(
            "a lambda cannot be a tool: it has no name, no type hints and no docstring",
            hint="write a function with def, type hints and a docstring",
        )
    if len(called) > 64 or not called.replace("_", "a").replace("-", "a").isalnum() or not called.isascii():
        raise InvalidInput(
            f"{called!r} cannot be a tool's name",
            hint="use letters, digits, _ and -, at most 64 of them",
        )
    if not inspect.getdoc(function):
        raise InvalidInput(
            f"the tool {called} has no docstring, so no model could know what it does",
            hint="say in the docstring what it does, and its arguments in an Args: section",
        )
    if inspect.isasyncgenfunction(function) or inspect.isgeneratorfunction(function):
        raise InvalidInput(
            f"the tool {called} is a generator; a tool gives one result", hint="return a list instead of yielding"
        )
    if timeout is not None and timeout <= 0:
        raise InvalidInput(f"the tool {called} has a time-out of {timeout} s", hint="give a positive number")
    return ToolDeclaration(
        name=called,
        side_effects=side_effects,
        concurrent=not side_effects if concurrent is None else concurrent,
        timeout=timeout,
    )


def checked_tools(tools: object) -> tuple[Callable[..., Any], ...] | None:
    """The functions that a model may call, each of which can be a tool; None: those that there always are.

    Raises:
        InvalidInput: these are not functions, one of them cannot be a tool, or two have one name.
    """
    from ragforge_memory.tools.schema import arguments_of

    if tools is None:
        return None
    if isinstance(tools, str) or not isinstance(tools, Iterable):
        raise InvalidInput(f"tools= takes a list of functions, not {tools!r}", hint="tools=[my_function], or none: []")
    functions = tuple(tools)
    names: set[str] = set()
    for function in functions:
        name = declare(function).name
        if name in names:
            raise InvalidInput(f"two tools are called {name}", hint="give one of them another name: @tool(name=...)")
        names.add(name)
        arguments_of(function, name)
    return functions
