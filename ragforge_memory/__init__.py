"""ragforge-memory: the memory of a code agent, kept in a Neo4j graph.

The public names are imported when they are first used, so that importing the package costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ragforge_memory.agent.turns.stream import AsyncMessageStream
    from ragforge_memory.api._blocking import AgentKnowledge, AgentMemory, AgentUser, Conversation, ConversationAgent
    from ragforge_memory.api.agent import AsyncConversationAgent
    from ragforge_memory.api.conversation import AsyncConversation
    from ragforge_memory.api.knowledge import AsyncAgentKnowledge
    from ragforge_memory.api.memory import AsyncAgentMemory
    from ragforge_memory.api.state import reduce_messages
    from ragforge_memory.api.user import AsyncAgentUser
    from ragforge_memory.api.waiting import MessageStream
    from ragforge_memory.config import ConversationConfig, Neo4jConfig, RagforgeConfig, load_config
    from ragforge_memory.embeddings.port import Embedder
    from ragforge_memory.errors import (
        AgentClosed,
        BeingAnswered,
        ConfigError,
        ConversationFileError,
        ConversationNotFound,
        DownloadError,
        EmbeddingError,
        EmbeddingMismatch,
        ForkedProcess,
        GraphBusy,
        GraphError,
        GraphTimeout,
        GraphUnavailable,
        HereAlready,
        InvalidInput,
        MessageNotFound,
        ModelBlocked,
        ModelError,
        ModelMalformed,
        ModelRateLimited,
        ModelRefused,
        ModelStreamCut,
        ModelTimeout,
        ModelUnavailable,
        NotFound,
        ProjectConflict,
        RagforgeError,
        SchemaMismatch,
        ServerStartError,
        SpaceMoved,
        ToolError,
        TurnCancelled,
    )
    from ragforge_memory.ingest.run import IngestProgress
    from ragforge_memory.llm.port import (
        ChatMessage,
        Finished,
        ModelChunk,
        ModelProvider,
        ModelRequest,
        ReasoningChunk,
        TextChunk,
        ToolOutcome,
        ToolRequest,
        ToolRequestChunk,
        ToolSpec,
    )
    from ragforge_memory.memory.tools import MEMORY_CORE
    from ragforge_memory.models.access import ApiKey, AuditRecord
    from ragforge_memory.models.code import CodeReference, IngestReport, SkippedFile
    from ragforge_memory.models.context import ContextItem, ContextReceipt, Prompt, Snapshot
    from ragforge_memory.models.conversation import (
        AgentState,
        AssistantResponse,
        BranchTree,
        Comparison,
        ConversationContext,
        ConversationInfo,
        Correction,
        ExportFault,
        ExportReport,
        Message,
        Page,
        ScoredMessage,
        ToolCall,
        Usage,
    )
    from ragforge_memory.models.decisions import Decision
    from ragforge_memory.models.embedding import ReembedReport
    from ragforge_memory.models.erasure import Erasure, ErasureQuery
    from ragforge_memory.models.imports import ImportFault, ImportProgress, ImportReport, PassedOver
    from ragforge_memory.models.insight import Insight, InsightFailure, Insights
    from ragforge_memory.models.knowledge import DocumentInfo, KnowledgeHit, KnowledgeReport, SkippedDocument
    from ragforge_memory.models.memory import Episode, Fact, FactVersion, Memory, RecalledMemory, RecallResult
    from ragforge_memory.models.search import SearchResults
    from ragforge_memory.models.user import UsageDay, UserContext
    from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS, MEMORY_TOOLS
    from ragforge_memory.tools.knowledge import KNOWLEDGE_TOOLS
    from ragforge_memory.tools.registry import ToolContext, ToolOutput, tool

_HOMES = {
    "agent.turns.stream": ("AsyncMessageStream",),
    "api._blocking": ("AgentKnowledge", "AgentMemory", "AgentUser", "Conversation", "ConversationAgent"),
    "api.agent": ("AsyncConversationAgent",),
    "api.conversation": ("AsyncConversation",),
    "api.knowledge": ("AsyncAgentKnowledge",),
    "api.memory": ("AsyncAgentMemory",),
    "api.state": ("reduce_messages",),
    "api.user": ("AsyncAgentUser",),
    "api.waiting": ("MessageStream",),
    "config": ("ConversationConfig", "Neo4jConfig", "RagforgeConfig", "load_config"),
    "embeddings.port": ("Embedder",),
    "errors": (
        "AgentClosed",
        "BeingAnswered",
        "ConfigError",
        "ConversationFileError",
        "ConversationNotFound",
        "DownloadError",
        "EmbeddingError",
        "EmbeddingMismatch",
        "ForkedProcess",
        "GraphBusy",
        "GraphError",
        "GraphTimeout",
        "GraphUnavailable",
        "HereAlready",
        "InvalidInput",
        "MessageNotFound",
        "ModelBlocked",
        "ModelError",
        "ModelMalformed",
        "ModelRateLimited",
        "ModelRefused",
        "ModelStreamCut",
        "ModelTimeout",
        "ModelUnavailable",
        "NotFound",
        "ProjectConflict",
        "RagforgeError",
        "SchemaMismatch",
        "ServerStartError",
        "SpaceMoved",
        "ToolError",
        "TurnCancelled",
    ),
    "ingest.run": ("IngestProgress",),
    "llm.port": (
        "ChatMessage",
        "Finished",
        "ModelChunk",
        "ModelProvider",
        "ModelRequest",
        "ReasoningChunk",
        "TextChunk",
        "ToolOutcome",
        "ToolRequest",
        "ToolRequestChunk",
        "ToolSpec",
    ),
    "memory.tools": ("MEMORY_CORE",),
    "models.access": ("ApiKey", "AuditRecord"),
    "models.code": ("CodeReference", "IngestReport", "SkippedFile"),
    "models.context": ("ContextItem", "ContextReceipt", "Prompt", "Snapshot"),
    "models.conversation": (
        "AgentState",
        "AssistantResponse",
        "BranchTree",
        "Comparison",
        "ConversationContext",
        "ConversationInfo",
        "Correction",
        "ExportFault",
        "ExportReport",
        "Message",
        "Page",
        "ScoredMessage",
        "ToolCall",
        "Usage",
    ),
    "models.decisions": ("Decision",),
    "models.erasure": ("Erasure", "ErasureQuery"),
    "models.embedding": ("ReembedReport",),
    "models.imports": ("ImportFault", "ImportProgress", "ImportReport", "PassedOver"),
    "models.insight": ("Insight", "InsightFailure", "Insights"),
    "models.knowledge": ("DocumentInfo", "KnowledgeHit", "KnowledgeReport", "SkippedDocument"),
    "models.memory": ("Episode", "Fact", "FactVersion", "Memory", "RecallResult", "RecalledMemory"),
    "models.search": ("SearchResults",),
    "models.user": ("UsageDay", "UserContext"),
    "tools.code_search": ("CODE_SEARCH_TOOLS", "MEMORY_TOOLS"),
    "tools.knowledge": ("KNOWLEDGE_TOOLS",),
    "tools.registry": ("ToolContext", "ToolOutput", "tool"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "CODE_SEARCH_TOOLS",
    "KNOWLEDGE_TOOLS",
    "MEMORY_CORE",
    "MEMORY_TOOLS",
    "AgentClosed",
    "AgentKnowledge",
    "AgentMemory",
    "AgentState",
    "AgentUser",
    "ApiKey",
    "AssistantResponse",
    "AsyncAgentKnowledge",
    "AsyncAgentMemory",
    "AsyncAgentUser",
    "AsyncConversation",
    "AsyncConversationAgent",
    "AsyncMessageStream",
    "AuditRecord",
    "BeingAnswered",
    "BranchTree",
    "ChatMessage",
    "CodeReference",
    "Comparison",
    "ConfigError",
    "ContextItem",
    "ContextReceipt",
    "Conversation",
    "ConversationAgent",
    "ConversationConfig",
    "ConversationContext",
    "ConversationFileError",
    "ConversationInfo",
    "ConversationNotFound",
    "Correction",
    "Decision",
    "DocumentInfo",
    "DownloadError",
    "Embedder",
    "EmbeddingError",
    "EmbeddingMismatch",
    "Episode",
    "Erasure",
    "ErasureQuery",
    "ExportFault",
    "ExportReport",
    "Fact",
    "FactVersion",
    "Finished",
    "ForkedProcess",
    "GraphBusy",
    "GraphError",
    "GraphTimeout",
    "GraphUnavailable",
    "HereAlready",
    "ImportFault",
    "ImportProgress",
    "ImportReport",
    "IngestProgress",
    "IngestReport",
    "Insight",
    "InsightFailure",
    "Insights",
    "InvalidInput",
    "KnowledgeHit",
    "KnowledgeReport",
    "Memory",
    "Message",
    "MessageNotFound",
    "MessageStream",
    "ModelBlocked",
    "ModelChunk",
    "ModelError",
    "ModelMalformed",
    "ModelProvider",
    "ModelRateLimited",
    "ModelRefused",
    "ModelRequest",
    "ModelStreamCut",
    "ModelTimeout",
    "ModelUnavailable",
    "Neo4jConfig",
    "NotFound",
    "Page",
    "PassedOver",
    "ProjectConflict",
    "Prompt",
    "RagforgeConfig",
    "RagforgeError",
    "ReasoningChunk",
    "RecallResult",
    "RecalledMemory",
    "ReembedReport",
    "SchemaMismatch",
    "ScoredMessage",
    "SearchResults",
    "ServerStartError",
    "SkippedDocument",
    "SkippedFile",
    "Snapshot",
    "SpaceMoved",
    "TextChunk",
    "ToolCall",
    "ToolContext",
    "ToolError",
    "ToolOutcome",
    "ToolOutput",
    "ToolRequest",
    "ToolRequestChunk",
    "ToolSpec",
    "TurnCancelled",
    "Usage",
    "UsageDay",
    "UserContext",
    "load_config",
    "reduce_messages",
    "tool",
]


def __getattr__(name: str) -> Any:
    home = _HOME_OF.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
