"""Over histories of any kind: every prompt within its budget, no message twice, no call parted from its result."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragforge_memory.agent.context.budget import (
    QUOTE_CHARACTERS,
    exchanges,
    folded_within,
    quote_tokens,
    request_tokens,
    tool_tokens,
    window_of,
    within,
)
from ragforge_memory.agent.context.compression import Line, Stretch, condensed, due, extracted, merged, rendered
from ragforge_memory.agent.context.newest import message_tokens, newest_within
from ragforge_memory.agent.context.prompt import history
from ragforge_memory.agent.context.quotes import Quotes
from ragforge_memory.agent.context.receipts import receipt_of, used_by
from ragforge_memory.agent.context.selection import assembled, build, sentences_to_keep, whole_exchanges
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.receipts import TurnContext
from ragforge_memory.llm.port import ChatMessage, ModelRequest, ToolOutcome, ToolRequest, ToolSpec
from ragforge_memory.llm.scripted import Hang, ScriptedProvider
from ragforge_memory.models.conversation import Message, ScoredMessage, ToolCall
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.summary import Summary
from ragforge_memory.models.tokens import estimate_tokens
from tests.context.told import filler, problems_of, text_of

START = datetime(2026, 1, 1, tzinfo=UTC)
READING = ToolSpec("read_tool_result", "Reads a result again.", {"type": "object"})
TODAY = date(2026, 1, 2)
OWNER = Owner("user", "project")


def _uuid(number: int) -> str:
    return UUID(int=number).hex


def _call(message_id: str, number: int, size: int, iteration: int, success: bool) -> ToolCall:
    result = f"result {number} " + "x" * size
    return ToolCall(
        uuid=_uuid(10_000 + number),
        message_id=message_id,
        index=number % 10,
        timestamp=START,
        tool_name="look",
        arguments={"number": number},
        success=success,
        result=result if success else None,
        error=None if success else result,
        result_size_bytes=len(result),
        iteration=iteration,
    )


@st.composite
def histories(draw: st.DrawFn) -> list[Message]:
    """Questions, answers with tool calls, questions without an answer, overlapping turns, system messages, imports."""
    messages: list[Message] = []
    waiting: list[str] = []
    for number in range(1, draw(st.integers(0, 24)) + 1):
        role = draw(st.sampled_from(["user", "assistant", "assistant", "user", "user", "system"]))
        uuid = _uuid(number)
        reply = None
        calls: tuple[ToolCall, ...] = ()
        if role == "assistant":
            reply = draw(st.sampled_from(waiting)) if waiting and draw(st.booleans()) else None
            if reply is None and draw(st.booleans()):
                reply = _uuid(99_999)  # its question is older than what was read
            calls = tuple(
                _call(uuid, number * 10 + at, draw(st.integers(0, 9_000)), draw(st.integers(1, 2)), draw(st.booleans()))
                for at in range(draw(st.integers(0, 3)))
            )
        text = f"message {number}: {filler(draw(st.integers(0, 400)), number)}."
        messages.append(
            Message(
                uuid=uuid,
                conversation_id="c",
                seq=number,
                role=role,
                content=text,
                timestamp=START + timedelta(minutes=number),
                in_reply_to=reply,
                importance=draw(st.sampled_from([None, None, 0.8, 1.0])),
                tool_calls=calls,
            )
        )
        if role == "user":
            waiting.append(uuid)
    return messages


def _context(messages: list[Message], split: int, compressed: bool, summary: str | None) -> TurnContext:
    """The newest as what was read, the older ones as what was found."""
    old, recent = messages[:split], messages[split:]
    compression = None
    if compressed and old:
        content = rendered(extracted(old), 4_000)
        compression = Summary(
            uuid=_uuid(77), conversation_id="c", kind="compression", from_seq=1, to_seq=split, content=content,
            created_at=START,
        )  # fmt: skip
    found = tuple(ScoredMessage(message=each, score=1.0, conversation_id="c") for each in reversed(old))
    important = tuple(each for each in old if (each.importance or 0) > 0.7)
    return TurnContext(summary, tuple(recent), compression, important, found, summary_seq=split)


@settings(max_examples=150, deadline=None)
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
    before = _context(messages, min(split, len(messages)), compressed, summary)
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


@pytest.mark.parametrize("end", ["", ".", "…"])
def test_a_sentence_that_is_in_the_prompt_is_not_summarised_as_well(end: str) -> None:
    said = "The parser number 3 reads column 21 of the table"
    summary = f"{said}{end or '.'} It was written by Ada."
    assert sentences_to_keep(summary, [f"{said}{end}"], None, 1_000) == (1,)
    assert sentences_to_keep(summary, ["Something else"], None, 1_000) == (0, 1)


def test_a_message_whose_sentences_are_all_condensed_is_not_quoted_as_well() -> None:
    decided = Message(
        uuid=_uuid(1), conversation_id="c", seq=1, role="user", timestamp=START, importance=1.0,
        content="We decided that tokens expire after two hours. Never log a password.",
    )  # fmt: skip
    condensed = _context([decided], 1, True, None)
    assert condensed.compression is not None
    partly = condensed.compression.model_copy(update={"content": "### Decisions\n- Never log a password. (#1)"})
    for compression, quoted in ((condensed.compression, 0), (partly, 1)):
        built = build(
            replace(condensed, compression=compression), "And then?", instructions=None, today=TODAY,
            window=window_of(200_000, 40_000), tools=(), reading=READING,
        )  # fmt: skip
        assert len(built.context.relevant_messages) == quoted
        assert text_of(built.request).count("tokens expire after two hours") == 1


@given(histories(), st.integers(0, 2_000))
def test_quotes_take_no_more_than_their_room(messages: list[Message], room: int) -> None:
    taken, spent = Quotes(_found(*messages), "").within({}, room)
    assert spent == sum(map(quote_tokens, taken)) <= room


def test_of_an_important_message_the_part_is_quoted_that_decides() -> None:
    long = " ".join(f"Remark {number} says nothing at all." for number in range(60))
    decides = "We decided that tokens expire after two hours."
    for text in (f"{long} {decides}", f"{long}\n{decides}\n{long}", f"{decides} {long}"):
        decided = _said(text).model_copy(update={"importance": 0.8})
        [quote], _ = Quotes(replace(_found(), important=(decided,)), "").within({}, 120)
        assert decides in quote.text
        assert quote.start == text.index(decides)
        assert quote.text.startswith(f"[#1, user, {START:%Y-%m-%d}] {'…' if quote.start else ''}We decided")


def test_what_was_said_before_any_question_is_an_exchange() -> None:
    told = [
        Message(
            uuid=_uuid(n), conversation_id="c", seq=n, role=role, timestamp=START, content=f"m{n}", in_reply_to=reply
        )
        for n, (role, reply) in enumerate(
            [("assistant", None), ("assistant", None), ("user", None), ("assistant", _uuid(3))], start=1
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


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_the_newest_exchange_decides_is_there_where_it_is_cut(role: str) -> None:
    first, second = "We decided to keep postgres.", "Error E7000: the migration failed."
    long = f"{filler(1_300, 'long')}\n"
    question = _said(f"{first} {long}{second} And {filler(40, 'end')}." if role == "user" else "And?")
    answer = question.model_copy(
        update={"uuid": _uuid(2), "seq": 2, "role": "assistant", "in_reply_to": question.uuid, "importance": None,
            "content": f"{first} {long}{second}" if role == "assistant" else "Good."}
    )  # fmt: skip
    long_one = {"user": question, "assistant": answer}[role]
    messages = [
        each.model_copy(update={"importance": 0.8}) if each is long_one else each for each in (question, answer)
    ]
    built = build(
        replace(_found(), messages=tuple(messages)), "What now?", instructions="Be brief.", today=TODAY,
        window=window_of(200_000, 4_000), tools=(), reading=READING,
    )  # fmt: skip
    text = text_of(built.request)
    assert "(shortened from" in text
    assert (text.count(first), text.count(second)) == (1, 1)
    assert problems_of(built.request, built.window.limit) == []
    assert [one.message.uuid for one in built.context.relevant_messages] == [long_one.uuid]
    assert built.context.message_count == 2
    assert {row[3] for row in receipt_of(built, OWNER, _found(), question_seq=3)[0]["recent"]} == {
        each.tokens for each in used_by(built) if each.tier == "recent"
    }


def test_of_a_message_only_what_is_new_is_quoted() -> None:
    first, decides, last = (
        "The parser reads all of the columns.",
        "We decided that tokens expire after two hours.",
        "The table is named after its owner, who may be anyone.",
    )
    message = _said(f"{first} {decides} {last}")
    important = message.model_copy(update={"importance": 0.8})

    def quoted(before: TurnContext, said: str) -> list[str]:
        return [quote.text.partition("] ")[2] for quote in Quotes(before, said).within({}, 1_000)[0]]

    assert quoted(_found(message), f"- {decides} (#1)") == [f"…{last}"]
    assert quoted(_found(message), f"- {first} (#1)") == [f"…{decides} {last}"]
    assert quoted(_found(message), f"- {last.rstrip('.')}…") == [f"{first} {decides}…"]
    # What it is important for is said.
    assert quoted(replace(_found(), important=(important,)), f"- {decides} (#1)") == []
    assert quoted(replace(_found(), important=(important,)), f"- {first} (#1)") == [f"…{decides} {last}"]
    assert quoted(replace(_found(message), important=(important,)), f"- {decides} (#1)") == [f"…{last}"]
    assert quoted(_found(message), f"{first} {decides} {last}") == []


def test_what_decides_is_quoted_behind_a_long_sentence_that_is_said() -> None:
    long = (
        "The migration of the session store was walked through table by table, with " + "its owners and " * 14 + "all."
    )
    error = "Error E7000: the migration failed with code 1."
    assert 200 < len(long) < 300

    def quoted(content: str, said: str) -> list[str]:
        message = _said(content).model_copy(update={"importance": 0.8})
        found = Quotes(replace(_found(), important=(message,)), said).within({}, 1_000)[0]
        return [quote.text.partition("] ")[2] for quote in found]

    for said in (long, f"{long[:250]}…", f"{long} And more was said."):
        assert quoted(f"{long} {error}", said) == [f"…{error}"]
        assert quoted(f"{long} {error}", f"{said} {error}") == []
    # The sentence itself was cut before what it decides.
    decides = f"{long[:-1]}, and we decided to keep ed25519."
    assert quoted(decides, f"{long[:250]}…") == [decides]
    assert quoted(f"{decides[:-1]} for now.", f"{decides[:-10]}…") == []


def _said(text: str) -> Message:
    return Message(uuid=_uuid(1), conversation_id="c", seq=1, role="user", timestamp=START, content=text)


def _found(*messages: Message) -> TurnContext:
    found = tuple(ScoredMessage(message=each, score=0.5, conversation_id="c") for each in messages)
    return replace(_context([], 0, False, None), found=found)


@settings(max_examples=50, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 60_000), st.sampled_from("x語")), min_size=1, max_size=30),
    st.lists(st.integers(0, 20_000), min_size=30, max_size=30),
    st.integers(4_000, 30_000),
    histories(),
    st.lists(st.booleans(), min_size=30, max_size=30),
)
def test_later_rounds_stay_within_the_window(
    results: list[tuple[int, str]], written: list[int], limit: int, messages: list[Message], important: list[bool]
) -> None:
    calls = [
        _call(_uuid(1), number, 0, 1, True).model_copy(update={"result": f"result {number} " + letter * size})
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


@settings(max_examples=100, deadline=None)
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


@settings(max_examples=100, deadline=None)
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
    for exchange in exchanges(messages):
        assert len({message.seq > stretch.to_seq for message in exchange[:1]}) == 1


@pytest.mark.anyio
async def test_a_model_that_hangs_leaves_the_condensing_to_extraction() -> None:
    provider = ScriptedProvider([], purposes={"compression": [Hang()]})
    async with asyncio.timeout(30):
        kept = await condensed(
            provider,
            [_said("We decided to keep sqlite.")],
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
