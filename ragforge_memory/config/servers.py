"""The blocks of ``ragforge.config.yaml`` that say which servers are asked: the graph's and the chat model's."""

from __future__ import annotations

from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from ragforge_memory.config.blocks import SharedSection, Text, refusal, refuse_retired
from ragforge_memory.config.environment import address_fault
from ragforge_memory.config.known_models import provider_of_chat_model, retired_chat_model, split_chat_model

LLMProvider = Literal["gemini", "openai", "extractive", "scripted"]


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
        told = f"{scheme}:// is not an address of a database" if separator else "the address has no scheme"
        raise refusal(
            f"{told}; Neo4j is reached by bolt:// or neo4j://, encrypted by bolt+s://, bolt+ssc://, neo4j+s:// or "
            "neo4j+ssc://",
            hint=f"bolt://host:7687, neo4j://host, or neo4j+s://… for Aura{browser}",
            key="uri",
        )
    try:
        urlsplit(uri).port  # noqa: B018 - to ask for it checks it
    except ValueError:
        hint = "bolt://host:7687; a port is at most 65535"
        raise refusal("its host or port cannot be read", hint=hint, key="uri") from None
    return server


def _checked_address(url: str, key: str | None = None) -> str:
    """Refuses what no model can be asked at; a client would only do so at the first question."""
    if url and (why := address_fault(url)):
        raise refusal(why, hint="http://host:port/v1, or https://…", key=key)
    return url


class LLMConfig(SharedSection):
    """Which chat model answers. All absent: resolved from the environment (see `ragforge doctor`)."""

    provider: LLMProvider | None = Field(None, description="who serves the model; absent: follows from the model")
    model: Text | None = Field(
        None, description="the model's name, or `provider:model` as `--model` takes it; absent: the provider's default"
    )
    api_key: Text | None = Field(None, description="the vendor's key; absent: from the environment", repr=False)
    base_url: Annotated[Text, AfterValidator(lambda url: _checked_address(url))] | None = Field(
        None,
        description="address of an OpenAI-compatible server (…/v1), or of what stands before Gemini",
        json_schema_extra={"pattern": r"^[hH][tT][tT][pP][sS]?://|\$\{"},
    )

    @property
    def vendor(self) -> str | None:
        """Who serves the model: ``provider``, or whom the model's name or an address tells; None: it is not told."""
        return self.provider or provider_of_chat_model(self.model or "", has_address=bool(self.base_url))

    @model_validator(mode="before")
    @classmethod
    def _apart(cls, data: Any) -> Any:
        """Takes ``provider:model`` apart; a server of OpenAI's kind may call its models as it likes."""
        if not isinstance(data, dict) or not isinstance(data.get("model"), str):
            return data
        told = split_chat_model(data["model"])
        provider = data.get("provider") or told.provider
        if told.provider is None or (provider == "openai" != told.provider):
            return data
        if provider != told.provider:
            message = f"{data['model']} is a model of {told.provider}, and the provider is {provider}"
            raise refusal(message, hint="name the provider once", key="model")
        _checked_address(told.address or "", "model")
        apart = {"provider": provider, "model": told.model, "base_url": data.get("base_url") or told.address}
        return {**data, **{key: value for key, value in apart.items() if value or key == "model"}}

    @model_validator(mode="after")
    def _can_be_asked(self) -> LLMConfig:
        if self.model and self.provider in (None, "gemini"):
            refuse_retired(self.model, retired_chat_model(self.model))
        if self.model and self.vendor is None:
            raise refusal(
                f"the provider of the model {self.model} cannot be told from its name",
                hint="write openai:MODEL or gemini:MODEL, or set llm.provider (or llm.base_url for a server)",
                key="model",
            )
        if self.provider == "scripted" and not self.model:
            raise refusal("the scripted provider needs the path of its script", hint="set llm.model to it", key="model")
        return self
