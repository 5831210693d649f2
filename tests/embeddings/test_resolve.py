"""Which embedder is chosen, and what is said about it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import pytest

from ragforge_memory.config import RagforgeConfig
from ragforge_memory.embeddings import local, resolve
from ragforge_memory.embeddings.resolve import EmbedderResolution, named_embedder, resolve_embedder
from ragforge_memory.errors import ConfigError
from ragforge_memory.vendors import openai as openai_vendor
from tests.fakes.gemini_server import GeminiFake

pytestmark = pytest.mark.anyio


def _config(llm: dict[str, Any] | None = None, **embeddings: Any) -> RagforgeConfig:
    return RagforgeConfig.model_validate({"llm": llm, "agent": {"memory": {"embeddings": embeddings}}})


def _chosen(resolution: EmbedderResolution) -> tuple[str, str, int] | None:
    found = resolution.embedder
    return (found.provider, found.model, found.dimension) if found is not None else None


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Hides extras, as on a machine where they are not installed."""
    monkeypatch.setattr(resolve, "_warned", set())

    def hide(*extras: str) -> None:
        if "local" in extras:
            monkeypatch.setattr(local, "is_installed", lambda: False)
        if "openai" in extras:
            monkeypatch.setattr(openai_vendor, "find_spec", lambda name: None)

    return hide


def test_the_default_is_local() -> None:
    found = resolve_embedder(RagforgeConfig(), {"GEMINI_API_KEY": "key"})
    assert _chosen(found) == ("local", "e5-small-v2", 384)
    assert "local extra" in found.why


def test_without_extra_and_key_there_is_none_and_one_warning(
    without: Callable[..., None], caplog: pytest.LogCaptureFixture
) -> None:
    without("local")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            found = resolve_embedder(RagforgeConfig(), {})
    assert found.embedder is None
    assert "pip install 'ragforge-memory[local]'" in (found.hint or "")
    assert len(caplog.records) == 1
    assert "pip install 'ragforge-memory[local]'" in caplog.text


def test_without_the_extra_a_key_decides(without: Callable[..., None]) -> None:
    without("local")
    gemini = resolve_embedder(RagforgeConfig(), {"GEMINI_API_KEY": "key"})
    assert _chosen(gemini) == ("gemini", "gemini-embedding-2", 768)
    openai_ = resolve_embedder(RagforgeConfig(), {"OPENAI_API_KEY": "key"})
    assert _chosen(openai_) == ("openai", "text-embedding-3-small", 1536)


def test_what_the_configuration_names_is_taken() -> None:
    gemini = resolve_embedder(_config(model="gemini-embedding-001"), {"GEMINI_API_KEY": "key"})
    assert _chosen(gemini) == ("gemini", "gemini-embedding-001", 768)
    hashing = resolve_embedder(_config(provider="hashing", dimension=32), {})
    assert _chosen(hashing) == ("hashing", "hashing", 32)
    bge = resolve_embedder(_config(model="bge-small-en-v15-q"), {})
    assert _chosen(bge) == ("local", "bge-small-en-v1.5", 384)


def test_the_chat_models_key_and_address_serve_embeddings_of_the_same_vendor() -> None:
    llm = {"provider": "openai", "base_url": "http://127.0.0.1:11434/v1", "model": "qwen3:8b"}
    found = resolve_embedder(_config(llm, provider="openai", model="nomic-embed-text", dimension=768), {})
    assert _chosen(found) == ("openai", "nomic-embed-text", 768)
    gemini = resolve_embedder(_config({"provider": "gemini", "api_key": "key"}, provider="gemini"), {})
    assert _chosen(gemini) == ("gemini", "gemini-embedding-2", 768)
    other = resolve_embedder(_config({"provider": "openai", "api_key": "key"}, provider="gemini"), {})
    assert other.embedder is None
    assert other.hint == "set GEMINI_API_KEY"


async def test_the_embedder_goes_through_the_proxy_that_the_chat_model_goes_through(
    without: Callable[..., None], gemini_fake: GeminiFake
) -> None:
    without("local")
    environ = {"GEMINI_API_KEY": gemini_fake.api_key, "GOOGLE_GEMINI_BASE_URL": gemini_fake.url}
    for config in (RagforgeConfig(), _config(provider="gemini")):
        embedder = resolve_embedder(config, environ).embedder
        assert embedder is not None
        assert len(await embedder.embed_query("hello")) == embedder.dimension
        await embedder.aclose()


def test_what_is_named_and_cannot_be_had_is_not_replaced(without: Callable[..., None]) -> None:
    without("local", "openai")
    environ = {"GEMINI_API_KEY": "key", "OPENAI_API_KEY": "key"}
    for wanted in ({"model": "e5-small-v2"}, {"provider": "openai"}):
        found = resolve_embedder(_config(**wanted), environ)
        assert found.embedder is None
        assert "pip install" in (found.hint or "")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("foo", "PROVIDER:MODEL"),
        ("openai:foo", "its dimension"),
        ("local:foo", "e5-small-v2"),
        ("nobody:foo", "PROVIDER:MODEL"),
    ],
)
def test_a_model_that_a_caller_names_wrongly_is_told_in_the_callers_words(name: str, hint: str) -> None:
    with pytest.raises(ConfigError, match=f"'{name}' cannot be used") as raised:
        named_embedder(name, RagforgeConfig(), {})
    assert hint in str(raised.value.hint)
    assert "agent.memory" not in str(raised.value)
