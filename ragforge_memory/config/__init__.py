"""The configuration: its models, the flat keyword form, and reading it from a file and the environment."""

from __future__ import annotations

from ragforge_memory.config.conversation import ConversationConfig
from ragforge_memory.config.load import LoadedConfig, Setting, environment_config, find_config, load_config
from ragforge_memory.config.sections import (
    AgentConfig,
    CompressionConfig,
    EmbeddingsConfig,
    ExtractionConfig,
    MemoryConfig,
    MemoryToolsConfig,
    PersistenceConfig,
    RagforgeConfig,
    RecallConfig,
    RetentionConfig,
    RolloutConfig,
    ShortTermConfig,
    SourceConfig,
    SummarizationConfig,
)
from ragforge_memory.config.server import PlanLimits, ServerConfig
from ragforge_memory.config.servers import LLMConfig, Neo4jConfig

__all__ = [
    "AgentConfig",
    "CompressionConfig",
    "ConversationConfig",
    "EmbeddingsConfig",
    "ExtractionConfig",
    "LLMConfig",
    "LoadedConfig",
    "MemoryConfig",
    "MemoryToolsConfig",
    "Neo4jConfig",
    "PersistenceConfig",
    "PlanLimits",
    "RagforgeConfig",
    "RecallConfig",
    "RetentionConfig",
    "RolloutConfig",
    "ServerConfig",
    "Setting",
    "ShortTermConfig",
    "SourceConfig",
    "SummarizationConfig",
    "environment_config",
    "find_config",
    "load_config",
]
