"""Several writers at once: order, one conversation a session, every answer behind its own question."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ragforge_memory import Neo4jConfig
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import Cypher, MakeAgent
from tests.agent.elsewhere import ROOT, place_of

pytestmark = pytest.mark.anyio


TURNS = 10
_WRITER = """
import asyncio, json, sys
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.elsewhere import agent_at

place, uuid, name, turns = sys.argv[1:]

async def main():
    provider = ScriptedProvider([lambda request: "about: " + request.messages[-1].content], loop=True)
    async with agent_at(json.loads(place), provider) as agent:
        conversation = await agent.load_conversation(uuid)
        print("ready", flush=True)
        sys.stdin.readline()
        await asyncio.gather(*[conversation.send_message(f"{name} {number}") for number in range(int(turns))])

asyncio.run(main())
"""


async def test_two_processes_with_ten_overlapping_turns_each(
    make_agent: MakeAgent,
    neo4j_config: Neo4jConfig,
    owner: Owner,
    tmp_path: Path,
    cypher: Cypher,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with make_agent() as agent:
        conversation = await agent.create_conversation()
    place = json.dumps(place_of(neo4j_config, owner))
    writers = [
        subprocess.Popen(  # noqa: ASYNC220 - started before anything else runs on the loop
            [sys.executable, "-c", _WRITER, place, conversation.uuid, name, str(TURNS)],
            cwd=ROOT,
            env={**os.environ, "RAGFORGE_HOME": str(tmp_path / name)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two")
    ]
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=100)
        assert writer.returncode == 0
    for name in ("one", "two"):
        # On a machine that is busy a write may have run into its time-out: then its turn waits on disk.
        monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path / name))
        async with make_agent():
            pass
    rows = cypher(
        """MATCH (:Conversation {uuid: $uuid})-[:HAS_MESSAGE]->(m:Message)
        RETURN m.seq AS seq, m.uuid AS uuid, m.role AS role, m.content AS content, m.in_reply_to AS reply
        ORDER BY m.seq""",
        uuid=conversation.uuid,
    )
    assert [row["seq"] for row in rows] == list(range(1, 4 * TURNS + 1))
    questions = {row["uuid"]: row["content"] for row in rows if row["role"] == "user"}
    answers = {row["reply"]: row["content"] for row in rows if row["role"] == "assistant"}
    assert sorted(questions.values()) == sorted(f"{name} {n}" for name in ("one", "two") for n in range(TURNS))
    assert answers == {uuid: f"about: {content}" for uuid, content in questions.items()}


async def test_sixteen_writers_make_one_conversation_of_a_session(make_agent: MakeAgent, cypher: Cypher) -> None:
    agents = [make_agent(f"answer {number}") for number in range(16)]
    for agent in agents:
        await agent.open()

    async def write(number: int) -> str:
        conversation = await agents[number].open_conversation("the-session")
        await conversation.send_message(f"question {number}")
        return conversation.uuid

    try:
        uuids = set(await asyncio.gather(*map(write, range(16))))
    finally:
        for agent in agents:
            await agent.aclose()
    assert len(uuids) == 1
    rows = cypher(
        """MATCH (c:Conversation {uuid: $uuid})-[:HAS_MESSAGE]->(m)
        RETURN m.seq AS seq, m.content AS content ORDER BY seq""",
        uuid=uuids.pop(),
    )
    assert [row["seq"] for row in rows] == list(range(1, 33))
    assert {row["content"] for row in rows} == {f"{kind} {n}" for kind in ("question", "answer") for n in range(16)}
