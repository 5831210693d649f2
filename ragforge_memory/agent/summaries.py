"""Summaries on demand: of a conversation, and of messages that are stored nowhere."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from ragforge_memory.agent.inputs import MAX_LIMIT
from ragforge_memory.errors import ModelError

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.agent.upkeep.summary_text import Summarizer, Written
    from ragforge_memory.models.conversation import Message

log = logging.getLogger(__name__)


async def condense(summarizer: Summarizer, messages: Sequence[Message]) -> Written:
    """Two or three sentences on these messages, stored nowhere; extracted where the model fails."""
    try:
        return await summarizer.of_messages(messages)
    except ModelError as error:
        log.warning("a summary is extracted, since the model failed: %s", error)
        return await summarizer.of_messages(messages, extract=True)


def condensing(summarizer: Summarizer, *, asks: bool) -> Callable[[Sequence[Message]], Awaitable[str]]:
    """Says what messages were about; ``asks``: a model may be asked for it."""

    async def text(messages: Sequence[Message]) -> str:
        written = condense(summarizer, messages) if asks else summarizer.of_messages(messages, extract=True)
        return (await written).text

    return text


async def summarize(services: Services, conversation_id: str) -> str:
    """See `ConversationSummaries.summarize`."""
    if services.background.summaries is not None:
        text = await services.background.summaries.on_demand(conversation_id)
        services.background.work.wake()
        return text
    # Without memory the conversation is this process's alone, and so is its summary.
    messages = await services.stores.messages.history(conversation_id, limit=MAX_LIMIT)
    if not messages:
        return ""
    text = (await services.models.summarizer.of_messages(messages)).text
    await services.stores.conversations.update(conversation_id, summary=text)
    return text
