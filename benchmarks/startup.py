"""What starting costs: imports, help, and a question at a warm server, each beside its own floor in the same run.

    python benchmarks/startup.py [--rounds 15] [--json FILE]

Every command is a process of its own; commands and floors take turns, and the figures are medians of wall time. The
question is asked about a copy of this repository's package that is in the graph already. Ends with 1 where a target
is missed. The server is ``NEO4J_URI``'s, else the managed one; what was written is deleted at the end.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, forget_project, table, write_json
from benchmarks.server import benchmark_server
from ragforge_memory.config import Neo4jConfig

ROOT = Path(__file__).resolve().parent.parent
QUESTION = "where is AsyncConversationAgent?"
PUBLIC = "from ragforge_memory import ConversationAgent, ConversationConfig, tool"
RAGFORGE = ("-m", "ragforge_memory.cli.main")


class Project:
    """A copy of the package in the graph, and the environment that its questions are asked in."""

    def __init__(self, scratch: Path, config: Neo4jConfig) -> None:
        self.name = f"benchmark-{uuid.uuid4().hex}"
        self.root = scratch / "project"
        shutil.copytree(ROOT / "ragforge_memory", self.root / "package", ignore=shutil.ignore_patterns("*.pyc"))
        (self.root / "ragforge.config.yaml").write_text(f"name: {self.name}\nllm: {{provider: extractive}}\n")
        self.environment = {
            **os.environ,
            "NEO4J_URI": config.uri,
            "NEO4J_USERNAME": config.username,
            "NEO4J_PASSWORD": config.password,
            "NEO4J_DATABASE": config.database,
        }


def run(arguments: tuple[str, ...], project: Project) -> tuple[float, float]:
    """Wall and processor milliseconds of one process.

    Raises:
        SystemExit: it failed.
    """
    started = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *arguments],
        cwd=project.root,
        env=project.environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    said = process.stderr.read() if process.stderr else b""
    _, status, used = os.wait4(process.pid, 0)
    wall = time.perf_counter() - started
    if os.waitstatus_to_exitcode(status):
        raise SystemExit(f"{' '.join(arguments)} failed:\n{said.decode(errors='replace')}")
    return wall * 1_000, (used.ru_utime + used.ru_stime) * 1_000


def measure(project: Project, rounds: int) -> dict[str, tuple[float, float]]:
    """Medians of wall and processor time, by command."""
    commands = {
        "pass": ("-c", "pass"),
        "import neo4j": ("-c", "import neo4j"),
        "import typer": ("-c", "import typer"),
        "package": ("-c", "import ragforge_memory"),
        "public": ("-c", PUBLIC),
        "help": (*RAGFORGE, "--help"),
        "ask": (*RAGFORGE, "ask", QUESTION),
    }
    for command in (("-m", "compileall", "-q", str(ROOT / "ragforge_memory")), *commands.values(), commands["ask"]):
        run(command, project)
    samples: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            samples[name].append(run(command, project))
    return {name: (median(wall for wall, _ in runs), median(cpu for _, cpu in runs)) for name, runs in samples.items()}


def figures_of(measured: dict[str, tuple[float, float]]) -> list[Figure]:
    """The table's lines."""
    wall = {name: times[0] for name, times in measured.items()}

    def detail(name: str, floor: str) -> str:
        return f"{wall[name]:.0f} ms beside {wall[floor]:.0f} ms; processor {measured[name][1]:.0f} ms"

    return [
        Figure("import of the public names", wall["public"] / wall["import neo4j"], "x import neo4j", 1.0,
               detail("public", "import neo4j")),
        Figure("import ragforge_memory", wall["package"] - wall["pass"], "ms more", 50, detail("package", "pass")),
        Figure("ragforge --help", wall["help"] / wall["import typer"], "x import typer", 2.0,
               detail("help", "import typer")),
        Figure("ragforge ask, server up", wall["ask"] - wall["import neo4j"], "ms more", 1_200,
               detail("ask", "import neo4j")),
    ]  # fmt: skip


def main() -> int:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    config = benchmark_server()
    with tempfile.TemporaryDirectory() as scratch:
        project = Project(Path(scratch), config)
        try:
            figures = figures_of(measure(project, given.rounds))
        finally:
            forget_project(config, project.name)
    print(table(f"starting, medians of {given.rounds} rounds", figures))
    if given.json:
        write_json(given.json, "startup", figures, rounds=given.rounds)
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
