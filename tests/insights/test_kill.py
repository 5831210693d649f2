"""kill -9 half-way, and two processes at once: each insight is made once, and the next run asks only for the rest."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher
from tests.agent.elsewhere import ROOT, place_of
from tests.insights.talks import ALONE, FIELDS, STORED, TASK, asked_of, talks, topic_of

pytestmark = [pytest.mark.anyio, pytest.mark.long]


POINTS = ("claimed", "the model is asked", "before the write", "during the write", "after the write")
CONVERSATIONS = 6
_CLIENT = Path(__file__).with_name("client.py")

# One process dies at each point; two at once where they meet.
ROUNDS = [*((point, 1) for point in POINTS), ("the model is asked", 2)]


@pytest.mark.parametrize(("point", "processes"), ROUNDS)
async def test_a_killed_run_is_finished_by_the_next(
    point: str,
    processes: int,
    neo4j_config: Neo4jConfig,
    owner: Owner,
    make_agent: Callable[..., AsyncConversationAgent],
    cypher: Cypher,
) -> None:
    seed = POINTS.index(point) * 10 + processes
    print(f"seed {seed}")
    rng = random.Random(seed)
    provider = asked_of()
    async with make_agent(provider=provider, settings=ALONE) as agent:
        made = await talks(agent, CONVERSATIONS)
        # All speak into one pipe: which of them comes to the point does not matter.
        reader, writer = os.pipe()
        with os.fdopen(reader, encoding="utf-8") as said:
            clients = [
                _start(neo4j_config, owner, seed=seed * 100 + number, stdout=writer) for number in range(processes)
            ]
            os.close(writer)
            try:
                _wait_for(said, point, visit=rng.randint(1, 4), pause=rng.random() * 0.01)
            finally:
                for client in clients:
                    _kill(client)
        done = _stored(cypher, owner)
        found = await agent.batch_analyze(made, TASK, FIELDS)
    assert [each.conversation_id for each in found] == made
    assert sorted(_stored(cypher, owner)) == sorted(made), "each once"
    asked = [topic_of(request) for request in provider.requests]
    open_then = {f"topic-{number}" for number, uuid in enumerate(made) if uuid not in done}
    # What a killed process had sent may be stored just after it was looked: at most one for each that it worked on.
    assert set(asked) <= open_then
    assert len(open_then) - 2 * processes <= len(asked) == len(set(asked))
    assert found.made == len(asked)
    rows = cypher(STORED, user_id=owner.user_id, project=owner.project)
    assert {(row["token"], row["until"]) for row in rows} == {(None, None)}
    for row in rows:
        assert json.loads(row["data"])["topic"] == f"topic-{made.index(row['uuid'])}"


async def test_two_processes_share_the_work(
    neo4j_config: Neo4jConfig, owner: Owner, make_agent: Callable[..., AsyncConversationAgent], cypher: Cypher
) -> None:
    async with make_agent(settings=ALONE) as agent:
        made = await talks(agent, 8)
    clients = [_start(neo4j_config, owner, seed=number, lease=120.0) for number in range(2)]
    said = []
    try:
        for client in clients:
            told, _ = client.communicate(timeout=120)
            assert client.returncode == 0
            said.append(told.splitlines())
    finally:
        for client in clients:
            _kill(client)
    assert sorted(_stored(cypher, owner)) == sorted(made)
    asked = sorted(line.removeprefix("asked ") for lines in said for line in lines if line.startswith("asked "))
    assert asked == [f"topic-{number}" for number in range(8)], "no conversation is asked about twice"
    assert [lines[-1] for lines in said] == ["done 8", "done 8"], "both have all of it"


def _stored(cypher: Cypher, owner: Owner) -> list[str]:
    return [row["uuid"] for row in cypher(STORED, user_id=owner.user_id, project=owner.project)]


def _start(
    config: Neo4jConfig,
    owner: Owner,
    *,
    seed: int,
    lease: float = 1.0,
    stdout: int = subprocess.PIPE,
) -> subprocess.Popen[str]:
    settings = place_of(config, owner, seed=seed, lease=lease, concurrency=2)
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, str(_CLIENT), json.dumps(settings)],
        stdout=stdout,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def _kill(client: subprocess.Popen[str]) -> None:
    if client.poll() is None:
        client.send_signal(signal.SIGKILL)
    client.wait()
    if client.stdout is not None:
        client.stdout.close()


def _wait_for(said: IO[str] | None, point: str, *, visit: int, pause: float) -> None:
    assert said is not None
    for line in said:
        visit -= line.strip() == point
        if not visit:
            # Part of the experiment: it strikes at another moment each time, not only at the mark.
            time.sleep(pause)
            return
    raise AssertionError(f"it ended by itself before {point!r}")
