"""`ragforge init`: the files that a project begins with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragforge_memory.cli.options import Settings
from ragforge_memory.cli.shown import echo

if TYPE_CHECKING:
    from ragforge_memory.scaffold.initial import Answers

Model = Annotated[
    str | None,
    typer.Option(
        "--model", metavar="MODEL", help="gemini, openai, extractive, or one of theirs: gemini:gemini-3.8-flash."
    ),
]


def init(
    settings: Settings,
    directory: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="The folder; this one by default.", file_okay=False)
    ] = None,
    name: Annotated[str | None, typer.Option("--name", metavar="NAME", help="The project's name.")] = None,
    model: Model = None,
    embedder: Annotated[
        Literal["local", "gemini", "openai", "none"] | None, typer.Option("--embedder", help="What makes vectors.")
    ] = None,
    persistence: Annotated[
        Literal["neo4j", "files"] | None, typer.Option("--persistence", help="Where the texts are kept.")
    ] = None,
    code: Annotated[
        bool | None, typer.Option("--code/--no-code", help="Whether the agent reads the code of the folder.")
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask nothing; what is not given has its default.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
) -> None:
    """Begin a project: a commented ragforge.config.yaml, .env.example, and lines for .gitignore.

    Asks for what no option says. `ragforge generate` then makes a Python project of it.
    """
    from ragforge_memory.config.load import FILE_NAME, PLACES
    from ragforge_memory.errors import InvalidInput
    from ragforge_memory.scaffold.initial import initial_files
    from ragforge_memory.scaffold.merging import write_new

    if settings.config is not None:
        raise typer.BadParameter(f"init writes {FILE_NAME}, and reads no other", param_hint="--config")
    folder = (directory or settings.project or Path.cwd()).absolute()
    answers = _answers(folder, name, model, embedder, persistence, code, asks=not yes)
    files = initial_files(folder, answers)
    there = [each for each in (FILE_NAME, ".env.example") if os.path.lexists(folder / each) and not force]
    if configured := [each for each in PLACES if os.path.lexists(folder / each) and (each != FILE_NAME or not force)]:
        raise InvalidInput(
            f"{folder / configured[0]} is there already",
            hint="edit it, or write over it with --force" if configured == [FILE_NAME] else "edit it, or take it away",
        )
    for path in write_new(folder, {path: text for path, text in files.items() if path not in there}):
        echo(f"wrote {path}")
    for path in there:
        echo(f"left {path} as it is")
    echo("next: ragforge chat, or ragforge generate for a Python project of your own")


def _answers(
    folder: Path,
    name: str | None,
    model: str | None,
    embedder: str | None,
    persistence: Literal["neo4j", "files"] | None,
    code: bool | None,
    *,
    asks: bool,
) -> Answers:
    """What the options say, else the user, else the defaults."""
    from ragforge_memory.scaffold.initial import answers_of

    if asks and not sys.stdin.isatty():
        raise typer.BadParameter("there is no terminal to ask at: give --yes, and what shall not be the default")
    name = name if name is not None or not asks else typer.prompt("Name", default=folder.name)
    if model is None and asks:
        model = typer.prompt("Model (gemini, openai, extractive, or empty: as the environment says)", default="")
    if embedder is None and asks:
        embedder = typer.prompt("Vectors by (local, gemini, openai, none)", default="local")
    if persistence is None and asks:
        files = typer.confirm("Keep the texts of conversations in files rather than in Neo4j?", default=False)
        persistence = "files" if files else "neo4j"
    if code is None and asks:
        code = typer.confirm("Shall the agent read the code here?", default=True)
    return answers_of(
        name or folder.name or "agent",
        model or None,
        embedder or "local",
        persistence or "neo4j",
        code=True if code is None else code,
    )
