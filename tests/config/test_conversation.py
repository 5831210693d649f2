"""The flat keywords and the ``agent:`` block say the same."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from pydantic import BaseModel

from ragforge_memory.config import AgentConfig, ConversationConfig, Neo4jConfig
from ragforge_memory.config.conversation import KEYWORDS
from ragforge_memory.errors import ConfigError


def _leaves(model: type[BaseModel], path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if inspect.isclass(kind) and issubclass(kind, BaseModel):
            yield from _leaves(kind, (*path, name))
        else:
            yield (*path, name), field.get_default()


def test_every_setting_has_one_keyword_with_the_same_default() -> None:
    assert sorted(KEYWORDS.values()) == sorted(path for path, _ in _leaves(AgentConfig))
    assert set(KEYWORDS) == set(ConversationConfig.model_fields)
    for path, default in _leaves(AgentConfig):
        (keyword,) = [name for name, place in KEYWORDS.items() if place == path]
        assert ConversationConfig.model_fields[keyword].get_default() == default, keyword


def test_there_and_back_is_the_same() -> None:
    given = {"max_context_messages": 3, "embedding_model": "gemini-embedding-2", "persistence": "files"}
    flat = ConversationConfig(**given, memory_tools_async=False, rollout_mode="off", max_age_days=7)
    agent = flat.to_agent()
    assert ConversationConfig.from_agent(agent).to_agent() == agent
    assert AgentConfig.model_validate(agent.model_dump(mode="json", by_alias=True)) == agent


def test_the_defaults_are_those_of_the_block() -> None:
    assert ConversationConfig().to_agent() == AgentConfig()
    assert ConversationConfig().model_fields_set == set()


def test_what_is_left_open_follows() -> None:
    embeddings = ConversationConfig(embedding_model="gemini-embedding-001").to_agent().memory.embeddings
    assert (embeddings.provider, embeddings.dimension, embeddings.chosen) == ("gemini", 768, True)
    assert not ConversationConfig(embed_messages=True).to_agent().memory.embeddings.chosen


@pytest.mark.parametrize(
    ("values", "key", "words"),
    [
        ({"max_context_mesages": 3}, "max_context_mesages", "max_context_messages"),
        ({"max_iterations": 0}, "max_iterations", "at least 1"),
        ({"summarize_every": "often"}, "summarize_every", "whole number"),
        ({"embedding_model": "text-embedding-004"}, "embedding_model", "gemini-embedding-2"),
        ({"embedding_dimension": 768}, "embedding_dimension", "384"),
        ({"persistence": "sqlite"}, "persistence", "'neo4j' or 'files', not 'sqlite'"),
        ({"persistence_directory": "a\0b"}, "persistence_directory", "is not a path: it has a NUL"),
        ({"persistence_directory": "~nobody-of-that-name/x"}, "persistence_directory", "is not a path"),
    ],
)
def test_a_bad_keyword_is_an_error_that_names_it(values: dict[str, Any], key: str, words: str) -> None:
    with pytest.raises(ConfigError) as refused:
        ConversationConfig(**values)
    assert refused.value.key == key
    assert words in f"{refused.value} {refused.value.hint}"
    assert refused.value.__cause__ is not None


def test_moments_without_a_zone_are_utc() -> None:
    config = ConversationConfig(rollout_since=datetime(2026, 1, 2))
    assert config.to_agent().memory.tools.rollout.since == datetime(2026, 1, 2, tzinfo=UTC)


def test_a_server_is_named_by_its_address() -> None:
    config = Neo4jConfig("bolt://host", username="ada", password="hush")
    assert config == Neo4jConfig(uri="bolt://host", username="ada", password="hush", database="neo4j")
    assert "hush" not in repr(config)
