"""Models that were shut down, from their day on."""

from __future__ import annotations

from datetime import date

import pytest

from ragforge_memory.config.known_models import (
    RETIRED_CHAT_MODELS,
    RETIRED_EMBEDDING_MODELS,
    RETIRED_OPENAI_MODELS,
    retired_embedding_model,
)
from ragforge_memory.errors import ConfigError
from ragforge_memory.llm.gemini import GeminiProvider
from ragforge_memory.llm.openai import OpenAIProvider
from ragforge_memory.llm.retired import refuse_retired


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-2.5-pro", "models/gemini-2.5-flash-lite"])
def test_the_2_5_family_runs_until_its_day(model: str) -> None:
    refuse_retired("gemini", model, today=date(2026, 11, 30))

    with pytest.raises(ConfigError, match="2026-12-01; its successor is gemini-3"):
        refuse_retired("gemini", model, today=date(2026, 12, 1))


def test_the_provider_refuses_before_anything_is_sent() -> None:
    with pytest.raises(ConfigError, match=r"gemini-2\.0-flash was shut down") as caught:
        GeminiProvider("gemini-2.0-flash", api_key="k")

    assert caught.value.hint == "use gemini:gemini-3.5-flash"


def test_a_model_that_is_gone_is_told_of_before_a_key_that_is_missing() -> None:
    with pytest.raises(ConfigError, match="was shut down"):
        GeminiProvider("gemini-1.5-pro", api_key="")
    with pytest.raises(ConfigError, match=r"was shut down .* gpt-5\.6-terra"):
        OpenAIProvider("gpt-3.5-turbo")
    assert OpenAIProvider("gpt-3.5-turbo", base_url="http://127.0.0.1:1/v1").model == "gpt-3.5-turbo"


def test_text_embedding_004_is_gone() -> None:
    assert retired_embedding_model("models/text-embedding-004") is not None
    assert retired_embedding_model("text-embedding-004", today=date(2026, 1, 13)) is None


@pytest.mark.parametrize("table", [RETIRED_CHAT_MODELS, RETIRED_EMBEDDING_MODELS, RETIRED_OPENAI_MODELS])
def test_every_day_can_be_read_and_no_successor_is_retired_today(table: dict[str, object]) -> None:
    for gone in table.values():
        assert date.fromisoformat(gone.since)  # type: ignore[attr-defined]
        successor = table.get(gone.successor)  # type: ignore[attr-defined]
        assert successor is None
