"""The three examples, generated: their tests pass on a real Neo4j, their code is clean, a model uses their tools."""

from __future__ import annotations

import json
import os
import runpy
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import neo4j
import pytest

from ragforge_memory import Neo4jConfig
from ragforge_memory.home import cache_home
from tests.cli.conftest import CommandLine

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ("code-analysis", "shop", "support")


@dataclass(frozen=True)
class Project:
    """A generated project and what its processes are run with."""

    root: Path
    ragforge: CommandLine
    environment: dict[str, str]

    def python(self, *arguments: str) -> str:
        """What a Python process in the project prints, which must succeed."""
        done = self.ends(*arguments)
        assert done.returncode == 0, f"{arguments}: {done.stdout}\n{done.stderr}"
        return done.stdout

    def ends(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """How a Python process in the project ends."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.root,
            env={**self.environment, "PYTHONPATH": f"{self.root}{os.pathsep}{ROOT}"},
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )


@pytest.fixture
def environment(tmp_path: Path, neo4j_config: Neo4jConfig) -> dict[str, str]:
    """The session's Neo4j and a home of its own; no key, no model."""
    ours = ("NEO4J_", "RAGFORGE_", "GEMINI_", "GOOGLE_", "OPENAI_", "MEMORY_TOOL_", "ENABLE_", "PYTEST_")
    return {
        **{name: value for name, value in os.environ.items() if not name.startswith(ours)},
        "RAGFORGE_HOME": str(tmp_path / "home"),
        "RAGFORGE_CACHE": str(cache_home()),
        "NEO4J_URI": neo4j_config.uri,
        "NEO4J_USERNAME": neo4j_config.username or "neo4j",
        "NEO4J_PASSWORD": neo4j_config.password,
        "MEMORY_TOOL_TIMEOUT_MS": "10000",
    }


def generated(name: str, tmp_path: Path, environment: dict[str, str]) -> Project:
    """An example's project; its name is the test's own, so that nobody shares it."""
    root = tmp_path / name
    shutil.copytree(ROOT / "examples" / name, root)
    file = root / "ragforge.config.yaml"
    file.write_text(file.read_text().replace(f"name: {name}\n", f"name: {name}-{uuid4().hex}\n"))
    ragforge = CommandLine(root, environment)
    told = ragforge.run("generate")
    assert told.returncode == 0, told.stderr
    return Project(root, ragforge, environment)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_generated_tested_and_clean(name: str, tmp_path: Path, environment: dict[str, str]) -> None:
    project = generated(name, tmp_path, environment)
    assert project.ragforge.run("generate", "--check").returncode == 0
    assert " passed" in project.python("-m", "pytest", "-p", "no:cacheprovider")
    assert "All checks passed" in project.python("-m", "ruff", "check", ".")
    assert "Success" in project.python("-m", "mypy")
    assert project.ragforge.run("generate", "--check").returncode == 0
    package = name.replace("-", "_") if name == "code-analysis" else f"{name}_agent"
    assert project.python("-m", package, "ask", "What do you know?").strip()
    project.python("-m", package, "ask", "note: Ada is refunded within ten days")
    assert "refunded within ten days" in project.python("-m", package, "ask", "What did we note about Ada?")
    assert project.python("examples/ask.py", "What do you know?").strip()


def _step(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"tools": [{"name": tool, "arguments": arguments}]}


def test_the_shop_answers_who_ordered_something(
    tmp_path: Path, environment: dict[str, str], neo4j_config: Neo4jConfig, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = generated("shop", tmp_path, environment)
    for name in ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD"):
        monkeypatch.setenv(name, environment[name])
    runpy.run_path(str(project.root / "make_graph.py"), run_name="__main__")
    login = (neo4j_config.username or "neo4j", neo4j_config.password)
    hostile = ["lamp-1') DETACH DELETE n //", '"}) MATCH (n) DETACH DELETE n //', "`", "\\u0060", "' OR true OR '"]
    with neo4j.GraphDatabase.driver(neo4j_config.uri, auth=login, notifications_min_severity="OFF") as driver:
        count = "MATCH (n:ShopCustomer|ShopOrder|ShopProduct) RETURN count(n) AS nodes"
        [before], _, _ = driver.execute_query(count)
        model = tmp_path / "model.json"
        steps = [
            _step("search_products", words="reading lamp"),
            _step("orders_of_product", product="lamp-1"),
            _step("customers_of_order", order="1001"),
            _step("customers_of_order", order="1002"),
            *[_step("orders_of_product", product=each) for each in hostile],
            *[_step("find_customers", name=each) for each in hostile],
            _step("search_products", words="lamp) OR *:* ~"),
            "Ada and Grace.",
        ]
        model.write_text(json.dumps({"steps": steps}))
        program = (
            "import asyncio, json\n"
            "from shop_agent import make_agent\n"
            "async def main():\n"
            f"    async with make_agent(llm_provider='scripted:{model}') as agent:\n"
            "        agent_answer = await (await agent.create_conversation()).send_message('Who ordered the lamp?')\n"
            "        calls = [(c.success, c.result, c.error) for c in agent_answer.tool_calls]\n"
            "        print(json.dumps([agent_answer.content, calls], default=str))\n"
            "asyncio.run(main())\n"
        )
        (project.root / "ragforge.config.yaml").write_text(
            (project.root / "ragforge.config.yaml").read_text().replace("agent:\n", "agent:\n  max_iterations: 40\n", 1)
        )
        content, calls = json.loads(project.python("-c", program))
        [after], _, _ = driver.execute_query(count)
    assert content == "Ada and Grace."
    assert all(success for success, _, _ in calls), calls
    results = [result for _, result, _ in calls]
    assert [each["sku"] for each in results[0]] == ["lamp-1"]
    assert [each["number"] for each in results[1]] == [1001, 1002]
    assert [each[0]["name"] for each in results[2:4]] == ["Ada Lovelace", "Grace Hopper"]
    assert results[4:-1] == [[]] * (2 * len(hostile))
    assert before["nodes"] == after["nodes"]


def test_a_query_that_writes_is_refused_by_the_server(tmp_path: Path, environment: dict[str, str]) -> None:
    project = generated("shop", tmp_path, environment)
    (project.root / "queries" / "find_customers.cypher").write_text("CREATE (n:ShopCustomer) RETURN n AS entity")
    model = tmp_path / "model.json"
    model.write_text(json.dumps({"steps": [_step("find_customers"), "No."]}))
    program = (
        "import asyncio\n"
        "from shop_agent import make_agent\n"
        "async def main():\n"
        f"    async with make_agent(llm_provider='scripted:{model}') as agent:\n"
        "        [call] = (await (await agent.create_conversation()).send_message('x')).tool_calls\n"
        "        print(call.success, call.error)\n"
        "asyncio.run(main())\n"
    )
    told = project.python("-c", program)
    assert told.startswith("False")
    assert "read access mode" in told


def test_a_tool_writes_where_the_configuration_says_so(
    tmp_path: Path, environment: dict[str, str], neo4j_config: Neo4jConfig
) -> None:
    label = f"Thing{uuid4().hex}"
    root = tmp_path / "things"
    root.mkdir()
    properties = "{code: string, at: date, size: integer}"
    entity = f"{{label: {label}, name: thing, key: code, properties: {properties}, write: true}}"
    (root / "ragforge.config.yaml").write_text(
        f"name: {label}\nagent: {{memory: {{embeddings: {{enabled: false}}}}}}\n"
        f"generate: {{package: things, code: false}}\nentities: [{entity}]\n"
    )
    assert CommandLine(root, environment).run("generate").returncode == 0
    model = tmp_path / "model.json"
    steps = [
        _step("save_thing", code="a'`\"", at="2026-01-31", size=3),
        _step("save_thing", code="a'`\"", size=4),
        _step("find_things", size_from=4, at_to="2026-02-01"),
        "Saved.",
    ]
    model.write_text(json.dumps({"steps": steps}))
    project = Project(root, CommandLine(root, environment), environment)
    said = project.python("-m", "things", "--model", f"scripted:{model}", "ask", "Save it")
    assert said == "Saved.\n"
    login = (neo4j_config.username or "neo4j", neo4j_config.password)
    with neo4j.GraphDatabase.driver(neo4j_config.uri, auth=login) as driver:
        rows, _, _ = driver.execute_query(
            f"MATCH (n:{label}) WITH n, n.code AS code, toString(n.at) AS at, n.size AS size DELETE n "
            "RETURN code, at, size"
        )
    assert [tuple(row) for row in rows] == [("a'`\"", "2026-01-31", 4)]


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
def test_from_an_empty_folder_to_a_tested_agent(tmp_path: Path, environment: dict[str, str]) -> None:
    root = tmp_path / f"fresh-{uuid4().hex[:8]}"
    root.mkdir()
    ragforge = CommandLine(root, environment)
    assert ragforge.run("init", "--yes", "--embedder", "none").returncode == 0
    assert ragforge.run("generate").returncode == 0
    # An environment that has what this one has, and takes what the project installs.
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = tmp_path / "venv" / "bin" / "python"
    [site] = (tmp_path / "venv" / "lib").glob("python*/site-packages")
    here = Path(pytest.__file__).parents[1]
    (site / "here.pth").write_text(f"{here}\n{ROOT}\n")
    done = subprocess.run(
        ["make", "test", f"PYTHON={python}"],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert " passed" in done.stdout
