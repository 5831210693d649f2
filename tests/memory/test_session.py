"""Thirty turns of a session: what is remembered of it by itself is right, and next to nothing of it is junk."""

from __future__ import annotations

import pytest

from benchmarks.memory_session import EVERYTHING, MEMORIES, MOST_JUNK, TURNS, JunkyExtractor, judge, session
from ragforge_memory.llm.port import ModelProvider
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio

SHORT = TURNS[:30]


@pytest.mark.parametrize("provider", [ScriptedProvider(["Yes."], loop=True), JunkyExtractor()], ids=["forms", "model"])
async def test_what_a_session_leaves(make_agent: MakeAgent, cypher: Cypher, provider: ModelProvider) -> None:
    async with make_agent(provider=provider) as agent:
        await session(agent, SHORT)
    rows = cypher(MEMORIES, user=agent.user_id)
    verdict = judge(rows, str(cypher(EVERYTHING, user=agent.user_id)), SHORT)
    assert verdict.facts >= 3
    assert verdict.notes == 2
    assert verdict.share <= MOST_JUNK, verdict.junk
    assert (verdict.wrong, verdict.secrets, verdict.twins, verdict.returned) == ([], [], [], [])


def test_the_rubric_notices() -> None:
    """What it is there for: each of the five."""
    row = {"content": "c", "kind": "fact", "holds": True}
    bad = [
        {**row, "value": "vim", "texts": ["My favourite editor is vim."]},
        {**row, "value": "vim", "texts": ["How do I leave vim?"]},
        {**row, "value": "Emacs", "texts": ["My favourite editor is vim."]},
    ]
    verdict = judge(bad, "ghp_Zq3vT8yLw2NcR5xK7mJ9bH1dF4gS6pA0uEoI", SHORT)
    assert len(verdict.junk) == 2
    assert {"vim", "Emacs", "ruff", "tabs over spaces"} == set(verdict.wrong)
    assert (len(verdict.secrets), verdict.twins, verdict.returned) == (1, ["c"], ["vim"])
