"""A switch that keeps tests away from the vendors: no request leaves this machine while it is off."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from ragforge_memory.errors import ConfigError

ALLOW_VARIABLE = "RAGFORGE_ALLOW_MODEL_REQUESTS"


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
    """Refuses an address off this machine while the switch is off.

    Raises:
        ConfigError: names the variable.
    """
    if not requests_allowed(environ) and not is_loopback(url):
        raise ConfigError(
            f"requests to models are off ({ALLOW_VARIABLE}={environ.get(ALLOW_VARIABLE)}), "
            f"and {urlsplit(url).hostname} is not this machine",
            hint=f"unset {ALLOW_VARIABLE}, or use the extractive or scripted provider",
        )
