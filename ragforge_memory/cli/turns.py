"""One turn at a terminal: its events are shown, and Ctrl-C ends it and keeps what was said."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.cli.session import Session
    from ragforge_memory.models.conversation import AssistantResponse


async def run_turn(
    session: Session, opened: Callable[[], Awaitable[AsyncConversation]], text: str, show: Callable[[Any], None]
) -> AssistantResponse:
    """Asks in the conversation that ``opened`` gives, and shows every event as it comes.

    Raises:
        TurnCancelled: Ctrl-C ended the turn; what was said until then is in the graph.
        RagforgeError: the turn failed.
    """
    conversation: AsyncConversation | None = None
    stopping: list[asyncio.Task[Any]] = []
    stopped = False

    def stop() -> None:
        nonlocal stopped
        stopped = True
        session.spinner.phase("stopping")
        if conversation is not None:
            stopping.append(asyncio.ensure_future(conversation.cancel()))

    with session.interrupts.during(stop):
        try:
            async with session.spinner.running("asking"):
                conversation = await opened()
                async with conversation.stream_message(text) as stream:
                    async for event in stream:
                        show(event)
                        if stopped and not stopping:
                            # Ctrl-C came while the conversation was opened: its question is kept all the same.
                            stop()
        finally:
            await asyncio.gather(*stopping)
    return stream.response
