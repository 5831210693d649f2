"""The files that a project begins with: a commented configuration, an example of the environment, what git ignores."""

from __future__ import annotations

import keyword
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, cast, get_args

from ragforge_memory.config.known_models import EmbeddingProvider
from ragforge_memory.config.load import FILE_NAME
from ragforge_memory.config.servers import LLMProvider
from ragforge_memory.errors import ConfigError, InvalidInput
from ragforge_memory.scaffold.names import is_speakable, snake
from ragforge_memory.scaffold.rendering import render_one

IGNORED = (".env", ".venv/", ".ragforge/installed", "conversations/", "__pycache__/")
"""What git ignores in a project; what was generated last is not among it, for a team merges with it."""

_RESERVED = frozenset(
    {
        *("tests", "queries", "docs", "examples", "ragforge_memory", "neo4j", "pydantic", "pytest", "ruff", "mypy"),
        *("yaml", "jinja2", "typer", "rich", "hatchling"),
    }
)


@dataclass(frozen=True, slots=True)
class Answers:
    """What a project is.

    Args:
        name: the project's, in the graph too.
        provider, model: of the language model; None: the environment decides.
        embedder: of the vectors; None: there are none.
        persistence: where the texts are.
        code: whether the agent reads the code.
    """

    name: str
    provider: str | None = None
    model: str | None = None
    embedder: EmbeddingProvider | None = "local"
    persistence: Literal["neo4j", "files"] = "neo4j"
    code: bool = True

    @property
    def package(self) -> str:
        """A Python package for the name."""
        return package_for(self.name)


def answers_of(
    name: str, model: str | None, embedder: str, persistence: Literal["neo4j", "files"], *, code: bool
) -> Answers:
    """Answers as a command line has them: ``model`` is a provider, or ``PROVIDER:MODEL``.

    Raises:
        InvalidInput: one of them is none of those that there are.
    """
    provider, _, of_provider = (model or "").partition(":")
    if provider and provider not in get_args(LLMProvider):
        raise InvalidInput(f"there is no provider {provider!r}", hint="one of gemini, openai, extractive")
    if embedder != "none" and embedder not in get_args(EmbeddingProvider):
        raise InvalidInput(f"nothing makes vectors by {embedder!r}", hint="local, gemini, openai, or none")
    if not is_speakable(name):
        raise InvalidInput("a project's name is 1 to 200 characters without a backslash", hint="--name NAME")
    chosen = None if embedder == "none" else cast("EmbeddingProvider", embedder)
    return Answers(name, provider or None, of_provider or None, chosen, persistence, code)


def package_for(name: str) -> str:
    """A package's name for a project's: of ``github.com/team/my-shop`` it is ``my_shop``."""
    found = snake(name.rstrip("/").rpartition("/")[2], "agent")
    return f"{found}_agent" if found in _RESERVED or found in sys.stdlib_module_names else found


def check_package(name: str) -> str:
    """The name, if a package can have it.

    Raises:
        ConfigError: it cannot.
    """
    if (
        not name.isidentifier()
        or not name.strip("_")
        or not name.isascii()
        or keyword.iskeyword(name)
        or name in sys.stdlib_module_names
    ):
        raise ConfigError(
            f"no package of yours can be called {name!r}",
            key="generate.package",
            hint="letters, digits and _: my_agent",
        )
    if name in _RESERVED:
        raise ConfigError(
            f"{name!r} is the name of another package or folder", key="generate.package", hint="another name: my_agent"
        )
    return name


def initial_files(folder: Path, answers: Answers) -> dict[str, str]:
    """The text of each file of a new project; .gitignore is what there is with what it lacks.

    Raises:
        InvalidInput: .gitignore cannot be read.
    """
    return {
        FILE_NAME: render_one(FILE_NAME, {"answers": answers}),
        ".env.example": env_example(),
        **with_ignored(folder),
    }


def with_ignored(folder: Path) -> dict[str, str]:
    """.gitignore with what it lacks; nothing where it lacks nothing.

    Raises:
        InvalidInput: it cannot be read.
    """
    ignored = folder / ".gitignore"
    try:
        there = ignored.read_text(encoding="utf-8") if ignored.exists() else ""
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"cannot read {ignored}: {error}", hint="it must be text in UTF-8") from error
    missing = [each for each in IGNORED if each not in there.splitlines()]
    gap = "" if not there or there.endswith("\n") else "\n"
    return {".gitignore": there + gap + "\n".join(missing) + "\n"} if missing else {}


def env_example() -> str:
    """The variables that a project knows."""
    return render_one("env.example", {})
