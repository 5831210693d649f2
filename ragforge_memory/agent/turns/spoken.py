"""What a turn says and thinks: kept, and told as it comes, without secrets."""

from __future__ import annotations

from ragforge_memory import events
from ragforge_memory.agent.seen_secrets import SeenRedactor, Stream
from ragforge_memory.agent.turns.tool_rounds import Emit
from ragforge_memory.models.text import well_formed


class Spoken:
    """The text and the reasoning of an answer.

    Args:
        redactor: takes secrets out.
        emit: takes the turn's events.
    """

    def __init__(self, redactor: SeenRedactor, emit: Emit) -> None:
        self._emit = emit
        self._shown, self._thought = Stream(redactor), Stream(redactor)
        self._content: list[str] = []
        self._reasoning: list[str] = []

    @property
    def content(self) -> str:
        """The text so far."""
        return "".join(self._content)

    @property
    def reasoning(self) -> str:
        """The reasoning so far."""
        return "".join(self._reasoning)

    async def say(self, text: str) -> None:
        """Takes a piece of the text as the model gave it."""
        await self.show(self._shown.more(well_formed(text)))

    async def think(self, text: str) -> None:
        """Takes a piece of the reasoning as the model gave it."""
        await self._tell_thought(self._thought.more(well_formed(text)))

    async def show(self, text: str) -> None:
        """Takes a text that has no secret."""
        if text:
            self._content.append(text)
            await self._emit(events.TextDelta(text=text))

    async def end(self) -> None:
        """Tells what was held back: it might have become a secret."""
        await self._tell_thought(self._thought.rest())
        await self.show(self._shown.rest())

    def cut(self) -> None:
        """Keeps what was held back, for nobody hears it any more."""
        self._content.append(self._shown.rest())
        self._reasoning.append(self._thought.rest())

    async def _tell_thought(self, text: str) -> None:
        if text:
            self._reasoning.append(text)
            await self._emit(events.ReasoningDelta(text=text))
