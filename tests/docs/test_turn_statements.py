"""The table of a turn's statements in docs/architecture.md is what a turn runs: this test makes it."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.counting import CountingDriver
from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig, tool
from ragforge_memory.agent.upkeep import vectors
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.client import open_driver
from ragforge_memory.graph.queries import all_statements
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.docs.conftest import ROOT

pytestmark = pytest.mark.anyio

PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- statements of a turn -->\n", "<!-- end statements of a turn -->"
UPDATE = "RAGFORGE_UPDATE_DOCS"
PURPOSE = {
    "append_message": "write 1: the question",
    "turn_context": "read 1: what is recent, important or shares words with the question; the summary",
    "recall": "beside read 1: what is remembered that bears on the question, from all conversations",
    "near_messages": "beside read 1: what is near to the question by meaning",
    "near_memories": "beside read 1: what is remembered that is near to it by meaning",
    "near_summaries": "beside read 1: what other conversations were about that is near to it",
    "complete_turn": "write 2: the answer, its tool calls, its ties to code, its receipt",
    "pending_tool_memories": "what tool calls are to be remembered",
    "remember_tool_calls": "what worked and what failed of them",
    "store_message_embeddings": "the vectors of question and answer",
}


@pytest.fixture(autouse=True)
def home(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A journal of this test's own, and no look for what other processes have left."""
    monkeypatch.setenv("RAGFORGE_HOME", str(tmp_path))
    monkeypatch.setattr(vectors, "LOOK_AGAIN", 3_600.0)


def names() -> Iterator[tuple[re.Pattern[str], str]]:
    """What each statement is sent as, with anything in its places."""
    for name, variants in all_statements().items():
        for variant in variants:
            parts = re.split(r"\{\{\w+\}\}", variant.nested.text)
            yield re.compile(r"\w+".join(map(re.escape, parts))), name


def table(before: list[tuple[str, str, bool]], after: list[tuple[str, str, bool]]) -> str:
    """The statements before the answer and after it, as Markdown."""
    rows = ["| | statement | round trips | what for |", "|---|---|---|---|"]
    for when, statements in (("before the answer", before), ("after it", after)):
        for kind, name, at_once in statements:
            rows.append(f"| {when} | `{name}` ({kind}) | {1 if at_once else 3} | {PURPOSE[name]} |")
    return "\n".join(rows) + "\n"


async def test_the_table_is_what_a_turn_runs(neo4j_config: Neo4jConfig) -> None:
    @tool
    def weigh(what: str) -> str:
        """Weighs something."""
        return f"{what}: 3 kg"

    driver = CountingDriver(open_driver(neo4j_config))
    asked = [ToolRequest(name, "weigh", {"what": name}) for name in ("door", "fence")]
    agent = AsyncConversationAgent(
        lambda: driver,  # type: ignore[arg-type, return-value]  # counts, and is a driver otherwise
        llm_provider=ScriptedProvider([asked, "Both weigh as much."], loop=True),
        embedder=HashingEmbedder(64),
        tools=[weigh],
        config=ConversationConfig(max_context_messages=4, summarize_every=100, recall_deadline_ms=10_000),
        project="turn-statements",
    )
    async with agent:
        conversation = await agent.create_conversation(title="Weights")
        # Until the conversation's own vector is settled, and something is older than what is recent.
        for number in range(4):
            await conversation.send_message(f"What does the door weigh, {number}?")
        assert not await agent.drain(60)
        driver.sent.clear()
        await conversation.send_message("And the fence?")
        async with asyncio.timeout(60):
            last_ones = ("setNodeVectorProperty", "REMOVE m:PendingToolMemory")
            while not all(any(one in text for _, _, text in driver.sent) for one in last_ones):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        known = list(names())
        sent = [
            (kind, next(name for pattern, name in known if pattern.fullmatch(text)), at_once)
            for kind, at_once, text in driver.sent
        ]
        await conversation.delete()
    # The first statement after the answer may have begun before it was handed over.
    last = 1 + max(at for at, (_, name, _) in enumerate(sent) if name == "complete_turn")
    first = sorted(sent[:last], key=lambda each: list(PURPOSE).index(each[1]))
    made = table(first, sorted(sent[last:], key=lambda each: list(PURPOSE).index(each[1])))
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    shown, _, tail = rest.partition(END)
    if os.environ.get(UPDATE):
        PAGE.write_text(f"{head}{BEGIN}{made}{END}{tail}", encoding="utf-8")
        return
    assert shown == made, f"{UPDATE}=1 writes the table anew:\n{made}"
    assert [kind for kind, _, _ in first].count("write") <= 2
    assert [kind for kind, _, _ in first].count("read") <= 5
    assert len(sent) - last <= 3
