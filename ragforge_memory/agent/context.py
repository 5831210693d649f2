"""Which earlier messages a turn is given, within the model's window."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from ragforge_memory.agent.prompt import history, system_prompt, tokens_of
from ragforge_memory.config import AgentConfig
from ragforge_memory.graph.messages import TurnContext
from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolSpec
from ragforge_memory.models.conversation import ConversationContext, Message
from ragforge_memory.models.tokens import estimate_tokens

# Kept free for the answer and for the results of this turn's tools: an eighth of the window, at most 16,000 tokens.
_RESERVED_SHARE = 8
_RESERVED_MOST = 16_000


def first_request(
    config: AgentConfig,
    before: TurnContext,
    question: str,
    *,
    window: int,
    tools: tuple[ToolSpec, ...],
    today: date,
) -> tuple[ModelRequest, ConversationContext]:
    """The request that opens a turn, and what of the conversation is in it.

    The newest messages are taken as long as they fit into the window (the model's, or the configured one where that
    is smaller); a question is never parted from its answer, nor a tool call from its result.
    """
    limit = min(window, config.memory.compression.max_tokens)
    limit -= min(limit // _RESERVED_SHARE, _RESERVED_MOST)
    additions = [message.content for message in before.messages if message.role == "system"]
    system = system_prompt(config.system_prompt, today=today, summary=before.summary, additions=additions)
    spent = estimate_tokens(system) + estimate_tokens(question)
    spent += sum(estimate_tokens(f"{tool.description} {tool.parameters}") for tool in tools)
    taken = list(before.messages)
    chat = history(taken)
    while taken and spent + sum(map(tokens_of, chat)) > limit:
        taken = _without_oldest(taken)
        chat = history(taken)
    request = ModelRequest(system, (*chat, ChatMessage("user", question)), tools)
    context = ConversationContext(
        summary=before.summary,
        recent_messages=tuple(taken),
        message_count=len(taken),
        token_count=spent + sum(map(tokens_of, chat)),
        strategy="recent",
    )
    return request, context


def _without_oldest(messages: Sequence[Message]) -> list[Message]:
    """The messages without the oldest turn: its question and whatever answered it."""
    oldest = messages[0]
    return [message for message in messages[1:] if message.in_reply_to != oldest.uuid]
