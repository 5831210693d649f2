"""Checks of everything that an answer needs, each a plain function; ``ragforge doctor`` prints them.

Nothing is started, fetched or changed by a check, and none takes more than some seconds.
"""

from __future__ import annotations

import asyncio
import os
import platform
import shutil
import sys
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragforge_memory.code.git import head_commit
from ragforge_memory.errors import GraphUnavailable, RagforgeError
from ragforge_memory.home import cache_home, ragforge_home
from ragforge_memory.models.text import counted

if TYPE_CHECKING:
    from ragforge_memory.config import LoadedConfig, RagforgeConfig
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.graph.health import ProjectHealth
    from ragforge_memory.graph.reembedding import Moving
    from ragforge_memory.graph.spaces import Space
    from ragforge_memory.models.owner import Owner
    from ragforge_memory.project import ProjectIdentity

PYTHON = ((3, 11), (3, 15))
"""The first version of Python that works, and the first that was not tried."""

# The server's files take 190 MB, its Java 110, an embedding model 60, an empty store 3; the rest is for the graph.
LEAST_DISK = 1_000_000_000

EMBEDS = (
    "search finds them by their words until then; `ragforge chat` embeds them while it runs, "
    "`ragforge ingest --embed` now"
)
"""What to do about what waits for a vector: only a process that lives on embeds by itself."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, whether all is well, what was found, and what to do (also where all is well)."""

    name: str
    ok: bool
    detail: str
    hint: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """As ``doctor --json`` shows it."""
        return asdict(self)


async def run_checks(
    loaded: LoadedConfig,
    identity: ProjectIdentity,
    owner: Owner,
    *,
    home: Path | None = None,
    environ: Mapping[str, str] | None = None,
) -> list[Check]:
    """All checks, in the order in which one depends on another.

    Args:
        loaded: the configuration; that it could be read is a check of the command line.
        identity: the project.
        owner: whose messages are counted.
        home: instead of ``ragforge_home()``.
        environ: the environment; default that of the process.
    """
    environ = os.environ if environ is None else environ
    home = home or ragforge_home()
    checks = [check_python(), check_configuration(loaded), check_disk(home)]
    managed = loaded.config.neo4j is None
    if managed:
        checks.append(await asyncio.to_thread(check_java, home))
    neo4j, client = await check_neo4j(loaded.config, home)
    checks.append(neo4j)
    try:
        checks.append(await check_model(loaded.config, environ))
        embeddings, embedder = check_embeddings(loaded.config, environ, home)
        commit = await asyncio.to_thread(head_commit, identity.root)
        checks += [embeddings, check_project(identity, commit)]
        if client is not None:
            checks += await check_graph(client, owner, identity, embedder, commit=commit)
    finally:
        if client is not None:
            await client.aclose()
    checks.append(check_journals(home))
    return checks


def check_python() -> Check:
    """Whether this Python is one that this library was tried on."""
    first, beyond = PYTHON
    version = platform.python_version()
    ok = first <= sys.version_info[:2] < beyond
    hint = None if ok else f"use Python {first[0]}.{first[1]} to {beyond[0]}.{beyond[1] - 1}"
    return Check("python", ok, f"Python {version} in {sys.prefix}", hint)


def check_configuration(loaded: LoadedConfig) -> Check:
    """Which configuration is in force, and what in it is probably a slip."""
    if loaded.notices:
        return Check("configuration", False, "; ".join(loaded.notices), "correct what is named there, or take it out")
    if loaded.file is None:
        return Check("configuration", True, "no ragforge.config.yaml: defaults and environment")
    kept = "" if loaded.config.agent.memory.enabled else "; memory is off (agent.memory.enabled): nothing is kept"
    return Check("configuration", True, f"read from {loaded.file}{kept}")


def check_disk(home: Path) -> Check:
    """Whether the home can be written to, and its disk has room for the server, its Java, the model and a graph."""
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    if not place.is_dir() or not os.access(place, os.W_OK):
        why = "cannot be written to" if place.is_dir() else "is not a folder"
        return Check("disk", False, f"{place} {why}", "set RAGFORGE_HOME to a folder that you may write to")
    free = shutil.disk_usage(place).free
    ok = free >= LEAST_DISK
    hint = None if ok else "free some space, or set RAGFORGE_HOME to a folder on another disk"
    return Check("disk", ok, f"{free / 1e9:.1f} GB free for {home}", hint)


def check_java(home: Path) -> Check:
    """Which Java the managed server runs on. Blocks for as long as ``java -version`` takes."""
    from ragforge_memory.graph.managed.java import describe_java

    try:
        return Check("java", True, describe_java(cache_home(home)))
    except RagforgeError as error:
        return Check("java", False, error.message, error.hint)


async def check_neo4j(config: RagforgeConfig, home: Path) -> tuple[Check, GraphClient | None]:
    """Whether the server answers, takes the login and has a schema that this library can use.

    Returns the open client too, for the checks after it; None where there is none. A managed server that does not
    run is well: it starts with the first question.
    """
    from ragforge_memory.config import Neo4jConfig
    from ragforge_memory.graph.client import GraphClient, open_driver
    from ragforge_memory.graph.managed import status

    target = config.neo4j
    what = "the server of the configuration"
    try:
        if target is None:
            what = "the managed server"
            found = await asyncio.to_thread(status, home)
            if not found.running or found.uri is None:
                return Check("neo4j", True, f"{what} does not run; it starts with the first question"), None
            target = Neo4jConfig(found.uri, username=found.username, password=found.password)
        client = GraphClient(open_driver(target), database=target.database, address=target.uri)
    except RagforgeError as error:
        return Check("neo4j", False, f"{what}: {error.message}", error.hint), None
    try:
        version = ".".join(map(str, await client.server_version()))
        schema = await _schema(client)
    except (RagforgeError, OSError) as error:
        await client.aclose()
        hint = error.hint if isinstance(error, RagforgeError) else None
        return Check("neo4j", False, str(error), hint or "see `ragforge neo4j status` and `ragforge neo4j logs`"), None
    place = f"Neo4j {version} at {target.uri}, {what}"
    if schema is None:
        return Check("neo4j", True, f"{place}; its graph is empty, the schema is made with the first question"), client
    return Check("neo4j", True, f"{place}; schema {schema}"), client


async def _schema(client: GraphClient) -> int | None:
    from ragforge_memory.graph.schema import SCHEMA, check_schema, has_schema

    if not await has_schema(client):
        return None
    await check_schema(client)
    return SCHEMA


async def check_model(config: RagforgeConfig, environ: Mapping[str, str]) -> Check:
    """Which model answers, and why. No model is asked."""
    from ragforge_memory.llm.resolve import resolve_model

    try:
        found = await resolve_model(config=config.llm, environ=environ)
    except RagforgeError as error:
        return Check("model", False, str(error), error.hint)
    await found.provider.aclose()
    hint = None
    if found.name == "extractive":
        hint = "for answers in prose: set GEMINI_API_KEY, OPENAI_API_KEY or OPENAI_BASE_URL, or start a local server"
    name = f"{found.name}:{found.model}" if found.model and found.model != found.name else found.name
    return Check("model", True, f"{name}, because {found.why}", hint)


def check_embeddings(config: RagforgeConfig, environ: Mapping[str, str], home: Path) -> tuple[Check, Embedder | None]:
    """Which embedder is used, why, and whether a local model's file is here. Nothing is loaded or asked."""
    from ragforge_memory.embeddings.local import is_fetched
    from ragforge_memory.embeddings.resolve import resolve_embedder

    try:
        found = resolve_embedder(config, environ)
    except RagforgeError as error:
        return Check("embeddings", False, str(error), error.hint), None
    wanted = config.agent.memory.embeddings
    if found.embedder is None:
        named = wanted.enabled and wanted.chosen
        return Check("embeddings", not named, f"search is by text alone: {found.why}", found.hint), None
    detail = f"{found.embedder.provider}:{found.embedder.model} ({found.embedder.dimension}), because {found.why}"
    if found.embedder.provider == "local":
        here = is_fetched(found.embedder.model, home)
        detail += "; its file is here" if here else "; its file is fetched at the first use (25 MB)"
    return Check("embeddings", True, detail), found.embedder


def check_project(identity: ProjectIdentity, commit: str | None) -> Check:
    """Which project this folder is, and the commit that is checked out."""
    at = f" at commit {commit[:12]}" if commit else ", and git names no commit of it"
    return Check("project", True, f"{identity.name} in {identity.root}{at}")


async def check_graph(
    client: GraphClient,
    owner: Owner,
    identity: ProjectIdentity,
    embedder: Embedder | None,
    *,
    commit: str | None = None,
) -> list[Check]:
    """What the graph has of this project: its code, whose vectors, and what waits or failed; ``commit`` is checked
    out."""
    from ragforge_memory.agent.projects import resolve_project
    from ragforge_memory.graph.health import project_health

    try:
        owner = replace(owner, project=await resolve_project(client, owner.project, None, None))
        health = await project_health(client, owner)
    except GraphUnavailable as error:
        return [Check("code", False, str(error), error.hint)]
    return [_code(health, identity, commit), _vectors(health, embedder), await check_memory(client, owner)]


async def check_memory(client: GraphClient, owner: Owner) -> Check:
    """What the tools of memory have done for this owner: their six metrics, and the alerts that they set off."""
    from ragforge_memory.graph.operations import OperationStore
    from ragforge_memory.memory.metrics import read_metrics

    try:
        metrics = await read_metrics(OperationStore(client, owner))
    except GraphUnavailable as error:
        return Check("memory", False, str(error), error.hint)
    calls = sum(each.calls for each in metrics.tools.values())
    if not calls:
        return Check("memory", True, "no tool of memory was called yet")
    detail = [counted(calls, "call") + " of its tools"]
    detail += [
        f"{name}: {each.calls}, {100 * each.success_rate:.0f} % well, 95 % within {each.quantile_ms(0.95):g} ms"
        for name, each in metrics.tools.items()
    ]
    detail.append(f"{metrics.queue_depth} wait")
    detail.append(f"{100 * metrics.duplicate_rate:.0f} % of what was remembered was known")
    detail += [f"{number} x {error_type}" for error_type, number in metrics.errors.items()]
    alerts = metrics.alerts
    return Check("memory", not alerts, "; ".join(detail), f"look at: {', '.join(alerts)}" if alerts else None)


def _code(health: ProjectHealth, identity: ProjectIdentity, commit: str | None) -> Check:
    if health.root is None:
        return Check("code", True, "not ingested yet", "run `ragforge ingest`; `chat` and `ask` do it too")
    detail = f"{counted(health.scopes, 'scope')} of {health.root}"
    if health.scopes:
        detail += f", {100 * health.embedded // health.scopes} % embedded"
    if Path(health.root) != identity.root:
        detail += ", which is not this folder: answers and what notes are tied to go by the code as it was read there"
        hint = (
            "`ragforge ingest --adopt` reads this folder instead, and the other one's ingests are refused then; "
            "another `name` in ragforge.config.yaml keeps both, each with notes of its own"
        )
        return Check("code", True, detail, hint)
    if health.incomplete:
        return Check("code", False, f"{detail}; the last ingest did not finish", "run `ragforge ingest`")
    if commit is not None and health.commit != commit:
        return Check("code", True, f"{detail}; another commit is checked out now", "run `ragforge ingest`")
    return Check("code", True, detail)


def _vectors(health: ProjectHealth, embedder: Embedder | None) -> Check:
    from ragforge_memory.embeddings.port import space_model
    from ragforge_memory.graph.spaces import how_to_return

    space, moving = health.space, health.moving
    if space is not None and (moving.model is not None or moving.clearing):
        return _moving(space, moving)
    if space is not None and embedder is not None:
        configured = (space_model(embedder), embedder.dimension)
        if (space.model, space.dimension) != configured:
            return Check(
                "vectors",
                False,
                f"the project's vectors come from {space.model} ({space.dimension}), "
                f"and {configured[0]} ({configured[1]}) is configured",
                how_to_return(space.model, space.dimension),
            )
    of = f"of {space.model} ({space.dimension}), " if space is not None else ""
    hint = EMBEDS if health.pending and embedder is not None else None
    if not health.pending:
        waiting = f"{of}none wait"
    elif embedder is not None:
        waiting = f"{of}{counted(health.pending, 'waits', 'wait')} for a vector"
    else:
        waiting = f"{of}{counted(health.pending, 'lacks', 'lack')} a vector, and nothing makes them here"
    if health.failed:
        return Check(
            "vectors",
            False,
            f"{health.failed} could not be embedded; {waiting}",
            "what could not be is found by text alone",
        )
    return Check("vectors", True, waiting, hint)


def _moving(space: Space, moving: Moving) -> Check:
    """How far the vectors are on their way to another model, and whether somebody is at it."""
    if moving.model is None:
        detail = f"those of {space.model} ({space.dimension}) are complete, older ones are being removed"
    else:
        total = max(moving.total or 0, moving.left)
        counted = f"{total - moving.left} of {total} done" if moving.total is not None else "they are being counted"
        detail = f"moving from {space.model} ({space.dimension}) to {moving.model} ({moving.dimension}), {counted}"
    if moving.running:
        return Check("vectors", True, detail)
    hint = "run `ragforge reembed` with the same model to go on" if moving.model else "run `ragforge reembed` to go on"
    return Check("vectors", False, f"{detail}; nobody is at it", hint)


def check_journals(home: Path) -> Check:
    """What waits in journals for Neo4j to be back, of which database and since when, and what was set aside."""
    from ragforge_memory.graph.journal_state import journal_state

    folder = home / "journal"
    state = journal_state(folder)
    told = [
        " and ".join(
            counted(number, what)
            for number, what in ((waiting.turns, "turn"), (waiting.conversations, "new conversation"))
            if number
        )
        + f" wait{'s' if waiting.turns + waiting.conversations == 1 else ''} for {database}"
        + (f" since {waiting.since}" if waiting.since else "")
        for database, waiting in state.waiting.items()
    ]
    told += [f"{len(why)} set aside in {path.name} ({why[0]})" for path, why in state.aside.items() if why]
    if not told:
        return Check("journal", True, "no turns wait to be stored")
    hint = "the next chat or ask with the same graph stores what waits"
    if state.aside:
        hint = "what was set aside is lines of JSON that no database has taken: read them, then delete the file"
    return Check("journal", not state.aside, f"{'; '.join(told)}; in {folder}", hint)
