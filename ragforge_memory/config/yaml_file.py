"""Reads a YAML file into plain values that remember their lines.

The file is parsed into nodes first and substituted afterwards, so nothing that comes from the environment can
change the file's structure. Text that a key expects is taken as it is written: ``mode: off`` is ``"off"``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ragforge_memory.config.environment import Path, substitute
from ragforge_memory.config.refusal import block_of, entries_of, known_keys, unknown_key
from ragforge_memory.errors import ConfigError

if TYPE_CHECKING:
    import yaml

MAX_BYTES = 1_000_000
_MOST_DEEP = 50
# References to anchors multiply: so many give 3^10 values at most, a hundred give a thousand million.
_MOST_ALIASES = 32

_COLLECTIONS = ("tag:yaml.org,2002:map", "tag:yaml.org,2002:seq")


@dataclass(slots=True)
class FileValues:
    """A file's values: ``data`` nested as in the file; lines (from 1) and variables by path of keys."""

    data: dict[str, Any] = field(default_factory=dict)
    lines: dict[Path, int] = field(default_factory=dict)
    variables: dict[Path, tuple[str, ...]] = field(default_factory=dict)


def read_yaml(file: FilePath, model: type[BaseModel], environ: Mapping[str, str]) -> FileValues:
    """The values of a file, each read as the model's field of that key wants it.

    A key whose value is null, or became empty because its variables are not set, is left out.

    Raises:
        ConfigError: the file cannot be read, is not YAML, is not a mapping, or has a key twice.
    """
    import yaml

    text = _text_of(file)
    loader = yaml.SafeLoader(text)
    try:
        _check_size(yaml.parse(text, yaml.SafeLoader), str(file))
        root = loader.get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise ConfigError(
            f"this is not valid YAML: {error.problem or error.context}",
            hint="check indentation, quotes and colons on this line and the one before",
            file=str(file),
            # The end of the text may be marked one line behind its last.
            line=min(mark.line + 1, len(text.splitlines())) if mark else None,
        ) from error
    except yaml.YAMLError as error:
        raise ConfigError(f"this is not valid YAML: {error}", file=str(file)) from error
    finally:
        loader.dispose()
    reading = _Reading(str(file), environ, FileValues())
    if root is not None and not _is_null(root):
        reading.values.data = reading.block(root, model, ())
    return reading.values


def _text_of(file: FilePath) -> str:
    try:
        if file.stat().st_size > MAX_BYTES:
            raise ConfigError(f"the file is larger than {MAX_BYTES} bytes", file=str(file))
        return file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ConfigError("the file is not UTF-8 text", hint="save it as UTF-8", file=str(file)) from error
    except FileNotFoundError as error:
        raise ConfigError("there is no such file", hint="check its path (--config)", file=str(file)) from error
    except OSError as error:
        raise ConfigError(f"the file cannot be read: {error.strerror}", file=str(file)) from error


def _check_size(events: Iterable[yaml.Event], file: str) -> None:
    """Refuses a small text that would become a very large value, or a very deep one, before it is made."""
    import yaml

    deep = aliases = 0
    for event in events:
        deep += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        aliases += isinstance(event, yaml.AliasEvent)
        line = event.start_mark.line + 1 if event.start_mark else None
        if deep > _MOST_DEEP:
            raise ConfigError("is nested too deeply", hint=f"{_MOST_DEEP} levels are the most", file=file, line=line)
        if aliases > _MOST_ALIASES:
            told = f"{_MOST_ALIASES} are the most; write the values out"
            raise ConfigError("refers to anchors (*name) too often", hint=told, file=file, line=line)


def _is_null(node: yaml.Node) -> bool:
    return bool(node.tag == "tag:yaml.org,2002:null")


class _Reading:
    """One pass over a file's nodes, along the model's blocks."""

    def __init__(self, file: str, environ: Mapping[str, str], values: FileValues) -> None:
        self.file = file
        self.environ = environ
        self.values = values

    def block(self, node: yaml.Node, model: type[BaseModel], path: Path) -> dict[str, Any]:
        import yaml

        if not isinstance(node, yaml.MappingNode):
            raise self.error("must be a block of keys", node, path, hint="write `key: value` lines below it")
        data: dict[str, Any] = {}
        for key, key_node, value_node in self.pairs(node, path):
            place = (*path, key)
            if key not in known_keys(model) and model.model_config.get("extra") == "forbid":
                message, hint = unknown_key(key, known_keys(model), path)
                raise self.error(message, key_node, place, hint=hint)
            # The first mark wins: a merged block (<<) keeps the line where it is written.
            self.values.lines[place] = key_node.start_mark.line + 1
            inner = block_of(model, key)
            if _is_null(value_node):
                continue
            if inner is not None and not self.is_unset(value_node, place):
                data[key] = self.block(value_node, inner, place)
            elif inner is None and (entry := entries_of(model, key)) is not None:
                data[key] = self.entries(value_node, entry, place)
            elif inner is None:
                value = self.value(value_node, place, as_text=_wants_text(model, key))
                if value is not _ABSENT:
                    data[key] = value
        return data

    def entries(self, node: yaml.Node, model: type[BaseModel], path: Path) -> dict[str, Any]:
        """Blocks of one model under names of the user's; one that is null is there, with its defaults."""
        import yaml

        if not isinstance(node, yaml.MappingNode):
            raise self.error("must be a block of names", node, path, hint="write `name: {...}` lines below it")
        data = {}
        for name, name_node, value_node in self.pairs(node, path):
            place = (*path, name)
            self.values.lines[place] = name_node.start_mark.line + 1
            data[name] = {} if _is_null(value_node) else self.block(value_node, model, place)
        return data

    def pairs(self, node: yaml.MappingNode, path: Path) -> list[tuple[str, yaml.Node, yaml.Node]]:
        """(key, its node, value's node), with merged blocks (``<<``) in and own keys last."""
        import yaml

        seen: set[str] = set()
        for key_node, _ in node.value:
            if key_node.value in seen and isinstance(key_node, yaml.ScalarNode):
                raise self.error("this key is here twice", key_node, (*path, key_node.value), hint="keep one of them")
            seen.add(key_node.value if isinstance(key_node, yaml.ScalarNode) else "")
        constructor = yaml.SafeLoader("")
        try:
            constructor.flatten_mapping(node)
        except yaml.MarkedYAMLError as error:
            raise self.error(str(error.problem), node, path) from error
        finally:
            constructor.dispose()
        merged: dict[str, tuple[str, yaml.Node, yaml.Node]] = {}
        for key_node, value_node in node.value:
            if not isinstance(key_node, yaml.ScalarNode):
                raise self.error("a key must be plain text", key_node, path)
            merged[key_node.value] = (key_node.value, key_node, value_node)
        return list(merged.values())

    def value(self, node: yaml.Node, path: Path, *, as_text: bool = False, depth: int = 0) -> Any:
        import yaml

        if depth > _MOST_DEEP:  # an anchor that refers to itself
            raise self.error("is nested too deeply", node, path)
        if not isinstance(node, yaml.ScalarNode) and node.tag not in _COLLECTIONS:
            return self.plain(node, path)
        if isinstance(node, yaml.MappingNode):
            plain = {}
            for key, key_node, item in self.pairs(node, path):
                place = (*path, key)
                self.values.lines[place] = key_node.start_mark.line + 1
                value = self.value(item, place, depth=depth + 1)
                plain[key] = None if value is _ABSENT else value
            return plain
        if isinstance(node, yaml.SequenceNode):
            items = []
            for index, item in enumerate(node.value):
                place = (*path, str(index))
                self.values.lines[place] = item.start_mark.line + 1
                value = self.value(item, place, as_text=as_text, depth=depth + 1)
                if value is not _ABSENT:
                    items.append(value)
            return items
        if node.tag == "tag:yaml.org,2002:str" or (as_text and not _is_null(node)):
            line = node.start_mark.line + 1
            text, variables = substitute(node.value, self.environ, file=self.file, line=line, key=".".join(path))
            if variables:
                self.values.variables[path] = variables
            return text if text or not variables else _ABSENT
        return self.plain(node, path)

    def plain(self, node: yaml.Node, path: Path) -> Any:
        import yaml

        constructor = yaml.SafeLoader("")
        try:
            return constructor.construct_object(node, deep=True)
        except (yaml.MarkedYAMLError, ValueError) as error:
            problem = getattr(error, "problem", None) or str(error)
            raise self.error(
                f"cannot be read: {problem}", node, path, hint="write a plain value, or put it in quotes"
            ) from error
        finally:
            constructor.dispose()

    def is_unset(self, node: yaml.Node, path: Path) -> bool:
        """Whether a block was written as ``${VAR}`` and the variable is not set."""
        import yaml

        return isinstance(node, yaml.ScalarNode) and self.value(node, path, as_text=True) is _ABSENT

    def error(self, message: str, node: yaml.Node, path: Path, *, hint: str | None = None) -> ConfigError:
        return ConfigError(
            message, hint=hint, file=self.file, line=node.start_mark.line + 1, key=".".join(path) or None
        )


_ABSENT = object()


def _wants_text(model: type[BaseModel], key: str) -> bool:
    """Whether the field of this key takes text (or a list of text), and no number or truth value."""
    for name, info in model.model_fields.items():
        if key in (name, info.alias):
            return _leaves(info) <= {str, type(None)}
    return False


def _leaves(info: FieldInfo) -> set[Any]:
    found: set[Any] = set()
    waiting: list[Any] = [info.annotation]
    while waiting:
        kind = waiting.pop()
        if get_origin(kind) is Annotated:
            waiting.append(get_args(kind)[0])
        elif get_origin(kind) is Literal:
            found |= {type(value) for value in get_args(kind)}
        elif get_args(kind):
            waiting.extend(get_args(kind))
        elif kind is not Ellipsis:
            found.add(kind)
    return found
