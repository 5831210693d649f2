"""An agent made in a folder and the command run there are of one project: each sees what the other began."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import ConfigError, ConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.config import RagforgeConfig
from tests.cli.conftest import CommandLine

MakeAgent = Callable[..., ConversationAgent]


@pytest.fixture
def make_agent(neo4j_config: Neo4jConfig, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MakeAgent:
    """Makes agents in a folder, without a project unless one is given."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / "home"))

    def make(folder: Path, **given: Any) -> ConversationAgent:
        monkeypatch.chdir(folder)
        config = ConversationConfig(embed_messages=False)
        return ConversationAgent(neo4j_config, llm_provider="extractive", tools=[], config=config, **given)

    return make


def _share(ragforge: CommandLine, agent: ConversationAgent, *options: str) -> None:
    with agent:
        of_agent = agent.create_conversation("From the library").uuid
        ragforge.ok("ask", "--no-ingest", "--model", ragforge.script("Yes."), *options, "sure?")
        listed = {info["uuid"] for info in ragforge.json("conversations", "list", "--json", *options)["items"]}
        assert listed == {info.uuid for info in agent.list_conversations()}
        assert of_agent in listed
        assert len(listed) == 2


def _in_repository(ragforge: CommandLine, name: str) -> Path:
    top = ragforge.project
    (top / "ragforge.config.yaml").unlink()
    (top / "src" / "deep").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", top], check=True)
    subprocess.run(["git", "-C", top, "remote", "add", "origin", f"https://{name}.git"], check=True)
    return top


def test_below_the_top_of_a_repository(ragforge: CommandLine, make_agent: MakeAgent, tmp_path: Path) -> None:
    name = f"git.example/{tmp_path.name}/shop"
    top = _in_repository(ragforge, name)
    ragforge.project = top / "src" / "deep"
    agent = make_agent(ragforge.project)
    assert agent.project == name
    _share(ragforge, agent)
    assert make_agent(top, root=top / "src").project == f"{name}/src"


def test_where_a_configuration_names_it(ragforge: CommandLine, make_agent: MakeAgent, tmp_path: Path) -> None:
    name = f"shop of {tmp_path.name}"
    top = _in_repository(ragforge, "git.example/a/shop")
    (top / "ragforge.config.yaml").write_text(
        f"name: {name}\nsource: {{root: src, exclude: [old/**]}}\n"
        "agent: {memory: {embeddings: {provider: hashing}}}\n"
    )
    for file in ("src/new.py", "src/old/gone.py", "outside.py"):
        (top / file).parent.mkdir(exist_ok=True)
        (top / file).write_text("def run() -> None:\n    pass\n")
    ragforge.project = top / "src" / "deep"
    agent = make_agent(ragforge.project)
    assert agent.project == name
    with agent:
        assert agent.ingest().files == 1
        assert ragforge.json("ingest", "--json")["files_changed"] == 0, "both read the same files as the same paths"
    _share(ragforge, make_agent(ragforge.project))


def test_what_is_said_goes_before_what_is_found(
    ragforge: CommandLine, make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch
) -> None:
    (ragforge.project / "ragforge.config.yaml").unlink()
    assert make_agent(ragforge.project).project == ragforge.project.resolve().as_posix()
    (ragforge.project / "ragforge.config.yaml").write_text("name: found\n")
    assert make_agent(ragforge.project).project == "found"
    assert make_agent(ragforge.project, project="said").project == "said"
    assert make_agent(ragforge.project, project="").project is None
    of_settings = ConversationAgent.from_settings(RagforgeConfig(name="settings"))
    assert of_settings.project == "settings"
    assert ConversationAgent.from_settings(RagforgeConfig(name="settings"), project="said").project == "said"
    assert ConversationAgent.from_settings(RagforgeConfig()).project == "found"
    (ragforge.project / "ragforge.config.yaml").write_text("name: ${SHOP_NAME:-shop}\n")
    monkeypatch.setenv("SHOP_NAME", "till")
    assert make_agent(ragforge.project).project == "till"


def test_a_file_that_was_found_opens_no_folder_outside(
    ragforge: CommandLine, make_agent: MakeAgent, tmp_path: Path
) -> None:
    (tmp_path / "private").mkdir()
    (ragforge.project / "ragforge.config.yaml").write_text("source: {root: ../private}\n")
    with pytest.raises(ConfigError, match=r"outside of the project: source\.root .*private"):
        make_agent(ragforge.project)
    ragforge.ok("config", "allow")
    make_agent(ragforge.project)
    (ragforge.project / "ragforge.config.yaml").write_text("name: shop\nneo4j: {uri: 'bolt://graph.example:7687'}\n")
    assert make_agent(ragforge.project).project == "shop", "the address is not used, so it needs no word"
