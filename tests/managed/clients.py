"""Other processes that use a managed server."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import neo4j

from ragforge_memory.graph.managed import ServerInfo

_ENSURE = """
import json, sys
from pathlib import Path
from ragforge_memory.graph.managed import ensure_running
info = ensure_running(Path(sys.argv[1]))
print(json.dumps({"pid": info.pid, "port": info.port, "modules": sorted(sys.modules)}), flush=True)
sys.stdin.read()
"""


def ask(info: ServerInfo, statement: str) -> list[object]:
    with neo4j.GraphDatabase.driver(info.uri, auth=(info.username, info.password)) as driver:
        return [record[0] for record in driver.execute_query(statement, database_="neo4j").records]


class Client:
    """A process that makes sure the server runs, and stays until it is left."""

    def __init__(self, home: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _ENSURE, str(home)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def info(self) -> dict[str, Any]:
        """Process id and port of the server it got, and the modules it loaded for that."""
        assert self._process.stdout is not None
        found: dict[str, Any] = json.loads(self._process.stdout.readline())
        return found

    def leave(self) -> None:
        """End the process."""
        self._process.communicate("")
        assert self._process.returncode == 0
