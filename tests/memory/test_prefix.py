"""What a vendor's cache holds of a prompt stays the same while memories change: the tools and the instructions."""

from __future__ import annotations

import pytest

from ragforge_memory import CODE_SEARCH_TOOLS
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.memory.tools import MEMORY_CORE
from tests.agent.conftest import MakeAgent

pytestmark = pytest.mark.anyio

DATE = "Today's date: "


def prefix(request: ModelRequest) -> bytes:
    """The tools and the instructions, which stand before the date."""
    instructions, _, rest = request.system.partition(DATE)
    assert rest
    return (repr(request.tools) + instructions).encode()


async def test_the_prefix_of_a_prompt_is_the_same_over_ten_turns(make_agent: MakeAgent) -> None:
    model = ScriptedProvider(["So it is."], loop=True)
    async with make_agent(provider=model, tools=[*CODE_SEARCH_TOOLS, *MEMORY_CORE]) as agent:
        talk = await agent.create_conversation()
        fact = await agent.memory.remember_fact("preference", "indent", "tabs")
        for turn in range(10):
            await agent.memory.remember_fact("preference", "indent", "tabs" if turn % 2 else "spaces")
            await agent.memory.remember_fact("project", f"queue {turn}", f"redis {turn}")
            if turn == 6:
                await agent.memory.forget_fact(fact.uuid)
            await talk.send_message(f"Decision: the queue {turn} is bounded. What of the queue?")
            await agent.drain()
    systems = [request.system for request in model.requests]
    assert len(systems) == 10
    told = [system.partition(DATE)[2] for system in systems]
    assert len(set(told)) == 10
    assert "spaces" in told[0]
    assert "tabs" in told[1]
    assert sum("redis" in system for system in told) >= 8
    assert len({prefix(request) for request in model.requests}) == 1
