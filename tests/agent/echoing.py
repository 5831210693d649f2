"""A script whose first answer says that it only quotes what was said."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import replace
from typing import Any

from ragforge_memory.llm.port import Finished, ModelChunk, ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider


class EchoingProvider(ScriptedProvider):
    """Says of what it gives for its first requests that it only quotes.

    Args:
        steps: the script.
        requests: how many requests the first answer takes, those for tools among them.
    """

    def __init__(self, steps: Sequence[Any], *, requests: int = 1) -> None:
        super().__init__(steps)
        self._echoes = requests

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelChunk, None]:
        async for chunk in super().stream(request):
            echo = isinstance(chunk, Finished) and len(self.requests) <= self._echoes
            yield replace(chunk, echo=True) if isinstance(chunk, Finished) and echo else chunk
