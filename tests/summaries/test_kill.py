"""kill -9 at each named point of the background: the next process makes the same grid."""

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
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.elsewhere import ROOT, place_of
from tests.summaries.desk import ALL, STATE, faults, sent, stretch

pytestmark = [pytest.mark.anyio, pytest.mark.long]

EVERY = 2
POINTS = (
    "claimed",
    "the model is asked",
    "before the write",
    "during the write",
    "after the write",
    "before the release",
)
_CLIENT = Path(__file__).with_name("client.py")


# One process dies at each point; two at once where they meet.
ROUNDS = [*((point, 1) for point in POINTS), ("the model is asked", 2), ("during the write", 2)]


@pytest.mark.parametrize(("point", "processes"), ROUNDS)
async def test_a_killed_worker(
    point: str,
    processes: int,
    neo4j_config: Neo4jConfig,
    owner: Owner,
    make_agent: Callable[..., AsyncConversationAgent],
    cypher: Callable[..., list[dict[str, Any]]],
    tmp_path: Path,
) -> None:
    seed = POINTS.index(point) * 10 + processes
    print(f"seed {seed}")
    rng = random.Random(seed)
    async with make_agent(settings={"enable_summarization": False}) as first:
        uuid = (await first.create_conversation(title="A talk")).uuid
    settings = place_of(neo4j_config, owner, conversation=uuid, every=EVERY, lease=1.0, sent=str(tmp_path / "sent"))
    clients = [_start({**settings, "seed": seed * 100 + number}, heard=not number) for number in range(processes)]
    try:
        _wait_for(clients[0], point, visit=rng.randint(1, 4), pause=rng.random() * 0.01)
    finally:
        for client in clients:
            client.send_signal(signal.SIGKILL)
            client.wait()
            if client.stdout is not None:
                client.stdout.close()
    provider = ScriptedProvider(purposes={"summary": [stretch]}, loop=True)
    async with make_agent(provider=provider, settings={"summarize_every": EVERY}) as second:
        assert await second.drain() == {}
    [state] = cypher(STATE, uuid=uuid)
    found = cypher(ALL, uuid=uuid)
    assert faults(found, EVERY, state["head"]) == []
    assert state["watermark"] == state["head"] // EVERY * EVERY
    assert not state["pending"]
    # No message was sent to a model twice, by whomever.
    marks = (tmp_path / "sent").read_text().split() if (tmp_path / "sent").exists() else []
    for request in provider.requests:
        marks += sent(request)
    assert len(marks) == len(set(marks))
    # What it says covers all of it, each stretch once; where a model was cut off, in the words of the messages.
    told = [row["content"] for row in found if row["model"] == "extractive"]
    assert len(told) <= processes
    if told:
        return
    said = [line.removeprefix("They did ").rstrip(".").split(" to ") for line in (state["summary"] or "").splitlines()]
    ends = [0, *(int(end) for _, end in said)]
    assert [int(start) for start, _ in said] == [end + 1 for end in ends[:-1]]
    assert ends[-1] == state["watermark"]


def _start(settings: dict[str, Any], *, heard: bool) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.Popen(
        [sys.executable, str(_CLIENT), json.dumps(settings)],
        stdout=subprocess.PIPE if heard else subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": path},
    )


def _wait_for(client: subprocess.Popen[str], point: str, *, visit: int, pause: float) -> None:
    assert client.stdout is not None
    for line in client.stdout:
        visit -= line.strip() == point
        if not visit:
            # Part of the experiment: it strikes at another moment each time, not only at the mark.
            time.sleep(pause)
            return
    raise AssertionError(f"the client ended by itself ({client.wait()}) before {point!r}")
