"""What the managed server is started with: version, memory, idle time, its configuration and password."""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import shlex
from dataclasses import dataclass

from ragforge_memory.errors import ConfigError, ServerStartError
from ragforge_memory.graph.managed.files import ServerFiles
from ragforge_memory.graph.queries import Version, parse_version
from ragforge_memory.home import write_private

DEFAULT_VERSION = "2026.09.0"
"""The Neo4j that is fetched and started unless ``RAGFORGE_NEO4J_VERSION`` names another pinned one."""

DEFAULT_IDLE_HOURS = 8.0

USERNAME = "neo4j"
"""The user that Neo4j Community creates by itself."""

SEE_LOGS = "`ragforge neo4j logs` shows what it wrote."

_MEMORY = re.compile(r"[1-9][0-9]*[kmg]\Z")
_HASH_ROUNDS = 1024
_CALENDAR: Version = (2025,)
"""From this version on Neo4j counts by year; command line and settings differ from the 5 line."""

_MERGES_KNOWN: Version = (2026, 9)
"""The first version whose settings for the merges of vector indexes are known here."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """How to run the server.

    Attributes:
        version: a Neo4j version that this library has a lock file for.
        heap: largest Java heap, as Java writes it (``512m``).
        page_cache: Neo4j's page cache, as it writes it (``64m``).
        idle_hours: the server stops after so many hours without a client; 0 never.
        java_options: further arguments of ``java``, after this library's own.
    """

    version: str = DEFAULT_VERSION
    heap: str = "512m"
    page_cache: str = "64m"
    idle_hours: float = DEFAULT_IDLE_HOURS
    java_options: tuple[str, ...] = ()

    @property
    def counts_by_year(self) -> bool:
        """Whether it is a server of the line after 5."""
        return parse_version(self.version) >= _CALENDAR


def wanted_version() -> str:
    """``RAGFORGE_NEO4J_VERSION`` or the default."""
    return os.environ.get("RAGFORGE_NEO4J_VERSION") or DEFAULT_VERSION


def settings_from_environment() -> ServerSettings:
    """``RAGFORGE_NEO4J_VERSION``, ``_HEAP``, ``_PAGE_CACHE``, ``_IDLE_HOURS`` and ``_JAVA_OPTIONS`` over the defaults.

    Raises:
        ConfigError: one of them cannot be used; names it.
    """
    default = ServerSettings()
    return ServerSettings(
        version=wanted_version(),
        heap=_memory("RAGFORGE_NEO4J_HEAP", default.heap),
        page_cache=_memory("RAGFORGE_NEO4J_PAGE_CACHE", default.page_cache),
        idle_hours=_hours("RAGFORGE_NEO4J_IDLE_HOURS", default.idle_hours),
        java_options=_options("RAGFORGE_NEO4J_JAVA_OPTIONS"),
    )


def neo4j_conf(settings: ServerSettings, port: int) -> str:
    """The text of ``neo4j.conf``: Bolt on loopback alone, nothing sent home, small logs.

    Validation by the server is strict: a name that a version does not know ends it at start.
    """
    lines = [
        "server.default_listen_address=127.0.0.1",
        "server.bolt.enabled=true",
        f"server.bolt.listen_address=127.0.0.1:{port}",
        f"server.bolt.advertised_address=127.0.0.1:{port}",
        "server.http.enabled=false",
        "server.https.enabled=false",
        "dbms.security.auth_enabled=true",
        "dbms.usage_report.enabled=false",
        f"server.memory.pagecache.size={settings.page_cache}",
        "db.logs.query.enabled=OFF",
        # without these three a small graph keeps half a gigabyte of transaction logs
        "db.tx_log.preallocate=false",
        "db.tx_log.rotation.size=16m",
        "db.tx_log.rotation.retention_policy=keep_none",
        # By default a statement is planned anew for lists and texts of every magnitude, .1 to 1 s each on a server that
        # has just started; what plan is the best of ours does not depend on that.
        "internal.cypher.use_parameter_size=false",
    ]
    # The internal settings take ten seconds of waiting out of a stop; the data is on disk before that wait.
    if settings.counts_by_year:
        lines += [
            "dbms.fleet_manager.enabled=false",
            "server.fleet_discovery.enabled=false",
            "db.query.default_language=CYPHER_25",
            "internal.dbms.bolt.netty_server_shutdown_quiet_period_duration=0s",
            "internal.server.bolt.thread_pool_shutdown_wait_time=1s",
        ]
    else:
        lines += ["internal.dbms.bolt.netty_server_shutdown_quiet_period=0"]
    if parse_version(settings.version) >= _MERGES_KNOWN:
        # Fewer and larger segments than by default, where fifty of a size come together: the nearest of 100,000 vectors
        # were found in 20 instead of 30 ms, of 1,000 among them in 5 instead of 9, for .7 ms of processor time each.
        lines += [
            "internal.dbms.index.vector.merge_policy=TIERED",
            "internal.dbms.index.vector.segments_per_tiers=2",
        ]
    return "\n".join(lines) + "\n"


def java_arguments(
    settings: ServerSettings, files: ServerFiles, jars: list[str], *, vector_module: bool = False
) -> list[str]:
    """The arguments of ``java``, main class included.

    ``vector_module``: whether this Java has ``jdk.incubator.vector``; the nearest of 100,000 vectors of 384 floats were
    found in 20 instead of 29 ms with it, and a fill took a tenth less processor time.
    """
    opened = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")
    main_class = "Neo4jCommunity" if settings.counts_by_year else "CommunityEntryPoint"
    return [
        "-Xms256m" if _kilobytes(settings.heap) >= 256 << 10 else f"-Xms{settings.heap}",
        f"-Xmx{settings.heap}",
        "-XX:+UseSerialGC",
        "-XX:+DisableExplicitGC",
        *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in opened),
        "--enable-native-access=ALL-UNNAMED",
        "-Dio.netty.tryReflectionSetAccessible=true",
        "-Dlog4j2.disable.jmx=true",
        "-Dfile.encoding=UTF-8",
        *(["--add-modules=jdk.incubator.vector"] if vector_module else []),
        *settings.java_options,
        "-cp",
        os.pathsep.join(sorted(jars)),
        f"org.neo4j.server.{main_class}",
        f"--home-dir={files.root}",
        f"--config-dir={files.conf}",
        "--console-mode",
    ]


def argument_file(arguments: list[str]) -> str:
    """``arguments`` as the text of a file for ``java @file``: each quoted, one a line."""
    return "".join('"' + argument.replace("\\", "\\\\").replace('"', '\\"') + '"\n' for argument in arguments)


def auth_line(password: str, salt: bytes) -> str:
    """The line of ``auth.ini`` that gives the user ``neo4j`` this password before the first start.

    Neo4j's own format (user:SHA-256,HASH,SALT,1024:), which is not a documented one; so a start logs in to check.
    """
    digest = hashlib.sha256(salt + password.encode()).digest()
    for _ in range(_HASH_ROUNDS - 1):
        digest = hashlib.sha256(digest).digest()
    return f"{USERNAME}:SHA-256,{digest.hex()},{salt.hex()},{_HASH_ROUNDS}:\n"


def prepare_password(files: ServerFiles) -> None:
    """Make the password and tell Neo4j of it, if the server has no data yet.

    Raises:
        ServerStartError: there is data, and the password file is gone.
        OSError: it cannot be written.
    """
    has_data = (files.data / "databases" / "system").exists()
    if not files.password.exists():
        if has_data:
            raise password_lost(files)
        write_private(files.password, secrets.token_urlsafe(24) + "\n")
    if not has_data:
        files.auth.parent.mkdir(parents=True, exist_ok=True)
        write_private(files.auth, auth_line(read_password(files), secrets.token_bytes(32)))


def read_password(files: ServerFiles) -> str:
    """The password of the managed server.

    Raises:
        ServerStartError: the file is gone, empty or cannot be read.
    """
    try:
        password = files.password.read_text(encoding="utf-8").strip()
    except (OSError, ValueError) as error:
        raise password_lost(files) from error
    if not password:
        raise password_lost(files)
    return password


def password_lost(files: ServerFiles) -> ServerStartError:
    """The error for a password file that is gone or not the server's."""
    return ServerStartError(
        f"The managed Neo4j does not take the password in {files.password}: the file was lost or changed.",
        hint=f"Restore that file; or, to begin with an empty memory, stop the server (ragforge neo4j stop) and "
        f"move {files.root} away.",
    )


def password_check(password: str, port: int) -> str:
    """A digest by which a later reader notices that the password file is another one."""
    return hashlib.sha256(f"ragforge:{port}:{password}".encode()).hexdigest()


def _memory(name: str, default: str) -> str:
    value = os.environ.get(name, "").lower() or default
    if not _MEMORY.match(value):
        raise ConfigError(f"{name} is {value!r}, not an amount of memory.", hint="Write it like 512m or 2g.")
    return value


def _kilobytes(amount: str) -> int:
    return int(amount[:-1]) << {"k": 0, "m": 10, "g": 20}[amount[-1]]


def _hours(name: str, default: float) -> float:
    value = os.environ.get(name, "")
    if not value:
        return default
    try:
        hours = float(value)
    except ValueError:
        hours = -1.0
    if not 0 <= hours < float("inf"):
        raise ConfigError(f"{name} is {value!r}, not a number of hours.", hint="Write it like 8 or 0.5; 0 = never.")
    return hours


def _options(name: str) -> tuple[str, ...]:
    given = os.environ.get(name, "")
    try:
        options = tuple(shlex.split(given))
    except ValueError as error:
        raise ConfigError(f"{name} is {given!r}: {error}.", hint="Quote as a shell does.") from error
    # Java takes the first word that is not an option for the class to run.
    if wrong := next((each for each in options if not each.startswith("-X")), None):
        raise ConfigError(
            f"{name} has {wrong!r}.", hint="Give options that begin with -X, like -XX:TieredStopAtLevel=1."
        )
    return options
