"""`ragforge projects …`: what there is on this graph, and the names that lead there."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings, command
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import note
from ragforge_memory.models.text import counted
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.models.project import ProjectInfo

app = typer.Typer(
    help="List the projects that are kept here, and give one another name.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@command(app, "list")
async def list_(settings: Settings, json: JsonOption = False) -> None:
    """List all projects of the graph, the one that was used last first: name, place, what was said, other names."""
    from ragforge_memory.graph.project_names import ProjectNames

    async with _graph(settings) as graph:
        found = await ProjectNames(graph).all()
    if json:
        print_json(found)
        return
    for each in found:
        echo(_line(each))
    if not found:
        note("there is no project yet")


@command(app, "rename")
async def rename(
    settings: Settings,
    old: Annotated[str, typer.Argument(metavar="OLD", help="Its name, as `projects list` shows it.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="What it is called from now on.")],
    json: JsonOption = False,
) -> None:
    """Give a project another name; all that was said there goes with it, and nothing of it is written anew."""
    from ragforge_memory.agent.projects import rename_project

    async with _graph(settings) as graph:
        renamed = await rename_project(graph, old, new)
    if json:
        print_json(renamed)
    else:
        echo(_line(renamed))


@contextlib.asynccontextmanager
async def _graph(settings: Settings) -> AsyncIterator[GraphClient]:
    """The graph alone: no project is opened, so none is asked about."""
    from ragforge_memory.cli.session import locate
    from ragforge_memory.graph.connect import connect

    client = await connect(locate(settings).loaded.config.neo4j)
    try:
        yield client
    finally:
        await client.aclose()


def _line(project: ProjectInfo) -> str:
    used = f"last used {local(project.used_at):%Y-%m-%d %H:%M}" if project.used_at else "never used"
    said = f"{counted(project.conversations, 'conversation')}, {counted(project.messages, 'message')}"
    place = project.place if project.place and project.place != project.name else ""
    also = f"also {', '.join(project.also)}" if project.also else ""
    return "  ".join(filter(None, (project.name, place, said, used, also)))
