"""One turn at a terminal: its events are shown, and Ctrl-C ends it and keeps what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragforge_memory.agent.conversation import AsyncConversation
    from ragforge_memory.cli.session import Session
    from ragforge_memory.models.conversation import AssistantResponse


async def run_turn(
    session: Session, conversation: AsyncConversation, text: str, show: Callable[[Any], None]
) -> AssistantResponse:
    """Asks, and shows every event as it comes.

    Raises:
        TurnCancelled: Ctrl-C ended the turn; what was said until then is in the graph.
        RagforgeError: the turn failed.
    """
    stopping: list[asyncio.Task[Any]] = []

    def stop() -> None:
        session.spinner.phase("stopping")
        stopping.append(asyncio.ensure_future(conversation.cancel()))

    with session.interrupts.during(stop):
        try:
            async with session.spinner.running("asking"), conversation.stream_message(text) as stream:
                async for event in stream:
                    show(event)
        finally:
            await asyncio.gather(*stopping)
    return stream.response
