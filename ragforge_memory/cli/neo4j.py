"""`ragforge neo4j`: the managed local server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import JsonOption, Settings, command
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Terminal

if TYPE_CHECKING:
    from ragforge_memory.config import Neo4jConfig
    from ragforge_memory.graph.managed import ServerStatus

app = typer.Typer(
    name="neo4j",
    help="The local Neo4j that ragforge runs for you.",
    rich_markup_mode=None,
    no_args_is_help=True,
)

LinesOption = Annotated[int, typer.Option("--lines", "-n", min=1, metavar="N", help="How many lines.")]


@command(app, "start")
def start(settings: Settings, json: JsonOption = False) -> None:
    """Start the server if it does not run; the first time it is downloaded."""
    from ragforge_memory.cli.preparation import shown_preparation
    from ragforge_memory.errors import ServerStartError
    from ragforge_memory.graph.managed import ensure_running

    external = _external(settings)
    if external is not None:
        raise ServerStartError(
            f"Neo4j at {external.uri} is configured; the local server is not used beside it.",
            hint="Unset NEO4J_URI, or take neo4j.uri out of the configuration.",
        )
    with shown_preparation(Terminal.of_this_process()) as progress:
        ensure_running(progress=progress)
    status(settings, json)


@command(app, "stop")
def stop(settings: Settings) -> None:
    """Stop the local server; another one that is configured is not ours to stop."""
    from ragforge_memory.errors import InvalidInput
    from ragforge_memory.graph import managed
    from ragforge_memory.home import ragforge_home

    external = _external(settings)
    if external is not None:
        raise InvalidInput(
            f"Neo4j at {external.uri} is configured, which is not ours to stop",
            hint=f"without NEO4J_URI and neo4j.uri this stops the local server of {ragforge_home()}",
        )
    echo("Neo4j stopped." if managed.stop() else "Neo4j was not running.")


@command(app, "status")
def status(settings: Settings, json: JsonOption = False) -> None:
    """Tell whether the server runs, and where; --json gives the password too.

    Ends with 0 when it runs, with 1 when it does not.
    """
    from ragforge_memory.graph import managed

    external = _external(settings, asked=True)
    if external is None:
        found = managed.status()
    else:
        found = managed.external_status(external.uri, external.username, external.password)
    if json:
        print_json(found.as_dict())
    else:
        _tell(found)
    if not found.running:
        raise typer.Exit(1)


def _tell(found: ServerStatus) -> None:
    kind = "managed" if found.managed else "external"
    if found.running:
        process = f", process {found.pid}" if found.pid else ""
        echo(f"Neo4j {found.version} ({kind}) runs at {found.uri}{process}.")
    else:
        place = f" at {found.uri}" if found.uri else ""
        echo(f"Neo4j ({kind}){place} is not running.")
    if found.managed:
        echo(f"Its home is {found.home}.")


@command(app, "logs")
def logs(settings: Settings, lines: LinesOption = 100) -> None:
    """Print the last lines that the server wrote."""
    from ragforge_memory.graph import managed

    text = managed.logs(lines=lines)
    if text:
        echo(text)


@command(app, "path")
def path(settings: Settings) -> None:
    """Print the folder that holds the server's data, logs and configuration."""
    from ragforge_memory.graph.managed.files import ServerFiles
    from ragforge_memory.home import ragforge_home

    echo(str(ServerFiles(ragforge_home()).root))


def _external(settings: Settings, *, asked: bool = False) -> Neo4jConfig | None:
    """The server that the configuration or the environment names instead of ours; ``asked``: it gets its password."""
    from ragforge_memory.config import load_config
    from ragforge_memory.config.allowed import check_allowed

    loaded = load_config(settings.config, settings.project)
    if asked and settings.config is None:
        check_allowed(loaded)
    configured = loaded.config.neo4j
    return configured if configured is not None and configured.uri else None
