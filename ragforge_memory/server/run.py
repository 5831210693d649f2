"""Running the server: one process or several on one port, each with agents of its own, on one graph."""

from __future__ import annotations

import json
import logging
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from ragforge_memory.errors import ConfigError
from ragforge_memory.server.gate import is_loopback

if TYPE_CHECKING:
    from fastapi import FastAPI

    from ragforge_memory.api.agent import AsyncConversationAgent

_VARIABLE = "RAGFORGE_SERVE"
_GRACE_SECONDS = 30
"""Seconds that turns have to end when the server is stopped; then they are cancelled, and their parts stored."""

_READY_SECONDS = 60
"""Seconds that a new worker has to open the graph before an old one goes, and that any may not answer its parent: on a
busy machine uvicorn's 5 would end a restart half-way, and workers that are well."""


@dataclass(frozen=True, slots=True)
class Served:
    """What is served, in values that reach every worker: paths as text, None for what the place says itself."""

    config: str | None = None
    project: str | None = None
    user: str | None = None
    model: str | None = None
    asks_key: bool = False

    def agent(self) -> AsyncConversationAgent:
        """The first agent of a process, not open yet.

        Raises:
            ConfigError: the configuration cannot be used.
        """
        from ragforge_memory.api.agent import AsyncConversationAgent
        from ragforge_memory.config.load import find_place

        place = find_place(_path(self.config), _path(self.project))
        return AsyncConversationAgent.from_settings(
            place.loaded.config,
            user_id=self.user,
            project=place.project.name,
            root=place.source,
            identity=place.project,
            llm_provider=self.model,
        )

    def app(self) -> FastAPI:
        """The application."""
        from ragforge_memory.config.load import find_place
        from ragforge_memory.server.app import create_app

        config = find_place(_path(self.config), _path(self.project)).loaded.config.server
        return create_app(self.agent, config, asks_key=self.asks_key)


def app_from_environment() -> FastAPI:
    """The application of a worker, which was told what it serves by the process that started it."""
    from ragforge_memory.server.traces import send_traces

    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(name)s %(levelname)s %(message)s")
    send_traces()
    return Served(**json.loads(os.environ[_VARIABLE])).app()


def run(served: Served, *, host: str, port: int, workers: int) -> None:
    """Serves until the process is told to stop.

    Where several workers serve and one dies, another takes its place. SIGHUP starts them anew one after another.

    Args:
        served: what.
        host, port: where.
        workers: processes.

    Raises:
        ConfigError: the address cannot be used, or the extra is missing.
    """
    uvicorn = imported()
    os.environ[_VARIABLE] = json.dumps(asdict(served))
    with tempfile.TemporaryDirectory(prefix="ragforge-metrics-") as counters:
        if workers > 1:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = counters
        try:
            uvicorn.run(
                f"{__name__}:app_from_environment",
                factory=True,
                host=host,
                port=port,
                workers=workers,
                access_log=False,
                log_level="warning",
                timeout_graceful_shutdown=_GRACE_SECONDS,
                timeout_worker_healthcheck=_READY_SECONDS,
            )
        finally:
            os.environ.pop("PROMETHEUS_MULTIPROC_DIR", None)
            os.environ.pop(_VARIABLE, None)


def imported() -> ModuleType:
    """The module uvicorn, with all that the server needs beside it.

    Raises:
        ConfigError: the extra is not installed.
    """
    try:
        import fastapi  # noqa: F401
        import limits  # noqa: F401
        import prometheus_client  # noqa: F401
        import uvicorn
    except ImportError as error:
        raise ConfigError(
            f"the server needs {error.name}, which is not installed",
            hint='pip install "ragforge-memory[server]"',
        ) from error
    return uvicorn


def needs_key(host: str) -> bool:
    """Whether a server on this address asks for a key: everywhere but on loopback."""
    return not is_loopback(host)


def _path(given: str | None) -> Path | None:
    return None if given is None else Path(given)
