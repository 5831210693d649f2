"""The real Neo4j servers of a test session, and an owner of its own for each test.

The managed servers are shared by all of a session's processes, as they are by all of a user's: whoever asks first
starts one, and the process that began the session stops them.
"""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urlsplit
from uuid import uuid4

import anyio
import pytest
from filelock import FileLock

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.managed.server import ensure_running, release, stop
from ragforge_memory.graph.managed.settings import DEFAULT_VERSION
from ragforge_memory.graph.memories import MemoryStore
from ragforge_memory.graph.spaces import open_space
from ragforge_memory.home import cache_home
from ragforge_memory.models.owner import Owner

OLD_VERSION = "5.26.30"
"""The older line that every statement must run on too."""

LINES = ("current", pytest.param("old", marks=pytest.mark.long))
"""Parameters of a fixture that gives a server of either line. What runs on the older one is a long run: to start it and
have it plan every statement anew took an eighth of a session's time, for forty tests."""

_LONG = {"old_neo4j_config", "scratch_config"}

_JAVA = "RAGFORGE_NEO4J_JAVA_OPTIONS"

QUICK_START = (_JAVA, "-XX:TieredStopAtLevel=1")
"""For servers that live for a test or a few: Java's second compiler pays for itself after some 400 planned statements
only, and then for what is run most."""

LONG_RUN = (
    _JAVA,
    " ".join(
        f"-XX:Tier4{threshold}={twelvefold}"
        for threshold, twelvefold in {
            "InvocationThreshold": 60_000,
            "MinInvocationThreshold": 7_200,
            "CompileThreshold": 180_000,
            "BackEdgeThreshold": 480_000,
        }.items()
    ),
)
"""For what the session shares, which runs for minutes: the second compiler waits twelve times as long as by itself, for
otherwise it takes as much of the processors as planning does, which is most of what tests wait for."""

KEPT_SPACES = (
    ("hashing:hashing", 384),
    ("hashing:hashing", 64),
    ("hashing:words", 5),
    ("hashing:words", 6),
    ("hashing:old", 24),
    ("hashing:new", 32),
    ("hashing:hashing-64-for-ingest", 64),
    ("test-owners", 7),
    ("test-traps", 7),
)
"""The models and dimensions of the tests' vectors. Their spaces are made before the first test and never retired: each
index that comes or goes has a server plan all of its statements anew, for everybody, .1 to 1 s of a processor each. A
test that must see one come or go takes a model of another name."""

_HOMES = "RAGFORGE_TEST_HOMES"


def pytest_configure(config: pytest.Config) -> None:
    """One folder for the homes of the session's servers; processes that are started later inherit its name.

    They may write bytecode too, wherever the tests are run: some hundred would compile the library anew otherwise.
    """
    if not hasattr(config, "workerinput"):
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        sys.dont_write_bytecode = False
        os.environ[_HOMES] = tempfile.mkdtemp(prefix="ragforge-tests-")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One process more than processors, for they wait for the servers; no more than ``--maxprocesses``."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whatever asks for the older line is a long run, see `LINES`; what makes the schema on a server of its own too."""
    for item in items:
        if not _LONG.isdisjoint(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.long)


def pytest_unconfigure(config: pytest.Config) -> None:
    """Stops what the session's processes have shared, when the last of them is gone."""
    if hasattr(config, "workerinput"):
        return
    for home in Path(os.environ[_HOMES]).glob("*/"):
        stop(home)
    shutil.rmtree(os.environ[_HOMES], ignore_errors=True)


@pytest.fixture(scope="session")
def neo4j_config() -> Iterator[Neo4jConfig]:
    """The session's Neo4j: ``TEST_NEO4J_URI``, else a container where Docker answers, else a managed server."""
    with _server("TEST_NEO4J", DEFAULT_VERSION) as config:
        _make_spaces(config, DEFAULT_VERSION)
        yield config


@pytest.fixture(scope="session")
def old_neo4j_config() -> Iterator[Neo4jConfig]:
    """A Neo4j of the 5.26 line: ``TEST_NEO4J_OLD_URI``, else a container, else a managed server."""
    with _server("TEST_NEO4J_OLD", OLD_VERSION) as config:
        _make_spaces(config, OLD_VERSION)
        yield config


@pytest.fixture
def owner() -> Owner:
    """An owner that nobody else has."""
    name = uuid4().hex
    return Owner(user_id=f"user-{name}", project=f"project-{name}")


@contextmanager
def _server(variables: str, version: str) -> Iterator[Neo4jConfig]:
    uri = os.environ.get(f"{variables}_URI")
    if uri:
        yield Neo4jConfig(uri, username=_given(variables, "USERNAME"), password=_given(variables, "PASSWORD"))
    elif _docker_answers():
        with _container(version) as config:
            yield config
    else:
        home = Path(os.environ[_HOMES]) / version
        try:
            yield _managed(version, home, LONG_RUN)
        finally:
            release(home)


def _make_spaces(config: Neo4jConfig, version: str) -> None:
    """Gives the session's server its schema and `KEPT_SPACES`; of a session's processes the first does it."""

    async def made() -> None:
        client = await connect(config)
        try:
            for model, dimension in KEPT_SPACES:
                # A space stays for as long as a project has chosen it.
                await open_space(client, f"keeps {model} {dimension}", model, dimension)
            # Of all statements it takes longest to plan, and is under a deadline in every turn.
            with suppress(GraphUnavailable):
                await MemoryStore(client, Owner("warm", "warm")).recall(
                    "words", names=(), files=(), standing=1, limit=1
                )
        finally:
            await client.aclose()

    # In a thread of its own: an async fixture may ask for the server, whose loop runs in this one.
    with FileLock(f"{os.environ[_HOMES]}/{version}.lock"), ThreadPoolExecutor(1) as thread:
        thread.submit(anyio.run, made).result()


@contextmanager
def started(version: str, scratch: pytest.TempPathFactory) -> Iterator[Neo4jConfig]:
    """A Neo4j that nobody else uses: in a container where Docker answers, else a managed server."""
    if _docker_answers():
        with _container(version) as config:
            yield config
    else:
        home = scratch.mktemp("home")
        try:
            yield _managed(version, home, QUICK_START)
        finally:
            stop(home)
            release(home)


def _given(variables: str, name: str) -> str:
    """The old server's login is the other one's where it has none of its own."""
    fallback = os.environ.get(f"TEST_NEO4J_{name}", "neo4j")
    return os.environ.get(f"{variables}_{name}", fallback)


def _docker_answers() -> bool:
    """A daemon, not merely the program: asked in its own protocol, for the client's library leaks sockets."""
    host = urlsplit(os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock"))
    try:
        connection = socket.socket(socket.AF_UNIX) if host.scheme == "unix" else socket.socket(socket.AF_INET)
        with connection:
            connection.settimeout(3)
            connection.connect(host.path if host.scheme == "unix" else (host.hostname, host.port))
            connection.sendall(b"GET /_ping HTTP/1.0\r\n\r\n")
            return b" 200 " in connection.recv(64)
    except (OSError, TypeError):
        return False


@contextmanager
def _container(version: str) -> Iterator[Neo4jConfig]:
    from testcontainers.community.neo4j import Neo4jContainer

    password = uuid4().hex
    with Neo4jContainer(f"neo4j:{version}-community", password=password) as container:
        yield Neo4jConfig(container.get_connection_url(), username="neo4j", password=password)


def _managed(version: str, home: Path, java: tuple[str, str]) -> Neo4jConfig:
    with pytest.MonkeyPatch.context() as environment:
        # the jars and the Java runtime are the user's, the data is not
        environment.setenv("RAGFORGE_CACHE", str(cache_home()))
        environment.setenv("RAGFORGE_NEO4J_VERSION", version)
        environment.setenv(*java)
        info = ensure_running(home)
    return Neo4jConfig(info.uri, username=info.username, password=info.password)
