"""What an insight must look like: a pydantic class or a JSON Schema, checked before anything is asked."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError
from pydantic.errors import PydanticUserError
from pydantic_core import PydanticSerializationError

from ragforge_memory.errors import InvalidInput, RagforgeError
from ragforge_memory.models.text import truncated

if TYPE_CHECKING:
    from jsonschema.protocols import Validator

# A model that is told of more does not do better, and the list must fit beside the conversation.
_PROBLEMS_TOLD = 8
_PROBLEM_CHARACTERS = 300
_FENCED = re.compile(r"```(?:json)?\s*\n(?P<json>.*?)\n\s*```", re.S | re.I)
_BRACKET = re.compile(r"[{\[]")
# A failed attempt costs as much as the text is long.
_BRACKETS_TRIED = 1_000
_REFERENCES = ("$ref", "$dynamicRef")
_FORMS = "a class derived from pydantic.BaseModel, or a JSON Schema as a dict"


class UnfitAnswer(RagforgeError):
    """What the model said is not JSON, or does not fit the schema; the message says so to the model."""


@dataclass(frozen=True, slots=True)
class OutputSchema:
    """The form of an insight.

    ``schema`` is the JSON Schema that the model is told and the insight keeps; ``fitted`` gives a JSON text's value as
    it is stored, or raises `UnfitAnswer`.
    """

    schema: dict[str, Any]
    fitted: Callable[[str], Any]

    @property
    def text(self) -> str:
        """The schema as the model is told it: in the order in which it was written."""
        return json.dumps(self.schema, ensure_ascii=False)

    def key(self, task: str) -> str:
        """What an insight of this task and this schema is known by: the SHA-256 of both, whatever their keys' order."""
        schema = json.dumps(self.schema, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(f"{task}\0{schema}".encode()).hexdigest()

    def read(self, answer: str) -> Any:
        """The insight that an answer of a model is: JSON alone, in a fence, or with words around it.

        Raises:
            UnfitAnswer: it is none that fits.
        """
        return self.fitted(_json_in(answer))


def checked_schema(output_schema: object) -> OutputSchema:
    """The form that a caller asks for.

    Args:
        output_schema: a pydantic class; a JSON Schema; or, in short, the fields of an object with a schema each:
            ``{"main_topic": {"type": "string"}, "key_findings": {"type": "array"}}``.

    Raises:
        InvalidInput: it is none of them, or cannot be checked against.
    """
    if isinstance(output_schema, type) and issubclass(output_schema, BaseModel):
        return _of_class(output_schema)
    if isinstance(output_schema, Mapping):
        return _of_dict(output_schema)
    raise InvalidInput(f"an output schema is {_FORMS}, not {_kind(output_schema)}")


def _of_class(model: type[BaseModel]) -> OutputSchema:
    try:
        schema = model.model_json_schema()
    except (PydanticUserError, RecursionError) as error:
        raise InvalidInput(f"{model.__name__} has no JSON Schema: {_first_line(error)}") from error

    def fitted(text: str) -> Any:
        try:
            dumped = model.model_validate_json(text).model_dump(mode="json", by_alias=True)
            json.dumps(dumped, allow_nan=False)  # a float may be infinite by now
        except ValidationError as error:
            problems = [(each["loc"], each["msg"]) for each in error.errors(include_url=False, include_context=False)]
            raise _unfit(problems) from None
        except (PydanticSerializationError, ValueError) as error:
            raise UnfitAnswer(f"it cannot be kept as JSON: {_first_line(error)}") from None
        return dumped

    return OutputSchema(schema, fitted)


def _of_dict(given: Mapping[Any, Any]) -> OutputSchema:
    try:
        schema = json.loads(json.dumps(dict(given), allow_nan=False, ensure_ascii=False).encode())
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"the output schema is not JSON: {_first_line(error)}") from error
    problem = _problem_of(schema)
    checks = _words_that_check(schema)
    if schema and _are_fields(schema) and (problem or len(checks) < len(schema)):
        fields = schema
        schema = {"type": "object", "properties": fields, "required": list(fields), "additionalProperties": False}
        problem = _problem_of(schema)
    elif not checks:
        raise InvalidInput("the output schema says nothing of the answer", hint=f"give {_FORMS}")
    if problem:
        raise InvalidInput(f"the output schema is not a JSON Schema: {problem}", hint=f"give {_FORMS}")
    from referencing.exceptions import Unresolvable

    validator = _validator(schema)

    def fitted(text: str) -> Any:
        value = _strict_json(text)
        try:
            wrong = sorted(validator.iter_errors(value), key=lambda error: list(map(str, error.absolute_path)))
        except Unresolvable as error:  # below an address of its own, where only an answer leads
            raise InvalidInput(f"the output schema refers to what it does not have: {_first_line(error)}") from error
        except RecursionError:
            raise UnfitAnswer("it is nested too deeply") from None
        if wrong:
            raise _unfit([(tuple(each.absolute_path), str(each.message)) for each in wrong])
        return value

    return OutputSchema(schema, fitted)


def _validator(schema: dict[str, Any]) -> Validator:
    from jsonschema import Draft202012Validator
    from jsonschema.validators import validator_for
    from referencing import Registry

    # An empty registry: what the schema refers to is in the schema, nothing is fetched from an address.
    made: Validator = validator_for(schema, default=Draft202012Validator)(schema, registry=Registry())
    return made


def _problem_of(schema: dict[str, Any]) -> str | None:
    """Why this is not a schema that can be checked against; None where it is one."""
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import validator_for
    from referencing.exceptions import Unresolvable

    if not isinstance(schema.get("$schema", ""), str):
        return f"$schema: {schema['$schema']!r} is not text"
    try:
        validator_for(schema, default=Draft202012Validator).check_schema(schema)
        for reference in _references(schema):
            if not reference.startswith("#"):
                return f"it refers to {reference!r}, which is not in it"
            if not _resolves(schema, reference):
                return f"there is no {reference!r} in it"
        # What refers to itself without end, or to what an inner address does not have, shows at once.
        any(_validator(schema).iter_errors(None))
    except SchemaError as error:
        return f"{_place(tuple(error.absolute_path))}{error.message}"
    except Unresolvable as error:
        return f"it refers to what it does not have: {error}"
    except RecursionError:
        return "it is nested or refers to itself without end"
    return None


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        yield from (part[name] for name in _REFERENCES if isinstance(part.get(name), str))
        for value in part.values():
            yield from _references(value)
    elif isinstance(part, list):
        for value in part:
            yield from _references(value)


def _resolves(schema: dict[str, Any], reference: str) -> bool:
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    if "$id" in json.dumps(schema):
        return True  # parts of it have addresses of their own; the validator knows them
    try:
        Registry().with_resource("", DRAFT202012.create_resource(schema)).resolver().lookup(reference)
    except Unresolvable:
        return False
    return True


def _are_fields(schema: dict[str, Any]) -> bool:
    """Whether every value says what a field is."""
    return all(isinstance(each, dict) and isinstance(each.get("type"), (str, list)) for each in schema.values())


def _words_that_check(schema: dict[str, Any]) -> list[str]:
    """The keys that are words of JSON Schema and ask something of a value."""
    from jsonschema import Draft202012Validator

    return [name for name in schema if name in Draft202012Validator.VALIDATORS]


def _json_in(answer: str) -> str:
    """The JSON of an answer: all of it, what a fence holds, or the longest piece of it that is JSON."""
    text = answer.strip()
    if not text:
        raise UnfitAnswer("it is empty")
    if _is_json(text):
        return text
    for fenced in _FENCED.finditer(text):
        if _is_json(fenced["json"]):
            return fenced["json"]
    # The longest: `as [1] shows, {"a": …}` is about the latter.
    found, place, decoder = "", 0, json.JSONDecoder()
    for _ in range(_BRACKETS_TRIED):
        match = _BRACKET.search(text, place)
        if match is None:
            break
        try:
            _, place = decoder.raw_decode(text, match.start())
        except ValueError:
            place = match.end()
        except RecursionError:
            break  # nested deeper than anybody asked for, and every bracket of it would be tried as slowly
        else:
            found = max(found, text[match.start() : place], key=len)
    if found:
        return found
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnfitAnswer(f"it is not JSON: {_first_line(error)}") from None
    return text


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _strict_json(text: str) -> Any:
    def refused(constant: str) -> None:
        raise UnfitAnswer(f"{constant} is not JSON")

    value = json.loads(text, parse_constant=refused)
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:
        raise UnfitAnswer("a number in it is too large") from None
    return value


def _unfit(problems: list[tuple[tuple[Any, ...], str]]) -> UnfitAnswer:
    told = [f"{_place(place)}{truncated(said, _PROBLEM_CHARACTERS)}" for place, said in problems[:_PROBLEMS_TOLD]]
    more = len(problems) - len(told)
    return UnfitAnswer("; ".join(told) + (f"; and {more} more" if more else ""))


def _place(path: tuple[Any, ...]) -> str:
    return ".".join(map(str, path)) + ": " if path else ""


def _first_line(error: BaseException) -> str:
    return str(error).strip().split("\n", 1)[0] or type(error).__name__


def _kind(value: object) -> str:
    return value.__name__ if isinstance(value, type) else type(value).__name__
