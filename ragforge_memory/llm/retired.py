"""Models that their vendors have shut down are refused by name, before anything is sent."""

from __future__ import annotations

from datetime import date

from ragforge_memory.config.known_models import Retired, retired_chat_model, retired_openai_model
from ragforge_memory.errors import ConfigError


def refuse_retired(provider: str, model: str, *, today: date | None = None) -> None:
    """Refuses a chat model whose last day is past.

    Args:
        provider: ``gemini`` or ``openai`` (OpenAI's own service, not a server that speaks its language).
        model: the model's name.
        today: the day to judge by; None is the clock's.

    Raises:
        ConfigError: names the day and the successor.
    """
    gone: Retired | None = (
        retired_openai_model(model, today=today) if provider == "openai" else retired_chat_model(model, today=today)
    )
    if gone is not None:
        raise ConfigError(
            f"{provider}:{model} was shut down by its vendor on {gone.since}; its successor is {gone.successor}",
            hint=f"use {provider}:{gone.successor}",
            key="llm.model",
        )
