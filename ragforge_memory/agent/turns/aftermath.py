"""What is done with what a turn has stored, behind it: vectors, and what is to be remembered."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.graph.messages import Answer, NewMessage


def look_after(services: Services, question: NewMessage | None, answer: Answer | None = None) -> None:
    """Has what a turn stored embedded, and looked at where it may say something to be remembered.

    Args:
        services: of the agent.
        question: where this turn has stored it.
        answer: None: there is none.
    """
    if services.stores.in_memory:
        return
    new = [each for each in (question, answer.message if answer else None) if each is not None]
    services.background.said([each for each in new if each.content.strip()])
    if answer is not None and answer.tool_calls:
        services.background.work.used_tools()
    operations = services.background.operations
    if operations is not None and operations.metrics.waits:
        services.background.work.operations_wait()
