"""Whether the instructions and the tools leave room: for a conversation at all, and for a question."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from ragforge_memory.agent.context.budget import tool_tokens, window_of
from ragforge_memory.agent.context.prompt import READ_RESULT, system_prompt, tokens_of
from ragforge_memory.errors import ConfigError, InvalidInput
from ragforge_memory.llm.port import ChatMessage
from ragforge_memory.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Models, Place
    from ragforge_memory.config.sections import AgentConfig
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.tools.registry import ToolRegistry

LEAST_ROOM = 100
"""Tokens that a question has at least: a sentence or two, and nothing else."""


def check_instructions(config: AgentConfig, provider: ModelProvider, registry: ToolRegistry, today: date) -> None:
    """Refuses instructions and tools that leave no question room in the model's window.

    Raises:
        ConfigError: naming the numbers.
    """
    window = window_of(provider.context_window, config.memory.compression.max_tokens)
    instructions = estimate_tokens(system_prompt(config.system_prompt, today=today))
    tools = tool_tokens((*registry.specs, registry.spec(READ_RESULT)))
    if window.limit - instructions - tools >= LEAST_ROOM:
        return
    raise ConfigError(
        f"the system prompt is about {instructions:,} tokens and the tools {tools:,}; prompts may have "
        f"{window.limit:,} of the window of {window.tokens:,}, so no question has room",
        hint="shorten agent.system_prompt, offer fewer tools, or take a model with a larger window "
        "(agent.memory.compression.max_tokens limits it too)",
        key="agent.system_prompt",
    )


def check_room(models: Models, place: Place, registry: ToolRegistry, question: str) -> None:
    """Refuses a question that no prompt has room for.

    Raises:
        InvalidInput: it is longer than what the window leaves beside the instructions and the tools.
    """
    window = window_of(models.provider.context_window, place.config.memory.compression.max_tokens)
    tools = tool_tokens((*registry.specs, registry.spec(READ_RESULT)))
    room = window.limit - tools - estimate_tokens(system_prompt(place.config.system_prompt, today=place.today()))
    asked = tokens_of(ChatMessage("user", question))
    if asked > room:
        raise InvalidInput(
            f"the question is about {asked:,} tokens; the window of {window.tokens:,} has room for {max(room, 0):,} "
            "beside the instructions and the tools",
            hint="ask about a part of it, or take a model with a larger window (agent.memory.compression.max_tokens "
            "limits it too)",
        )
