"""What an answer cost, by the price table of genai-prices.

`Usage` counts alike for every vendor: ``input_tokens`` include the cached ones, ``output_tokens`` include the
reasoning; ``cached_tokens`` and ``reasoning_tokens`` say how many of them were that.
"""

from __future__ import annotations

import asyncio

from ragforge_memory.models.conversation import Usage


async def priced(usage: Usage, *, model: str, vendor: str | None = None, address: str | None = None) -> Usage:
    """The usage with ``cost_usd`` in US dollars, or as it was where the price is not known.

    Args:
        usage: the tokens.
        model: the model's name.
        vendor: genai-prices' name of the vendor (``google``); or
        address: the address that was asked, from which the vendor follows; an unknown one has no price.
    """
    # The table's first import takes a good part of a second: not on the event loop.
    return await asyncio.to_thread(_priced, usage, model, vendor, address)


def _priced(usage: Usage, model: str, vendor: str | None, address: str | None) -> Usage:
    from genai_prices import Usage as Tokens
    from genai_prices import calc_price

    tokens = Tokens(
        input_tokens=usage.input_tokens,
        cache_read_tokens=min(usage.cached_tokens, usage.input_tokens),
        output_tokens=usage.output_tokens,
    )
    try:
        if vendor is not None:
            price = calc_price(tokens, model, provider_id=vendor)
        else:
            price = calc_price(tokens, model, provider_api_url=address)
    except (LookupError, ValueError):
        return usage
    return usage.model_copy(update={"cost_usd": float(price.total_price)})
