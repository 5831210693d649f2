"""What a tool failed with again and again does not push out what the user told of."""

from __future__ import annotations

import pytest

from ragforge_memory import tool
from ragforge_memory.llm.port import ModelRequest, ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import MakeAgent
from tests.context.told import text_of

TOLD = {
    10: "I ran it and got: ValueError: bad checksum 0xDEAD in shard 12",
    40: "The build fails with error TS2345 in cart.ts line 88",
    44: "Now the migration fails: E11000 duplicate key error in collection ledger.days",
}


@tool
def run_tests(turn: int) -> str:
    """Runs the tests.

    Args:
        turn: which.
    """
    raise RuntimeError(
        f"2 of 40 tests failed: test_cart_{turn}: no connection to ledger-db; {'client.py in send ' * 9}"
    )


@pytest.mark.anyio
async def test_what_a_user_tells_outlives_a_tool_that_fails_again_and_again(make_agent: MakeAgent) -> None:
    turns: list[str] = []

    def step(request: ModelRequest) -> object:
        if request.messages[-1].role == "user" and len(turns) > 15:
            return [ToolRequest(f"c{len(turns)}", "run_tests", {"turn": len(turns)})]
        return "Looked at it again. " + "nothing new here so far " * 60

    provider = ScriptedProvider([step], loop=True)
    settings = {"compression_max_tokens": 4_000}
    async with make_agent(provider=provider, tools=[run_tests], settings=settings) as agent:
        talk = await agent.create_conversation()
        for turn in range(54):
            long = " row 17 of the sheet" * 150 if turn > 44 and turn % 3 == 0 else ""
            asked = len(provider.requests)
            turns.append(TOLD.get(turn, f"please go on with part {turn}{long}"))
            await talk.send_message(turns[-1])
            text = text_of(provider.requests[asked])
            assert [said for at, said in TOLD.items() if at < turn and said not in text] == []
