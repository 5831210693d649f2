"""What was said of code finds it again, and vectors come along where they are of use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.passwords import CODE
from tests.archive.conftest import Graph, MakeAgent
from tests.archive.story import project

pytestmark = pytest.mark.anyio


async def _statuses(conversation: Any) -> dict[str, str | None]:
    return {each.qualified_name: each.status for each in await conversation.referenced_code()}


async def test_the_code_is_another_by_now(make_agent: MakeAgent, graph: Graph, tmp_path: Path) -> None:
    root = project(tmp_path)
    said = ["`check_password` is in auth.py, it calls `scramble`."]
    async with make_agent(*said, root=root) as agent:
        await agent.ingest()
        talk = await agent.create_conversation()
        await talk.send_message("How?")
        document = await talk.export()
        assert await _statuses(talk) == {"check_password": "fresh", "scramble": "fresh"}
        graph.forget()
        # The graph's code has gone on; nothing was here to follow it.
        (root / "auth.py").write_text(CODE.replace("* 31", "* 37").replace("check_password", "verify_password"))
        await agent.ingest()
        restored = await agent.import_conversation(document)
        assert await _statuses(restored) == {"check_password": "moved", "scramble": "drifted"}
        references = graph.run(
            "MATCH (m:Message {project: $project})-[r:REFERENCES_CODE]->(s:Scope) RETURN s.name AS name ORDER BY name"
        )
        assert [row["name"] for row in references] == ["scramble", "verify_password"]
        # The lease was given back, and nothing has to be read again.
        assert (await agent.ingest()).files_changed == 0
        [row] = graph.run(
            "MATCH (p:Project {project: $project}) RETURN p.ingest_token AS token, p.ingest_incomplete AS open"
        )
        assert row == {"token": None, "open": None}


async def test_in_another_project(make_agent: MakeAgent, graph: Graph, tmp_path: Path) -> None:
    root = project(tmp_path)
    async with make_agent("See `scramble`.", root=root) as agent:
        await agent.ingest()
        talk = await agent.create_conversation()
        await talk.send_message("We decided that `scramble` stays. Where is it?")
        document = await talk.export()
    elsewhere = graph.owner.project + "-2"
    async with make_agent(project=elsewhere, root=root) as agent:
        mine = await agent.import_conversation(document)
        # Nothing was ingested yet, so nobody knows: that is not "gone", in no list.
        assert await _statuses(mine) == {"scramble": None}
        assert [each.status for each in (await mine.get_history())[-1].references] == [None]
        [about] = await agent.conversations_about("scramble")
        assert {each.status for each in about.references} == {None}
        [decision] = await agent.decisions()
        assert ({each.status for each in decision.code}, decision.doubtful) == ({None}, False)
        await agent.ingest()
        assert await _statuses(mine) == {"scramble": "fresh"}
        await mine.delete()
    graph.run("MATCH (n) WHERE n.project = $elsewhere DETACH DELETE n", elsewhere=elsewhere)


async def test_vectors_by_choice(neo4j_config: Neo4jConfig, graph: Graph, home: Path, tmp_path: Path) -> None:
    def agent_of(dimension: int, *steps: Any) -> AsyncConversationAgent:
        return AsyncConversationAgent(
            neo4j_config,
            llm_provider=ScriptedProvider(steps),
            embedder=HashingEmbedder(dimension),
            config=ConversationConfig(summarize_every=2),
            tools=(),
            **graph.owner.parameters,
        )

    vectors = (
        "MATCH (n) WHERE (n:Message OR n:Summary OR n:Conversation) AND n.user_id = $user_id AND n.project = $project "
        "RETURN n.uuid AS uuid, n:PendingEmbedding AS waits, "
        "[k IN keys(n) WHERE k CONTAINS 'embedding' | n[k]] AS vectors ORDER BY uuid"
    )
    async with agent_of(64, "one", "two") as agent:
        talk = await agent.create_conversation("Lighthouses")
        await talk.send_message("first")
        await talk.send_message("second")
        assert await agent.drain() == {}
        plain, whole = await talk.export(), await talk.export(embeddings=True)
        before = graph.run(vectors)
        assert all(row["vectors"] and not row["waits"] for row in before)
        assert plain.get("embeddings") is None  # type: ignore[union-attr]  # JSON was asked for
        assert '"embedding"' not in str(plain).replace("'", '"')
        assert whole["embeddings"]["dimension"] == 64  # type: ignore[index, call-overload]
        await agent.export_all(tmp_path / "all.jsonl", embeddings=True)
        graph.forget()
        await agent.import_conversations(tmp_path / "all.jsonl")
        assert graph.run(vectors) == before
        graph.forget()
        # Without them, everything waits for new ones.
        await agent.import_conversation(plain)
        assert await agent.drain() == {}
        assert graph.run(vectors) == before
        graph.forget()
    # Of another model they are of no use.
    async with agent_of(384) as agent:
        await agent.import_conversation(whole)
        assert await agent.drain() == {}
        after = graph.run(vectors)
        assert [len(row["vectors"][0]) for row in after] == [384] * len(before)
