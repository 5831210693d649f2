"""Answers without a model quote the documents that were read in."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent
from tests.extractive.asking import ask

pytestmark = pytest.mark.anyio

POLICY = """# Refunds

## Period

What was bought may be returned by a customer within 30 days.

## Parking

On the roof.
"""


async def test_a_passage_is_quoted_with_its_place(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    (tmp_path / "policy.md").write_text(POLICY)
    await agent.knowledge.ingest(tmp_path / "policy.md")
    text = "\n".join(await ask(agent, "within how many days may a customer return something?"))
    assert "In the documents:" in text
    assert "policy.md, Refunds > Period" in text
    assert "within 30 days" in text
    assert "roof" not in text
    nothing = "\n".join(await ask(agent, "which zebra is it?"))
    assert "In the documents" not in nothing
    assert "the documents" in next(line for line in nothing.splitlines() if line.startswith("Nothing found"))
