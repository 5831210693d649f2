"""Whether a vendor may be asked at all, with which key and at which address.

The switch keeps tests away from the vendors: no request leaves this machine while it is off.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from ragforge_memory.config.environment import VENDOR_VARIABLES, address_fault
from ragforge_memory.errors import ConfigError

if TYPE_CHECKING:
    from ragforge_memory.config.servers import LLMConfig

ALLOW_VARIABLE = "RAGFORGE_ALLOW_MODEL_REQUESTS"


@dataclass(frozen=True, slots=True)
class Access:
    """What a vendor is asked with; without an address it is the vendor's own."""

    key: str | None = field(default=None, repr=False)
    address: str | None = None


def access_to(vendor: str, block: LLMConfig | None, environ: Mapping[str, str]) -> Access:
    """Key and address for a vendor's models, those that answer and those that embed.

    What an ``llm`` block of this vendor says goes before what the environment has: a block that is read from a file
    has what the environment has already in place of its own, and one that a program made is its argument.
    """
    key, address = (environ.get(variable, "").strip() or None for variable in VENDOR_VARIABLES.get(vendor, ("", "")))
    if block is None or block.vendor != vendor:
        return Access(key, address)
    return Access(block.api_key or key, block.base_url or address)


def requests_allowed(environ: Mapping[str, str]) -> bool:
    """Whether models may be asked that were not given by a loopback address. Default: yes."""
    return environ.get(ALLOW_VARIABLE, "").strip().lower() not in ("0", "false", "no", "off")


def is_loopback(url: str) -> bool:
    """Whether this address is on this machine, by its literal host (nothing is resolved)."""
    host = urlsplit(url).hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_address(url: str, environ: Mapping[str, str]) -> None:
    """Refuses what is not an address, and one off this machine while the switch is off.

    Raises:
        ConfigError: says what is wrong with it, or names the variable.
    """
    if why := address_fault(url):
        raise ConfigError(f"{url}: {why}", hint="http://host:port/v1, or https://…", key="llm.base_url")
    if not requests_allowed(environ) and not is_loopback(url):
        raise ConfigError(
            f"requests to models are off ({ALLOW_VARIABLE}={environ.get(ALLOW_VARIABLE)}), "
            f"and {urlsplit(url).hostname} is not this machine",
            hint=f"unset {ALLOW_VARIABLE}, or use the extractive or scripted provider",
        )
