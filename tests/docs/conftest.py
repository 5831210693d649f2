"""What the documentation is run in: a small project, the session's Neo4j, a home of its own, no key and no model."""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.home import cache_home
from tests.cli.conftest import CommandLine

ROOT = Path(__file__).resolve().parents[2]
OURS = ("NEO4J_", "RAGFORGE_HOME", "RAGFORGE_CACHE", "GEMINI_", "GOOGLE_", "OPENAI_", "MEMORY_TOOL_", "ENABLE_")


@dataclass(frozen=True)
class Shop:
    """A project of two files, and processes that work in it."""

    root: Path
    environment: dict[str, str]

    def python(self, *arguments: str, stdin: str = "") -> str:
        """What a Python process prints that must succeed; warnings are errors there too."""
        return self._run([sys.executable, "-W", "error", *arguments], stdin)

    def here(self, program: str, **environment: str) -> str:
        """What a program prints in this process, which saves the second of imports; warnings are errors here too."""
        out = io.StringIO()
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(out):
            for name in set(os.environ) - set(self.environment):
                patch.delenv(name)
            for name, value in {**self.environment, **environment}.items():
                patch.setenv(name, value)
            patch.chdir(self.root)
            exec(compile(program, "page.py", "exec"), {"__name__": "__main__"})
        return out.getvalue()

    def run(self, line: str) -> str:
        """What a command line prints, in which ``ragforge`` is this one; nothing of a user's is read.

        What needs no shell runs in this process, which saves the second of imports.
        """
        if line.startswith("ragforge ") and not re.search(r"[|&;<>$`\\]", line):
            return CommandLine(self.root, self.environment).ok(*shlex.split(line)[1:])
        program = f"{shlex.quote(sys.executable)} -m ragforge_memory.cli.main"
        return self._run(["sh", "-c", f'ragforge() {{ {program} "$@"; }}; {line}'], "")

    def _run(self, command: Sequence[str], stdin: str) -> str:
        done = subprocess.run(
            command,
            cwd=self.root,
            env=self.environment,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=240,
            check=False,
        )
        assert done.returncode == 0, f"{' '.join(command)[:300]}: {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture
def shop(tmp_path: Path, neo4j_config: Neo4jConfig) -> Shop:
    """The project that README.md and the examples talk about."""
    root = tmp_path / "shop"
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
    environment = {key: value for key, value in os.environ.items() if not key.startswith(OURS)}
    return Shop(
        root,
        {
            **environment,
            "RAGFORGE_HOME": str(tmp_path / "home"),
            "RAGFORGE_CACHE": str(cache_home()),  # the embedding model is the user's, the rest is not
            "NEO4J_URI": neo4j_config.uri,
            "NEO4J_USERNAME": neo4j_config.username,
            "NEO4J_PASSWORD": neo4j_config.password,
        },
    )
