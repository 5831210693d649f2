"""A family of conversations with everything that a conversation can have."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ragforge_memory import AsyncConversation, AsyncConversationAgent, tool
from ragforge_memory.graph.insights import InsightStore
from ragforge_memory.llm.port import ReasoningChunk, ToolRequest
from tests.agent.passwords import CODE

UNICODE = "naïve façade — 日本語 🧶\u2028next\u200d\tend \\ \" ' ` \x7f"
LARGE = 1_300_000


@tool
def weigh(thing: str) -> dict[str, Any]:
    """Weighs a thing."""
    if thing == "nothing":
        raise ValueError("there is nothing to weigh")
    return {"thing": thing, "grams": 1e-05, "none": None, "words": "wörd " * (LARGE // 5 if thing == "much" else 3)}


STEPS = [
    [ReasoningChunk("Let me weigh. "), ToolRequest("1", "weigh", {"thing": "much"})],
    "Much is heavy. `check_password` is in auth.py, it calls `scramble`.",
    [ToolRequest("2", "weigh", {"thing": "nothing"}), ToolRequest("3", "weigh", {"thing": UNICODE})],
    "Decision: we keep " + UNICODE,
    "third",
    "fourth",
    "on the left",
    "on the left again, about `scramble`",
    "on the leaf",
    "on the right",
    "after the merge",
]


def project(root: Path) -> Path:
    """A small project below ``root``."""
    made = root / "project"
    made.mkdir()
    (made / "auth.py").write_text(CODE)
    return made


async def found(agent: AsyncConversationAgent, conversation: AsyncConversation) -> None:
    """Something that an analysis has found in a conversation."""
    services = await agent.open()
    store = InsightStore(services.stores.graph, services.place.owner)
    claimed = await store.claim(conversation.uuid, "key")
    assert claimed.lease is not None
    data = {"mood": UNICODE, "score": 1e-05, "none": None}
    await store.write(
        claimed.lease, "key", task="How was it?", schema={"type": "object"}, data=data, to_seq=3, model="a:b"
    )


async def prefer(agent: AsyncConversationAgent) -> None:
    """Something that every prompt of the owner holds."""
    memories = (await agent.open()).memories
    assert memories is not None
    await memories.remember_fact("preference", "indent", "tabs")


async def told(
    agent: AsyncConversationAgent, say: Callable[[str], None] = lambda _: None
) -> dict[str, AsyncConversation]:
    """A trunk, a branch that was deleted, a branch of that, and one that the trunk has merged."""
    trunk = await agent.open_conversation(
        "session-1", title=None, tags=["auth", UNICODE], metadata={"ticket": [1, None]}
    )
    for question in ("What does much weigh?", "And nothing?", "Third " + UNICODE, "Fourth"):
        await trunk.send_message(question, metadata={"from": question})
    history = await trunk.get_history()
    left = await trunk.branch(history[3].uuid, title="Left")
    await left.send_message("Left one")
    await left.send_message("Left two")
    leaf = await left.branch(title="Leaf")
    await leaf.send_message("Leaf one")
    right = await trunk.branch(history[5].uuid, title="Right")
    await right.send_message("Right one")
    await trunk.merge(right)
    await trunk.send_message("After the merge")
    await agent.drain()
    await trunk.summarize()
    await found(agent, trunk)
    await left.delete()
    return {"trunk": trunk, "leaf": leaf, "right": right}
