"""Agents as the tests of turns have them, and a little project."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.agent.conftest import cypher, home, make_agent

__all__ = ["cypher", "home", "make_agent", "project"]

CODE = '''\
class Client:
    """Talks to the service."""

    def send(self, request):
        return self.transport(request)


def fetch_all(urls):
    """Fetches each."""
    return [Client(url).send("x") for url in urls]


def unrelated(price):
    return price * 2
'''


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with one file."""
    root = tmp_path / "project"
    root.mkdir()
    (root / "client.py").write_text(CODE)
    return root
