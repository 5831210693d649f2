"""kill -9 in the middle of an import: each conversation is there whole or not at all, and the import can go on."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from ragforge_memory.config import Neo4jConfig
from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.client import GraphClient
from tests.agent.elsewhere import ROOT, place_of
from tests.archive.conftest import Graph, MakeAgent
from tests.archive.story import STEPS, prefer, told, weigh

pytestmark = [pytest.mark.anyio, pytest.mark.long]

_CLIENT = Path(__file__).with_name("client.py")
POINTS = ("begun", "messages", "summaries", "before the end", "during the end", "after the end")
SETTINGS = {"summarize_every": 3}


@pytest.mark.parametrize("form", ["document", "lines"])
async def test_a_killed_import(
    form: str, make_agent: MakeAgent, graph: Graph, neo4j_config: Neo4jConfig, tmp_path: Path
) -> None:
    file = tmp_path / form
    async with make_agent(*STEPS, tools=[weigh], settings=SETTINGS) as agent:
        await prefer(agent)
        family = await told(agent)
        if form == "document":
            await family["trunk"].export(file)
        else:
            await agent.export_all(file)
    seen = graph.seen()
    settings = place_of(neo4j_config, graph.owner, file=str(file))
    for point in POINTS:
        graph.forget()
        if form == "lines":  # which has the memories that answers were given, but for what tools did
            graph.run(
                "MATCH (m:Memory:Standing {user_id: $user_id}) OPTIONAL MATCH (m)-[:HAS_VERSION]->(v) "
                "DETACH DELETE v, m"
            )
        _killed({**settings, "point": point, "stop": point != "during the end"}, point)
        async with make_agent(settings={"enable_summarization": False}) as agent:
            there = {each.uuid: each for each in (await agent.list_conversations()).items}
            if form == "document" and point != "during the end":
                assert len(there) == (3 if point == "after the end" else 0)
            assert form == "lines" or len(there) in (0, 3)
            for uuid, info in there.items():
                history = await (await agent.load_conversation(uuid)).get_history()
                assert [message.seq for message in history] == list(range(1, info.head_seq + 1))
            report = await agent.import_conversations(file, on_conflict="skip")
            assert report.failed == 0
            graph.run("MATCH (c:Conversation {project: $project}) REMOVE c.settled_seq")
            assert graph.seen().differs(seen) == []


def _killed(settings: dict[str, object], point: str) -> None:
    """A process that imports, and is killed where it says that it is at ``point``."""
    process = subprocess.Popen(
        [sys.executable, str(_CLIENT), json.dumps(settings)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    with process:
        assert process.stdout is not None
        while line := process.stdout.readline():
            if line.strip() == point:
                break
        assert line, "it ended before it came there"
        process.send_signal(signal.SIGKILL)


@pytest.mark.parametrize("statement", ["begin_restore", "restore_messages", "restore_summaries", "finish_restore"])
async def test_a_graph_that_goes_away(
    statement: str, make_agent: MakeAgent, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with make_agent(*STEPS, tools=[weigh], settings=SETTINGS) as agent:
        document = await (await told(agent))["trunk"].export()
        seen = graph.seen()
        graph.forget()
        real = GraphClient.write
        calls = 0

        async def write(self: GraphClient, name: str, /, **options: object) -> object:
            nonlocal calls
            calls += name == statement
            if name == statement and calls == 2 - (statement == "finish_restore"):
                raise GraphUnavailable("gone")
            return await real(self, name, **options)  # type: ignore[arg-type]  # as given

        with monkeypatch.context() as patched:
            patched.setattr(GraphClient, "write", write)
            with pytest.raises(GraphUnavailable, match="gone"):
                await agent.import_conversation(document)
        assert not graph.run("MATCH (c:Conversation {project: $project}) RETURN c.uuid")
        assert not graph.run("MATCH (m:Message {project: $project}) RETURN m.uuid")
        await agent.import_conversation(document)
        assert graph.seen().differs(seen) == []
