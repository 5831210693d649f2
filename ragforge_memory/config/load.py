"""Finds ``ragforge.config.yaml``, reads it, lets the environment override it, and remembers what came from where."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from ragforge_memory.config.environment import Path as Keys
from ragforge_memory.config.environment import overrides
from ragforge_memory.config.known_models import provider_of_chat_model, split_chat_model
from ragforge_memory.config.refusal import (
    MASK,
    block_of,
    entries_of,
    is_secret,
    known_keys,
    masked_address,
    nearest,
    refused,
)
from ragforge_memory.config.sections import AgentConfig, RagforgeConfig
from ragforge_memory.config.yaml_file import FileValues, read_yaml
from ragforge_memory.errors import ConfigError
from ragforge_memory.home import expanded
from ragforge_memory.project import ProjectIdentity, git_toplevel, identify, project_root

FILE_NAME = "ragforge.config.yaml"
PLACES = (f".ragforge/{FILE_NAME}", FILE_NAME)
DEFAULT = "default"

# What a configuration is easily called instead; nobody reads it then.
_MISNAMED = ("ragforge.yaml", "ragforge.yml", "ragforge.config.yml")


@dataclass(frozen=True, slots=True)
class Setting:
    """One value of the configuration, with secrets masked, and where it came from."""

    key: str
    value: Any
    origin: str


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration and its history.

    ``file`` is None where none was found. ``origins`` gives each dotted key ``default``, ``FILE:LINE`` (with the
    variables that it took) or ``environment NAME``. ``root`` is the folder that the file's relative paths start
    from: the project's. ``notices`` are remarks about what is probably a mistake, but allowed. ``from_file`` are the
    keys whose values the file says, not a variable that gives all of it; ``variables`` those that it takes, by path.
    """

    config: RagforgeConfig
    file: Path | None = None
    root: Path = field(default_factory=Path.cwd)
    origins: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()
    from_file: frozenset[str] = frozenset()
    variables: Mapping[Keys, tuple[str, ...]] = field(default_factory=dict)

    @property
    def source_root(self) -> Path:
        """The absolute folder of the project's code (``source.root``)."""
        return (self.root / self.config.source.root).resolve()

    def settings(self) -> list[Setting]:
        """Every value in the order of the file format, secrets masked."""
        return [
            Setting(key, _masked(key, value), self.origins.get(key, DEFAULT)) for key, value in _leaves(self.config, ())
        ]


def find_config(start: Path) -> Path | None:
    """The configuration file for a folder: its own, else that of a folder above it inside the same git work tree.

    In each folder ``.ragforge/ragforge.config.yaml`` goes before ``ragforge.config.yaml``.
    """
    for folder in _upwards(start):
        for place in PLACES:
            if (folder / place).is_file():
                return folder / place
    return None


def load_config(
    path: str | os.PathLike[str] | None = None,
    start: str | os.PathLike[str] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
) -> LoadedConfig:
    """Reads the configuration.

    Args:
        path: the file (``--config``); it must exist. None: looked for with `find_config`; none found is not an error.
        start: the folder to look from; default the current one. Given together with ``path`` it says which
            project is meant; alone, ``path`` means the project of the folder that the file is in.
        environ: the environment; default that of the process.

    Raises:
        ConfigError: with file, line and key where they are known.
    """
    environ = os.environ if environ is None else environ
    folder = _place(start or Path.cwd())
    file = _place(path) if path is not None else find_config(folder)
    if file is None:
        notices = tuple(_misnamed(folder))
        return replace(_built(FileValues(), None, project_root(folder), environ), notices=notices)
    if path is not None and start is not None:
        root = project_root(folder)
    else:
        root = file.parent.parent if file.parent.name == ".ragforge" else file.parent
    return _built(read_yaml(file, RagforgeConfig, environ), file, root, environ)


def _place(path: str | os.PathLike[str]) -> Path:
    try:
        return expanded(path).absolute()
    except ValueError as error:
        raise ConfigError(str(error)) from error


def environment_config(environ: Mapping[str, str] | None = None) -> LoadedConfig:
    """The configuration that the environment alone gives: no file is looked for.

    Raises:
        ConfigError: a variable has a value that does not fit.
    """
    return _built(FileValues(), None, Path.cwd(), os.environ if environ is None else environ)


def _upwards(start: Path) -> Iterator[Path]:
    """The folder itself; inside a git work tree also those above it, up to the work tree's top."""
    yield start
    top = git_toplevel(start)
    for folder in start.parents if top is not None and top != start else ():
        yield folder
        if folder == top:
            return


def _misnamed(start: Path) -> Iterator[str]:
    for folder in _upwards(start):
        for place in (folder / ".ragforge", folder):
            for name in _MISNAMED:
                if (place / name).is_file():
                    yield f"{place / name} is not read; the configuration's name is {FILE_NAME}"


def _built(values: FileValues, file: Path | None, root: Path, environ: Mapping[str, str]) -> LoadedConfig:
    origins = {
        ".".join(path): _file_origin(file, line, values.variables.get(path, ()), environ)
        for path, line in values.lines.items()
        if _is_set(values.data, path)
    }
    variables: dict[Keys, str] = {}
    for variable, path, value in overrides(environ, _llm_provider(values.data)):
        _put(values.data, path, value)
        variables[path] = variable
        origins[".".join(path)] = f"environment {variable}"

    def place_of(path: Keys) -> tuple[str | None, int | None]:
        if path in variables:
            return f"environment variable {variables[path]}", None
        for length in range(len(path), 0, -1):
            if path[:length] in values.lines:
                return str(file), values.lines[path[:length]]
        return (str(file), None) if file else (None, None)

    try:
        config = RagforgeConfig.model_validate(values.data)
    except ValidationError as error:
        raise refused(error, RagforgeConfig, place_of=place_of, variable_of=variables.get) from error
    _follow_models(config, origins)
    said = frozenset(
        ".".join(path) for path in values.lines if _is_said(values, path, environ) and path not in variables
    )
    if "llm.model" in said and ("llm", "base_url") not in {*variables, *values.lines}:
        said |= {"llm.base_url"}  # `provider:model@address`
    notices = tuple(_notices(values, config, file))
    return LoadedConfig(config, file, root, origins, notices, said, dict(values.variables))


def _is_said(values: FileValues, path: Keys, environ: Mapping[str, str]) -> bool:
    """Whether the file says a value, or a part of it; one that is wholly a variable's is the environment's."""
    names = values.variables.get(path, ())
    value: Any = values.data
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return False
        value = value[key]
    return len(names) != 1 or value != environ.get(names[0])


def _llm_provider(data: Mapping[str, Any]) -> str | None:
    block = data.get("llm")
    if not isinstance(block, dict):
        return None
    if block.get("provider"):
        return str(block["provider"])
    told = split_chat_model(str(block.get("model") or ""))
    return told.provider or provider_of_chat_model(told.model or "", has_address=bool(block.get("base_url")))


def _file_origin(file: Path | None, line: int, variables: tuple[str, ...], environ: Mapping[str, str]) -> str:
    took = ", ".join(name if environ.get(name) else f"{name} is not set" for name in variables)
    return f"{file}:{line} ({took})" if variables else f"{file}:{line}"


def _follow_models(config: RagforgeConfig, origins: dict[str, str]) -> None:
    """Says of a provider, a model and a dimension when they follow from one another rather than from a default."""
    if config.llm is not None and "llm.model" in origins:
        for key in ("provider", "base_url"):
            if getattr(config.llm, key):
                origins.setdefault(f"llm.{key}", "follows from llm.model")
    block = "agent.memory.embeddings"
    chosen = next((key for key in ("model", "provider") if f"{block}.{key}" in origins), None)
    if chosen is None:
        return
    for key in ("provider", "model", "dimension"):
        origins.setdefault(f"{block}.{key}", f"follows from {block}.{chosen}")


# Of generated projects, which read these blocks themselves.
_OF_GENERATED = ("entities", "generate")


def _notices(values: FileValues, config: RagforgeConfig, file: Path | None) -> Iterator[str]:
    """What is probably a slip: keys that look like one of ours that is not there, and keys that change nothing."""

    def at(*path: str) -> str:
        return f"{file}:{values.lines.get(path, 1)}: {'.'.join(path)}"

    given: list[tuple[Keys, Any, type[BaseModel] | None]] = [((), values.data, RagforgeConfig)]
    given += [((key,), values.data.get(key), block_of(RagforgeConfig, key)) for key in known_keys(RagforgeConfig)]
    for path, data, block in given:
        if block is None or block.model_config.get("extra") != "allow" or not isinstance(data, dict):
            continue
        known = known_keys(block) if path else [*known_keys(block), *_OF_GENERATED]
        for key in (key for key in data if key not in known):
            near = nearest(str(key), known, least=0.6 if path else 0.75)
            if near and near not in data:
                yield f"{at(*path, str(key))} is not a key of ours; did you mean {'.'.join((*path, near))}?"
    for key in known_keys(AgentConfig):
        if key in values.data and key not in (values.data.get("agent") or {}):
            yield f"{at(key)} is not a key of ours; did you mean agent.{key}?"
    # A block whose address is a variable that is not set is meant to be absent; here none was written.
    if config.neo4j is None and ("neo4j", "uri") not in values.lines:
        for key in ("username", "password", "database"):
            if _is_set(values.data, ("neo4j", key)) and ("neo4j", key) in values.lines:
                yield f"{at('neo4j', key)} has no effect without neo4j.uri: the managed server has its own"


def _is_set(data: Any, path: Keys) -> bool:
    for key in path:
        if isinstance(data, list):
            return True
        if not isinstance(data, dict) or key not in data:
            return False
        data = data[key]
    return True


def _put(data: dict[str, Any], path: Keys, value: str) -> None:
    for key in path[:-1]:
        inner = data.get(key)
        if not isinstance(inner, dict):
            inner = data[key] = {}
        data = inner
    data[path[-1]] = value


def _leaves(block: BaseModel, path: Keys) -> Iterator[tuple[str, Any]]:
    for name, info in type(block).model_fields.items():
        key, value = info.alias or name, getattr(block, name)
        if isinstance(value, BaseModel):
            yield from _leaves(value, (*path, key))
        elif value is None and block_of(type(block), key) is not None:
            yield ".".join((*path, key)), None
        elif entries_of(type(block), key) is not None and value:
            for entry, inner in value.items():
                yield from _leaves(inner, (*path, key, entry))
        else:
            yield ".".join((*path, key)), list(value) if isinstance(value, tuple) else value
    for key, value in (block.model_extra or {}).items():
        yield from _extra_leaves(value, (*path, key))


def _extra_leaves(value: Any, path: Keys) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _extra_leaves(inner, (*path, str(key)))
    else:
        yield ".".join(path), value


def _masked(key: str, value: Any) -> Any:
    if is_secret(key) and value:
        return MASK
    return masked_address(value) if isinstance(value, str) else value


@dataclass(frozen=True, slots=True)
class Place:
    """Where work is done: the configuration, the project, and the folder of its code."""

    loaded: LoadedConfig
    project: ProjectIdentity
    source: Path


def find_place(config: str | os.PathLike[str] | None = None, folder: str | os.PathLike[str] | None = None) -> Place:
    """Finds the project that is meant by a configuration file, by a folder, or by neither: then the current folder's.

    A folder that was named is of the project whose configuration it takes, as the current one is. Where there is none,
    or another was named with it, nothing says that it is a part of anything: it is a project of its own.

    Args:
        config: the configuration file; None: looked for from the folder.
        folder: the folder; None: the current one.

    Raises:
        ConfigError: the configuration cannot be used.
    """
    loaded = load_config(config, folder)
    if folder is None or (config is None and loaded.file is not None):
        return Place(loaded, identify(loaded.root, loaded.config.name), loaded.source_root)
    root = Path(folder).resolve()
    return Place(loaded, identify(root, loaded.config.name), (root / loaded.config.source.root).resolve())
