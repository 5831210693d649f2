"""A configuration that was found reaches nothing outside before its user has allowed it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from ragforge_memory.config import LoadedConfig, load_config
from ragforge_memory.config.allowed import allow, check_allowed, is_allowed, listed, named_outside
from ragforge_memory.errors import ConfigError

Load = Callable[..., LoadedConfig]


@pytest.fixture
def load(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Load:
    """Loads a text as a project's configuration, in an environment of its own and with a home of its own."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))

    (tmp_path / "away").symlink_to("/etc")

    def from_text(text: str, **environ: str) -> LoadedConfig:
        (tmp_path / "ragforge.config.yaml").write_text(text, encoding="utf-8")
        return load_config(start=tmp_path, environ=environ)

    return from_text


@pytest.mark.parametrize(
    ("text", "environ", "outside"),
    [
        ("llm: {provider: openai, model: m, base_url: 'http://evil.example/v1'}", {}, ["llm.base_url"]),
        ("llm: {provider: gemini, base_url: 'https://evil.example/${AWS_KEY}'}", {"AWS_KEY": "k"}, ["llm.base_url"]),
        ("llm: {provider: openai, model: m, base_url: 'https://api.openai.com.evil.example/v1'}", {}, ["llm.base_url"]),
        ("llm: {provider: openai, model: m, base_url: 'https://api.openai.com@evil.example/'}", {}, ["llm.base_url"]),
        ("llm: {provider: openai, model: m, base_url: 'http://134744072/v1'}", {}, ["llm.base_url"]),
        ("llm: {provider: openai, model: m, base_url: 'http://evil\u3002example/v1'}", {}, ["llm.base_url"]),
        ("neo4j: {uri: 'neo4j+s://evil.example', password: '${NEO4J_PW}'}", {"NEO4J_PW": "p"}, ["neo4j.uri"]),
        # The environment's own, the vendors' own, this machine, its network.
        ("llm: {provider: openai, model: m, base_url: '${URL}'}", {"URL": "https://company.example/v1"}, []),
        ("neo4j: {uri: 'bolt://evil.example'}", {"NEO4J_URI": "bolt://mine.example"}, []),
        ("llm: {provider: openai, model: m, base_url: 'https://api.openai.com/v1'}", {}, []),
        ("llm: {provider: openai, model: m, base_url: 'http://127.0.0.1:11434/v1'}", {}, []),
        ("llm: {provider: openai, model: m, base_url: 'http://ollama:11434/v1'}", {}, []),
        ("neo4j: {uri: 'bolt://192.168.1.7:7687'}", {}, []),
        # Folders: out of the project, also by a link; within it; the environment's own.
        ("source: {root: ..}", {}, ["source.root"]),
        ("source: {root: 'src/../../other'}", {}, ["source.root"]),
        ("source: {root: away}", {}, ["source.root"]),
        ("source: {root: src}", {}, []),
        ("source: {root: '${CODE}'}", {"CODE": "/code"}, []),
        ("agent: {memory: {persistence: {directory: ../texts}}}", {}, ["agent.memory.persistence.directory"]),
        ("agent: {memory: {persistence: {directory: texts}}}", {}, []),
        (
            "source: {root: ..}\nagent: {memory: {persistence: {directory: texts}}}\nneo4j: {uri: 'bolt://8.8.8.8'}",
            {},
            ["neo4j.uri", "source.root"],
        ),
        ("name: mine", {}, []),
    ],
)
def test_what_a_file_names_outside(load: Load, text: str, environ: dict[str, str], outside: list[str]) -> None:
    loaded = load(text, **environ)
    assert [each.key for each in named_outside(loaded)] == outside
    assert is_allowed(loaded) == (not outside)


def test_it_is_allowed_until_the_address_or_a_variable_is_another(load: Load, tmp_path: Path) -> None:
    text = "llm: {provider: openai, model: m, base_url: 'https://a.example/v1', api_key: '${A_KEY}'}\n"
    loaded = load(text, A_KEY="secret")
    assert listed(named_outside(loaded)) == "llm.base_url https://a.example (with A_KEY)"
    with pytest.raises(ConfigError, match=r"a\.example") as told:
        check_allowed(loaded)
    assert "ragforge config allow" in (told.value.hint or "")
    assert allow(loaded) == named_outside(loaded)
    check_allowed(loaded)
    check_allowed(load(text + "agent: {max_iterations: 3}\n", A_KEY="other"))
    for other in (text.replace("a.example", "b.example"), text.replace("A_KEY", "AWS_SECRET_ACCESS_KEY")):
        assert not is_allowed(load(other, A_KEY="secret", AWS_SECRET_ACCESS_KEY="s"))
    assert (tmp_path / "home" / "allowed.json").stat().st_mode & 0o077 == 0
    (tmp_path / "home" / "allowed.json").write_text("not JSON")
    assert not is_allowed(loaded)


def test_a_folder_outside_is_allowed_as_an_address_is(load: Load, tmp_path: Path) -> None:
    loaded = load("source: {root: ..}")
    outside = f"has its files outside of the project: source.root {tmp_path.parent.resolve()}"
    with pytest.raises(ConfigError, match=re.escape(outside)):
        check_allowed(loaded)
    assert allow(loaded) == named_outside(loaded)
    check_allowed(loaded)
    with pytest.raises(ConfigError, match=r"a\.example; it has its files outside of the project: source\.root /etc"):
        check_allowed(load("source: {root: /etc}\nllm: {provider: openai, model: m, base_url: 'https://a.example'}"))
