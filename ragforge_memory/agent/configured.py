"""An agent for a configuration that has been read already."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.agent.agent import AsyncConversationAgent
from ragforge_memory.config import ConversationConfig, RagforgeConfig

if TYPE_CHECKING:
    from ragforge_memory.downloads.progress import Reporter
    from ragforge_memory.llm.port import ModelProvider


def configured_agent(
    settings: RagforgeConfig,
    *,
    project: str,
    root: Path,
    user_id: str | None = None,
    llm_provider: str | ModelProvider | None = None,
    progress: Reporter | None = None,
) -> AsyncConversationAgent:
    """The agent that ``settings`` describe.

    Args:
        settings: the whole configuration.
        project: the project's name.
        root: the folder of its code.
        user_id: whose conversations these are; None: nobody's.
        llm_provider: instead of the configured model.
        progress: told what the first start fetches and starts.

    Raises:
        ConfigError: a setting does not fit.
    """
    agent = AsyncConversationAgent(
        settings.neo4j,
        llm_provider=llm_provider,
        config=ConversationConfig.from_agent(settings.agent),
        user_id=user_id,
        project=project,
        root=root,
    )
    agent._settings = settings
    agent._progress = progress
    return agent
