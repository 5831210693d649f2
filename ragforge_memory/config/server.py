"""The block ``server:`` of ``ragforge.config.yaml``: who may come in over HTTP, and how much of it."""

from __future__ import annotations

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from ragforge_memory.config.blocks import MOST, Line, Section, Text, refusal

_MOST_BYTES = 1_000_000_000
_MOST_TOKENS = 1_000_000_000_000


def _origin(text: str) -> str:
    """Refuses what no browser sends as an origin; one that never fits would only be noticed in the browser."""
    if "*" in text:
        raise refusal(
            f"{text!r} would let every site that a user visits ask here",
            hint="name the origins that may: https://app.example.org",
        )
    try:
        parts = urlsplit(text)
        known = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        known = False
    if not known or text.lower() != f"{parts.scheme}://{parts.netloc}".lower() or "@" in text:
        raise refusal(
            f"{text!r} is not an origin: scheme, host and port, and nothing behind them",
            hint="https://app.example.org, or http://localhost:3000",
        )
    return text.lower()


Origin = Annotated[Text, AfterValidator(_origin)]
PlanName = Annotated[Line, Field(min_length=1, max_length=100)]


class PlanLimits(Section):
    """What a user of a plan may use in a day; null: as much as they like."""

    turns_per_day: int | None = Field(None, ge=0, le=MOST, description="answers in a day (UTC)")
    tokens_per_day: int | None = Field(None, ge=0, le=_MOST_TOKENS, description="tokens in a day, both ways (UTC)")


class ServerConfig(Section):
    """``ragforge serve``."""

    require_key: bool = Field(False, description="want an API key on loopback too; elsewhere one is always wanted")
    cors_origins: tuple[Origin, ...] = Field(
        (), description="origins whose pages may ask here: https://app.example.org"
    )
    max_body_bytes: int = Field(1_000_000, ge=1_000, le=_MOST_BYTES, description="bytes of a request at most")
    max_upload_bytes: int = Field(32_000_000, ge=1_000, le=_MOST_BYTES, description="bytes of a document at most")
    requests_per_minute: int = Field(600, ge=1, le=MOST, description="requests with one key in a minute")
    max_agents: int = Field(500, ge=1, le=MOST, description="agents that a worker keeps open")
    turn_timeout_seconds: float = Field(600, gt=0, allow_inf_nan=False, description="seconds that an answer may take")
    default_plan: PlanName = Field("free", description="the plan of users who were given none")
    plans: dict[PlanName, PlanLimits] = Field(
        {},
        description="plans by name, each with `turns_per_day` and `tokens_per_day`; a plan that is not here: no limits",
    )
