"""Addresses off this machine that a project's own file names: nothing goes there before its user has allowed it.

Who clones a repository and asks in it has not read its ``ragforge.config.yaml``. What that names decides where
questions, code and keys of the environment go; so it takes a word of the user's, once for each file and each change of
what it says about that, as direnv asks it for ``.envrc``. A file that is named (``--config``) is meant.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import re
from collections.abc import Iterable
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
_VENDORS = frozenset({"api.openai.com", "generativelanguage.googleapis.com"})
_NEAR = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")


@dataclass(frozen=True, slots=True)
class Outside:
    """An address off this network that a file names by a key, and the variables that its block takes along."""

    key: str
    address: str
    variables: tuple[str, ...]

    def __str__(self) -> str:
        """Without what stands behind the host, which may be a variable's value."""
        parts = urlsplit(self.address)
        took = f" (with {', '.join(self.variables)})" if self.variables else ""
        return f"{self.key} {parts.scheme}://{parts.hostname}{took}"


def addresses_outside(loaded: LoadedConfig) -> tuple[Outside, ...]:
    """What a file, and nothing else, names off this machine and its network.

    An address that a variable gives as a whole is the environment's. Of the vendors' own there is none.
    """
    found = []
    for key in _ADDRESSES:
        block, _, name = key.partition(".")
        address = getattr(getattr(loaded.config, block), name, None)
        if address and key in loaded.from_file and not _is_near(address):
            took = {each for path, names in loaded.variables.items() if path[0] == block for each in names}
            found.append(Outside(key, address, tuple(sorted(took))))
    return tuple(found)


def is_allowed(loaded: LoadedConfig) -> bool:
    """Whether the file names nothing outside, or its user has allowed what it names."""
    outside = addresses_outside(loaded)
    return not outside or _allowed().get(str(loaded.file)) == _digest(outside)


def allow(loaded: LoadedConfig) -> tuple[Outside, ...]:
    """Remembers that what a file names outside is allowed; returns what that is.

    Raises:
        OSError: it cannot be written.
    """
    outside = addresses_outside(loaded)
    if outside:
        file = _file()
        file.parent.mkdir(parents=True, exist_ok=True)
        write_private(file, json.dumps({**_allowed(), str(loaded.file): _digest(outside)}, indent=1) + "\n")
    return outside


def check_allowed(loaded: LoadedConfig) -> None:
    """Refuses a file that was found, not named, and sends something where its user has not allowed it.

    Raises:
        ConfigError: names the file and the address.
    """
    if not is_allowed(loaded):
        raise ConfigError(
            f"this project's configuration sends what is asked, and the code, to {listed(addresses_outside(loaded))}",
            hint=f"look at it; if that is meant, say once: {COMMAND} (or name the file: --config {loaded.file})",
            file=str(loaded.file),
        )


def listed(outside: Iterable[Outside]) -> str:
    """Addresses as a sentence names them."""
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
