"""With which key and at which address a vendor is asked: one order for models that answer and models that embed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory.config import RagforgeConfig, load_config
from ragforge_memory.config.servers import LLMConfig
from ragforge_memory.embeddings.resolve import resolve_embedder
from ragforge_memory.errors import ConfigError
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.resolve import resolve_model
from ragforge_memory.vendors.access import Access, access_to, check_address
from tests.fakes.behaviours import Answer
from tests.fakes.gemini_server import GeminiFake
from tests.llm.asking import question

pytestmark = pytest.mark.anyio

ENVIRON = {
    "GEMINI_API_KEY": "key-env",
    "GOOGLE_GEMINI_BASE_URL": "http://env",
    "OPENAI_API_KEY": " ",
    "OPENAI_BASE_URL": "http://openai",
}
BLOCK = LLMConfig(provider="gemini", api_key="key-block", base_url="http://block")


@pytest.mark.parametrize(
    ("vendor", "block", "access"),
    [
        ("gemini", None, Access("key-env", "http://env")),
        ("gemini", BLOCK, Access("key-block", "http://block")),
        ("gemini", LLMConfig(model="gemini-3.8-flash", api_key="key-block"), Access("key-block", "http://env")),
        ("openai", BLOCK, Access(None, "http://openai")),
        ("openai", LLMConfig(model="qwen3:8b", base_url="http://block"), Access(None, "http://block")),
        ("extractive", BLOCK, Access()),
    ],
)
def test_a_block_of_the_vendor_goes_before_the_environment(
    vendor: str, block: LLMConfig | None, access: Access
) -> None:
    assert access_to(vendor, block, ENVIRON) == access


def test_the_environment_goes_before_a_file(tmp_path: Path) -> None:
    file = tmp_path / "ragforge.config.yaml"
    file.write_text("llm: {provider: gemini, api_key: key-file, base_url: 'http://file'}\n")
    assert access_to("gemini", load_config(file, environ=ENVIRON).config.llm, ENVIRON) == Access(
        "key-env", "http://env"
    )
    assert access_to("gemini", load_config(file, environ={}).config.llm, {}) == Access("key-file", "http://file")


@pytest.mark.parametrize("spec", [None, "gemini", "gemini:gemini-3.8-flash"])
async def test_every_way_to_a_model_keeps_to_that_order(gemini_fake: GeminiFake, spec: str | None) -> None:
    llm = LLMConfig(provider="gemini", api_key=gemini_fake.api_key, base_url=gemini_fake.url)
    gemini_fake.script(Answer("hello"))
    found = await resolve_model(spec, config=llm, environ=ENVIRON)
    assert (await complete(found.provider, question())).text == "hello"
    await found.provider.aclose()
    config = RagforgeConfig.model_validate(
        {"llm": llm, "agent": {"memory": {"embeddings": {"provider": "gemini", "dimension": 256}}}}
    )
    embedder = resolve_embedder(config, ENVIRON).embedder
    assert embedder is not None
    assert len(await embedder.embed_query("hello")) == 256
    await embedder.aclose()


def test_a_key_is_not_shown() -> None:
    assert "key-env" not in repr(access_to("gemini", None, ENVIRON))


@pytest.mark.parametrize("url", ["notaurl", "ftp://localhost", "http://", "http://localhost:99999"])
def test_what_is_no_address_is_refused_before_it_is_asked(url: str) -> None:
    with pytest.raises(ConfigError, match=url) as refused:
        check_address(url, {})
    assert "http://host:port/v1" in str(refused.value.hint)
