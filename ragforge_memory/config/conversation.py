"""`ConversationConfig`: the agent's settings as flat keywords, and the table that ties both forms together."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, ValidationError

from ragforge_memory.config.blocks import Section
from ragforge_memory.config.known_models import EmbeddingProvider
from ragforge_memory.config.refusal import refused
from ragforge_memory.config.sections import AgentConfig, Persistence

# ConversationConfig's keyword → its place under ``agent:`` in ragforge.config.yaml. Every leaf of AgentConfig is
# here exactly once (a test compares), so both forms say the same.
KEYWORDS: dict[str, tuple[str, ...]] = {
    "system_prompt": ("system_prompt",),
    "max_iterations": ("max_iterations",),
    "tool_timeout_seconds": ("tool_timeout_seconds",),
    "model_timeout_seconds": ("model_timeout_seconds",),
    "enable_memory": ("memory", "enabled"),
    "max_context_messages": ("memory", "max_context_messages"),
    "enable_summarization": ("memory", "summarization", "enabled"),
    "summarize_every": ("memory", "summarization", "every_n_messages"),
    "embed_messages": ("memory", "embeddings", "enabled"),
    "embedding_provider": ("memory", "embeddings", "provider"),
    "embedding_model": ("memory", "embeddings", "model"),
    "embedding_dimension": ("memory", "embeddings", "dimension"),
    "persistence": ("memory", "persistence", "type"),
    "auto_save": ("memory", "persistence", "auto_save"),
    "persistence_directory": ("memory", "persistence", "directory"),
    "recall_limit": ("memory", "recall", "limit"),
    "recall_deadline_ms": ("memory", "recall", "deadline_ms"),
    "short_term_capacity": ("memory", "short_term", "capacity"),
    "short_term_ttl_minutes": ("memory", "short_term", "ttl_minutes"),
    "enable_compression": ("memory", "compression", "enabled"),
    "compression_threshold": ("memory", "compression", "threshold"),
    "compression_max_tokens": ("memory", "compression", "max_tokens"),
    "compression_keep_recent": ("memory", "compression", "keep_recent"),
    "enable_extraction": ("memory", "extraction", "enabled"),
    "max_facts": ("memory", "extraction", "max_facts"),
    "max_age_days": ("memory", "retention", "max_age_days"),
    "max_conversations": ("memory", "retention", "max_conversations"),
    "enable_memory_tools": ("memory", "tools", "enabled"),
    "memory_tools_async": ("memory", "tools", "asynchronous"),
    "memory_tools_timeout_ms": ("memory", "tools", "timeout_ms"),
    "memory_tools_queue_size": ("memory", "tools", "queue_size"),
    "automated_fallback": ("memory", "tools", "automated_fallback"),
    "confidence_threshold": ("memory", "tools", "confidence_threshold"),
    "similarity_threshold": ("memory", "tools", "similarity_threshold"),
    "rollout_mode": ("memory", "tools", "rollout", "mode"),
    "rollout_percent": ("memory", "tools", "rollout", "percent"),
    "rollout_since": ("memory", "tools", "rollout", "since"),
    "redact_secrets": ("memory", "redact_secrets"),
}


class ConversationConfig(Section):
    """The agent's settings as keywords; `KEYWORDS` says which key of ``agent:`` each one is.

    Defaults and units are those of the YAML file. A keyword that is left out stays open, so that an embedding
    provider still follows from ``embedding_model``.

    Raises:
        ConfigError: an unknown keyword (the nearest known one is named) or a value that does not fit.
    """

    max_context_messages: int = 20
    enable_summarization: bool = True
    summarize_every: int = 10
    embed_messages: bool = True
    system_prompt: str | None = None
    max_iterations: int = 5
    tool_timeout_seconds: float = 60
    model_timeout_seconds: float = 120
    enable_memory: bool = True
    embedding_provider: EmbeddingProvider = "local"
    embedding_model: str = "e5-small-v2"
    embedding_dimension: int = 384
    persistence: Persistence = "neo4j"
    auto_save: bool = True
    persistence_directory: str = "conversations"
    recall_limit: int = 5
    recall_deadline_ms: int = 50
    short_term_capacity: int = 256
    short_term_ttl_minutes: float = 120
    enable_compression: bool = True
    compression_threshold: float = 0.8
    compression_max_tokens: int = 128_000
    compression_keep_recent: int = 6
    enable_extraction: bool = True
    max_facts: int = 5
    max_age_days: int | None = None
    max_conversations: int | None = None
    enable_memory_tools: bool = True
    memory_tools_async: bool = True
    memory_tools_timeout_ms: int = 200
    memory_tools_queue_size: int = 1000
    automated_fallback: bool = True
    confidence_threshold: float = 0.7
    similarity_threshold: float = 0.85
    rollout_mode: Literal["all", "new", "percent", "off"] = "all"
    rollout_percent: float = 50
    rollout_since: datetime | None = Field(default=None)
    redact_secrets: bool = True

    if not TYPE_CHECKING:  # for type checkers the keywords above are the signature

        def __init__(self, **values: Any) -> None:
            try:
                super().__init__(**values)
            except ValidationError as error:
                raise refused(error, ConversationConfig) from error
            self.to_agent()

    def to_agent(self) -> AgentConfig:
        """The same settings as the ``agent:`` block.

        Raises:
            ConfigError: a value does not fit.
        """
        nested: dict[str, Any] = {}
        for keyword in self.model_fields_set:
            *blocks, leaf = KEYWORDS[keyword]
            block = nested
            for name in blocks:
                block = block.setdefault(name, {})
            block[leaf] = getattr(self, keyword)
        try:
            return AgentConfig.model_validate(nested)
        except ValidationError as error:
            raise refused(error, AgentConfig, keyword_of) from error

    @classmethod
    def from_agent(cls, agent: AgentConfig) -> ConversationConfig:
        """The flat form of an ``agent:`` block; what was left to defaults there is left so here."""
        values: dict[str, Any] = {}
        for keyword, path in KEYWORDS.items():
            block: Any = agent
            for name in path[:-1]:
                block = getattr(block, name)
            if path[-1] in block.model_fields_set:
                values[keyword] = getattr(block, path[-1])
        return cls(**values)


def keyword_of(path: tuple[str, ...]) -> str:
    """The keyword for a place under ``agent:`` (names or aliases), or the dotted place itself."""
    names = tuple("asynchronous" if name == "async" else name for name in path)
    for keyword, place in KEYWORDS.items():
        if place == names:
            return keyword
    return ".".join(path)
