"""What is exported and taken in again is what it was: every node, edge and property, by plain Cypher."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragforge_memory import Neo4jConfig
from tests.archive.conftest import Graph, MakeAgent
from tests.archive.story import STEPS, prefer, project, told, weigh

pytestmark = pytest.mark.anyio

SETTINGS = {"summarize_every": 3}
# What tools did is learned anew, and in no archive.
_MEMORIES = """
MATCH (m:Memory) WHERE m.user_id = $user_id AND m.project IN [$project, '']
RETURN m.uuid AS uuid, m.kind STARTS WITH 'tool_' AS learned
"""


async def test_a_family_comes_back_as_it_was(
    make_agent: MakeAgent, graph: Graph, elsewhere: Graph, old_neo4j_config: Neo4jConfig, tmp_path: Path
) -> None:
    root = project(tmp_path)
    async with make_agent(*STEPS, tools=[weigh], root=root, settings=SETTINGS) as agent:
        await agent.ingest()
        await prefer(agent)
        family = await told(agent)
        document = await family["trunk"].export()
        report = await agent.export_all(tmp_path / "all.jsonl")
        seen = graph.seen()
        assert (report.conversations, report.messages) == (4, 19)
        memories = {row["uuid"]: row["learned"] for row in graph.run(_MEMORIES)}
        given = {each: n for each, n in seen.edges.items() if each[3] in memories}
        assert {memories[each[3]] for each in given} >= {False}
        graph.forget()
        restored = await agent.import_conversation(json.dumps(document))
        assert restored.uuid == family["trunk"].uuid
        assert graph.seen().differs(seen) == []
        graph.forget()
        taken = await agent.import_conversations(tmp_path / "all.jsonl")
        assert (taken.conversations, taken.messages, taken.tool_calls, taken.failed) == (3, 19, 3, 0)
        assert graph.seen().differs(seen) == []
    # A database that knows nothing of the code: what is tied to it comes back with the code.
    async with make_agent(neo4j=old_neo4j_config, root=root, settings=SETTINGS) as agent:
        await agent.import_conversation(document)
        there = elsewhere.seen()
        assert there.nodes == seen.nodes
        edges = {each: n for each, n in seen.edges.items() if each[1] not in ("REFERENCES_CODE", "RESOLVES_TO")}
        assert there.edges == {each: n for each, n in edges.items() if each not in given}
        await agent.ingest()
        there = elsewhere.seen()
        kinds = {"REFERENCES_CODE", "RESOLVES_TO"}
        assert sum(n for each, n in there.edges.items() if each[1] in kinds) == sum(
            n for each, n in seen.edges.items() if each[1] in kinds
        )
        # What answers were given of what is remembered comes with the memories, which only a file of lines has.
        elsewhere.forget()
        await agent.import_conversations(tmp_path / "all.jsonl")
        back = {each: n for each, n in elsewhere.seen().edges.items() if each[3] in memories}
        assert back == {each: n for each, n in given.items() if not memories[each[3]]}
