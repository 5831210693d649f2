"""What is quoted of older messages: what decides, what is new, and no more than there is room for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragforge_memory.agent.context.budget import (
    quote_tokens,
    window_of,
)
from ragforge_memory.agent.context.quotes import Quotes
from ragforge_memory.agent.context.receipts import receipt_of, used_by
from ragforge_memory.agent.context.selection import build, sentences_to_keep
from ragforge_memory.graph.receipts import TurnContext
from ragforge_memory.models.conversation import Message
from tests.context.histories import (
    OWNER,
    READING,
    START,
    TODAY,
    context_of,
    found_again,
    histories,
    message_of,
    uuid_of,
)
from tests.context.told import filler, problems_of, text_of


@pytest.mark.parametrize("end", ["", ".", "…"])
def test_a_sentence_that_is_in_the_prompt_is_not_summarised_as_well(end: str) -> None:
    said = "The parser number 3 reads column 21 of the table"
    summary = f"{said}{end or '.'} It was written by Ada."
    assert sentences_to_keep(summary, [f"{said}{end}"], None, 1_000) == (1,)
    assert sentences_to_keep(summary, ["Something else"], None, 1_000) == (0, 1)


def test_a_message_whose_sentences_are_all_condensed_is_not_quoted_as_well() -> None:
    decided = Message(
        uuid=uuid_of(1), conversation_id="c", seq=1, role="user", timestamp=START, importance=1.0,
        content="We decided that tokens expire after two hours. Never log a password.",
    )  # fmt: skip
    condensed = context_of([decided], 1, True, None)
    assert condensed.compression is not None
    partly = condensed.compression.model_copy(update={"content": "### Decisions\n- Never log a password. (#1)"})
    for compression, quoted in ((condensed.compression, 0), (partly, 1)):
        built = build(
            replace(condensed, compression=compression), "And then?", instructions=None, today=TODAY,
            window=window_of(200_000, 40_000), tools=(), reading=READING,
        )  # fmt: skip
        assert len(built.context.relevant_messages) == quoted
        assert text_of(built.request).count("tokens expire after two hours") == 1


@settings(max_examples=40)
@given(histories(), st.integers(0, 2_000))
def test_quotes_take_no_more_than_their_room(messages: list[Message], room: int) -> None:
    taken, spent = Quotes(found_again(*messages), "").within({}, room)
    assert spent == sum(map(quote_tokens, taken)) <= room


def test_of_an_important_message_the_part_is_quoted_that_decides() -> None:
    long = " ".join(f"Remark {number} says nothing at all." for number in range(60))
    decides = "We decided that tokens expire after two hours."
    for text in (f"{long} {decides}", f"{long}\n{decides}\n{long}", f"{decides} {long}"):
        decided = message_of(text).model_copy(update={"importance": 0.8})
        [quote], _ = Quotes(replace(found_again(), important=(decided,)), "").within({}, 120)
        assert decides in quote.text
        assert quote.start == text.index(decides)
        assert quote.text.startswith(f"[#1, user, {START:%Y-%m-%d}] {'…' if quote.start else ''}We decided")


@pytest.mark.parametrize("role", ["user", "assistant"])
def test_what_the_newest_exchange_decides_is_there_where_it_is_cut(role: str) -> None:
    first, second = "We decided to keep postgres.", "Error E7000: the migration failed."
    long = f"{filler(1_300, 'long')}\n"
    question = message_of(f"{first} {long}{second} And {filler(40, 'end')}." if role == "user" else "And?")
    answer = question.model_copy(
        update={"uuid": uuid_of(2), "seq": 2, "role": "assistant", "in_reply_to": question.uuid, "importance": None,
            "content": f"{first} {long}{second}" if role == "assistant" else "Good."}
    )  # fmt: skip
    long_one = {"user": question, "assistant": answer}[role]
    messages = [
        each.model_copy(update={"importance": 0.8}) if each is long_one else each for each in (question, answer)
    ]
    built = build(
        replace(found_again(), messages=tuple(messages)), "What now?", instructions="Be brief.", today=TODAY,
        window=window_of(200_000, 4_000), tools=(), reading=READING,
    )  # fmt: skip
    text = text_of(built.request)
    assert "(shortened from" in text
    assert (text.count(first), text.count(second)) == (1, 1)
    assert problems_of(built.request, built.window.limit) == []
    assert [one.message.uuid for one in built.context.relevant_messages] == [long_one.uuid]
    assert built.context.message_count == 2
    assert {row[3] for row in receipt_of(built, OWNER, found_again(), question_seq=3)[0]["recent"]} == {
        each.tokens for each in used_by(built) if each.tier == "recent"
    }


def test_of_a_message_only_what_is_new_is_quoted() -> None:
    first, decides, last = (
        "The parser reads all of the columns.",
        "We decided that tokens expire after two hours.",
        "The table is named after its owner, who may be anyone.",
    )
    message = message_of(f"{first} {decides} {last}")
    important = message.model_copy(update={"importance": 0.8})

    def quoted(before: TurnContext, said: str) -> list[str]:
        return [quote.text.partition("] ")[2] for quote in Quotes(before, said).within({}, 1_000)[0]]

    assert quoted(found_again(message), f"- {decides} (#1)") == [f"…{last}"]
    assert quoted(found_again(message), f"- {first} (#1)") == [f"…{decides} {last}"]
    assert quoted(found_again(message), f"- {last.rstrip('.')}…") == [f"{first} {decides}…"]
    # What it is important for is said.
    assert quoted(replace(found_again(), important=(important,)), f"- {decides} (#1)") == []
    assert quoted(replace(found_again(), important=(important,)), f"- {first} (#1)") == [f"…{decides} {last}"]
    assert quoted(replace(found_again(message), important=(important,)), f"- {decides} (#1)") == [f"…{last}"]
    assert quoted(found_again(message), f"{first} {decides} {last}") == []


def test_what_decides_is_quoted_behind_a_long_sentence_that_is_said() -> None:
    long = (
        "The migration of the session store was walked through table by table, with " + "its owners and " * 14 + "all."
    )
    error = "Error E7000: the migration failed with code 1."
    assert 200 < len(long) < 300

    def quoted(content: str, said: str) -> list[str]:
        message = message_of(content).model_copy(update={"importance": 0.8})
        found = Quotes(replace(found_again(), important=(message,)), said).within({}, 1_000)[0]
        return [quote.text.partition("] ")[2] for quote in found]

    for said in (long, f"{long[:250]}…", f"{long} And more was said."):
        assert quoted(f"{long} {error}", said) == [f"…{error}"]
        assert quoted(f"{long} {error}", f"{said} {error}") == []
    # The sentence itself was cut before what it decides.
    decides = f"{long[:-1]}, and we decided to keep ed25519."
    assert quoted(decides, f"{long[:250]}…") == [decides]
    assert quoted(f"{decides[:-1]} for now.", f"{decides[:-10]}…") == []
