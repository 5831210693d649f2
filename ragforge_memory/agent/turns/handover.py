"""Tools that a turn's caller runs itself: the turn ends where the model asks for one, and goes on with what it gave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolOutcome, ToolRequest, ToolSpec

Round = tuple[tuple[ToolRequest, ToolOutcome], ...]
"""What the model asked for at once, and what each gave."""


@dataclass(frozen=True, slots=True)
class Handover:
    """What a caller brings to a turn.

    Args:
        tools: what it runs; one that has the name of a tool of ours takes its place.
        rounds: what its tools have given since the question, the first at the beginning.
    """

    tools: tuple[ToolSpec, ...] = ()
    rounds: tuple[Round, ...] = ()

    def taken(self, requests: Sequence[ToolRequest]) -> tuple[ToolRequest, ...]:
        """Those requests that are the caller's; of others in the same round the model may ask again."""
        names = {each.name for each in self.tools}
        return tuple(each for each in requests if each.name in names)

    def resumed(self, request: ModelRequest) -> ModelRequest:
        """A first request that goes on behind the rounds that there were."""
        messages = list(request.messages)
        for given in self.rounds:
            messages.append(ChatMessage("assistant", tool_requests=tuple(asked for asked, _ in given)))
            messages.append(ChatMessage("tool", tool_outcomes=tuple(outcome for _, outcome in given)))
        return replace(request, messages=tuple(messages))


NO_HANDOVER = Handover()
