"""The command line as users run it: a process of its own, in a small project, on the session's Neo4j."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.cli import main
from ragforge_memory.config import Neo4jConfig

ENTRY = [sys.executable, "-W", "error", "-m", "ragforge_memory.cli.main"]


@dataclass(frozen=True)
class Finished:
    """What a run printed and ended with."""

    returncode: int
    stdout: str
    stderr: str


@dataclass
class CommandLine:
    """Runs ``ragforge`` in ``project`` with ``environment``.

    ``run`` runs it in this process, which saves the second of imports; ``process`` is the real thing.
    """

    project: Path
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, stdin: str = "", **environment: str) -> Finished:
        """A run inside this process, on streams that are not a terminal."""
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        with pytest.MonkeyPatch.context() as patch:
            for name in set(os.environ) - set(self.environment):
                patch.delenv(name)
            for name, value in {**self.environment, **environment}.items():
                patch.setenv(name, value)
            patch.chdir(self.project)
            patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode()), encoding="utf-8"))
            patch.setattr(sys, "stdout", out)
            patch.setattr(sys, "stderr", err)
            code = main.run_arguments(list(arguments))
        return Finished(code, *(_written(stream) for stream in (out, err)))

    def process(self, *arguments: str, stdin: str = "", **environment: str) -> Finished:
        """A process of its own; bounded by a time-out."""
        done = subprocess.run(
            [*ENTRY, *arguments],
            cwd=self.project,
            env={**self.environment, **environment},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    def ok(self, *arguments: str, stdin: str = "", **environment: str) -> str:
        """What a run that must succeed prints."""
        done = self.run(*arguments, stdin=stdin, **environment)
        assert done.returncode == 0, f"{arguments}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def json(self, *arguments: str, **environment: str) -> Any:
        """The one JSON document that a run prints."""
        return json.loads(self.ok(*arguments, **environment))

    def script(self, *steps: Any, name: str = "script.json", **script: Any) -> str:
        """The ``--model`` of a scripted model that answers with these steps."""
        file = self.project.parent / name
        file.write_text(json.dumps({"steps": steps, **script}), encoding="utf-8")
        return f"scripted:{file}"


def _written(stream: io.TextIOWrapper) -> str:
    stream.flush()
    buffer = stream.buffer
    assert isinstance(buffer, io.BytesIO)
    return buffer.getvalue().decode()


@pytest.fixture
def bare_environment(tmp_path: Path) -> dict[str, str]:
    """This process's environment without any setting of ours, with a home of its own and no server."""
    ours = ("NEO4J_", "RAGFORGE_", "GEMINI_", "GOOGLE_", "OPENAI_", "MEMORY_TOOL_", "ENABLE_", "NO_COLOR")
    environment = {key: value for key, value in os.environ.items() if not key.startswith(ours)}
    return {**environment, "RAGFORGE_HOME": str(tmp_path / "home"), "TERM": "xterm-256color", "COLUMNS": "100"}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A small project of two files, named by no configuration: the path is its name, so nobody shares it."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "auth.py").write_text(
        '"""Who may come in."""\n\n\ndef check_password(name: str, password: str) -> bool:\n'
        '    """Compares a password with the stored one."""\n    return len(password) > 8\n\n\n'
        'def login(name: str, password: str) -> str:\n    """Lets a user in."""\n'
        '    if not check_password(name, password):\n        raise PermissionError(name)\n    return f"token-{name}"\n'
    )
    (root / "app.py").write_text(
        "from auth import login\n\n\ndef main() -> None:\n    print(login('ada', 'correct horse'))\n"
    )
    return root


@pytest.fixture
def ragforge(project: Path, bare_environment: dict[str, str], neo4j_config: Neo4jConfig) -> CommandLine:
    """The command line on the session's Neo4j; embeddings are made by hashing, so nothing is fetched."""
    (project / "ragforge.config.yaml").write_text("agent: {memory: {embeddings: {provider: hashing}}}\n")
    return CommandLine(
        project,
        {
            **bare_environment,
            "NEO4J_URI": neo4j_config.uri,
            "NEO4J_USERNAME": neo4j_config.username,
            "NEO4J_PASSWORD": neo4j_config.password,
        },
    )
