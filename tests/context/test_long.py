"""Sixty turns in a small window: the budget, what is kept, what is condensed and how often, and the way back."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from ragforge_memory import ConfigError, InvalidInput, events, tool
from ragforge_memory.agent.context.budget import request_tokens
from ragforge_memory.agent.context.snapshots import prompt_of
from ragforge_memory.llm.port import ModelRequest, ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import Cypher, MakeAgent
from tests.context.told import PLANTED, filler, problems_of, text_of
from tests.long_runs import first_of

pytestmark = pytest.mark.anyio

WINDOW = 4_000
TURNS = 60
SETTINGS = {"compression_max_tokens": WINDOW}


def _answers(words: int) -> Callable[[ModelRequest], str]:
    return lambda request: f"It concerns {filler(words, request.messages[-1].content)}."


def _question(turn: int, words: int, behind: int = 0) -> str:
    """What is said in a turn; what is planted stands behind so many words."""
    planted = PLANTED.get(turn)
    if planted is None:
        return f"Number {turn}: {filler(words, turn)}?"
    return f"Number {turn}: {filler(behind, turn)}. {planted}" if behind else planted


@pytest.mark.parametrize("lengths", first_of([(60, 60), (250, 0), (15, 0), (60, 0), (120, 150)], 1))
async def test_sixty_turns_in_a_window_of_4000(make_agent: MakeAgent, cypher: Cypher, lengths: tuple[int, int]) -> None:
    words, behind = lengths
    provider = ScriptedProvider([_answers(words)], loop=True)
    async with make_agent(provider=provider, settings=SETTINGS) as agent:
        conversation = await agent.create_conversation("long")
        compressed: list[events.Compressed] = []
        answers = []
        for turn in range(1, TURNS + 1):
            async with conversation.stream_message(_question(turn, words, behind)) as stream:
                compressed += [event async for event in stream if isinstance(event, events.Compressed)]
                answers.append(stream.response)
        assert len(provider.requests) == TURNS
        for turn, request in enumerate(provider.requests, start=1):
            known = [text for planted, text in PLANTED.items() if planted < turn]
            assert problems_of(request, WINDOW, known) == [], f"turn {turn}"
        assert [answer.context_used.token_count for answer in answers] == list(map(request_tokens, provider.requests))

        stored = cypher(
            "MATCH (c:Conversation {uuid: $c})-[:HAS_SUMMARY]->(s:Summary {kind: 'compression'}) "
            "RETURN s.uuid AS uuid, s.from_seq AS from, s.to_seq AS to, s.tokens_saved AS saved ORDER BY from",
            c=conversation.uuid,
        )
        assert [row["uuid"] for row in stored] == [event.summary_id for event in compressed]
        assert [row["saved"] for row in stored] == [event.tokens_saved for event in compressed]
        assert all(before["to"] + 1 == after["from"] for before, after in pairwise(stored))
        assert all(event.tokens_saved > 0 for event in compressed)
        if words == 60 and not behind:
            # About 170 tokens a turn: each crossing condenses what the next ones do not need to.
            assert 2 <= len(stored) <= 8

        history = await conversation.get_history(limit=2 * TURNS)
        assert [message.content for message in history[::2]] == [
            _question(n, words, behind) for n in range(1, TURNS + 1)
        ]
        assert [message.content for message in history[1::2]] == [answer.content for answer in answers]

        for answer, request in zip(answers[::7], provider.requests[::7], strict=True):
            then = await conversation.as_of(answer.message_id)
            assert then.exact, then.notes
            assert then.prompt == prompt_of(request)
            assert then.context == answer.context_used


async def test_thirty_turns_with_tools_in_a_window_of_4000(make_agent: MakeAgent) -> None:
    """Results that must be shortened: what the model got is what the receipt says, and no call lost its result."""

    @tool
    def look(lines: int) -> str:
        """Looks."""
        return "".join(f"line {number} of what was seen\n" for number in range(lines))

    def answers(request: ModelRequest) -> Any:
        if request.messages[-1].role == "user":
            return [
                ToolRequest(f"id{len(provider.requests)}", "look", {"lines": 20 + 7 * (len(provider.requests) % 40)})
            ]
        return f"Seen {len(provider.requests)}: {filler(40, len(provider.requests))}."

    provider = ScriptedProvider([answers], loop=True)
    async with make_agent(provider=provider, settings=SETTINGS, tools=[look]) as agent:
        conversation = await agent.create_conversation("long")
        for turn in range(1, TURNS // 2 + 1):
            first = len(provider.requests)
            answer = await conversation.send_message(_question(turn, 15))
            asked = provider.requests[first]
            assert len(provider.requests) == first + 2
            known = [text for planted, text in PLANTED.items() if planted < turn]
            assert problems_of(asked, WINDOW, known) == [], f"turn {turn}"
            assert problems_of(provider.requests[first + 1], WINDOW) == [], f"turn {turn}, with the result"
            assert answer.context_used.token_count == request_tokens(asked)
            if turn % 6 == 0:
                then = await conversation.as_of(answer.message_id)
                assert then.exact, then.notes
                assert then.prompt == prompt_of(asked)


async def test_a_question_that_no_prompt_has_room_for_is_refused(make_agent: MakeAgent) -> None:
    async with make_agent("Never said.", settings=SETTINGS) as agent:
        conversation = await agent.create_conversation("long")
        with pytest.raises(InvalidInput, match="the window of 4,000 has room for"):
            await conversation.send_message("word " * 8_000)
        assert (await conversation.get_history()) == []


async def test_what_this_turn_writes_stays_within_the_window_as_well(make_agent: MakeAgent) -> None:
    def note(text: str, tags: list[str]) -> str:
        """Writes something down."""
        return f"{len(text)} characters, {len(tags)} tags"

    steps = [
        [ToolRequest("", "note", {"text": filler(1_000, number), "tags": [filler(20, number)]})] for number in "abc"
    ]
    provider = ScriptedProvider([*steps, "Done."])
    async with make_agent(provider=provider, tools=[tool(note)], settings=SETTINGS) as agent:
        conversation = await agent.create_conversation("long")
        answer = await conversation.send_message("Write it all down, will you?")
        for request in provider.requests:
            assert problems_of(request, WINDOW) == []
        asked = [each.arguments for message in provider.requests[-1].messages for each in message.tool_requests]
        assert len(asked) == 3
        assert all("shortened from" in str(each) for each in asked)
        # The results were short: they stay, and so does what is stored.
        results = [each.content for message in provider.requests[-1].messages for each in message.tool_outcomes]
        assert all(content.endswith("1 tags") for content in results)
        assert [call.arguments["text"] for call in answer.tool_calls] == [filler(1_000, number) for number in "abc"]
        assert (await conversation.as_of(answer.message_id)).exact


async def test_instructions_that_leave_no_room_are_refused_at_opening(make_agent: MakeAgent) -> None:
    agent = make_agent("Never said.", settings={**SETTINGS, "system_prompt": "word " * 4_000})
    with pytest.raises(ConfigError, match=r"system prompt is about [\d,]+ tokens .* 3,500 of the window of 4,000"):
        await agent.open()
    await agent.aclose()


async def test_a_compression_is_kept_and_reused_by_the_next_process(make_agent: MakeAgent) -> None:
    condensed = "### Decisions\n- the model's own words on signing\n### Next steps\n- write the tests"
    first = ScriptedProvider([_answers(60)], loop=True, purposes={"compression": [condensed]})
    async with make_agent(provider=first, settings=SETTINGS) as agent:
        conversation = await agent.create_conversation("long")
        seen = 0
        for turn in range(1, 20):
            async with conversation.stream_message(_question(turn, 60)) as stream:
                seen += len([event async for event in stream if isinstance(event, events.Compressed)])
            if seen:
                break
        asked = [request for request in first.requests if request.purpose == "compression"]
        assert len(asked) == 1
        assert request_tokens(asked[0]) <= WINDOW
        assert PLANTED[5] in text_of(asked[0])
    second = ScriptedProvider([_answers(60)], loop=True, purposes={"compression": [condensed]})
    async with make_agent(provider=second, settings=SETTINGS) as agent:
        again = await agent.load_conversation(conversation.uuid)
        async with again.stream_message("And what now?") as stream:
            assert not [event async for event in stream if isinstance(event, events.Compressed)]
        [request] = second.requests
        assert PLANTED[5] in request.system
        assert "the model's own words on signing" in request.system
        assert "write the tests" in request.system
        assert "#1, user" not in request.system


@pytest.mark.parametrize("rounds", [3, 1])
async def test_a_decision_outlives_the_large_result_of_a_tool(make_agent: MakeAgent, rounds: int) -> None:
    @tool
    def read(place: str) -> str:
        """Reads.

        Args:
            place: where.
        """
        return filler(4_000, place)

    provider = ScriptedProvider(["Understood.", "So it is.", ToolRequest("c1", "read", {"place": "here"}), "Seen."])
    settings = {**SETTINGS, "max_iterations": rounds}
    async with make_agent(provider=provider, tools=[read], settings=settings) as agent:
        conversation = await agent.create_conversation("t")
        for text in (PLANTED[5], f"A remark: {filler(300, 'remark')}.", "Read there, please?"):
            await conversation.send_message(text)
    first, last = provider.requests[-2:]
    assert "A remark" in text_of(first)
    assert "A remark" not in text_of(last)
    assert problems_of(last, 3_500, [PLANTED[5]]) == []
    assert filler(4_000, "here")[:6_000] in text_of(last)


async def test_many_short_decisions_stay_where_there_is_room(make_agent: MakeAgent) -> None:
    decisions = {turn: f"Decision: service s{turn}x listens on port {8400 + turn}." for turn in range(2, 26)}
    provider = ScriptedProvider(["Fine."], loop=True)
    async with make_agent(provider=provider, settings=SETTINGS) as agent:
        conversation = await agent.create_conversation("many")
        for turn in range(1, 34):
            await conversation.send_message(decisions.get(turn, f"Number {turn}?"))
    for turn in (20, 26, 33):
        shown = text_of(provider.requests[turn - 1])
        assert [text for said, text in decisions.items() if said < turn and text not in shown] == []
