"""Lock files: which files are downloaded, each pinned by its SHA-256 and size.

One file a line, ``group:artifact:version[:classifier] SHA256 SIZE``; a line ``+ MEMBER SHA256 SIZE NAME`` names
a file inside the archive of the line above it, which is taken out as NAME. ``#`` starts a comment line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from importlib.resources import files

_SHA256 = re.compile(r"[0-9a-f]{64}\Z")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*\Z")  # no slash and no leading dot: never outside the folder


@dataclass(frozen=True, slots=True)
class Member:
    """A file inside a downloaded archive: its path there, its hash and size, the name it gets."""

    path: str
    sha256: str
    size: int
    name: str


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file of a Maven repository, pinned by hash and size (bytes)."""

    group: str
    artifact: str
    version: str
    classifier: str
    sha256: str
    size: int
    members: tuple[Member, ...] = ()

    @property
    def name(self) -> str:
        """The file's own name."""
        classifier = f"-{self.classifier}" if self.classifier else ""
        return f"{self.artifact}-{self.version}{classifier}.jar"

    @property
    def path(self) -> str:
        """Where it is below the base of a repository, with slashes."""
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{self.name}"


def parse_lock(text: str, *, source: str = "lock") -> tuple[PinnedFile, ...]:
    """The pinned files of a lock file's text, in its order.

    Raises:
        ValueError: a line is not of the form above, or a file is named twice; says ``source`` and line.
    """
    pinned: list[PinnedFile] = []
    seen: set[str] = set()
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            if words[0] == "+":
                pinned[-1] = replace(pinned[-1], members=(*pinned[-1].members, _member(words[1:])))
                continue
            file = _file(words)
        except (ValueError, IndexError):
            raise ValueError(f"{source}:{number}: not a line of a lock file: {line.strip()!r}") from None
        if file.path in seen:
            raise ValueError(f"{source}:{number}: {file.name} is named twice")
        seen.add(file.path)
        pinned.append(file)
    return tuple(pinned)


def load_lock(name: str) -> tuple[PinnedFile, ...]:
    """The lock file ``name`` that is shipped with this package, such as ``neo4j-2026.09.0``.

    Raises:
        KeyError: there is no such lock file.
    """
    resource = files(__package__) / "locks" / f"{name}.lock"
    if not _NAME.match(name) or not resource.is_file():
        raise KeyError(name)
    return parse_lock(resource.read_text(encoding="utf-8"), source=f"{name}.lock")


def lock_names() -> tuple[str, ...]:
    """The names of all lock files that are shipped, sorted."""
    folder = files(__package__) / "locks"
    return tuple(sorted(entry.name.removesuffix(".lock") for entry in folder.iterdir() if entry.name.endswith(".lock")))


def _file(words: list[str]) -> PinnedFile:
    coordinates, sha256, size = words
    group, artifact, version, *rest = coordinates.split(":")
    classifier = rest[0] if rest else ""
    if len(rest) > 1 or not all(_NAME.match(part) for part in (group, artifact, version, *rest)):
        raise ValueError(coordinates)
    return PinnedFile(group, artifact, version, classifier, _checked_hash(sha256), _checked_size(size))


def _member(words: list[str]) -> Member:
    path, sha256, size, name = words
    if not _NAME.match(name):
        raise ValueError(name)
    return Member(path, _checked_hash(sha256), _checked_size(size), name)


def _checked_hash(text: str) -> str:
    if not _SHA256.match(text):
        raise ValueError(text)
    return text


def _checked_size(text: str) -> int:
    size = int(text)
    if size <= 0:
        raise ValueError(text)
    return size
