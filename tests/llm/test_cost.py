"""What an answer cost, where the price is known."""

from __future__ import annotations

import pytest

from ragforge_memory.llm.cost import priced
from ragforge_memory.models.conversation import Usage

pytestmark = pytest.mark.anyio

TOKENS = Usage(input_tokens=1_000_000, output_tokens=1_000_000)


async def test_a_known_model_has_a_price_by_vendor_and_by_address() -> None:
    by_vendor = await priced(TOKENS, model="gemini-3.8-flash", vendor="google")
    by_address = await priced(TOKENS, model="gpt-6-luna", address="https://api.openai.com/v1")

    assert by_vendor.cost_usd is not None
    assert by_address.cost_usd is not None
    assert by_vendor.model_copy(update={"cost_usd": None}) == TOKENS


async def test_cached_tokens_are_cheaper() -> None:
    cached = TOKENS.model_copy(update={"cached_tokens": 900_000})

    whole = await priced(TOKENS, model="gemini-3.8-flash", vendor="google")
    part = await priced(cached, model="gemini-3.8-flash", vendor="google")

    assert part.cost_usd is not None
    assert whole.cost_usd is not None
    assert part.cost_usd < whole.cost_usd


@pytest.mark.parametrize(
    ("model", "vendor", "address"),
    [
        ("no-such-model", "google", None),
        ("no-such-model", None, "https://api.openai.com/v1"),
        ("gpt-6-luna", None, "https://models.example.org/v1"),
    ],
)
async def test_an_unknown_price_is_none(model: str, vendor: str | None, address: str | None) -> None:
    assert await priced(TOKENS, model=model, vendor=vendor, address=address) == TOKENS
