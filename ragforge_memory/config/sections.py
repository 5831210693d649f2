"""The models of ``ragforge.config.yaml``, one class a block, with the defaults of the contract.

Building one checks it; how values come here from a file and the environment is in `ragforge_memory.config.load`.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, get_args
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationInfo,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError, PydanticKnownError

from ragforge_memory.config.known_models import (
    DEFAULT_EMBEDDING_MODELS,
    EMBEDDING_MODELS,
    EmbeddingProvider,
    Retired,
    embedding_model_name,
    provider_of_chat_model,
    provider_of_embedding_model,
    retired_chat_model,
    retired_embedding_model,
)
from ragforge_memory.home import expanded


def _encodable(text: str) -> str:
    text.encode()
    return text


Text = Annotated[str, StringConstraints(strip_whitespace=True)]
Prose = Annotated[str, AfterValidator(_encodable)]
"""Text as it is; half a surrogate pair can neither be sent nor stored."""

MOST, LONGEST_DAYS = 1_000_000, 100_000
"""More is a slip of the finger, and in the end more than the database can count."""


def _checked_path(text: str) -> str:
    try:
        expanded(text)
    except ValueError as error:
        raise PydanticCustomError("path", "{why}", {"why": str(error)}) from error
    return text


Folder = Annotated[Text, AfterValidator(_checked_path)]
Instant = Annotated[datetime, AfterValidator(lambda moment: moment if moment.tzinfo else moment.replace(tzinfo=UTC))]
LLMProvider = Literal["gemini", "openai", "extractive", "scripted"]

# Neo4j's vector indexes take 1 to 4096 dimensions.
MAX_DIMENSION = 4096


class _Block(BaseModel):
    """What every block keeps to."""

    @field_validator("*", mode="before")
    @classmethod
    def _a_switch_is_no_number(cls, value: Any, info: ValidationInfo) -> Any:
        """Refuses true and false where a number is asked for; pydantic takes them for 1 and 0."""
        annotation = cls.model_fields[info.field_name or ""].annotation
        kinds = get_args(annotation) or (annotation,)
        if isinstance(value, bool) and bool not in kinds and (int in kinds or float in kinds):
            raise PydanticKnownError("int_type" if int in kinds else "float_type")
        return value


class Section(_Block):
    """A block whose every key is ours: an unknown one is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", populate_by_name=True, protected_namespaces=(), defer_build=True
    )


class SharedSection(_Block):
    """A block that RagForge's other tools write into as well: keys we do not know are kept and ignored."""

    model_config = ConfigDict(
        frozen=True, extra="allow", populate_by_name=True, protected_namespaces=(), defer_build=True
    )


def _refuse_retired(model: str, gone: Retired | None) -> None:
    if gone is not None:
        raise PydanticCustomError(
            "retired_model",
            "{model} was shut down by its vendor on {since}; its successor is {successor}",
            {
                "key": "model",
                "model": model,
                "since": gone.since,
                "successor": gone.successor,
                "hint": f"use {gone.successor}",
            },
        )


class Neo4jConfig(SharedSection):
    """Where the graph is: ``Neo4jConfig("bolt://host:7687", username=…, password=…)``."""

    uri: Text = Field(
        "",
        description="bolt:// or neo4j:// address; empty: the managed local server",
        json_schema_extra={"pattern": r"^$|^([bB][oO][lL][tT]|[nN][eE][oO]4[jJ])(\+s|\+ssc)?://|\$\{"},
    )
    username: Text = Field("neo4j", description="login name")
    password: str = Field("", description="password; empty: no authentication", repr=False)
    database: Text = Field("neo4j", description="name of the database on that server")

    def __init__(self, uri: str = "", /, **values: Any) -> None:
        if uri:
            values["uri"] = uri
        super().__init__(**values)


_SCHEMES = ("bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc")


def with_neo4j_scheme(server: Neo4jConfig | None) -> Neo4jConfig | None:
    """Refuses a server's address that no database can have; a driver would only do so at the first question."""
    uri = server.uri if server is not None else ""
    scheme, separator, _ = uri.partition("://")
    if uri and (not separator or scheme.lower() not in _SCHEMES):
        browser = " (7474 is the port of Neo4j's browser, 7687 that of its databases)" if ":7474" in uri else ""
        raise PydanticCustomError(
            "neo4j_scheme",
            "{said}; Neo4j is reached by {schemes}",
            {
                "key": "uri",
                "said": f"{scheme}:// is no address of a database" if separator else "the address has no scheme",
                "schemes": "bolt:// or neo4j://, encrypted by bolt+s://, bolt+ssc://, neo4j+s:// or neo4j+ssc://",
                "hint": f"bolt://host:7687, neo4j://host, or neo4j+s://… for Aura{browser}",
            },
        )
    try:
        urlsplit(uri).port  # noqa: B018 - to ask for it checks it
    except ValueError:
        raise PydanticCustomError(
            "neo4j_port",
            "its host or port cannot be read",
            {"key": "uri", "hint": "bolt://host:7687; a port is at most 65535"},
        ) from None
    return server


Persistence = Literal["neo4j", "files"]


class LLMConfig(SharedSection):
    """Which chat model answers. All absent: resolved from the environment (see `ragforge doctor`)."""

    provider: LLMProvider | None = Field(None, description="who serves the model; absent: follows from the model")
    model: Text | None = Field(None, description="the model's name; absent: the provider's default")
    api_key: Text | None = Field(None, description="the vendor's key; absent: from the environment", repr=False)
    base_url: Text | None = Field(
        None, description="address of an OpenAI-compatible server (…/v1), or of what stands before Gemini"
    )

    @property
    def vendor(self) -> str | None:
        """Who serves the model: ``provider``, or whom the model's name or an address tells; None: it is not told."""
        return self.provider or provider_of_chat_model(self.model or "", has_address=bool(self.base_url))

    @model_validator(mode="after")
    def _model_still_runs(self) -> LLMConfig:
        if self.model and self.provider in (None, "gemini"):
            _refuse_retired(self.model, retired_chat_model(self.model))
        return self


class SourceConfig(SharedSection):
    """Which files are the project's code. ``.gitignore`` is respected besides."""

    root: Folder = Field(".", description="the code's root, relative to the project's root")
    include: tuple[str, ...] = Field(("**/*",), description="glob patterns of files to read")
    exclude: tuple[str, ...] = Field(
        (), description="glob patterns of files that are not read into the graph; tools open and search them still"
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
            _refuse_retired(model, retired_embedding_model(model))
            if provider is None:
                given["provider"] = provider = provider_of_embedding_model(model)
                if provider is None:
                    raise PydanticCustomError(
                        "unknown_model",
                        "the provider of the embedding model {model} cannot be told from its name",
                        {
                            "key": "provider",
                            "model": model,
                            "hint": "set agent.memory.embeddings.provider (local, gemini or openai)",
                        },
                    )
        elif provider in DEFAULT_EMBEDDING_MODELS:
            given["model"] = model = DEFAULT_EMBEDDING_MODELS[provider]
        if isinstance(model, str) and "dimension" not in given:
            known = EMBEDDING_MODELS.get(model)
            if known is not None and known.provider == provider:
                given["dimension"] = known.dimension
            elif provider in ("gemini", "openai"):
                raise PydanticCustomError(
                    "unknown_dimension",
                    "the dimension of the embedding model {model} is not known",
                    {
                        "key": "dimension",
                        "model": model,
                        "hint": "set agent.memory.embeddings.dimension to the number of floats that it gives",
                    },
                )
        return given

    @model_validator(mode="after")
    def _model_has_this_dimension(self) -> EmbeddingsConfig:
        known = EMBEDDING_MODELS.get(self.model)
        if self.provider == "local" and (known is None or known.provider != "local"):
            names = ", ".join(name for name, model in EMBEDDING_MODELS.items() if model.provider == "local")
            raise PydanticCustomError(
                "unknown_model",
                "there is no local embedding model named {model}",
                {"key": "model", "model": self.model, "hint": f"use one of {names}, or name another provider"},
            )
        if known is None or known.provider != self.provider:
            return self
        low, high = known.allowed or (known.dimension, known.dimension)
        if not low <= self.dimension <= high:
            possible = str(low) if low == high else f"{low} to {high}"
            raise PydanticCustomError(
                "wrong_dimension",
                "{model} gives vectors of {possible} dimensions, not {dimension}",
                {
                    "key": "dimension",
                    "model": self.model,
                    "possible": possible,
                    "dimension": self.dimension,
                    "hint": f"leave dimension out, or set it to {known.dimension}",
                },
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
    """The short-term memory of this process."""

    capacity: int = Field(256, ge=1, le=MOST, description="entries kept")
    ttl_minutes: float = Field(120, gt=0, description="minutes an entry lives")


class CompressionConfig(Section):
    """Condensing a context that grows too long."""

    enabled: bool = Field(True, description="condense long contexts")
    threshold: float = Field(0.8, gt=0, le=1, description="share of the window at which it is condensed")
    max_tokens: int = Field(128_000, ge=256, description="the window in tokens, at most the model's own")
    keep_recent: int = Field(6, ge=0, le=MOST, description="newest messages that are never condensed")


class ExtractionConfig(Section):
    """Facts taken out of answers."""

    enabled: bool = Field(True, description="extract facts after an answer")
    max_facts: int = Field(5, ge=0, le=MOST, description="facts from one answer at most")


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
    asynchronous: bool = Field(True, alias="async", description="queue writes and answer at once")
    timeout_ms: int = Field(200, ge=1, le=MOST, description="milliseconds a direct call may take")
    queue_size: int = Field(1000, ge=1, le=MOST, description="operations that may wait")
    automated_fallback: bool = Field(True, description="extract facts where the tools fail")
    confidence_threshold: float = Field(0.7, ge=0, le=1, description="least confidence of a fact that is kept")
    similarity_threshold: float = Field(
        0.85, ge=0, le=1, description="calibrated similarity from which two facts are compared as duplicates"
    )
    rollout: RolloutConfig = Field(default_factory=RolloutConfig, description="for whom they are on")


class MemoryConfig(Section):
    """What the agent remembers, and how."""

    enabled: bool = Field(True, description="use memory at all")
    max_context_messages: int = Field(20, ge=0, le=MOST, description="newest messages given to a turn at most")
    summarization: SummarizationConfig = Field(default_factory=SummarizationConfig, description="rolling summaries")
    embeddings: EmbeddingsConfig = Field(default_factory=EmbeddingsConfig, description="the embedding model")
    persistence: PersistenceConfig = Field(default_factory=PersistenceConfig, description="where it is kept")
    recall: RecallConfig = Field(default_factory=RecallConfig, description="memories given to a turn")
    short_term: ShortTermConfig = Field(default_factory=ShortTermConfig, description="memory of this process")
    compression: CompressionConfig = Field(default_factory=CompressionConfig, description="condensing long contexts")
    extraction: ExtractionConfig = Field(default_factory=ExtractionConfig, description="facts from answers")
    retention: RetentionConfig = Field(default_factory=RetentionConfig, description="what is thrown away")
    tools: MemoryToolsConfig = Field(default_factory=MemoryToolsConfig, description="tools of the model")
    redact_secrets: bool = Field(True, description="take secrets out of what is stored")


class AgentConfig(Section):
    """The agent: its instructions, its limits and its memory."""

    system_prompt: Prose | None = Field(None, description="instructions; null: the built-in ones")
    max_iterations: int = Field(5, ge=1, le=MOST, description="rounds of tool calls before an answer is forced")
    tool_timeout_seconds: float = Field(60, gt=0, description="seconds one tool call may take")
    model_timeout_seconds: float = Field(
        120, gt=0, description="seconds a model may be silent, and a summary, title, insight or compression may take"
    )
    memory: MemoryConfig = Field(default_factory=MemoryConfig, description="what it remembers")


class RagforgeConfig(SharedSection):
    """The whole of ``ragforge.config.yaml``."""

    name: Text | None = Field(None, description="the project's name; absent: from git, else the path")
    neo4j: Annotated[Neo4jConfig | None, AfterValidator(with_neo4j_scheme)] = Field(
        None, description="the Neo4j server; absent: a managed local one"
    )
    llm: LLMConfig | None = Field(None, description="the chat model; absent: resolved")
    source: SourceConfig = Field(default_factory=SourceConfig, description="the project's code")
    agent: AgentConfig = Field(default_factory=AgentConfig, description="the agent and its memory")

    @model_validator(mode="after")
    def _empty_uri_is_absent(self) -> RagforgeConfig:
        if self.neo4j is not None and not self.neo4j.uri:
            # Frozen for everyone else; a block without an address is the same as none.
            object.__setattr__(self, "neo4j", None)
        return self
