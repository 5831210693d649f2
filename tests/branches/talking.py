"""Says one thing after the other."""

from __future__ import annotations

from typing import Any


async def talk(conversation: Any, *questions: str) -> None:
    """Asks, and waits for each answer."""
    for question in questions:
        await conversation.send_message(question)
