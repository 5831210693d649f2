"""Reading ragforge.config.yaml: where it is found, and what the environment does to it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from ragforge_memory.config import AgentConfig, RagforgeConfig, environment_config, load_config
from tests.config.conftest import Load


def test_no_file_gives_the_defaults(tmp_path: Path) -> None:
    loaded = load_config(start=tmp_path, environ={})
    assert loaded.config == RagforgeConfig()
    assert loaded.file is None
    assert loaded.root == tmp_path
    assert {setting.origin for setting in loaded.settings()} == {"default"}


@pytest.mark.parametrize("name", ["ragforge.yaml", "ragforge.yml", "ragforge.config.yml", ".ragforge/ragforge.yml"])
def test_a_file_that_is_not_called_so_is_told_of_where_there_is_no_other(tmp_path: Path, name: str) -> None:
    (tmp_path / ".git").mkdir()
    inside = tmp_path / "inside"
    inside.mkdir()
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("name: mine\n")
    loaded = load_config(start=inside, environ={})
    assert loaded.config.name is None
    assert loaded.notices == (f"{file} is not read; the configuration's name is ragforge.config.yaml",)
    (tmp_path / "ragforge.config.yaml").write_text("name: mine\n")
    assert load_config(start=inside, environ={}).notices == ()


@pytest.mark.parametrize("text", ["", "# nothing\n", "null\n", "agent:\n", "agent:\n  memory:\n", "\ufeff{}"])
def test_an_empty_file_gives_the_defaults(load: Load, text: str) -> None:
    assert load(text).config == RagforgeConfig()


def test_the_search_order(tmp_path: Path) -> None:
    deep = tmp_path / "repo" / "src" / "deep"
    deep.mkdir(parents=True)
    (tmp_path / "ragforge.config.yaml").write_text("name: outside\n")
    assert load_config(start=deep, environ={}).file is None, "without git it is this folder alone"
    (tmp_path / "repo" / ".git").mkdir()
    assert load_config(start=deep, environ={}).root == tmp_path / "repo"
    (tmp_path / "repo" / "ragforge.config.yaml").write_text("name: top\n")
    assert load_config(start=deep, environ={}).config.name == "top"
    hidden = tmp_path / "repo" / ".ragforge" / "ragforge.config.yaml"
    hidden.parent.mkdir()
    hidden.write_text("name: hidden\n")
    loaded = load_config(start=deep, environ={})
    assert (loaded.config.name, loaded.file, loaded.root) == ("hidden", hidden, tmp_path / "repo")
    (deep / "ragforge.config.yaml").write_text("name: here\nsource: {root: ..}\n")
    loaded = load_config(start=deep, environ={})
    assert (loaded.config.name, loaded.root, loaded.source_root) == ("here", deep, deep.parent)


def test_a_file_given_for_another_project(tmp_path: Path) -> None:
    file = tmp_path / "shared.yaml"
    file.write_text("name: shared\n")
    project = tmp_path / "project"
    project.mkdir()
    assert load_config(file, environ={}).root == tmp_path
    assert load_config(file, project, environ={}).root == project


def test_values_from_the_environment_are_text(load: Load) -> None:
    loaded = load(
        "name: ${NAME}\nneo4j:\n  uri: bolt://${HOST:-localhost}:${PORT:-7687}\n  password: ${PASSWORD}\n"
        "agent:\n  max_iterations: ${ROUNDS}\n  memory: {redact_secrets: '${REDACT}'}\n",
        NAME="{a: [b",
        PASSWORD="x: y # z",
        ROUNDS="8",
        REDACT="false",
        HOST="",
    )
    assert loaded.config.name == "{a: [b"
    assert loaded.config.neo4j is not None
    assert loaded.config.neo4j.uri == "bolt://localhost:7687"
    assert loaded.config.neo4j.password == "x: y # z"
    assert loaded.config.agent.max_iterations == 8
    assert loaded.config.agent.memory.redact_secrets is False


def test_what_is_unset_is_absent(load: Load) -> None:
    loaded = load(
        "neo4j: {uri: '${URI}', username: '${USER_NAME}'}\nllm: {provider: '${P}', api_key: '${K}'}\n"
        "source: {exclude: ['${E}', b]}\nagent: {max_iterations: '${N}', memory: '${M}'}\n"
    )
    assert loaded.config.neo4j is None
    assert loaded.config.llm is not None
    assert loaded.config.llm.provider is None
    assert loaded.config.source.exclude == ("b",)
    assert loaded.config.agent == AgentConfig()


def test_text_is_taken_as_it_is_written(load: Load) -> None:
    loaded = load(
        "name: 007\nneo4j: {uri: bolt://h, password: 0123, username: no}\nsource: {include: [1.0, yes]}\n"
        "agent: {memory: {tools: {rollout: {mode: off, since: 2026-01-02}}}}\n"
    )
    assert loaded.config.name == "007"
    assert loaded.config.neo4j is not None
    assert (loaded.config.neo4j.password, loaded.config.neo4j.username) == ("0123", "no")
    assert loaded.config.source.include == ("1.0", "yes")
    rollout = loaded.config.agent.memory.tools.rollout
    assert (rollout.mode, rollout.since) == ("off", datetime(2026, 1, 2, tzinfo=UTC))


def test_others_keys_are_kept(load: Load) -> None:
    loaded = load(
        "version: 1\nsource: {type: code, adapter: typescript, track_changes: true}\n"
        "llm: {provider: gemini, reranking: {model: m}}\nneo4j: {uri: bolt://h, docker: {port: 1}}\n"
    )
    assert loaded.config.model_extra == {"version": 1}
    assert loaded.config.source.model_extra == {"type": "code", "adapter": "typescript", "track_changes": True}
    assert loaded.notices == ()
    shown = {setting.key: setting.value for setting in loaded.settings()}
    assert shown["llm.reranking.model"] == "m"
    assert shown["neo4j.docker.port"] == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("neo4j:\n  url: bolt://h:7687\n", "2: neo4j.url is not a key of ours; did you mean neo4j.uri?"),
        ("neo4j: {uri: bolt://h,\n  user: ada}\n", "2: neo4j.user is not a key of ours; did you mean neo4j.username?"),
        (
            "name: a\nneo4j: {database: other}\n",
            "2: neo4j.database has no effect without neo4j.uri: the managed server has its own",
        ),
        ("llm: {provder: openai, model: gpt-5}\n", "1: llm.provder is not a key of ours; did you mean llm.provider?"),
    ],
)
def test_a_likely_slip_in_a_block_of_several_tools_is_noticed(load: Load, text: str, told: str) -> None:
    (notice,) = load(text).notices
    assert notice.endswith(f"ragforge.config.yaml:{told}")


@pytest.mark.parametrize(
    ("block", "provider", "model", "address"),
    [
        ("{model: 'gemini:gemini-3.8-flash'}", "gemini", "gemini-3.8-flash", None),
        ("{model: gemini}", "gemini", None, None),
        ("{model: 'openai:m@http://h:1/v1'}", "openai", "m", "http://h:1/v1"),
        ("{model: 'scripted:a.json'}", "scripted", "a.json", None),
        # What a server of OpenAI's kind calls its models is its own affair.
        ("{provider: openai, base_url: 'http://h/v1', model: 'gemini:x'}", "openai", "gemini:x", "http://h/v1"),
    ],
)
def test_a_chat_model_is_named_as_at_the_terminal(
    load: Load, block: str, provider: str | None, model: str | None, address: str | None
) -> None:
    loaded = load(f"llm: {block}\n")
    llm = loaded.config.llm
    assert llm is not None
    assert (llm.provider, llm.model, llm.base_url) == (provider, model, address)
    assert [s.origin for s in loaded.settings() if s.key == "llm.provider" and s.value] != ["default"]


def test_anchors_and_merged_blocks(load: Load) -> None:
    loaded = load("base: &base {limit: 3, deadline_ms: 70}\nagent: {memory: {recall: {<<: *base, limit: 4}}}\n")
    assert loaded.config.agent.memory.recall.limit == 4
    assert loaded.config.agent.memory.recall.deadline_ms == 70


OVERRIDES = {
    "NEO4J_URI": ("bolt://env", "neo4j.uri", "bolt://env"),
    "NEO4J_PASSWORD": ("secret", "neo4j.password", "********"),
    "NEO4J_DATABASE": ("graph", "neo4j.database", "graph"),
    "ENABLE_TOOL_BASED_MEMORY": ("false", "agent.memory.tools.enabled", False),
    "MEMORY_TOOL_ASYNC": ("0", "agent.memory.tools.async", False),
    "MEMORY_TOOL_TIMEOUT_MS": ("350", "agent.memory.tools.timeout_ms", 350),
    "MEMORY_TOOL_QUEUE_SIZE": ("10", "agent.memory.tools.queue_size", 10),
    "ENABLE_AUTOMATED_MEMORY_FALLBACK": ("no", "agent.memory.tools.automated_fallback", False),
    "FACT_CONFIDENCE_THRESHOLD": ("0.5", "agent.memory.tools.confidence_threshold", 0.5),
    "SEMANTIC_SIMILARITY_THRESHOLD": ("0.9", "agent.memory.tools.similarity_threshold", 0.9),
}


@pytest.mark.parametrize("variable", sorted(OVERRIDES))
def test_the_environment_goes_before_the_file(load: Load, variable: str) -> None:
    value, key, expected = OVERRIDES[variable]
    loaded = load("neo4j: {uri: bolt://file, username: bob, password: p}\n", **{variable: value})
    (setting,) = [setting for setting in loaded.settings() if setting.key == key]
    assert (setting.value, setting.origin) == (expected, f"environment {variable}")
    (unset,) = [setting for setting in load("", **{variable: " "}).settings() if setting.key == key] or [None]
    assert unset is None or unset.origin == "default"


def test_the_environment_alone() -> None:
    config = environment_config({"NEO4J_URI": "bolt://env", "NEO4J_PASSWORD": "p"}).config
    assert config.neo4j is not None
    assert (config.neo4j.uri, config.neo4j.username, config.neo4j.password) == ("bolt://env", "neo4j", "p")
    assert environment_config({"NEO4J_PASSWORD": "p"}).config.neo4j is None


@pytest.mark.parametrize(
    ("block", "key", "address"),
    [
        ("{provider: gemini, api_key: file}", "gemini-env", "http://proxy"),
        ("{model: gemini-3.8-flash}", "gemini-env", "http://proxy"),
        ("{provider: openai, api_key: file}", "openai-env", "http://env/v1"),
        ("{model: llama, base_url: 'http://file/v1'}", "openai-env", "http://env/v1"),
        ("{provider: extractive}", None, None),
    ],
)
def test_a_vendors_key_overrides_only_its_own_block(
    load: Load, block: str, key: str | None, address: str | None
) -> None:
    environ = {"GEMINI_API_KEY": "gemini-env", "OPENAI_API_KEY": "openai-env", "OPENAI_BASE_URL": "http://env/v1"}
    environ["GOOGLE_GEMINI_BASE_URL"] = "http://proxy"
    llm = load(f"llm: {block}\n", **environ).config.llm
    assert llm is not None
    assert (llm.api_key, llm.base_url) == (key, address)
    assert load("", **environ).config.llm is None


def test_every_value_says_where_it_came_from(load: Load, tmp_path: Path) -> None:
    loaded = load(
        "name: ${NAME}\nagent:\n  memory:\n    recall: {limit: 3}\n    embeddings:\n"
        "      model: text-embedding-3-small\n  max_iterations: ${N}\n",
        NAME="n",
        MEMORY_TOOL_ASYNC="false",
    )
    file = tmp_path / "ragforge.config.yaml"
    origins = {setting.key: setting.origin for setting in loaded.settings()}
    assert origins["name"] == f"{file}:1 (NAME)"
    assert origins["agent.memory.recall.limit"] == f"{file}:4"
    assert origins["agent.memory.recall.deadline_ms"] == "default"
    assert origins["agent.max_iterations"] == "default"
    assert origins["agent.memory.embeddings.provider"] == "follows from agent.memory.embeddings.model"
    assert origins["agent.memory.tools.async"] == "environment MEMORY_TOOL_ASYNC"


def test_secrets_are_never_shown(load: Load) -> None:
    loaded = load(
        "neo4j: {uri: 'bolt://ada:hush@host', password: hush}\n"
        "llm: {provider: openai, api_key: hush, auth_token: hush}\nvault: {client-secret: hush}\n"
    )
    assert "hush" not in repr(loaded.settings())
    assert "hush" not in repr(loaded.config.neo4j).replace("ada:hush@", "")
    assert "hush" not in repr(loaded.config.llm).replace("auth_token='hush'", "")
    assert loaded.config.neo4j is not None
    assert loaded.config.neo4j.password == "hush"
