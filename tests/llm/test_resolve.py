"""Which model answers, and the sentence that says why."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import ValidationError

from ragforge_memory.config.servers import LLMConfig
from ragforge_memory.errors import ConfigError, ModelError
from ragforge_memory.llm import local_servers as local_servers_module
from ragforge_memory.llm.asking import complete
from ragforge_memory.llm.local_servers import chat_models, find_local_servers
from ragforge_memory.llm.resolve import Resolution, resolve_model
from ragforge_memory.vendors import openai as openai_vendor
from ragforge_memory.vendors.access import ALLOW_VARIABLE, check_address, is_loopback, requests_allowed
from tests.fakes.behaviours import Answer
from tests.fakes.gemini_server import GeminiFake
from tests.fakes.openai_server import OpenAIFake
from tests.llm.asking import question

pytestmark = pytest.mark.anyio

KEYS = {"GEMINI_API_KEY": "g", "OPENAI_API_KEY": "o"}


def named(resolution: Resolution) -> str:
    assert (resolution.name, resolution.model) == (resolution.provider.name, resolution.provider.model)
    return f"{resolution.name}:{resolution.model}"


async def resolved(spec: str | None = None, environ: dict[str, str] | None = None, **config: str) -> Resolution:
    block = LLMConfig(**config) if config else None
    return await resolve_model(spec, config=block, environ=environ or {}, local_servers=())


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("gemini", "gemini:gemini-3.8-flash"),
        ("gemini-3.8-pro", "gemini:gemini-3.8-pro"),
        ("gpt-5.2", "openai:gpt-5.2"),
        ("openai:qwen3:8b@http://127.0.0.1:9/v1", "openai:qwen3:8b"),
    ],
)
async def test_an_explicit_spec_wins(spec: str, name: str) -> None:
    resolution = await resolved(spec, KEYS, provider="extractive")

    assert named(resolution) == name
    assert resolution.why == f"{spec}, as told"


async def test_the_key_of_the_block_is_not_for_another_address(openai_fake: OpenAIFake) -> None:
    spec, key = f"openai:qwen3:8b@{openai_fake.base_url}", openai_fake.api_key or ""
    openai_fake.script(Answer("hello"))

    other = await resolved(spec, provider="openai", base_url="http://127.0.0.1:9/v1", api_key=key)
    with pytest.raises(ModelError, match="refused the key"):
        await complete(other.provider, question())
    same = await resolved(spec, provider="openai", base_url=openai_fake.base_url, api_key=key)
    assert (await complete(same.provider, question())).text == "hello"


async def test_a_script_is_read_from_its_path(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    path.write_text(json.dumps({"steps": ["hello"]}))

    resolution = await resolved(f"scripted:{path}")

    assert (await complete(resolution.provider, question())).text == "hello"


@pytest.mark.parametrize("spec", ["claude-opus", "scripted", "anthropic:x", "gemini", "openai"])
async def test_what_cannot_be_used_is_a_configuration_error_with_a_hint(spec: str) -> None:
    with pytest.raises(ConfigError) as caught:
        await resolved(spec)

    assert caught.value.hint


async def test_the_configuration_comes_before_the_environment() -> None:
    resolution = await resolved(None, KEYS, provider="openai", model="gpt-5.2")

    assert named(resolution) == "openai:gpt-5.2"
    assert resolution.why == "openai:gpt-5.2, as the configuration's llm block says"


async def test_a_models_name_or_an_address_in_the_block_tells_the_provider(openai_fake: OpenAIFake) -> None:
    assert named(await resolved(None, KEYS, model="gemini-3.8-pro")) == "gemini:gemini-3.8-pro"
    assert named(await resolved(None, {}, model="qwen3:8b", base_url=openai_fake.base_url)) == "openai:qwen3:8b"
    with pytest.raises(ValidationError, match="cannot be told"):
        await resolved(None, {}, model="qwen3:8b")


@pytest.mark.parametrize("block", [{"provider": "gemini", "api_key": ""}, {"model": "gemini-3.8-flash"}])
async def test_a_block_without_a_key_counts_as_absent_and_is_said(block: dict[str, str]) -> None:
    other = await resolved(None, {"OPENAI_API_KEY": "o"}, **block)
    none = await resolved(None, {}, **block)

    assert named(other) == "openai:gpt-6-luna"
    assert other.why == "the configuration names gemini, but there is no key for it; OPENAI_API_KEY is set"
    assert none.name == "extractive"
    assert none.why.startswith("the configuration names gemini, but there is no key for it; answers are quotes")
    assert other.instead
    assert none.instead
    assert not (await resolved(None, {})).instead


@pytest.mark.parametrize(
    ("environ", "name", "why"),
    [
        (KEYS, "gemini:gemini-3.8-flash", "GEMINI_API_KEY is set"),
        ({"GEMINI_API_KEY": " ", "OPENAI_API_KEY": "o"}, "openai:gpt-6-luna", "OPENAI_API_KEY is set"),
    ],
)
async def test_a_key_in_the_environment_chooses(environ: dict[str, str], name: str, why: str) -> None:
    resolution = await resolved(None, environ)

    assert (named(resolution), resolution.why) == (name, why)


async def test_an_address_in_the_environment_is_asked_for_its_models(openai_fake: OpenAIFake) -> None:
    environ = {"OPENAI_API_KEY": str(openai_fake.api_key), "OPENAI_BASE_URL": openai_fake.base_url}

    resolution = await resolved(None, environ)

    assert named(resolution) == "openai:gpt-5.2"
    assert resolution.why == "OPENAI_API_KEY and OPENAI_BASE_URL are set"
    openai_fake.stop()
    with pytest.raises(ConfigError, match="does not list its models"):
        await resolved(None, environ)


async def test_another_address_of_gemini_comes_from_its_own_variable(gemini_fake: GeminiFake) -> None:
    gemini_fake.script(Answer("hello"))
    environ = {"GEMINI_API_KEY": gemini_fake.api_key, "GOOGLE_GEMINI_BASE_URL": gemini_fake.url}

    resolution = await resolved(None, environ)

    assert (await complete(resolution.provider, question())).text == "hello"
    await resolution.provider.aclose()


@pytest.fixture
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A local server may take its time to answer: the machine is busy with other tests."""
    monkeypatch.setattr(local_servers_module, "PROBE_SECONDS", 30.0)


@pytest.mark.usefixtures("patient")
async def test_a_local_server_is_found_with_its_first_chat_model() -> None:
    with OpenAIFake(api_key=None, models=("nomic-embed-text", "qwen3:8b")) as local:
        local.script(Answer("hello"))
        servers = (("Nobody", free_port()), ("Ollama", local.port))

        resolution = await resolve_model(environ={}, local_servers=servers)

        assert named(resolution) == "openai:qwen3:8b"
        assert resolution.why == f"Ollama answers at {local.base_url} and serves qwen3:8b"
        assert (await complete(resolution.provider, question())).text == "hello"
        await resolution.provider.aclose()


async def test_nothing_there_means_quotes() -> None:
    resolution = await resolve_model(environ={}, local_servers=(("Nobody", free_port()),))

    assert resolution.name == "extractive"
    assert "GEMINI_API_KEY" in resolution.why


@pytest.mark.usefixtures("patient")
async def test_a_server_without_the_extra_is_passed_over_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_vendor, "find_spec", lambda name: None)
    with OpenAIFake(api_key=None) as local:
        resolution = await resolve_model(environ={}, local_servers=(("Ollama", local.port),))
        keyed = await resolved(None, {"OPENAI_API_KEY": "o"})

    assert resolution.name == keyed.name == "extractive"
    assert 'pip install "ragforge-memory[openai]"' in resolution.why
    assert keyed.why.startswith("OPENAI_API_KEY is set, but")


async def test_the_switch_of_the_tests_turns_the_search_for_local_servers_off() -> None:
    with OpenAIFake(api_key=None) as local:
        resolution = await resolve_model(environ={ALLOW_VARIABLE: "0"}, local_servers=(("Ollama", local.port),))

    assert resolution.name == "extractive"
    assert local.received == []


async def test_what_is_no_model_server_is_not_taken_for_one() -> None:
    with GeminiFake() as web:
        assert await find_local_servers((("Web", web.port), ("Nobody", free_port()))) == ()


async def test_a_port_that_only_listens_costs_its_time_out_and_no_more() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        assert await find_local_servers((("Silent", silent.getsockname()[1]),)) == ()


@pytest.mark.parametrize("listed", [None, [], {}, {"data": {}}, {"data": [1, {"id": 2}]}, {"data": [{"id": "bge-m3"}]}])
def test_odd_lists_hold_no_models(listed: object) -> None:
    assert chat_models(listed) == ()


def test_the_window_that_a_server_tells_is_kept() -> None:
    listed = {"data": [{"id": "a", "max_model_len": 4096}, {"id": "b", "meta": {"n_ctx": 8192}}, {"id": "c"}]}

    assert [model.context_window for model in chat_models(listed)] == [4096, 8192, None]


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("http://127.0.0.1:1/v1", True),
        ("http://[::1]:8/", True),
        ("https://api.openai.com/v1", False),
        ("http://127.0.0.1.example.org/", False),
        ("nonsense", False),
    ],
)
def test_loopback_is_told_by_the_literal_host(url: str, here: bool) -> None:
    assert is_loopback(url) is here


def test_the_switch_is_on_by_default_and_refuses_other_machines_when_off() -> None:
    assert requests_allowed({})
    check_address("https://api.openai.com/v1", {})
    check_address("http://127.0.0.1:1/v1", {ALLOW_VARIABLE: "off"})
    with pytest.raises(ConfigError, match=r"api\.openai\.com"):
        check_address("https://api.openai.com/v1", {ALLOW_VARIABLE: "off"})


def test_resolving_imports_no_sdk() -> None:
    code = (
        "import asyncio, sys\n"
        "from ragforge_memory.llm.resolve import resolve_model\n"
        "for spec in ('gemini', 'openai'):\n"
        "    asyncio.run(resolve_model(spec, environ={'GEMINI_API_KEY': 'g', 'OPENAI_API_KEY': 'o'}))\n"
        "print([name for name in ('google.genai', 'openai', 'httpx2', 'genai_prices') if name in sys.modules])\n"
    )
    root = Path(__file__).parents[2]

    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)

    assert ran.stdout.strip() == "[]"


def free_port() -> int:
    """A port where nothing listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
