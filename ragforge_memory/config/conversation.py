"""`ConversationConfig`: the agent's settings as flat keywords, each tied to its key of the nested form."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import ValidationError

from ragforge_memory.config.blocks import Section
from ragforge_memory.config.known_models import EmbeddingProvider
from ragforge_memory.config.refusal import refused
from ragforge_memory.config.sections import AgentConfig, Persistence


class ConversationConfig(Section):
    """The agent's settings as keywords; each is annotated with its place under ``agent:``.

    Defaults and units are those of the YAML file. A keyword that is left out stays open, so that an embedding
    provider still follows from ``embedding_model``.

    Raises:
        ConfigError: an unknown keyword (the nearest known one is named) or a value that does not fit.
    """

    max_context_messages: Annotated[int, "memory.max_context_messages"] = 20
    enable_summarization: Annotated[bool, "memory.summarization.enabled"] = True
    summarize_every: Annotated[int, "memory.summarization.every_n_messages"] = 10
    embed_messages: Annotated[bool, "memory.embeddings.enabled"] = True
    system_prompt: Annotated[str | None, "system_prompt"] = None
    max_iterations: Annotated[int, "max_iterations"] = 5
    tool_timeout_seconds: Annotated[float, "tool_timeout_seconds"] = 60
    model_timeout_seconds: Annotated[float, "model_timeout_seconds"] = 120
    enable_memory: Annotated[bool, "memory.enabled"] = True
    embedding_provider: Annotated[EmbeddingProvider, "memory.embeddings.provider"] = "local"
    embedding_model: Annotated[str, "memory.embeddings.model"] = "e5-small-v2"
    embedding_dimension: Annotated[int, "memory.embeddings.dimension"] = 384
    persistence: Annotated[Persistence, "memory.persistence.type"] = "neo4j"
    auto_save: Annotated[bool, "memory.persistence.auto_save"] = True
    persistence_directory: Annotated[str, "memory.persistence.directory"] = "conversations"
    recall_limit: Annotated[int, "memory.recall.limit"] = 5
    recall_deadline_ms: Annotated[int, "memory.recall.deadline_ms"] = 50
    short_term_capacity: Annotated[int, "memory.short_term.capacity"] = 256
    short_term_ttl_minutes: Annotated[float, "memory.short_term.ttl_minutes"] = 120
    enable_compression: Annotated[bool, "memory.compression.enabled"] = True
    compression_threshold: Annotated[float, "memory.compression.threshold"] = 0.8
    compression_max_tokens: Annotated[int, "memory.compression.max_tokens"] = 128_000
    compression_keep_recent: Annotated[int, "memory.compression.keep_recent"] = 6
    enable_extraction: Annotated[bool, "memory.extraction.enabled"] = True
    max_facts: Annotated[int, "memory.extraction.max_facts"] = 5
    max_age_days: Annotated[int | None, "memory.retention.max_age_days"] = None
    max_conversations: Annotated[int | None, "memory.retention.max_conversations"] = None
    enable_memory_tools: Annotated[bool, "memory.tools.enabled"] = True
    memory_tools_async: Annotated[bool, "memory.tools.asynchronous"] = True
    memory_tools_timeout_ms: Annotated[int, "memory.tools.timeout_ms"] = 200
    memory_tools_queue_size: Annotated[int, "memory.tools.queue_size"] = 1000
    automated_fallback: Annotated[bool, "memory.tools.automated_fallback"] = True
    confidence_threshold: Annotated[float, "memory.tools.confidence_threshold"] = 0.7
    similarity_threshold: Annotated[float, "memory.tools.similarity_threshold"] = 0.85
    memory_tools_profile: Annotated[Literal["core", "all"], "memory.tools.profile"] = "core"
    rollout_mode: Annotated[Literal["all", "new", "percent", "off"], "memory.tools.rollout.mode"] = "all"
    rollout_percent: Annotated[float, "memory.tools.rollout.percent"] = 50
    rollout_since: Annotated[datetime | None, "memory.tools.rollout.since"] = None
    redact_secrets: Annotated[bool, "memory.redact_secrets"] = True

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


# ConversationConfig's keyword → its place under ``agent:`` in ragforge.config.yaml. Every leaf of AgentConfig is
# here exactly once (a test compares), so both forms say the same.
KEYWORDS: dict[str, tuple[str, ...]] = {
    name: tuple(info.metadata[0].split(".")) for name, info in ConversationConfig.model_fields.items()
}


def keyword_of(path: tuple[str, ...]) -> str:
    """The keyword for a place under ``agent:`` (names or aliases), or the dotted place itself."""
    names = tuple("asynchronous" if name == "async" else name for name in path)
    for keyword, place in KEYWORDS.items():
        if place == names:
            return keyword
    return ".".join(path)
