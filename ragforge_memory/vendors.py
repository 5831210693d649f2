"""What all that talk to a vendor keep to: whether it may be asked at all, and when it wants to be asked again.

The switch keeps tests away from the vendors: no request leaves this machine while it is off.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

from ragforge_memory.errors import ConfigError

ALLOW_VARIABLE = "RAGFORGE_ALLOW_MODEL_REQUESTS"

_SHORTEST_KEY = 8
_LONGEST_SAID = 500
_DURATION = re.compile(r"(\d+(?:\.\d+)?)s")


_KEY_VARIABLES = {"gemini": "GEMINI_API_KEY", "openai": "OPENAI_API_KEY"}
_ADDRESS_VARIABLES = {"gemini": "GOOGLE_GEMINI_BASE_URL", "openai": "OPENAI_BASE_URL"}


def key_of(provider: str, environ: Mapping[str, str]) -> str | None:
    """The key that the environment has for a vendor."""
    return environ.get(_KEY_VARIABLES.get(provider, ""), "").strip() or None


def address_of(provider: str, environ: Mapping[str, str]) -> str | None:
    """The vendor's own variable for another address of its API, a proxy's for example."""
    return environ.get(_ADDRESS_VARIABLES.get(provider, ""), "").strip() or None


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


def said_by_server(text: object, api_key: str) -> str:
    """What a server says of a request that failed, as it may be shown: some repeat the key. What is shorter than any
    vendor's key is a word that a local server was given."""
    said = str(text).strip()
    return (said.replace(api_key, "********") if len(api_key) >= _SHORTEST_KEY else said)[:_LONGEST_SAID]


def retry_after_header(headers: Mapping[str, str], *, now: datetime | None = None) -> float | None:
    """Seconds that ``retry-after-ms`` or ``Retry-After`` (seconds or an HTTP date, RFC 9110 10.2.3) ask for."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _number(value)
    if seconds is not None or not value:
        return seconds
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - (now or datetime.now(UTC))).total_seconds())


def duration_seconds(value: object) -> float | None:
    """Seconds of a protobuf duration in JSON (``"34.07s"``), or None."""
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return float(match[1]) if match else None


def google_retry_delay(details: object, headers: Mapping[str, str] | None) -> float | None:
    """Seconds until Google wants to be asked again: RetryInfo in the error's body, else the header."""
    inner = details.get("error") if isinstance(details, dict) else None
    entries = inner.get("details") if isinstance(inner, dict) else None
    for entry in entries if isinstance(entries, list) else ():
        delay = duration_seconds(entry.get("retryDelay")) if isinstance(entry, dict) else None
        if delay is not None:
            return delay
    return retry_after_header(headers) if headers is not None else None


def _number(text: str | None) -> float | None:
    try:
        number = float(text) if text else None
    except ValueError:
        return None
    return number if number is not None and 0 <= number < float("inf") else None
