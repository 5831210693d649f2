"""The models of ``ragforge.config.yaml``, one class a block, with the defaults of the contract.

Building one checks it; how values come here from a file and the environment is in `ragforge_memory.config.load`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, model_validator

from ragforge_memory.config.blocks import (
    LONGEST_DAYS,
    MOST,
    Folder,
    Instant,
    Line,
    Prose,
    Section,
    SharedSection,
    Text,
    refusal,
    refuse_retired,
)
from ragforge_memory.config.known_models import (
    DEFAULT_EMBEDDING_MODELS,
    EMBEDDING_MODELS,
    EmbeddingProvider,
    embedding_model_name,
    provider_of_embedding_model,
    retired_embedding_model,
)
from ragforge_memory.config.server import ServerConfig
from ragforge_memory.config.servers import LLMConfig, Neo4jConfig, with_neo4j_scheme

# Neo4j's vector indexes take 1 to 4096 dimensions.
MAX_DIMENSION = 4096

Persistence = Literal["neo4j", "files"]


class SourceConfig(SharedSection):
    """Which files are the project's code. What git ignores is not read besides; what it tracks it never ignores."""

    root: Folder = Field(".", description="the code's root, relative to the project's root")
    include: tuple[str, ...] = Field(("**/*",), description="glob patterns of files to read; empty: all")
    exclude: tuple[str, ...] = Field(
        (), description="glob patterns of files that are not read into the graph; tools open and search them still"
    )
    max_file_bytes: int = Field(
        1_000_000, ge=1_000, le=20_000_000, description="larger files are not read; answers that find nothing name them"
    )


class SummarizationConfig(Section):
    """Rolling summaries of long conversations."""

    enabled: bool = Field(True, description="summarize long conversations, and give them titles")
    every_n_messages: int = Field(10, ge=1, le=MOST, description="messages between two summaries")


class EmbeddingsConfig(Section):
    """Which embedding model makes vectors. A missing provider follows from the model, and the reverse."""

    enabled: bool = Field(True, description="embed messages and code; without it search is by text alone")
    provider: EmbeddingProvider = Field("local", description="local, gemini, openai or hashing (tests)")
    model: Text = Field("e5-small-v2", min_length=1, description="the embedding model's name")
    dimension: int = Field(384, ge=1, le=MAX_DIMENSION, description="floats in a vector; absent: the model's own")

    @model_validator(mode="before")
    @classmethod
    def _fill_from_model(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        given = {key: value for key, value in data.items() if value is not None}
        provider, model = given.get("provider"), given.get("model")
        if isinstance(model, str) and model.strip():
            given["model"] = model = embedding_model_name(model)
            refuse_retired(model, retired_embedding_model(model))
            if provider is None:
                given["provider"] = provider = provider_of_embedding_model(model)
                if provider is None:
                    raise refusal(
                        f"the provider of the embedding model {model} cannot be told from its name",
                        hint="set agent.memory.embeddings.provider (local, gemini or openai)",
                        key="provider",
                    )
        elif provider in DEFAULT_EMBEDDING_MODELS:
            given["model"] = model = DEFAULT_EMBEDDING_MODELS[provider]
        if isinstance(model, str) and "dimension" not in given:
            known = EMBEDDING_MODELS.get(model)
            if known is not None and known.provider == provider:
                given["dimension"] = known.dimension
            elif provider in ("gemini", "openai"):
                raise refusal(
                    f"the dimension of the embedding model {model} is not known",
                    hint="set agent.memory.embeddings.dimension to the number of floats that it gives",
                    key="dimension",
                    kind="no_dimension",
                )
        return given

    @model_validator(mode="after")
    def _model_has_this_dimension(self) -> EmbeddingsConfig:
        known = EMBEDDING_MODELS.get(self.model)
        if self.provider == "local" and (known is None or known.provider != "local"):
            names = ", ".join(name for name, model in EMBEDDING_MODELS.items() if model.provider == "local")
            hint = f"use one of {names}, or name another provider"
            raise refusal(f"there is no local embedding model named {self.model}", hint=hint, key="model")
        if known is None or known.provider != self.provider:
            return self
        low, high = known.allowed or (known.dimension, known.dimension)
        if not low <= self.dimension <= high:
            possible = str(low) if low == high else f"{low} to {high}"
            raise refusal(
                f"{self.model} gives vectors of {possible} dimensions, not {self.dimension}",
                hint=f"leave dimension out, or set it to {known.dimension}",
                key="dimension",
            )
        return self

    @property
    def chosen(self) -> bool:
        """Whether provider or model were given, rather than left to the defaults."""
        return bool({"provider", "model"} & self.model_fields_set)


class PersistenceConfig(Section):
    """Where conversations are kept."""

    type: Persistence = Field("neo4j", description="neo4j, or files: the texts in files, the rest in Neo4j")
    auto_save: bool = Field(True, description="save every message at once; else with save()")
    directory: Folder = Field(
        "conversations", min_length=1, description="folder of the files, relative to the project's root"
    )


class RecallConfig(Section):
    """What memory gives to a turn."""

    limit: int = Field(5, ge=0, le=MOST, description="memories given to a turn at most")
    deadline_ms: int = Field(50, ge=1, le=MOST, description="milliseconds after which recall gives what it has")


class ShortTermConfig(Section):
    """The notes of the controller that matter less: they go after a while, unless answers use them."""

    capacity: int = Field(256, ge=1, le=MOST, description="notes that a process knows to be made")
    ttl_minutes: float = Field(120, gt=0, allow_inf_nan=False, description="minutes such a note lives")


class CompressionConfig(Section):
    """Condensing a context that grows too long."""

    enabled: bool = Field(True, description="condense long contexts")
    threshold: float = Field(0.8, gt=0, le=1, description="share of the window at which it is condensed")
    max_tokens: int = Field(128_000, ge=256, description="the window in tokens, at most the model's own")
    keep_recent: int = Field(6, ge=0, le=MOST, description="newest messages that are never condensed")


class ExtractionConfig(Section):
    """What is remembered after a turn, in the background: facts that the user states, and notes."""

    enabled: bool = Field(True, description="extract facts and notes after an answer")
    max_facts: int = Field(5, ge=0, le=MOST, description="facts from one exchange at most")


class RetentionConfig(Section):
    """What is thrown away by age or number; null keeps everything."""

    max_age_days: int | None = Field(None, ge=1, le=LONGEST_DAYS, description="days after which a conversation goes")
    max_conversations: int | None = Field(None, ge=1, le=MOST, description="conversations kept, newest first")


class RolloutConfig(Section):
    """For whom the memory tools are on."""

    mode: Literal["all", "new", "percent", "off"] = Field("all", description="who gets the memory tools")
    percent: float = Field(50, ge=0, le=100, description="share of conversations (mode: percent)")
    since: Instant | None = Field(None, description="conversations made since then, UTC (mode: new)")


class MemoryToolsConfig(Section):
    """The memory tools that the model calls."""

    enabled: bool = Field(True, description="offer the memory tools")
    asynchronous: bool = Field(
        True, alias="async", description="queue what takes longer than timeout_ms; false: wait for it"
    )
    timeout_ms: int = Field(200, ge=1, le=MOST, description="milliseconds until a call is queued")
    queue_size: int = Field(1000, ge=1, le=MOST, description="operations that may wait")
    automated_fallback: bool = Field(True, description="extract facts where the tools fail")
    confidence_threshold: float = Field(0.7, ge=0, le=1, description="least confidence of a fact that is kept")
    similarity_threshold: float = Field(
        0.85, ge=0, le=1, description="calibrated similarity from which two facts are compared as duplicates"
    )
    profile: Literal["core", "all"] = Field("core", description="core: the tools that every turn may need; all")
    rollout: RolloutConfig = Field(default_factory=RolloutConfig, description="for whom they are on")


class MemoryConfig(Section):
    """What the agent remembers, and how."""

    enabled: bool = Field(True, description="keep what is said and recall it; false: nothing is kept or recalled")
    max_context_messages: int = Field(20, ge=0, le=MOST, description="newest messages given to a turn at most")
    summarization: SummarizationConfig = Field(default_factory=SummarizationConfig, description="rolling summaries")
    embeddings: EmbeddingsConfig = Field(default_factory=EmbeddingsConfig, description="the embedding model")
    persistence: PersistenceConfig = Field(default_factory=PersistenceConfig, description="where it is kept")
    recall: RecallConfig = Field(default_factory=RecallConfig, description="memories given to a turn")
    short_term: ShortTermConfig = Field(default_factory=ShortTermConfig, description="notes that matter less")
    compression: CompressionConfig = Field(default_factory=CompressionConfig, description="condensing long contexts")
    extraction: ExtractionConfig = Field(default_factory=ExtractionConfig, description="facts and notes behind a turn")
    retention: RetentionConfig = Field(default_factory=RetentionConfig, description="what is thrown away")
    tools: MemoryToolsConfig = Field(default_factory=MemoryToolsConfig, description="tools of the model")
    redact_secrets: bool = Field(True, description="take secrets out of messages, tool calls and results")

    @property
    def summarize_every(self) -> int | None:
        """The number of messages after which a summary is due; None: there are none but on demand."""
        return self.summarization.every_n_messages if self.enabled and self.summarization.enabled else None


class AgentConfig(Section):
    """The agent: its instructions, its limits and its memory."""

    system_prompt: Prose | None = Field(None, description="instructions; null: the built-in ones")
    max_iterations: int = Field(5, ge=1, le=MOST, description="rounds of tool calls before an answer is forced")
    tool_timeout_seconds: float = Field(60, gt=0, allow_inf_nan=False, description="seconds one tool call may take")
    model_timeout_seconds: float = Field(
        120,
        gt=0,
        allow_inf_nan=False,
        description="seconds a model may be silent, and a summary, title, insight or compression may take",
    )
    memory: MemoryConfig = Field(default_factory=MemoryConfig, description="what it remembers")


class RagforgeConfig(SharedSection):
    """The whole of ``ragforge.config.yaml``."""

    name: Line | None = Field(None, description="the project's name; absent: from git, else the path")
    neo4j: Annotated[Neo4jConfig | None, AfterValidator(with_neo4j_scheme)] = Field(
        None, description="the Neo4j server; absent: a managed local one"
    )
    llm: LLMConfig | None = Field(None, description="the chat model; absent: resolved")
    source: SourceConfig = Field(default_factory=SourceConfig, description="the project's code")
    agent: AgentConfig = Field(default_factory=AgentConfig, description="the agent and its memory")
    server: ServerConfig = Field(default_factory=ServerConfig, description="the HTTP server")

    @model_validator(mode="after")
    def _empty_uri_is_absent(self) -> RagforgeConfig:
        if self.neo4j is not None and not self.neo4j.uri:
            # Frozen for everyone else; a block without an address is the same as none.
            object.__setattr__(self, "neo4j", None)
        return self
