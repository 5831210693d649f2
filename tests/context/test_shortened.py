"""Results that a later prompt has room for in part: what is left of them, and how they are read again."""

from __future__ import annotations

import json

import pytest

from ragforge_memory.agent.context.snapshots import prompt_of
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import MakeAgent
from tests.agent.echoing import EchoingProvider
from tests.context.told import asks, filler, look

pytestmark = pytest.mark.anyio


async def test_a_shortened_result_can_be_read_again(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider([[asks("here")], "One.", "Two.", "Three.", "Four."])
    async with make_agent(provider=provider, tools=[look]) as agent:
        conversation = await agent.create_conversation("t")
        call = (await conversation.send_message("Look?")).tool_calls[0]
        for text in ("And?", "So?", "Then?"):
            await conversation.send_message(text)
        for near in provider.requests[2:4]:
            assert [spec.name for spec in near.tools] == ["look"]
            assert filler(800, "here") in near.messages[2].tool_outcomes[0].content
        request = provider.requests[4]
        short = request.messages[2].tool_outcomes[0].content
        assert f'read_tool_result(tool_call_id="{call.uuid}")' in short
        assert len(short) < 2_200
        assert [spec.name for spec in request.tools] == ["look", "read_tool_result"]
        provider.add([ToolRequest("r", "read_tool_result", {"tool_call_id": call.uuid})], "Read.")
        read = await conversation.send_message("Read it?")
        assert read.tool_calls[0].result["text"] == json.dumps(call.result, ensure_ascii=False)
    stranger = ScriptedProvider([[ToolRequest("r", "read_tool_result", {"tool_call_id": call.uuid})], "No."])
    async with make_agent(provider=stranger, user_id="somebody-else", tools=[]) as agent:
        conversation = await agent.create_conversation("t")
        read = await conversation.send_message("Read it?")
        assert not read.tool_calls[0].success
        assert "there is no tool call" in str(read.tool_calls[0].error)


async def test_an_answer_that_only_repeats_is_shortened_as_the_result_that_it_repeats(make_agent: MakeAgent) -> None:
    repeats = f"What was said about `tabs`:\n- You, 2026-01-01:\n  > {filler(800, 'said')}"
    own = f"Since you ask: {filler(800, 'own')}"
    provider = EchoingProvider([[asks("here")], repeats, own, "Three.", "Four."], requests=2)
    async with make_agent(provider=provider, tools=[look]) as agent:
        conversation = await agent.create_conversation("t")
        call = (await conversation.send_message("What did we say of tabs?")).tool_calls[0]
        for text in ("And?", "So?", "Then?"):
            answer = await conversation.send_message(text)
        for near in provider.requests[2:4]:
            assert near.messages[3].content == repeats
        last = provider.requests[4]
        assert last.messages[3].content.startswith(repeats[:2_000])
        assert len(last.messages[3].content) < 2_100
        assert last.messages[5].content == own
        assert call.uuid in last.messages[2].tool_outcomes[0].content
        assert (await conversation.get_history())[1].content == repeats
        then = await conversation.as_of(answer.message_id)
        assert then.exact, then.notes
        assert then.prompt == prompt_of(last)


async def test_results_of_this_turn_are_shortened_where_the_window_is_small(make_agent: MakeAgent) -> None:
    provider = ScriptedProvider([[asks("a"), asks("b", "v2")], [asks("c")], "Done."])
    async with make_agent(provider=provider, tools=[look], settings={"compression_max_tokens": 2_500}) as agent:
        conversation = await agent.create_conversation("t")
        answer = await conversation.send_message("Look around?")
        last = provider.requests[2]
        shown = [outcome.content for message in last.messages for outcome in message.tool_outcomes]
        assert len(shown) == 3
        assert any(f'tool_call_id="{answer.tool_calls[0].uuid}"' in content for content in shown)
        assert "read_tool_result" in [spec.name for spec in last.tools]
        assert answer.tool_calls[0].result["seen"] == filler(800, "a")
