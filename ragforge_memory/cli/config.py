"""`ragforge config`: every value and where it came from; and what a file may reach."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ragforge_memory.cli.options import JsonOption, Settings, command
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import Terminal, note

if TYPE_CHECKING:
    from ragforge_memory.config import LoadedConfig

app = typer.Typer(help="The configuration in use.", no_args_is_help=True, rich_markup_mode=None)


@command(app, "show")
def show(settings: Settings, json: JsonOption = False) -> None:
    """Show every value of the configuration and where it came from; secrets are masked."""
    from ragforge_memory.config import load_config

    loaded = load_config(settings.config, settings.project)
    if json:
        values = [{"key": s.key, "value": s.value, "origin": s.origin} for s in loaded.settings()]
        print_json({"file": str(loaded.file) if loaded.file else None, "root": str(loaded.root), "values": values})
    else:
        _print(loaded)


@command(app, "allow")
def allow(settings: Settings) -> None:
    """Allow this project's configuration the addresses and folders outside that it names.

    Asked for once, where a ragforge.config.yaml that was found (not named by --config) has an address outside of this
    machine and its network, to which what is asked, and the code, is sent: of a model (llm.base_url) or of a database
    (neo4j.uri); or a folder outside of the project: of the code (source.root) or of the texts
    (agent.memory.persistence.directory). It holds until one of them, or a variable that goes along, is another.
    """
    from ragforge_memory.config import load_config
    from ragforge_memory.config.allowed import allow as remember

    loaded = load_config(settings.config, settings.project)
    allowed = remember(loaded)
    if not allowed:
        told = f"{loaded.file} names nothing outside" if loaded.file else "no configuration was found"
        echo(f"there is nothing to allow: {told}")
    for each in allowed:
        echo(f"allowed: {each}")


def _print(loaded: LoadedConfig) -> None:
    from ragforge_memory.config.allowed import COMMAND, is_allowed, listed, named_outside

    terminal = Terminal.of_this_process()
    echo(f"file: {loaded.file or 'none found; defaults and environment'}")
    settings = [(s.key, _shown(s.value), _origin(s.origin, loaded.file)) for s in loaded.settings()]
    widths = [max((len(row[column]) for row in settings), default=0) for column in (0, 1)]
    for key, value, origin in settings:
        echo(f"{key.ljust(widths[0])}  {value.ljust(min(widths[1], 40))}  {terminal.dim(origin)}")
    for notice in loaded.notices:
        note(notice)
    if not is_allowed(loaded):
        note(f"not allowed so far: {listed(named_outside(loaded))}; if that is meant: {COMMAND}")


def _shown(value: Any) -> str:
    return value if isinstance(value, str) and value else json.dumps(value, ensure_ascii=False, default=str)


def _origin(origin: str, file: Path | None) -> str:
    """The origin; the file's own folder is said once, in the first line."""
    return origin.replace(f"{file}:", f"{file.name}:", 1) if file else origin
