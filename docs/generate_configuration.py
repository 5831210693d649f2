"""Writes docs/configuration.md from the configuration's models: ``python docs/generate_configuration.py``.

A test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ragforge_memory.config import RagforgeConfig
from ragforge_memory.config.conversation import KEYWORDS
from ragforge_memory.config.environment import overrides

PAGE = Path(__file__).parent / "configuration.md"

WITHOUT_EFFECT = ("agent.memory.tools.similarity_threshold",)
"""What is read and checked, and changes nothing in this version."""

_INTRODUCTION = """# Configuration

This page is made from the program by `python docs/generate_configuration.py`.

No configuration is needed. Where there is one it is `ragforge.config.yaml`:
[examples/ragforge.config.yaml](../examples/ragforge.config.yaml) has every key with its default and a comment, and
[ragforge.config.schema.json](ragforge.config.schema.json) is its JSON Schema, for editors. `ragforge config show`
prints what is in force, each value with where it came from.

- **Where it is looked for**: `--config FILE`, else `.ragforge/ragforge.config.yaml`, else `ragforge.config.yaml`, in
  the current folder and those above it, up to the top of the git work tree.
- **What is outside**: a file that was found, not named by `--config`, may name any address on this machine and its
  network, and the vendors' own, and any folder of the project. For another address (`llm.base_url`, `neo4j.uri`) or
  folder (`source.root`, `agent.memory.persistence.directory`) the command line wants a word once, `ragforge config
  allow`, until it or a variable beside it is another: who clones a project has not read its file. What a variable
  gives as a whole (`uri: ${NEO4J_URI}`) is the environment's and needs none. A program that loads a file answers for
  it; an agent that is made without a project takes from a file that it finds the `name` and `source` alone, and wants
  the same word for the folder.
- **Variables**: `${VAR}` and `${VAR:-default}` in a value are replaced after the file was parsed, so what comes in is
  never read as YAML. An unset variable is empty, and a `neo4j` block whose `uri` is empty counts as absent. `$${` is a
  literal `${`.
- **Order**: an argument or option, then the environment, then the file, then the default. In this order a vendor's key
  and address are found too, for models that answer and models that embed alike (the `llm` block of a `RagforgeConfig`
  that a program makes is an argument).
- **Errors** name the file, the line, the key and, for an unknown key under `agent:` or `server:`, the nearest known
  one. Unknown keys elsewhere are kept and ignored, for RagForge's other tools write into the same file; one that looks
  like one of ours is pointed out.

In Python the keys under `agent:` are keywords of `ConversationConfig` (last column).
"""

_ENVIRONMENT = """## Environment

Variables that stand for a key are in the tables above. Besides:

| variable | |
|---|---|
| `GEMINI_API_KEY`, `GOOGLE_GEMINI_BASE_URL` | with no `llm` block: Gemini answers, at that address where one is set |
| `OPENAI_API_KEY`, `OPENAI_BASE_URL` | with no `llm` block and no Gemini key: OpenAI, or the server at that address |
| `RAGFORGE_HOME` | the folder of the managed server, its data and the journal; default: the user's data folder |
| `RAGFORGE_CACHE` | the folder of downloads and the Java runtime, for several homes to share; default: the home |
| `RAGFORGE_MIRROR` | base address of a Maven repository to fetch Neo4j and the embedding models from |
| `RAGFORGE_JAVA` | the Java to run Neo4j with: an executable or the home of a Java 21 or 25 |
| `RAGFORGE_NEO4J_VERSION` | the Neo4j to run, one of those that this version has a lock file for |
| `RAGFORGE_NEO4J_HEAP`, `RAGFORGE_NEO4J_PAGE_CACHE` | its memory, as Java and Neo4j write it; default `512m`, `64m` |
| `RAGFORGE_NEO4J_IDLE_HOURS` | it stops after so many hours without a client; 0: never; default 8 |
| `RAGFORGE_NEO4J_JAVA_OPTIONS` | further options of its Java that begin with `-X`, quoted as in a shell |
| `NO_COLOR` | no colours |
"""


class _EverythingSet(dict[str, str]):
    """An environment in which every variable is set."""

    def get(self, key: str, default: Any = None) -> Any:
        return "set"


def page() -> str:
    """The whole page."""
    return "\n".join([_INTRODUCTION, *_blocks(RagforgeConfig, ()), _ENVIRONMENT])


def leaves(model: type[BaseModel] = RagforgeConfig, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The path of every key that holds a value, as the file writes it."""
    for name, field in model.model_fields.items():
        inner = _model_of(field)
        here = (*path, field.alias or name)
        yield from leaves(inner, here) if inner else (here,)


def _blocks(model: type[BaseModel], path: tuple[str, ...]) -> Iterator[str]:
    title = ".".join(path) or "Top level"
    rows = [_row(name, field, path) for name, field in model.model_fields.items() if not _model_of(field)]
    if rows:
        head = ["| key | default | | in `ConversationConfig` |", "|---|---|---|---|"]
        about = "" if not path else f"{_sentence(model)}\n\n"
        yield f"## {title if not path else f'`{title}`'}\n\n{about}" + "\n".join([*head, *rows]) + "\n"
    for name, field in model.model_fields.items():
        inner = _model_of(field)
        if inner is not None:
            yield from _blocks(inner, (*path, field.alias or name))


def _row(name: str, field: FieldInfo, path: tuple[str, ...]) -> str:
    key = field.alias or name
    place = (*path, key)
    told = [field.description or ""]
    choices = _choices(field)
    if choices and not any(choice in told[0] for choice in choices):
        told.append(f"one of {', '.join(f'`{choice}`' for choice in choices)}")
    variables = sorted(
        {
            variable
            for provider in ("gemini", "openai")
            for variable, target, _ in overrides(_EverythingSet(), provider)
            if target == place
        }
    )
    if variables:
        told.append(f"environment: {', '.join(f'`{variable}`' for variable in variables)}")
    if ".".join(place).startswith(WITHOUT_EFFECT):
        told.append("*no effect yet*")
    keyword = next((word for word, target in KEYWORDS.items() if ("agent", *target) == (*path, name)), None)
    return f"| `{key}` | {_default(field)} | {'; '.join(told)} | {f'`{keyword}`' if keyword else ''} |"


def _default(field: FieldInfo) -> str:
    value = field.get_default(call_default_factory=True, validated_data={})
    if value is None:
        return "null"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return f"`[{', '.join(chr(34) + item + chr(34) for item in value)}]`"
    return f"`{value}`" if value != "" else "empty"


def _model_of(field: FieldInfo) -> type[BaseModel] | None:
    """The block that a key opens, if it does."""
    kinds = get_args(field.annotation) if get_origin(field.annotation) in (Union, UnionType) else (field.annotation,)
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _choices(field: FieldInfo) -> tuple[str, ...]:
    annotation: Any = field.annotation
    kinds = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    return tuple(
        choice for kind in kinds if kind is not NoneType and get_origin(kind) is Literal for choice in get_args(kind)
    )


def _sentence(model: type[BaseModel]) -> str:
    return (model.__doc__ or "").strip().partition("\n\n")[0].replace("``", "`")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
