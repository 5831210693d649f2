"""The files of the project that a configuration means."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ragforge_memory.config.load import FILE_NAME
from ragforge_memory.errors import ConfigError
from ragforge_memory.scaffold.entities import blocks_of
from ragforge_memory.scaffold.initial import check_package, env_example, package_for, with_ignored
from ragforge_memory.scaffold.merging import GENERATED, Change
from ragforge_memory.scaffold.plan import plan
from ragforge_memory.scaffold.rendering import render

if TYPE_CHECKING:
    from ragforge_memory.config import LoadedConfig
    from ragforge_memory.project import ProjectIdentity


def files_of(loaded: LoadedConfig, project: ProjectIdentity, folder: Path) -> dict[str, str]:
    """The text of each file, by its path; the configuration is one where it is made elsewhere.

    Args:
        loaded: the configuration.
        project: that it is of.
        folder: where the project shall be.

    Raises:
        ConfigError: there is none, its entities cannot be used, or the package cannot be called so.
    """
    if loaded.file is None:
        raise ConfigError("there is no ragforge.config.yaml here to generate from", hint="ragforge init makes one")
    blocks = blocks_of(loaded.config.model_extra, loaded.origins)
    if not loaded.config.agent.memory.embeddings.enabled and any(each.vector_index for each in blocks.entities):
        raise ConfigError(
            "a vector index is searched with the agent's embedder, and embeddings are off",
            key="entities",
            hint="set agent.memory.embeddings.enabled, or leave vector_index out",
        )
    # The path of a folder is another one for everybody who clones it.
    if Path(project.name).is_absolute() and blocks.generate.package is None:
        raise ConfigError("the project has no name to call a package by", key="name", hint="name: my-shop")
    name = Path(project.name).name if Path(project.name).is_absolute() else project.name
    package = check_package(blocks.generate.package or package_for(name))
    llm, embeddings = loaded.config.llm, loaded.config.agent.memory.embeddings
    openai = "openai" in (llm and llm.provider, embeddings.enabled and embeddings.provider)
    extras = ("local", "openai") if openai else ("local",)
    files = render(plan(name, package, blocks.entities, code=blocks.generate.code, extras=extras))
    files[".env.example"] = env_example()
    if loaded.file.resolve() != (folder / FILE_NAME).resolve():
        files[FILE_NAME] = loaded.file.read_text(encoding="utf-8")
    return files


_MANY_TOOLS = 40


def ignored_changes(folder: Path) -> list[Change]:
    """What .gitignore lacks, as a change; what a team has taken out of it since the first time stays out."""
    if (folder / GENERATED).is_dir():
        return []
    what: Literal["changed", "new"] = "changed" if (folder / ".gitignore").exists() else "new"
    return [Change(path, what, text) for path, text in with_ignored(folder).items()]


def is_private(file: Path | None) -> bool:
    """Whether a configuration is for its owner's eyes alone."""
    return file is not None and not file.stat().st_mode & 0o077


def warnings_of(folder: Path, files: Mapping[str, str]) -> list[str]:
    """What a team should know of a project: git hides what it merges with, or a model has too many tools to choose
    from."""
    found = []
    if (tools := sum(path.startswith("queries/") for path in files) - 1) > _MANY_TOOLS:
        found.append(f"{tools} tools: a model chooses badly among so many, so name fewer entities")
    if (git := shutil.which("git")) is not None:
        asked = [git, "-C", str(folder), "check-ignore", "-q", f"{GENERATED}/README.md"]
        if subprocess.run(asked, capture_output=True, check=False).returncode == 0:
            found.append(f"git ignores {GENERATED}, which your team merges with: add !.ragforge/ to .gitignore")
    return found
