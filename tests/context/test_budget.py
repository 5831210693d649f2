"""Over histories of any kind: every prompt within its budget, no message twice, no call parted from its result."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragforge_memory.agent.context.budget import (
    QUOTE_CHARACTERS,
    exchanges,
    folded_within,
    request_tokens,
    tool_tokens,
    window_of,
    within,
)
from ragforge_memory.agent.context.compression import Line, Stretch, condensed, due, merged, rendered
from ragforge_memory.agent.context.newest import message_tokens, newest_within
from ragforge_memory.agent.context.prompt import history
from ragforge_memory.agent.context.selection import assembled, build, whole_exchanges
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.receipts import TurnContext
from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolOutcome, ToolRequest
from ragforge_memory.llm.scripted import Hang, ScriptedProvider
from ragforge_memory.models.conversation import Message, ScoredMessage
from ragforge_memory.models.tokens import estimate_tokens
from tests.context.histories import (
    READING,
    START,
    TODAY,
    call_of,
    context_of,
    histories,
    message_of,
    uuid_of,
)
from tests.context.told import filler, problems_of, text_of


@settings(max_examples=40)
@given(
    histories(),
    st.integers(0, 24),
    st.booleans(),
    st.sampled_from([None, "A short summary.", filler(900, "s")]),
    st.integers(1_000, 40_000),
    st.integers(1, 150),
)
def test_every_prompt_is_within_its_budget(
    messages: list[Message], split: int, compressed: bool, summary: str | None, tokens: int, asked: int
) -> None:
    before = context_of(messages, min(split, len(messages)), compressed, summary)
    window = window_of(200_000, tokens)
    question = f"question: {filler(asked, 'q')}?"
    built = build(before, question, instructions="Be brief.", today=TODAY, window=window, tools=(), reading=READING)
    assert problems_of(built.request, window.limit) == []
    assert built.request.messages[-1] == ChatMessage("user", question)
    assert built.tokens["reserve"] == window.tokens - window.limit
    assert (READING in built.request.tools) == ("(shortened from" in text_of(built.request) and built.parts.shortens)

    # No message twice: not among the recent ones, not quoted as well, and no text of one in two places.
    recent = [message.uuid for message in built.context.recent_messages]
    quoted = [one.message.uuid for one in built.context.relevant_messages]
    assert len({*recent, *quoted}) == len(recent) + len(quoted)
    text = text_of(built.request)
    for message in messages:
        assert text.count(f"message {message.seq}: ") <= 1 + (before.compression is not None and message.seq <= split)
    for message in built.context.recent_messages:
        assert text.count(f"message {message.seq}: ") == 1

    # Whole exchanges: an answer stands with its question, and the run has no gap.
    given_ = {message.uuid for message in built.context.recent_messages}
    for exchange in exchanges(before.messages):
        assert {message.uuid for message in exchange} <= given_ or not {message.uuid for message in exchange} & given_
    taken = [exchange[0].uuid in given_ for exchange in exchanges(before.messages)]
    assert taken == sorted(taken)
    assert all(len(quote.text) <= QUOTE_CHARACTERS + 60 for quote in built.parts.quotes)


def test_what_was_said_before_any_question_is_an_exchange() -> None:
    told = [
        Message(
            uuid=uuid_of(n), conversation_id="c", seq=n, role=role, timestamp=START, content=f"m{n}", in_reply_to=reply
        )
        for n, (role, reply) in enumerate(
            [("assistant", None), ("assistant", None), ("user", None), ("assistant", uuid_of(3))], start=1
        )
    ]
    assert [[each.seq for each in exchange] for exchange in exchanges(told)] == [[1, 2], [3, 4]]
    request = build(
        TurnContext(None, tuple(told)), "And?", instructions=None, today=TODAY, window=window_of(4_000, 4_000),
        tools=(), reading=READING,
    ).request  # fmt: skip
    assert [message.content for message in request.messages] == ["m1", "m2", "m3", "m4", "And?"]
    # Of a question that is not there any more the answer has no place.
    assert exchanges(told[1:2]) == []
    assert history([told[3]]) == []
    # Where a later round needs the room, it goes first, as the oldest.
    looked = replace(request, messages=(*request.messages, ChatMessage("assistant", filler(30, "x"))))
    short = within(looked, request_tokens(looked) - 1, 4, ())
    assert [message.content for message in short.messages[:3]] == ["m3", "m4", "And?"]


@settings(max_examples=15)
@given(
    st.lists(st.tuples(st.integers(0, 60_000), st.sampled_from("x語")), min_size=1, max_size=30),
    st.lists(st.integers(0, 20_000), min_size=30, max_size=30),
    st.integers(4_000, 30_000),
    histories(),
    st.lists(st.frozensets(st.sampled_from(["user", "assistant"])), min_size=30, max_size=30),
)
def test_later_rounds_stay_within_the_window(
    results: list[tuple[int, str]],
    written: list[int],
    limit: int,
    messages: list[Message],
    important: list[frozenset[str]],
) -> None:
    calls = [
        call_of(uuid_of(1), number, 0, 1, True).model_copy(update={"result": f"result {number} " + letter * size})
        for number, (size, letter) in enumerate(results)
    ]
    earlier = tuple(history(messages))
    question = ChatMessage("user", "What does it say?")
    rounds: list[ChatMessage] = []
    exchanged = []
    for call in calls:
        wrote = {
            "number": call.index,
            "text": "w" * written[call.index],
            "lines": ["l" * 9] * (written[call.index] // 50),
        }
        asked = ToolRequest(f"id{call.index}", "look", wrote)
        outcome = ToolOutcome(asked.id, "look", str(call.result))
        exchanged.append((asked, outcome))
        rounds += [
            ChatMessage("assistant", tool_requests=(asked,), provider_parts="own"),
            ChatMessage("tool", tool_outcomes=(outcome,)),
        ]
    request = ModelRequest("Be brief.", (*earlier, question, *rounds), ())
    short = within(request, limit, len(earlier), calls, important)
    assert problems_of(short, limit) == []
    assert question in short.messages
    assert [asked.id for message in short.messages[-len(rounds) :] for asked in message.tool_requests] == [
        asked.id for asked, _ in exchanged
    ]
    for before, after in zip(rounds, short.messages[-len(rounds) :], strict=True):
        assert after.provider_parts is None or after.tool_requests == before.tool_requests
    if request_tokens(request) <= limit:
        assert short is request
    folded = folded_within("Be brief.", question, exchanged, limit, [call.uuid for call in calls])
    assert estimate_tokens(folded) <= limit


@pytest.mark.parametrize(
    ("answer", "result", "stays"),
    [
        (30, 30, [0, 1, 2, 3]),
        (30, 900, [0, 3]),
        (900, 30, [0, None]),
    ],
)
def test_a_decision_stays_where_a_later_round_needs_the_room_of_its_exchange(
    answer: int, result: int, stays: list[int | None]
) -> None:
    decided = ChatMessage("user", "Decision: retries stop after seven.")
    asked, told = ToolRequest("v1", "look", {}), ToolOutcome("v1", "look", filler(result, "r"))
    exchange = [
        decided,
        ChatMessage("assistant", tool_requests=(asked,)),
        ChatMessage("tool", tool_outcomes=(told,)),
        ChatMessage("assistant", filler(answer, "a"), provider_parts="own"),
    ]
    before = [ChatMessage("user", "Tea?"), ChatMessage("assistant", "Yes.")]
    now = [
        ChatMessage("user", "What does it say?"),
        ChatMessage("assistant", tool_requests=(replace(asked, id="v2"),)),
        ChatMessage("tool", tool_outcomes=(ToolOutcome("v2", "look", filler(400, "n")),)),
    ]
    request = ModelRequest("Be brief.", (*before, *exchange, *now), ())
    limit = request_tokens(request) - 20
    short = within(request, limit, 6, (), [frozenset(), frozenset({"user"})])
    assert problems_of(short, limit) == []
    kept = [None if place is None else exchange[place] for place in stays]
    assert [each if each in exchange else None for each in short.messages[: -len(now)]] == kept
    if None in stays:
        assert short.messages[1].content.endswith(f"(shortened from {len(exchange[3].content)} characters)")
        assert short.messages[1].provider_parts is None


@settings(max_examples=30)
@given(histories(), st.integers(0, 24), st.one_of(st.none(), st.integers(1, 4_000)))
def test_a_built_context_counts_its_tokens(messages: list[Message], split: int, most: int | None) -> None:
    old, recent = messages[:split], messages[split:]
    found = [ScoredMessage(message=each, score=1.0, conversation_id="c") for each in (*old, *recent)]
    newest = whole_exchanges(recent)[-1:]
    if newest and most is not None and newest_within(newest[0], most) == []:
        with pytest.raises(InvalidInput, match=f"{most:,} tokens have no room"):
            assembled(recent, found, "A summary of it.", strategy="hybrid", max_tokens=most)
        return
    context = assembled(recent, found, "A summary of it.", strategy="hybrid", max_tokens=most)
    # Whatever the budget is, the newest exchange is there, each call with its result.
    for message in newest[0] if newest else ():
        [shown] = [each for each in context.recent_messages if each.uuid == message.uuid]
        assert [(call.uuid, call.success) for call in shown.tool_calls] == [
            (call.uuid, call.success) for call in message.tool_calls
        ]
        assert all((call.result if call.success else call.error) for call in shown.tool_calls)
        assert shown == message or "(shortened from" in str(shown)
    uuids = [each.uuid for each in context.recent_messages] + [one.message.uuid for one in context.relevant_messages]
    assert len(set(uuids)) == len(uuids) == context.message_count
    assert most is None or context.token_count <= most
    if most is None:
        assert set(uuids) == {message.uuid for message in messages}
    counted = sum(map(message_tokens, context.recent_messages))
    counted += sum(message_tokens(one.message) for one in context.relevant_messages)
    assert counted <= context.token_count <= counted + 40


@settings(max_examples=30)
@given(histories(), st.integers(2_000, 8_000), st.integers(0, 10))
def test_what_is_condensed_ends_before_a_whole_exchange(messages: list[Message], tokens: int, keep: int) -> None:
    before = TurnContext(None, tuple(messages))
    window = window_of(200_000, tokens)
    stretch = due(before, 200, 20, window, threshold=0.8, keep_recent=keep)
    if stretch is None:
        return
    assert stretch.usage > 0.8 * window.tokens
    assert stretch.from_seq == 1
    kept = [message for message in messages if message.seq > stretch.to_seq]
    assert len([message for exchange in exchanges(kept) for message in exchange]) <= keep


@pytest.mark.anyio
async def test_a_model_that_hangs_leaves_the_condensing_to_extraction() -> None:
    provider = ScriptedProvider([], purposes={"compression": [Hang()]})
    async with asyncio.timeout(30):
        kept = await condensed(
            provider,
            [message_of("We decided to keep sqlite.")],
            Stretch(1, 1, 5_000, 100),
            None,
            window_of(200_000, 4_000),
            conversation_id="c",
            fixed=100,
            timeout=0.1,
        )
    assert [request.purpose for request in provider.requests] == ["compression"]
    assert kept.model == "extractive"
    assert "keep sqlite" in kept.content


def test_a_compression_keeps_what_would_be_missed_most() -> None:
    lines = merged(
        {"Decisions": [Line("use argon2 (#1)", 3.0)]},
        {
            "Background": [Line(filler(60, n), 0.5) for n in range(40)],
            "Decisions": [Line("Use argon2 (#7)", 3.0), Line("keep sqlite (#9)", 3.0)],
            "Errors and how they were mended": [Line("LinkerError in quux (#11)", 3.0)],
        },
    )
    text = rendered(lines, 300)
    assert estimate_tokens(text) <= 300
    assert text.count("rgon2") == 1
    assert "keep sqlite" in text
    assert "LinkerError in quux" in text
    assert tool_tokens((READING,)) > 0
