"""`ragforge init`, `introspect` and `generate` at a terminal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import CommandLine


@pytest.fixture
def fresh(tmp_path: Path, bare_environment: dict[str, str]) -> CommandLine:
    """The command line in an empty folder, without a server."""
    root = tmp_path / "my-shop"
    root.mkdir()
    return CommandLine(root, bare_environment)


def test_a_project_begins_with_three_files(fresh: CommandLine) -> None:
    (fresh.project / ".gitignore").write_text("dist/\n.env")
    told = fresh.ok("init", "--yes")
    assert told.splitlines()[:3] == ["wrote ragforge.config.yaml", "wrote .env.example", "wrote .gitignore"]
    config = yaml.safe_load((fresh.project / "ragforge.config.yaml").read_text())
    assert config["name"] == "my-shop"
    assert config["generate"] == {"package": "my_shop", "code": True}
    assert config["agent"]["memory"]["persistence"] == {"type": "neo4j"}
    ignored = (fresh.project / ".gitignore").read_text().splitlines()
    assert ignored[:2] == ["dist/", ".env"]
    assert ignored.count(".env") == 1
    assert "conversations/" in ignored
    assert fresh.json("config", "show", "--json")["file"].endswith("ragforge.config.yaml")


def test_what_is_there_is_never_written_over(fresh: CommandLine) -> None:
    file = fresh.project / "ragforge.config.yaml"
    file.write_text("name: mine\n")
    refused = fresh.run("init", "--yes")
    assert refused.returncode == 1
    assert "is there already" in refused.stderr
    assert file.read_text() == "name: mine\n"
    assert not (fresh.project / ".env.example").exists()
    fresh.ok("init", "--yes", "--force", "--name", "other")
    assert yaml.safe_load(file.read_text())["name"] == "other"


def test_a_project_elsewhere_keeps_its_configuration_and_its_secrets_to_itself(fresh: CommandLine) -> None:
    file = fresh.project / "ragforge.config.yaml"
    file.write_text("name: mine\nneo4j: {uri: 'bolt://127.0.0.1:1', password: geheim}\n")
    file.chmod(0o600)
    fresh.ok("generate", "--out", "there")
    there = fresh.project / "there"
    assert (there / "ragforge.config.yaml").stat().st_mode & 0o777 == 0o600
    assert ".env" in (there / ".gitignore").read_text().splitlines()
    inside = CommandLine(there, fresh.environment)
    for _ in range(2):
        inside.ok("generate")
        assert (there / "ragforge.config.yaml").read_text() == file.read_text()
    assert inside.run("generate", "--check").returncode == 0
    (there / "README.md").write_text("ours\n")
    (there / ".ragforge/generated/README.md").unlink()
    assert "left" in inside.ok("generate")
    assert inside.run("generate", "--check").returncode == 0


def test_a_configuration_in_its_other_place_is_there_too(fresh: CommandLine) -> None:
    (fresh.project / ".ragforge").mkdir()
    (fresh.project / ".ragforge/ragforge.config.yaml").write_text("name: mine\n")
    refused = fresh.run("init", "--yes", "--force")
    assert refused.returncode == 1
    assert ".ragforge/ragforge.config.yaml is there already" in refused.stderr


def test_the_options_say_what_a_project_is(fresh: CommandLine) -> None:
    fresh.ok(
        "init", "--yes", "--name", 'a "b": c', "--model", "gemini:gemini-3.8-flash", "--embedder", "none",
        "--persistence", "files", "--no-code",
    )  # fmt: skip
    config = yaml.safe_load((fresh.project / "ragforge.config.yaml").read_text())
    assert config["name"] == 'a "b": c'
    assert config["llm"] == {"provider": "gemini", "model": "gemini-3.8-flash"}
    assert config["agent"]["memory"] == {"embeddings": {"enabled": False}, "persistence": {"type": "files"}}
    assert config["generate"] == {"package": "a_b_c", "code": False}
    assert fresh.run("config", "show").returncode == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--model", "nobody"), "there is no provider 'nobody'"),
        (("--embedder", "nobody"), "nobody"),
        (("--name", "a\\b"), "without a backslash"),
    ],
)
def test_an_answer_that_is_none_writes_nothing(fresh: CommandLine, options: tuple[str, str], problem: str) -> None:
    refused = fresh.run("init", "--yes", *options)
    assert refused.returncode != 0
    assert problem in refused.stderr
    assert list(fresh.project.iterdir()) == []


def test_without_a_terminal_nobody_is_asked(fresh: CommandLine) -> None:
    refused = fresh.run("init")
    assert refused.returncode == 2
    assert "--yes" in refused.stderr


def test_generated_checked_edited_and_generated_again(fresh: CommandLine) -> None:
    fresh.ok("init", "--yes")
    assert fresh.run("generate", "--check").returncode == 1
    dry = fresh.run("generate", "--dry-run")
    assert (dry.returncode, "new      my_shop/agent.py" in dry.stdout) == (0, True)
    assert not (fresh.project / "my_shop").exists()
    fresh.ok("generate")
    assert fresh.run("generate", "--check").returncode == 0
    agent = fresh.project / "my_shop" / "agent.py"
    edited = agent.read_text().replace("*OWN_TOOLS]", "*OWN_TOOLS]  # ours")
    assert edited != agent.read_text()
    agent.write_text(edited)
    assert fresh.run("generate", "--check").returncode == 0
    config = fresh.project / "ragforge.config.yaml"
    config.write_text(config.read_text() + "entities: [{label: Product, key: sku, properties: {sku: string}}]\n")
    check = fresh.run("generate", "--check")
    assert check.returncode == 1
    assert "new      my_shop/tools/find_products.py" in check.stdout
    fresh.ok("generate")
    assert agent.read_text() == edited
    config.write_text(config.read_text().replace("code: true", "code: false"))
    conflict = fresh.run("generate")
    assert conflict.returncode == 1
    assert "CONFLICT my_shop/agent.py  (1 marked in it)" in conflict.stdout
    assert "<<<<<<< yours" in agent.read_text()
    told = json.loads(fresh.run("generate", "--check", "--json").stdout)
    assert [each["path"] for each in told["files"] if each["what"] == "unresolved"] == ["my_shop/agent.py"]
    fresh.ok("generate", "--force")
    assert "<<<<<<<" not in agent.read_text()
    assert fresh.run("generate", "--check").returncode == 0


def test_a_project_can_be_made_elsewhere(fresh: CommandLine, tmp_path: Path) -> None:
    fresh.ok("init", "--yes")
    fresh.ok("generate", "--out", str(tmp_path / "there"))
    assert (tmp_path / "there" / "ragforge.config.yaml").read_text() == (
        fresh.project / "ragforge.config.yaml"
    ).read_text()
    assert (tmp_path / "there" / ".ci" / "run").stat().st_mode & 0o111
    assert not (fresh.project / "my_shop").exists()


def test_without_a_configuration_it_says_what_to_do(fresh: CommandLine) -> None:
    refused = fresh.run("generate")
    assert refused.returncode == 3
    assert "ragforge init makes one" in refused.stderr


def test_the_graph_is_looked_over_and_written_into_the_configuration(ragforge: CommandLine) -> None:
    told = ragforge.json("introspect", "--json")
    assert {"labels", "relationships", "indexes", "sample"} <= set(told)
    out = ragforge.project / "schema.json"
    ragforge.ok("introspect", "--out", str(out))
    assert set(json.loads(out.read_text())) == set(told)
    unknown = ragforge.run("introspect", "--write", "--label", "RagforgeMetta")
    assert unknown.returncode == 1
    assert "did you mean RagforgeMeta?" in unknown.stderr
    ragforge.ok("introspect", "--write", "--label", "RagforgeMeta")
    text = (ragforge.project / "ragforge.config.yaml").read_text()
    assert [each["label"] for each in yaml.safe_load(text)["entities"]] == ["RagforgeMeta"]
    refused = ragforge.run("introspect", "--write")
    assert refused.returncode == 1
    assert "has entities already" in refused.stderr
    assert (ragforge.project / "ragforge.config.yaml").read_text() == text
