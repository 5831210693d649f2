"""Every benchmark in its smallest size: that it runs and prints its figures, whatever they are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragforge_memory.config import Neo4jConfig

pytestmark = [pytest.mark.long, pytest.mark.timeout(650)]

ROOT = Path(__file__).resolve().parents[2]
MODULE = '''"""Number {number}."""

LIMIT = {number}


class Shelf{number}:
    """Holds things."""

    def put(self, thing):
        """Puts a thing there."""
        return check_{number}(thing, LIMIT)

    def take(self, thing):
        return self.put(thing)


def check_{number}(thing, limit):
    """Refuses what is too much."""
    if thing > limit:
        raise ValueError(thing)
    return thing
'''
SMALL = {
    "core": ("--rounds", "4", "--messages", "40"),
    "bulk_import": ("--rounds", "1", "--messages", "40"),
    "import_memory": ("--mb", "1", "--seconds", "60"),
    "memory": ("--memories", "4000", "--rounds", "4"),
    "memory_queue": ("--kills", "2"),
    "memory_session": ("--turns", "20"),
    "served": ("--quick", "--sessions", "4", "--minutes", "0.2", "--pause", "1"),
    "similar": ("--conversations", "30"),
    "ingest": ("--files", "5"),
    "reembed": ("--messages", "300"),
    "growth": ("--most", "1000", "--embedded", "200", "--long", "1000", "--rounds", "5", "--patience", "20"),
    "startup": ("--rounds", "1"),
    "retrieval": ("--data", "{data}", "--sizes", "30"),
    "impact": ("{repository}", "--commits", "2"),
    "anchors": ("--follow", "{repository}", "--commits", "2", "--anchors", "3"),
    "scopes": ("{repository}",),
    "edges": ("{repository}", "--seed", "1", "--count", "3"),
}
# Stops its server; has a test of its own; asks two hundred questions whatever it is given; wants published files;
# wants universal-ctags; wants documents and questions about them.
ELSEWHERE = {"erasure", "faults", "answers", "questions", "samples", "scopes_ctags", "company", "knowledge"}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project of some modules with three commits."""
    root = tmp_path_factory.mktemp("project")
    git = ("git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false")
    subprocess.run((*git, "init", "-q"), cwd=root, check=True)
    for number in range(1, 9):
        (root / f"module_{number}.py").write_text(MODULE.format(number=number), encoding="utf-8")
    for commit in range(4):
        if commit:
            module = root / f"module_{commit}.py"
            module.write_text(module.read_text(encoding="utf-8").replace("> limit", f"> limit + {commit}"))
        subprocess.run((*git, "add", "-A"), cwd=root, check=True)
        subprocess.run((*git, "commit", "-q", "-m", f"Commit {commit}"), cwd=root, check=True)
    return root


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A talk and questions about it, as `retrieval` reads them."""
    folder = tmp_path_factory.mktemp("data")
    said = ["We went to the lake.", "The boat is red.", "Ada bought a piano.", "Ben plays chess on Mondays."]
    turn = {"conv_id": "c", "session": 1, "ts": "2024-01-01T10:00:00", "speaker": "Ada", "role": "user"}
    turns = [{"id": f"d{number}", **turn, "text": text} for number, text in enumerate(said)]
    asked = {"qid": "q", "conv_id": "c", "category": "single", "question": "Which colour is the boat?"}
    questions = [{**asked, "answer": "red", "relevant": ["d1"]}]
    for name, rows in (("corpus", turns), ("queries", questions)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return folder


def test_all_are_here() -> None:
    with_a_command = {path.stem for path in ROOT.glob("benchmarks/*.py") if "__main__" in path.read_text()}
    assert with_a_command - SMALL.keys() == ELSEWHERE


@pytest.mark.parametrize("name", SMALL)
def test_it_runs(name: str, repository: Path, data: Path, neo4j_config: Neo4jConfig, tmp_path: Path) -> None:
    arguments = [each.format(repository=repository, data=data) for each in SMALL[name]]
    environment = os.environ | {
        "NEO4J_URI": neo4j_config.uri,
        "NEO4J_USERNAME": neo4j_config.username or "neo4j",
        "NEO4J_PASSWORD": neo4j_config.password or "",
        "RAGFORGE_HOME": str(tmp_path),
    }
    script = str(ROOT / "benchmarks" / f"{name}.py")
    ran = subprocess.run(
        (sys.executable, script, *arguments), cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=600
    )
    assert ran.returncode in (0, 1), ran.stderr  # 1: a figure was missed, as in so small a size it may be
    assert "Traceback" not in ran.stderr, ran.stderr
    assert ran.stdout.strip()
