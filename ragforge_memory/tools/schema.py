"""From a function's type hints and docstring to the JSON Schema of its arguments, and back to checked values."""

from __future__ import annotations

import inspect
import re
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from ragforge_memory.errors import InvalidInput
from ragforge_memory.models.text import truncated
from ragforge_memory.tools.ports import ToolContext

if TYPE_CHECKING:
    from pydantic import BaseModel

SECTION = re.compile(r"^(Args|Arguments|Parameters|Returns|Raises|Yields|Examples?|Notes?):\s*$", re.M)
ARGUMENT = re.compile(r"^(\*{0,2}\w+)\s*(?:\([^)]*\))?:\s*(.*)$")
# Characters of a value that does not fit.
_MOST_SHOWN = 80


class ArgumentProblem(Exception):
    """The arguments of a call do not fit; ``str`` says each problem, all in one line."""


@dataclass(frozen=True, slots=True)
class Arguments:
    """The arguments of one tool: their schema for the model, and the check of what it sends.

    ``context_name`` is the parameter that takes the ToolContext, None where there is none.
    """

    description: str
    schema: dict[str, Any]
    model: type[BaseModel]
    names: Mapping[str, str]
    context_name: str | None

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The keyword arguments for the function, converted to its types; only those that were given.

        Raises:
            ArgumentProblem: something is missing, unknown or of a wrong type.
        """
        from pydantic import ValidationError

        try:
            checked = self.model.model_validate(dict(given))
        except ValidationError as error:
            raise ArgumentProblem("; ".join(self._problem(each) for each in error.errors())) from None
        return {self.names[name]: getattr(checked, name) for name in checked.model_fields_set}

    def expected(self) -> str:
        """One line that says what the tool takes: ``query: string, limit: integer (optional)``."""
        required = set(self.schema.get("required", ()))
        parts = [
            f"{name}: {_type_words(about, self.schema.get('$defs', {}))}{'' if name in required else ' (optional)'}"
            for name, about in self.schema.get("properties", {}).items()
        ]
        return ", ".join(parts) or "no arguments"

    def _problem(self, error: Any) -> str:
        place = ".".join(str(part) for part in error["loc"])
        match error["type"]:
            case "missing":
                return f"{place} is missing"
            case "extra_forbidden":
                return f"there is no argument {place}"
            case _:
                return f"{place}: {error['msg']} (got {truncated(repr(error['input']), _MOST_SHOWN)})"


# A model takes a millisecond to build, and an agent has a dozen tools. It dies with its function.
_known: WeakKeyDictionary[Callable[..., Any], tuple[tuple[str, str | None], Arguments]] = WeakKeyDictionary()
_PLAIN = frozenset({str, int, float, bool, types.NoneType})


def arguments_of(function: Callable[..., Any], name: str) -> Arguments:
    """Reads the signature of a tool, that of a function once.

    Raises:
        InvalidInput: a parameter has no type hint, one that no JSON Schema can say, or is ``*args`` or
            positional only.
    """
    # A method is another object each time. Other defaults could hold the function, which would then never die.
    if not inspect.isfunction(function):
        return _read(function, name)
    defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
    if not _PLAIN.issuperset(map(type, defaults)):
        return _read(function, name)
    told = name, function.__doc__
    known = _known.get(function)
    if known is None or known[0] != told:
        known = _known[function] = told, _read(function, name)
    return known[1]


def _read(function: Callable[..., Any], name: str) -> Arguments:
    from pydantic import ConfigDict, Field, create_model
    from pydantic.errors import PydanticUserError

    try:
        hints = typing.get_type_hints(function, include_extras=True)
    except Exception as error:
        raise InvalidInput(
            f"the type hints of the tool {name} cannot be read: {error}",
            hint="import the types where the module can find them at run time, not under TYPE_CHECKING",
        ) from error
    description, documented = read_docstring(inspect.getdoc(function) or "")
    fields: dict[str, Any] = {}
    names: dict[str, str] = {}
    context_name: str | None = None
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind not in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            raise InvalidInput(
                f"the tool {name} takes {parameter}: a model gives arguments by name only",
                hint="name each argument and give it a type hint",
            )
        if parameter.name not in hints:
            raise InvalidInput(f"the argument {parameter.name} of the tool {name} has no type hint", hint="add one")
        hint = hints[parameter.name]
        if _is_context(hint):
            context_name = parameter.name
            continue
        # Fields get names of our own: pydantic refuses some that are fine for an argument (``_x``, ``schema``).
        field = f"argument_{len(fields)}"
        names[field] = parameter.name
        required = parameter.default is inspect.Parameter.empty
        about = documented.get(parameter.name)
        settings: dict[str, Any] = {"alias": parameter.name}
        if about:
            settings["description"] = about
        fields[field] = (hint, Field(**settings) if required else Field(default=parameter.default, **settings))
    try:
        model = create_model(
            f"{name}_arguments", __config__=ConfigDict(extra="forbid", arbitrary_types_allowed=False), **fields
        )
        schema = _without_titles(model.model_json_schema(by_alias=True))
    except PydanticUserError as error:
        raise InvalidInput(
            f"the arguments of the tool {name} cannot be described as JSON Schema: {error.message}",
            hint="use str, int, float, bool, list, dict, Literal, enums, dataclasses or pydantic models",
        ) from error
    return Arguments(description, schema, model, types.MappingProxyType(names), context_name)


def read_docstring(text: str) -> tuple[str, dict[str, str]]:
    """A Google-style docstring as (what it says besides ``Args:`` and ``Raises:``, argument -> description)."""
    marks = list(SECTION.finditer(text))
    body = text[: marks[0].start()] if marks else text
    documented: dict[str, str] = {}
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):
        section = text[mark.end() : end]
        match mark.group(1):
            case "Args" | "Arguments" | "Parameters":
                documented = _read_arguments(section)
            case "Returns":
                body = f"{body.rstrip()}\n\nReturns: {' '.join(section.split())}"
    return body.strip(), documented


def _read_arguments(section: str) -> dict[str, str]:
    lines = [line for line in section.splitlines() if line.strip()]
    if not lines:
        return {}
    indent = min(len(line) - len(line.lstrip()) for line in lines)
    found: dict[str, str] = {}
    current = ""
    for line in lines:
        start = ARGUMENT.match(line[indent:])
        if start:
            current = start.group(1).lstrip("*")
            found[current] = start.group(2).strip()
        elif current:
            found[current] = f"{found[current]} {line.strip()}".strip()
    return found


def _is_context(hint: Any) -> bool:
    if hint is ToolContext:
        return True
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return ToolContext in typing.get_args(hint)
    return False


def _without_titles(schema: Any, *, inside_properties: bool = False) -> Any:
    """Titles only repeat the names (and cost tokens); a property called ``title`` stays."""
    if isinstance(schema, dict):
        return {
            key: _without_titles(value, inside_properties=key in ("properties", "$defs") and not inside_properties)
            for key, value in schema.items()
            if inside_properties or key != "title" or not isinstance(value, str)
        }
    if isinstance(schema, list):
        return [_without_titles(value) for value in schema]
    return schema


def _type_words(about: Mapping[str, Any], definitions: Mapping[str, Any]) -> str:
    """A schema in words; what it refers to is told where it stands, but for what holds itself."""
    if "$ref" in about:
        name = about["$ref"].rpartition("/")[2]
        others = {known: each for known, each in definitions.items() if known != name}
        return _type_words(definitions[name], others) if name in definitions else name
    if "enum" in about:
        return "one of " + ", ".join(str(value) for value in about["enum"])
    if "anyOf" in about:
        return " or ".join(_type_words(each, definitions) for each in about["anyOf"])
    if about.get("type") == "array":
        return f"list of {_type_words(about.get('items', {}), definitions)}"
    if about.get("type") == "object" and about.get("properties"):
        parts = [f"{name}: {_type_words(each, definitions)}" for name, each in about["properties"].items()]
        return f"object with {', '.join(parts)}"
    return str(about.get("type", "value"))
