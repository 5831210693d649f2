"""Turns of one conversation at once, past the threshold: it is condensed once, and both prompts can be rebuilt."""

from __future__ import annotations

import asyncio

import pytest

from ragforge_memory import AssistantResponse, AsyncConversation, events
from ragforge_memory.agent.context.snapshots import prompt_of
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import Cypher, MakeAgent
from tests.context.told import filler

pytestmark = pytest.mark.anyio

SETTINGS = {"compression_max_tokens": 4_000, "enable_summarization": False}
STORED = "MATCH (s:Summary {conversation_id: $c, kind: 'compression'}) RETURN s.uuid AS uuid"


async def _long(make_agent: MakeAgent) -> str:
    """A conversation past the threshold of which nothing is condensed yet."""
    provider = ScriptedProvider([filler(200, "answer")], loop=True)
    async with make_agent(provider=provider, settings={**SETTINGS, "enable_compression": False}) as agent:
        conversation = await agent.create_conversation("long")
        for number in range(12):
            await conversation.send_message(f"Number {number}?")
        return conversation.uuid


async def _turn(conversation: AsyncConversation, text: str) -> tuple[AssistantResponse, list[events.Compressed]]:
    async with conversation.stream_message(text) as stream:
        told = [event async for event in stream if isinstance(event, events.Compressed)]
        return stream.response, told


async def test_two_turns_at_once_condense_once(make_agent: MakeAgent, cypher: Cypher) -> None:
    uuid = await _long(make_agent)
    assert cypher(STORED, c=uuid) == []
    condensed = [f"### Decisions\n- condensed {number}" for number in (1, 2)]
    provider = ScriptedProvider(["So."], loop=True, purposes={"compression": condensed})
    async with make_agent(provider=provider, settings=SETTINGS) as agent:
        conversation = await agent.load_conversation(uuid)
        turns = await asyncio.gather(_turn(conversation, "One?"), _turn(conversation, "Two?"))
        requests = {each.messages[-1].content: each for each in provider.requests if each.purpose == "answer"}
        assert [each.purpose for each in provider.requests].count("compression") == 1
        [stored] = cypher(STORED, c=uuid)
        assert [event.summary_id for _, told in turns for event in told] == [stored["uuid"]]
        for (answer, _), text in zip(turns, ("One?", "Two?"), strict=True):
            then = await conversation.as_of(answer.message_id)
            assert then.exact, then.notes
            assert then.prompt == prompt_of(requests[text])
            assert "condensed 1" in requests[text].system
            assert (await conversation.receipt(answer.message_id)).erased == 0


async def test_two_processes_at_once_go_on_with_the_one_that_was_kept(make_agent: MakeAgent, cypher: Cypher) -> None:
    uuid = await _long(make_agent)
    both = asyncio.Barrier(2)

    def provider(name: str) -> ScriptedProvider:
        async def condenses(request: ModelRequest) -> str:
            await asyncio.wait_for(both.wait(), 30)
            return f"### Decisions\n- condensed by {name}"

        return ScriptedProvider(["So."], loop=True, purposes={"compression": [condenses]})

    providers = [provider("one"), provider("two")]
    async with (
        make_agent(provider=providers[0], settings=SETTINGS) as one,
        make_agent(provider=providers[1], settings=SETTINGS) as two,
    ):
        held = [await agent.load_conversation(uuid) for agent in (one, two)]
        turns = await asyncio.gather(*(_turn(each, f"In {at}?") for at, each in enumerate(held)))
        [stored] = cypher(STORED, c=uuid)
        assert [event.summary_id for _, told in turns for event in told] == [stored["uuid"]]
        for (answer, _), conversation, asked in zip(turns, held, providers, strict=True):
            then = await conversation.as_of(answer.message_id)
            assert then.exact, then.notes
            assert then.prompt == prompt_of(asked.requests[-1])
            assert (await conversation.receipt(answer.message_id)).erased == 0
