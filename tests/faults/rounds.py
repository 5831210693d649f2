"""One round of the fault loop: start a client, kill it at a named point, look at what the graph has."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Message, Neo4jConfig
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner

POINTS = (
    "after write 1",
    "mid-stream",
    "in tool",
    "before write 2",
    "during write 2",
    "after write 2",
    "in background work",
)
_CLIENT = Path(__file__).with_name("client.py")


@dataclass(frozen=True, slots=True)
class Round:
    """What one round found: everything that was acknowledged, and every message in the graph, in order."""

    acknowledged: tuple[str, ...]
    messages: tuple[Message, ...]
    next_answer: str

    def faults(self) -> list[str]:
        """What is wrong; empty: nothing."""
        found = []
        uuids = [message.uuid for message in self.messages]
        if [message.seq for message in self.messages] != list(range(1, len(self.messages) + 1)):
            found.append(f"seq is {[message.seq for message in self.messages]}")
        for uuid in self.acknowledged:
            if uuids.count(uuid) != 1:
                found.append(f"{uuid} was acknowledged and is there {uuids.count(uuid)} times")
        places = [uuids.index(uuid) for uuid in self.acknowledged if uuid in uuids]
        if places != sorted(places):
            found.append("what was acknowledged is out of order")
        answered = {message.in_reply_to for message in self.messages if message.role == "assistant"}
        for message in self.messages:
            if message.role == "assistant" and message.in_reply_to not in uuids:
                found.append(f"{message.uuid} answers a question that is not there")
            if message.role == "user" and (message.uuid in answered) == (message.state == "unanswered"):
                found.append(f"the question {message.seq} is {message.state}")
            whole = len(message.tool_calls) == 2 and message.content.rstrip().endswith("word 11")
            if message.role == "assistant" and message.state == "complete" and not whole:
                found.append(f"{message.uuid} is called complete and is not")
        if self.next_answer != "Alive.":
            found.append("the next turn did not work")
        return found


async def run_round(config: Neo4jConfig, point: str, seed: int, directory: Path) -> Round:
    """Kills a client at a random visit of ``point`` and reads what it left.

    Args:
        config: a real server.
        point: one of `POINTS`.
        seed: decides which visit, and the client's pauses.
        directory: becomes RAGFORGE_HOME of the client and of the next process.
    """
    rng = random.Random(seed)
    owner = Owner(f"user-{uuid4().hex}", f"project-{uuid4().hex}")
    os.environ["RAGFORGE_HOME"] = str(directory)

    def agent(*steps: str) -> AsyncConversationAgent:
        return AsyncConversationAgent(
            config,
            llm_provider=ScriptedProvider(steps),
            tools=(),
            config=ConversationConfig(embed_messages=False),
            user_id=owner.user_id,
            project=owner.project,
        )

    async with agent() as first:
        conversation = await first.create_conversation()
    acknowledged = directory / "acknowledged"
    acknowledged.touch()
    settings = {
        "uri": config.uri,
        "username": config.username,
        "password": config.password,
        "user_id": owner.user_id,
        "project": owner.project,
        "conversation": conversation.uuid,
        "acknowledged": str(acknowledged),
        "seed": seed,
    }
    kill_at_visit(settings, point, visit=rng.randint(1, 3), pause=rng.random() * 0.01)
    async with agent("Alive.") as second:
        again = await second.load_conversation(conversation.uuid)
        messages = await again.get_history(limit=1_000)
        answer = await again.send_message("Are you there?")
    return Round(tuple(acknowledged.read_text().split()), tuple(messages), answer.content)


def kill_at_visit(settings: dict[str, object], point: str, *, visit: int, pause: float) -> None:
    """Starts the client and kills it (-9) ``pause`` seconds after it has said ``point`` for the ``visit``-th time."""
    client = subprocess.Popen(
        [sys.executable, str(_CLIENT), json.dumps(settings)], stdout=subprocess.PIPE, text=True, env=os.environ
    )
    assert client.stdout is not None
    seen = 0
    try:
        for line in client.stdout:
            seen += line.strip() == point
            if seen == visit:
                # Part of the experiment: it strikes at another moment each time, not only at the mark.
                time.sleep(pause)
                break
        else:
            raise AssertionError(f"the client ended by itself ({client.wait()}) before {point!r}")
    finally:
        client.send_signal(signal.SIGKILL)
        client.wait()
        client.stdout.close()
