"""A move that is killed half-way, and a process beside it that searches all the while."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragforge_memory import Neo4jConfig
from ragforge_memory.graph.connect import connect
from ragforge_memory.graph.reembedding import ReembeddingStore
from ragforge_memory.graph.spaces import prepare_space
from ragforge_memory.models.owner import Owner
from tests.spaces.conftest import NEW, OLD, Configured, Models, Plain, in_space

pytestmark = [pytest.mark.anyio, pytest.mark.long]

_CLIENT = Path(__file__).with_name("client.py")


class Client:
    """A process that goes one step for each line that it is given."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process

    def step(self) -> str:
        """Lets it go on, and returns what it says next."""
        assert self.process.stdin is not None
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return self.hear()

    def hear(self) -> str:
        """What it says next."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()


@contextmanager
def _client(does: str, config: Neo4jConfig, owner: Owner, models: Models) -> Iterator[Client]:
    given = {
        "does": does,
        "neo4j": {"uri": config.uri, "username": config.username, "password": config.password},
        "user_id": owner.user_id,
        "project": owner.project,
        "old": [models.old, OLD],
        "new": [models.new, NEW],
    }
    process = subprocess.Popen(
        [sys.executable, str(_CLIENT), json.dumps(given)],
        cwd=_CLIENT.parent.parent.parent,
        env={**os.environ, "PYTHONPATH": str(_CLIENT.parent.parent.parent)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield Client(process)
    finally:
        process.kill()
        process.communicate()


async def test_a_killed_move_goes_on_and_another_process_sees_the_switch(
    either_config: Neo4jConfig, owner: Owner, models: Models, configured: Configured, plain: Plain
) -> None:
    async with configured(models.old, OLD) as agent:
        for number in range(3):
            talk = [{"role": "user", "content": f"note {at} on lighthouses {number}"} for at in range(50)]
            await agent.import_conversation(talk)
        assert await agent.drain() == {}
    with _client("search", either_config, owner, models) as searcher:
        assert searcher.step() == f"{models.old} text meaning"
        with _client("move", either_config, owner, models) as mover:
            said = [mover.hear(), *(mover.step() for _ in range(4))]
            assert all(line.startswith("embeds") for line in said), said
            assert searcher.step() == f"{models.old} text meaning"
        # Killed while it held the claim; what it had stored is there.
        client = await connect(either_config)
        store = ReembeddingStore(client, owner.project)
        state = await store.state()
        new = await prepare_space(client, f"hashing:{models.new}", NEW)
        await client.aclose()
        stored = in_space(plain, new, owner.project)
        assert 0 < stored["Message"] < 150
        assert state.total == 153
        assert state.left == 153 - sum(stored.values())
        with _client("move", either_config, owner, models) as mover:
            line = mover.hear()
            while line.startswith("embeds"):
                assert searcher.step() == f"{models.old} text meaning"
                line = mover.step()
            assert line == f"done {150 - stored['Message']}"
        assert searcher.step() == f"{models.new} text meaning"
    assert in_space(plain, new, owner.project) == {"Message": 150, "Summary": 0, "Conversation": 3, "Scope": 0}
