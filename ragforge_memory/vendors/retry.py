"""Asking again: which failures of a model are worth it, and how long to wait.

The SDKs' own retries are off: google-genai's ignore the vendor's delay, and both would repeat a request whose
answer had already begun to arrive.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from ragforge_memory.errors import ModelError, ModelMalformed, ModelRateLimited, ModelStreamCut, ModelUnavailable

_WORTH_IT = (ModelRateLimited, ModelUnavailable, ModelStreamCut, ModelMalformed)
_DURATION = re.compile(r"(\d+(?:\.\d+)?)s")


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and after which delay a failed request is sent again.

    Args:
        attempts: requests in all, the first included.
        base_delay: seconds before the second request where the vendor names no delay; doubled each time.
        max_delay: seconds; a vendor that wants more is not asked again, and the error says how long it wants.
        sleep: waits that many seconds; tests give their own.
        draw: a number from 0 to 1, for the jitter.
    """

    attempts: int = 4
    base_delay: float = 1.0
    max_delay: float = 30.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    draw: Callable[[], float] = random.random

    def delay(self, attempt: int, error: ModelError) -> float | None:
        """Seconds to wait after this failed attempt (counted from 1), or None where the error stands.

        Without the vendor's word: exponential with equal jitter, half of the delay fixed and half drawn (Brooker,
        "Exponential Backoff And Jitter", AWS Architecture Blog, 2015).
        """
        if attempt >= self.attempts or not isinstance(error, _WORTH_IT):
            return None
        if error.retry_after is not None:
            return error.retry_after if error.retry_after <= self.max_delay else None
        full = min(self.max_delay, self.base_delay * 2.0 ** (attempt - 1))
        return full / 2 + full / 2 * self.draw()


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
