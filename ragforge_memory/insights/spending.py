"""How much a run of many requests may take, in tokens and in US dollars."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from ragforge_memory.llm.port import ModelProvider, price_of
from ragforge_memory.models.conversation import Usage
from ragforge_memory.models.insight import StopReason

# What an answer takes until one is known: a screenful of JSON, and some thinking.
_LIKELY_OUTPUT = 1_000


class Spent(Exception):
    """The next request does not fit into what may be taken; ``reason`` says which limit it would pass."""

    def __init__(self, reason: StopReason) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(slots=True)
class Request:
    """One request: what it is likely to take, then what it took."""

    likely: Usage
    taken: Usage | None = None


class Spending:
    """What has been taken, and what runs.

    A request is begun only where it fits with all that was taken and all that runs; what it will take is its prompt,
    counted at four characters a token, and the longest answer so far (1,000 tokens before the first). So a limit is
    passed by no more than the answers that run then are longer than every answer before them.

    Args:
        provider: the model, which knows its prices.
        max_cost_usd: US dollars; None: no limit.
        max_tokens: tokens given and said, reasoning included; None: no limit.
    """

    def __init__(self, provider: ModelProvider, *, max_cost_usd: float | None, max_tokens: int | None) -> None:
        self._provider = provider
        self._most = max_cost_usd
        self._most_tokens = max_tokens
        self._longest = 0
        self._running: list[Request] = []
        self._changed = asyncio.Event()
        self.usage = Usage()

    @asynccontextmanager
    async def request(self, input_tokens: int) -> AsyncIterator[Request]:
        """Waits until a request fits beside those that run; inside it runs, and is told what it took.

        Raises:
            Spent: nothing runs that could leave room for it, and it does not fit.
        """
        request = await self._begun(input_tokens)
        try:
            yield request
        finally:
            self._running.remove(request)
            if request.taken is not None:
                self.usage = self.usage.plus(request.taken)
                self._longest = max(self._longest, request.taken.output_tokens)
            changed, self._changed = self._changed, asyncio.Event()
            changed.set()

    async def _begun(self, input_tokens: int) -> Request:
        while True:
            likely = await self._likely(input_tokens)
            # From here to the end nothing is awaited: of two that come at once the second sees the first.
            reason = self._passed_by(likely)
            if reason is None:
                request = Request(likely)
                self._running.append(request)
                return request
            if not self._running:
                raise Spent(reason)
            await self._changed.wait()

    async def _likely(self, input_tokens: int) -> Usage:
        likely = Usage(input_tokens=input_tokens, output_tokens=self._longest or _LIKELY_OUTPUT)
        if self._most is None:
            return likely
        return likely.model_copy(update={"cost_usd": await price_of(self._provider, likely)})

    def _passed_by(self, likely: Usage) -> StopReason | None:
        """The limit that this would pass, with what was taken and what runs."""
        total = self.usage.plus(likely)
        for request in self._running:
            total = total.plus(request.likely)
        if self._most_tokens is not None and total.input_tokens + total.output_tokens > self._most_tokens:
            return "tokens"
        if self._most is not None and (total.cost_usd or 0.0) > self._most:
            return "cost"
        return None
