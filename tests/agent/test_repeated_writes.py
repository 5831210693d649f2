"""Every write may be run again after it was committed, where its answer was lost: what comes of it is the same."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import ConversationNotFound
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio


@pytest.fixture
def repeated(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Every write is run twice, and its second answer counts; the names of those that ran."""
    ran: set[str] = set()
    write = GraphClient.write

    async def twice(self: GraphClient, name: str, /, **given: Any) -> list[dict[str, Any]]:
        ran.add(name)
        await write(self, name, **given)
        return await write(self, name, **given)

    monkeypatch.setattr(GraphClient, "write", twice)
    return ran


async def test_writes_that_are_run_twice_are_done_once(
    make_agent: MakeAgent, cypher: Cypher, repeated: set[str], tmp_path: Path
) -> None:
    root = tmp_path / "shop"
    root.mkdir()
    (root / "prices.py").write_text("def total(prices):\n    return sum(prices)\n", encoding="utf-8")
    provider = ScriptedProvider(
        ["`total` adds them up."], purposes={"summary": ["They spoke of total."], "title": ["Prices"]}, loop=True
    )
    settings = {"embed_messages": True, "summarize_every": 4, "enable_summarization": True}
    async with make_agent(provider=provider, settings=settings, root=root, embedder=HashingEmbedder(64)) as agent:
        report = await agent.ingest()
        assert (report.files, report.scopes) == (1, 1)
        conversation = await agent.create_conversation(title="Prices")
        for number in range(4):
            await conversation.send_message(f"What does total do, {number}?")
        assert not await agent.drain(60)
        assert [each.seq for each in await conversation.get_history()] == [*range(1, 9)]
        branch = await conversation.branch(title="Another way")
        await branch.send_message("And there?")
        merged = await conversation.merge(branch)
        await conversation.set_title("All prices")
        await agent.drain(60)
        archive = tmp_path / "all.jsonl"
        await agent.export_all(archive)
        uuid = conversation.uuid
        stretches = "MATCH (s:Summary {conversation_id: $u}) RETURN s.level AS l, s.from_seq AS f ORDER BY l, f"
        summaries = cypher(stretches, u=uuid)
        await branch.delete()
        await conversation.delete()
        with pytest.raises(ConversationNotFound):
            await agent.load_conversation(uuid)
        assert cypher("MATCH (n {conversation_id: $u}) RETURN count(n) AS n", u=uuid) == [{"n": 0}]
        restored = await agent.import_conversations(archive)
        assert (restored.conversations, restored.errors) == (2, ())
        again = await agent.load_conversation(uuid)
        history = await again.get_history()
        assert [each.seq for each in history] == [*range(1, 10)]
        assert history[-1].uuid == merged.uuid
        assert summaries == cypher(stretches, u=uuid)
        assert {each.qualified_name for each in await again.referenced_code()} == {"total"}
        moved = await agent.reembed(HashingEmbedder(384))
        assert (moved.switched, moved.dimension, moved.failed) == (True, 384, 0)
    assert {"append_message", "complete_turn", "begin_delete", "finish_ingest", "finish_restore"} <= repeated
    assert {"claim_summary", "take_ingest_lease", "switch_space", "create_branch", "merge_branch"} <= repeated


async def test_a_failed_vector_is_counted_once(
    make_agent: MakeAgent, cypher: Cypher, repeated: set[str], tmp_path: Path
) -> None:
    (tmp_path / "prices.py").write_text("def total(prices):\n    return sum(prices)\n", encoding="utf-8")
    provider = ScriptedProvider(["Yes."], purposes={"summary": ["They spoke of total."]}, loop=True)
    settings = {"embed_messages": True, "summarize_every": 2, "enable_summarization": True}
    async with make_agent(provider=provider, settings=settings, root=tmp_path, embedder=HashingEmbedder(64)) as agent:
        await agent.ingest()
        conversation = await agent.create_conversation()
        await conversation.send_message("Well?")
        await agent.drain(60)
        services = await agent.open()
        assert services.background.summaries is not None
        assert services.stores.similar is not None
        owner = services.place.owner.parameters
        kinds = {
            "Message": services.stores.messages.fail_embeddings,
            "Summary": services.background.summaries.store.fail_embeddings,
            "Scope": partial(services.stores.scopes.fail_embeddings, owner["project"]),
            "Conversation": services.stores.similar.fail_embeddings,
        }
        for label, fail in kinds.items():
            found = f"MATCH (n:{label} {{project: $p}}) WITH n LIMIT 1 SET n:PendingEmbedding RETURN n.uuid AS uuid"
            [node] = cypher(found, p=owner["project"])
            state = f"MATCH (n:{label} {{uuid: $u}}) RETURN n.attempts AS attempts, n:PendingEmbedding AS waits"
            for attempts in (1, 2, 3):
                await fail([node["uuid"]])
                assert cypher(state, u=node["uuid"]) == [{"attempts": attempts, "waits": attempts < 3}], label


async def test_retention_finishes_what_it_has_begun(make_agent: MakeAgent, cypher: Cypher, repeated: set[str]) -> None:
    async with make_agent("Yes.", settings={"embed_messages": False, "enable_summarization": False}) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("Well?")
        uuid = conversation.uuid
        del conversation  # what somebody holds stays
        cypher("MATCH (c:Conversation {uuid: $u}) SET c.updated_at = datetime('2020-01-01T00:00:00Z')", u=uuid)
        gone = await agent.delete_expired_conversations(older_than_days=1)
        assert [info.uuid for info in gone] == [uuid]
        assert cypher("MATCH (c:Conversation {uuid: $u}) RETURN c.uuid", u=uuid) == []
    assert "begin_expiry" in repeated
