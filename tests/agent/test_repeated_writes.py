"""Every write may be run again after it was committed, where its answer was lost: what comes of it is the same."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.errors import ConversationNotFound
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio

Cypher = Callable[..., list[dict[str, Any]]]


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
    async with make_agent(provider=provider, settings=settings, root=root, embedder=HashingEmbedder(8)) as agent:
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
        moved = await agent.reembed(HashingEmbedder(16))
        assert (moved.switched, moved.dimension, moved.failed) == (True, 16, 0)
    assert {"append_message", "complete_turn", "begin_delete", "finish_ingest", "finish_restore"} <= repeated
    assert {"claim_summary", "take_ingest_lease", "switch_space", "create_branch", "merge_branch"} <= repeated
