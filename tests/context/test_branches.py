"""What a branch shares counts towards the compression of its context, and so does a compression that it shares."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversation, events
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import Cypher, MakeAgent
from tests.context.told import filler

pytestmark = pytest.mark.anyio

SETTINGS = {"compression_max_tokens": 4_000, "enable_summarization": False}
TOTALS = """
MATCH (c:Conversation {uuid: $uuid})
RETURN c.token_total AS total, coalesce(c.compressed_total, 0) AS compressed, c.head_seq AS head
"""


async def _condenses(conversation: AsyncConversation, turn: int) -> bool:
    """Says something; whether the context was condensed for it."""
    async with conversation.stream_message(f"Number {turn}: {filler(60, turn)}?") as stream:
        return any([isinstance(event, events.Compressed) async for event in stream])


async def _first(conversation: AsyncConversation, turn: int) -> int:
    """The first turn from this one on for which the context is condensed."""
    while not await _condenses(conversation, turn):
        turn += 1
        assert turn < 40
    return turn


async def test_a_branch_is_condensed_when_its_parent_would_be(make_agent: MakeAgent, cypher: Cypher) -> None:
    provider = ScriptedProvider([f"It concerns {filler(60, 'answer')}."], loop=True)
    async with make_agent(provider=provider, settings=SETTINGS) as agent:
        trunk = await agent.create_conversation("long")
        assert not any([await _condenses(trunk, turn) for turn in range(1, 11)])
        branch = await (await trunk.branch()).branch()
        assert cypher(TOTALS, uuid=branch.uuid) == cypher(TOTALS, uuid=trunk.uuid)
        early = await trunk.branch((await trunk.get_history())[4].uuid)
        [whole], [part] = cypher(TOTALS, uuid=trunk.uuid), cypher(TOTALS, uuid=early.uuid)
        assert part == {"total": whole["total"] // 4, "compressed": 0, "head": 5}

        turn = await _first(branch, 11)
        assert not any([await _condenses(trunk, each) for each in range(11, turn)])
        beside = await trunk.branch()
        assert await _condenses(trunk, turn)
        # What the parent condenses of what both share is not condensed again.
        asked = len(provider.requests)
        assert not await _condenses(beside, turn)
        assert "## What was said before, condensed" in provider.requests[asked].system

        # A branch goes on from the compression that it shares; one from before, without it.
        after = await trunk.branch()
        assert cypher(TOTALS, uuid=after.uuid) == cypher(TOTALS, uuid=trunk.uuid)
        assert not await _condenses(after, turn + 1)
        before = await trunk.branch((await trunk.get_history(limit=100))[9].uuid)
        [part] = cypher(TOTALS, uuid=before.uuid)
        assert part["compressed"] == 0
        assert part["total"] == pytest.approx(whole["total"] / 2, rel=0.2)
        # Messages behind the compression are shared out by their number.
        [whole] = cypher(TOTALS, uuid=trunk.uuid)
        last = await trunk.branch((await trunk.get_history())[-3].uuid)
        [part] = cypher(TOTALS, uuid=last.uuid)
        assert part["compressed"] == whole["compressed"] < part["total"] < whole["total"]
