"""The models of an agent: which answers, with which tools, and which makes vectors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragforge_memory.llm.port import model_key

if TYPE_CHECKING:
    from ragforge_memory.agent.upkeep.summary_text import Summarizer
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.llm.port import ModelProvider
    from ragforge_memory.tools.registry import ToolRegistry


@dataclass(frozen=True, slots=True)
class Models:
    """What answers, what it may call, and what embeds.

    ``model_why`` says in one sentence why this model answers. ``searches_meaning``: whether turns look for their
    question's meaning; a process that ends after one answer loads no model for it. ``degraded``: what was missing at
    opening, which each turn says.
    """

    provider: ModelProvider
    model_why: str
    registry: ToolRegistry
    summarizer: Summarizer
    embedder: Embedder | None
    generates_titles: bool = False
    """Whether a title that comes from the first message is replaced by a better one."""
    searches_meaning: bool = False
    degraded: tuple[str, ...] = ()

    @property
    def model_name(self) -> str:
        """``provider:model``, as messages keep it."""
        return model_key(self.provider)
