"""Turns what pydantic says of a bad value into one `ConfigError` that names the key and what to do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, get_args, get_origin

from pydantic import BaseModel

from ragforge_memory.errors import ConfigError

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

Path = tuple[str, ...]

SECRET_KEYS = ("password", "api_key", "apikey", "secret", "token", "credentials")
MASK = "********"

_PASSWORD_IN_ADDRESS = re.compile(r"(?<=://)([^/@:\s]*):[^/@\s]*@")

# pydantic's error types whose own words are for programmers, as a user reads them.
_WORDS = {
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "finite_number": "must be a finite number",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "missing": "is missing",
    "string_type": "must be text",
    "string_too_short": "must not be empty",
    "tuple_type": "must be a list",
    "model_type": "must be a block of keys",
    "model_attributes_type": "must be a block of keys",
    "dict_type": "must be a block of keys",
    "datetime_parsing": "must be a date, as 2026-01-31, or a time, as 2026-01-31T09:00",
    "datetime_from_date_parsing": "must be a date, as 2026-01-31, or a time, as 2026-01-31T09:00",
    "datetime_type": "must be a date, as 2026-01-31, or a time, as 2026-01-31T09:00",
}
_BOUNDS = {
    "greater_than": ("gt", "must be greater than"),
    "greater_than_equal": ("ge", "must be at least"),
    "less_than": ("lt", "must be less than"),
    "less_than_equal": ("le", "must be at most"),
}


def is_secret(key: str) -> bool:
    """Whether a key's value must not be shown."""
    last = key.rpartition(".")[2].lower().replace("-", "_")
    return any(last == name or last.endswith("_" + name) for name in SECRET_KEYS)


def masked_address(text: str) -> str:
    """A text with the passwords of its addresses masked."""
    return _PASSWORD_IN_ADDRESS.sub(rf"\1:{MASK}@", text)


def as_yaml(value: Any) -> str:
    """A value as it is written on one line of the file."""
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(as_yaml, value))}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value) if isinstance(value, str) else str(value)


def nearest(word: str, known: Iterable[str], *, least: float = 0.5) -> str | None:
    """The known word that is most like this one, or None where none is (``least`` is difflib's ratio, 0 to 1)."""
    names = list(known)
    folded = {name.lower().replace("-", "_"): name for name in names}
    found = difflib.get_close_matches(word.lower().replace("-", "_"), list(folded), n=1, cutoff=least)
    if found:
        return folded[found[0]]
    inside = [name for name in names if len(word) > 2 and (word.lower() in name or name in word.lower())]
    return inside[0] if inside and least <= 0.5 else None


def known_keys(model: type[BaseModel]) -> list[str]:
    """The keys of a block, as they are written in the file."""
    return [field.alias or name for name, field in model.model_fields.items()]


def unknown_key(key: str, known: list[str], inside: Path = ()) -> tuple[str, str]:
    """What is said of a key that a block does not know, and the hint; ``inside``: where the block is."""
    near = nearest(key, known)
    if near is None:
        return "unknown key", f"known here: {', '.join(known)}"
    return f"unknown key; the nearest known key is {near}", f"did you mean {'.'.join((*inside, near))}?"


def refused(
    error: ValidationError,
    model: type[BaseModel],
    name_of: Callable[[Path], str] = ".".join,
    place_of: Callable[[Path], tuple[str | None, int | None]] | None = None,
    variable_of: Callable[[Path], str | None] = lambda path: None,
) -> ConfigError:
    """The first of pydantic's errors as a ConfigError.

    Args:
        error: what pydantic raised.
        model: the model that was built, for the names of known keys.
        name_of: how a path of keys is called in the message.
        place_of: (file, line) of a path, where it came from a file.
        variable_of: the environment variable that a path's value came from; None where it is none.
    """
    details = error.errors(include_url=False)
    first = details[0]
    path = tuple(str(part) for part in first["loc"])
    if blamed := (first.get("ctx") or {}).get("key"):
        path = (*path, str(blamed))
    file, line = place_of(path) if place_of else (None, None)
    message, hint = _words(first, path, model, variable_of(path))
    if len(details) > 1:
        message += f" (and {len(details) - 1} more)"
    return ConfigError(message, hint=hint, file=file, line=line, key=name_of(path) or None)


def _words(detail: ErrorDetails, path: Path, model: type[BaseModel], variable: str | None) -> tuple[str, str | None]:
    kind, context = detail["type"], detail.get("ctx") or {}
    if kind == "extra_forbidden":
        return unknown_key(path[-1], known_keys(_block_at(model, path[:-1])))
    value = detail.get("input")
    scalar = value is None or (isinstance(value, (str, int, float, bool)) and value != "")
    shown = f", not {as_yaml(value)}" if scalar and not is_secret(path[-1] if path else "") else ""
    hint = context.get("hint") or _default_hint(model, path, f"unset {variable}" if variable else "leave the key out")
    if kind == "literal_error":
        near = nearest(str(value), re.findall(r"'([^']*)'", str(context.get("expected"))))
        return f"must be {context.get('expected')}{shown}", f"did you mean {near}?" if near else hint
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return f"{words} {context[bound]}{shown}", hint
    if kind in _WORDS:
        return f"{_WORDS[kind]}{shown}", hint
    return str(detail["msg"]) + (shown if "hint" not in context else ""), hint


def _default_hint(model: type[BaseModel], path: Path, leave: str) -> str:
    block = _block_at(model, path[:-1])
    for name, field in block.model_fields.items():
        if path and path[-1] in (name, field.alias):
            if block_of(block, name) is not None:
                return "write `key: value` lines below it"
            if field.is_required():
                return f"add `{path[-1]}: ...`"
            default = field.get_default()
            if default not in (None, "", ()):
                return f"the default is {as_yaml(default)}; {leave} to take it"
    return f"{leave} to take the default"


def _block_at(model: type[BaseModel], path: Path) -> type[BaseModel]:
    keys = iter(path)
    for key in keys:
        inner = block_of(model, key)
        if inner is None:
            inner = entries_of(model, key)
            if inner is None or next(keys, None) is None:
                return model
        model = inner
    return model


def block_of(model: type[BaseModel], key: str) -> type[BaseModel] | None:
    """The model of the block under a key, or None where the key holds a value (or is not known)."""
    for name, field in model.model_fields.items():
        if key in (name, field.alias) and get_origin(field.annotation) is not dict:
            return _model_in(field.annotation, *getattr(field.annotation, "__args__", ()))
    return None


def entries_of(model: type[BaseModel], key: str) -> type[BaseModel] | None:
    """The model of each block under a key whose blocks have names of the user's; None where the key is another."""
    for name, field in model.model_fields.items():
        if key in (name, field.alias) and get_origin(field.annotation) is dict:
            return _model_in(*get_args(field.annotation))
    return None


def _model_in(*kinds: Any) -> type[BaseModel] | None:
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
