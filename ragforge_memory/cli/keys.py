"""`ragforge keys …`: who may come in over HTTP."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from ragforge_memory.cli.options import JsonOption, LimitOption, Settings, command
from ragforge_memory.cli.output import print_json
from ragforge_memory.cli.shown import echo
from ragforge_memory.cli.terminal import note
from ragforge_memory.models.times import local

if TYPE_CHECKING:
    from datetime import datetime

    from ragforge_memory.graph.keys import KeyStore
    from ragforge_memory.models.access import ApiKey

app = typer.Typer(
    help="Make, list and revoke the API keys of a project, and see what was done with them.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@command(app, "create")
async def create(
    settings: Settings,
    scope: Annotated[
        Literal["user", "others", "admin"],
        typer.Option("--scope", help="Whom it may act for: its user; others too; others, keys, audit and erasure."),
    ] = "user",
    name: Annotated[str, typer.Option("--name", metavar="TEXT", help="What it is for.")] = "",
    json: JsonOption = False,
) -> None:
    """Make a key for --user, or for nobody. It is printed once; the graph keeps a hash of it."""
    async with _opened(settings, quiet=json) as keys:
        key, text = await keys.create(user_id=settings.user or "", scope=scope, name=name)
        await keys.record("create_key", user_id=key.user_id, detail=f"{key.id} ({key.scope})")
    if json:
        print_json({**key.model_dump(mode="json"), "key": text})
        return
    echo(text)
    note("this is the only time that the key is shown; clients send it as `Authorization: Bearer KEY`")


@command(app, "list")
async def list_(
    settings: Settings,
    everything: Annotated[bool, typer.Option("--all", help="Those that were revoked too.")] = False,
    json: JsonOption = False,
) -> None:
    """List the project's keys, the newest first."""
    async with _opened(settings, quiet=json) as keys:
        found = await keys.list(include_revoked=everything)
    if json:
        print_json(found)
        return
    for key in found:
        echo(_line(key))
    if not found:
        note("there is no key; ragforge keys create makes one")


@command(app, "revoke")
async def revoke(
    settings: Settings,
    key_id: Annotated[str, typer.Argument(metavar="ID", help="Its id, as `keys list` shows it.")],
    json: JsonOption = False,
) -> None:
    """Revoke a key for good: from now on nobody comes in with it."""
    async with _opened(settings, quiet=json) as keys:
        key = await keys.revoke(key_id)
        await keys.record("revoke_key", user_id=key.user_id, detail=key.id)
    if json:
        print_json(key)
    else:
        echo(_line(key))


@command(app, "audit")
async def audit(settings: Settings, limit: LimitOption = 50, json: JsonOption = False) -> None:
    """Show what was done by those who may do more than a user, the newest first; with --user, with whose data."""
    async with _opened(settings, quiet=json) as keys:
        records = await keys.audit(limit, settings.user)
    if json:
        print_json(records)
        return
    for each in records:
        by = f"by {each.key_id} of {each.key_user or 'nobody'}" if each.key_id else "at the command line"
        echo("  ".join(filter(None, (_when(each.at), each.action, f"of {each.user_id or 'nobody'}", by, each.detail))))
    if not records:
        note("nothing was done yet")


@contextlib.asynccontextmanager
async def _opened(settings: Settings, *, quiet: bool) -> AsyncIterator[KeyStore]:
    from ragforge_memory.cli.session import open_graph
    from ragforge_memory.graph.keys import KeyStore

    async with open_graph(settings, quiet=quiet) as agent:
        services = await agent.open()
        yield KeyStore(services.stores.graph, services.place.owner.project)


def _line(key: ApiKey) -> str:
    used = f"last used {_when(key.last_used_at)}" if key.last_used_at else "never used"
    gone = f"revoked {_when(key.revoked_at)}" if key.revoked_at else ""
    parts = (key.id, key.scope, key.user_id or "nobody", key.name, f"made {_when(key.created_at)}", used, gone)
    return "  ".join(filter(None, parts))


def _when(time: datetime) -> str:
    return f"{local(time):%Y-%m-%d %H:%M}"
