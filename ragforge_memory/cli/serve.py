"""`ragforge serve`: the API over HTTP."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ragforge_memory.cli.options import ModelOption, Settings, run_async

if TYPE_CHECKING:
    from ragforge_memory.cli.session import Session
    from ragforge_memory.server.run import Served


def serve(
    settings: Settings,
    host: Annotated[str, typer.Option("--host", metavar="HOST", help="The address to serve on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", metavar="PORT", min=1, max=65_535, help="The port.")] = 8765,
    workers: Annotated[
        int, typer.Option("--workers", metavar="N", min=1, max=64, help="Processes that serve side by side.")
    ] = 1,
    model: ModelOption = None,
) -> None:
    """Serve conversations over HTTP, for many users at once.

    POST /api/chat talks, /v1 is OpenAI's form of it, /docs describes all routes. On 127.0.0.1 no key is needed; on any
    other address every request needs one: ragforge keys create makes it.
    """
    from ragforge_memory.server import run as server  # its libraries are an extra

    server.imported()
    _check_port(host, port)
    served = server.Served(
        config=_absolute(settings.config),
        project=_absolute(settings.project),
        user=settings.user,
        model=model,
        asks_key=server.needs_key(host),
    )
    run_async(_prepare(settings, model, served, host, port))
    server.run(served, host=host, port=port, workers=workers)


async def _prepare(settings: Settings, model: str | None, served: Served, host: str, port: int) -> None:
    """Opens everything once, so that what is missing is told before any process serves."""
    from ragforge_memory.cli.session import Opening, open_session
    from ragforge_memory.cli.terminal import note
    from ragforge_memory.errors import ConfigError
    from ragforge_memory.graph.keys import KeyStore

    async with open_session(Opening(settings=settings, model=model, brief=True)) as session:
        keys = KeyStore(session.services.stores.graph, session.services.place.owner.project)
        asks_key = served.asks_key or session.place.loaded.config.server.require_key
        if asks_key and not await keys.list():
            why = f"{host} can be reached from other machines" if served.asks_key else "server.require_key is set"
            raise ConfigError(
                f"{why}, and there is no key yet", hint="make one with `ragforge keys create --user NAME`"
            )
        await session.read_code()
        note(_greeting(session, host, port, asks_key=asks_key))


def _greeting(session: Session, host: str, port: int, *, asks_key: bool) -> str:
    models = session.services.models
    url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    keys = "every request needs a key" if asks_key else "no key is needed from this machine"
    return (
        f"serving project {session.place.project.name} at {url} ({keys})\n"
        f"model {models.model_name}: {models.model_why}\n"
        f"the routes are described at {url}/docs; Ctrl-C ends it"
    )


def _check_port(host: str, port: int) -> None:
    """Refuses an address that cannot be served on.

    Raises:
        ConfigError: another program has it, or it is not this machine's.
    """
    from ragforge_memory.errors import ConfigError

    try:
        family, kind, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(family, kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind(address)
    except OSError as error:
        raise ConfigError(
            f"{host}:{port} cannot be served on: {error.strerror or error}", hint="choose another with --host or --port"
        ) from error


def _absolute(path: Path | None) -> str | None:
    return None if path is None else str(path.resolve())
