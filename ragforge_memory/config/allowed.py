"""What a project's own file reaches outside: addresses off this machine, and folders that are not the project's.

Who clones a repository and asks in it has not read its ``ragforge.config.yaml``. What that names decides where
questions, code and keys of the environment go, and which files are read as code; so it takes a word of the user's, once
for each file and each change of what it says about that, as direnv asks it for ``.envrc``. A file that is named
(``--config``) is meant.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragforge_memory.errors import ConfigError
from ragforge_memory.home import ragforge_home, write_private

if TYPE_CHECKING:
    from ragforge_memory.config.load import LoadedConfig

COMMAND = "ragforge config allow"
_ADDRESSES = ("llm.base_url", "neo4j.uri")
SOURCE, _TEXTS = "source.root", "agent.memory.persistence.directory"
_VENDORS = frozenset({"api.openai.com", "generativelanguage.googleapis.com"})
_NEAR = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class Outside:
    """An address off this network, or a folder out of the project, that a file names by a key.

    ``variables`` are those that the address's block takes along.
    """

    key: str
    address: str
    variables: tuple[str, ...] = ()

    @property
    def is_folder(self) -> bool:
        """Whether it is not an address."""
        return self.key not in _ADDRESSES

    def __str__(self) -> str:
        """An address without what stands behind the host, which may be a variable's value."""
        if self.is_folder:
            return f"{self.key} {self.address}"
        parts = urlsplit(self.address)
        took = f" (with {', '.join(self.variables)})" if self.variables else ""
        return f"{self.key} {parts.scheme}://{parts.hostname}{took}"


def named_outside(loaded: LoadedConfig) -> tuple[Outside, ...]:
    """What a file, and nothing else, names off this machine and its network, and out of its project's folder.

    What a variable gives as a whole is the environment's. Of the vendors' own addresses there is none.
    """
    found = []
    for key in _ADDRESSES:
        block, _, name = key.partition(".")
        address = getattr(getattr(loaded.config, block), name, None)
        if address and key in loaded.from_file and not _is_near(address):
            took = {each for path, names in loaded.variables.items() if path[0] == block for each in names}
            found.append(Outside(key, address, tuple(sorted(took))))
    return (*found, *_folders_outside(loaded))


def _folders_outside(loaded: LoadedConfig) -> Iterator[Outside]:
    root, source = loaded.root.resolve(), loaded.source_root
    texts = (source / loaded.config.agent.memory.persistence.directory).resolve()
    for key, folder, inside in ((SOURCE, source, (root,)), (_TEXTS, texts, (root, source))):
        if key in loaded.from_file and not any(map(folder.is_relative_to, inside)):
            yield Outside(key, str(folder))


def is_allowed(loaded: LoadedConfig) -> bool:
    """Whether the file names nothing outside, or its user has allowed what it names."""
    outside = named_outside(loaded)
    return not outside or _allowed().get(str(loaded.file)) == _digest(outside)


def allow(loaded: LoadedConfig) -> tuple[Outside, ...]:
    """Remembers that what a file names outside is allowed; returns what that is.

    Raises:
        OSError: it cannot be written.
    """
    outside = named_outside(loaded)
    if outside:
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, json.dumps({**_allowed(), str(loaded.file): _digest(outside)}, indent=1) + "\n")
    return outside


def check_allowed(loaded: LoadedConfig, keys: Collection[str] | None = None) -> None:
    """Refuses a file that was found, not named, and reaches what its user has not allowed.

    Args:
        keys: those of the file that are used; None: all.

    Raises:
        ConfigError: names the file, and the address or folder.
    """
    outside = [each for each in named_outside(loaded) if keys is None or each.key in keys]
    if outside and not is_allowed(loaded):
        addresses = [each for each in outside if not each.is_folder]
        folders = [each for each in outside if each.is_folder]
        told = [f"sends what is asked, and the code, to {listed(addresses)}"] if addresses else []
        told += [f"has its files outside of the project: {listed(folders)}"] if folders else []
        raise ConfigError(
            f"this project's configuration {'; it '.join(told)}",
            hint=f"look at it; if that is meant, say once: {COMMAND} (or name the file: --config {loaded.file})",
            file=str(loaded.file),
        )


def listed(outside: Iterable[Outside]) -> str:
    """Addresses and folders as a sentence names them."""
    return " and ".join(map(str, outside))


def _is_near(address: str) -> bool:
    """Whether an address is a vendor's own, or one of this machine or its network by its literal host.

    Whoever looks a host up takes 134744072 and 0x8080808 for 8.8.8.8, and dots of other scripts for dots.
    """
    try:
        parts = urlsplit(address)
        host = (parts.hostname or "").rstrip(".").lower()
    except ValueError:
        return False
    if host in _VENDORS:
        return parts.scheme == "https" and parts.port in (None, 443)
    try:
        return ipaddress.ip_address(host).is_private
    except ValueError:
        one_word = "." not in host and not _NUMBER.fullmatch(host)
        return host.isascii() and (one_word or host.endswith(_NEAR))


def _file() -> Path:
    return ragforge_home() / "allowed.json"


def _allowed() -> dict[str, str]:
    try:
        content = json.loads(_file().read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def _digest(outside: tuple[Outside, ...]) -> str:
    return hashlib.sha256(repr(outside).encode()).hexdigest()
