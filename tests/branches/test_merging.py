"""What a merge says of itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.llm.scripted import ScriptedProvider

pytestmark = pytest.mark.anyio

MakeAgent = Callable[..., AsyncConversationAgent]


@pytest.mark.parametrize(
    ("summaries", "model"),
    [((), "extractive"), (("Here.", "There."), "scripted:scripted"), (("Here.",), "scripted:scripted")],
)
async def test_a_merge_is_signed_by_what_made_it(make_agent: MakeAgent, summaries: tuple[str, ...], model: str) -> None:
    provider = ScriptedProvider(["a1", "left", "right"], purposes={"summary": summaries} if summaries else None)
    async with make_agent(provider=provider) as agent:
        trunk = await agent.create_conversation("Auth")
        await trunk.send_message("q1")
        branch = await trunk.branch()
        await trunk.send_message("q2")
        await branch.send_message("other q2")
        message = await trunk.merge(branch)
        assert message.model == model
        assert (await trunk.receipt(message.uuid)).model == model
