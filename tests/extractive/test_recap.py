"""What was talked about, whatever it was: of this conversation the user's own words, else the conversations before."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.language.reading.question import Question
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.said.echoes import only_repeats
from ragforge_memory.llm.extractive.said.recap import MAX_SAYINGS, recapitulated

SAID = (
    "hello",
    "where is load_rows?",
    "what did we decide about rows?",
    "note: load_rows stays lazy\nuntil the reader is done",
    "what did we talk about so far?",
)


def conversation(
    title: str | None, *, here: bool = False, summary: str | None = None, count: int = 4
) -> dict[str, Any]:
    return {
        "conversation_id": ("a" if here else "b") * 32,
        "this_conversation": here,
        "title": title,
        "updated_at": "2026-02-03T04:05:06+00:00",
        "message_count": count,
        "summary": summary,
    }


def asked(text: str) -> Question:
    [question] = read_questions(text)
    assert question.form == "recap", question
    return question


@pytest.mark.parametrize(
    "text",
    [
        "what did we talk about so far?",
        "What have we discussed?",
        "summarize this conversation",
        "Can you give me a summary of our chat?",
        "where were we?",
        "recap",
        "sum up what we said so far",
        "what did I ask you?",
    ],
)
def test_of_this_conversation_it_tells_what_the_user_said(text: str) -> None:
    value = {"conversations": [conversation("Rows", here=True, summary="Rows are\nread."), conversation("Other")]}
    assert recapitulated(asked(text), SAID, value) == [
        "In this conversation you said, the latest last:",
        "- where is load_rows?",
        "- note: load_rows stays lazy …",
        "",
        "Summed up:",
        "> Rows are",
        "> read.",
    ]


@pytest.mark.parametrize(
    "text", ["what did we do yesterday?", "what was our last conversation about?", "list our conversations"]
)
def test_of_earlier_ones_it_tells_when_and_of_what(text: str) -> None:
    value = {"conversations": [conversation("Now", here=True), conversation("Rows", summary="Rows are lazy.")]}
    value["conversations"].append(conversation(None, count=1))
    assert recapitulated(asked(text), SAID, value) == [
        "Our latest conversations:",
        f"- 2026-02-03 04:05, `Rows`, conversation {'b' * 8}, 4 messages",
        "  > Rows are lazy.",
        f"- 2026-02-03 04:05, without a title, conversation {'b' * 8}, 1 message",
    ]


@pytest.mark.parametrize("text", ["what did I ask first?", "what was my first question?"])
def test_of_this_conversation_it_tells_how_it_began(text: str) -> None:
    told = [f"where is part{number}?" for number in range(8)]
    here = {"conversations": [{**conversation("Rows", here=True), "message_count": 17}]}
    first = ["In this conversation you said first:", *(f"- {each}" for each in told[:3])]
    assert recapitulated(asked(text), told, here) == first
    # What was said before what is at hand is not known.
    longer = {"conversations": [{**conversation("Rows", here=True), "message_count": 40}]}
    assert recapitulated(asked(text), told, longer)[0] == "In this conversation you said, the latest last:"


def test_a_conversation_that_only_begins_has_others_before_it_or_none() -> None:
    question = asked("what did we talk about so far?")
    before = recapitulated(question, ["hi"], {"conversations": [conversation("Rows")]})
    assert before[0] == "Our latest conversations:"
    [first] = recapitulated(question, [], {"conversations": [conversation(None, here=True, count=1)]})
    assert first.startswith("Nothing found: this conversation begins")


def test_of_a_long_conversation_the_latest_are_told_and_the_rest_is_counted() -> None:
    said = [f"what does part_{number} do?" for number in range(MAX_SAYINGS + 3)]
    told = recapitulated(asked("recap"), said, {})
    assert told[1] == "- what does part_3 do?"
    assert told[-2:] == [f"- {said[-1]}", "… and 3 before that."]
    # What a prompt has no room for is told of as well.
    few = recapitulated(asked("recap"), said[:2], {"conversations": [conversation("Parts", here=True, count=40)]})
    assert few[-1].startswith("… and more before that")


def test_what_was_talked_about_is_no_new_saying() -> None:
    answers = (
        recapitulated(asked("recap"), SAID, {}),
        recapitulated(asked("recap"), [], {"conversations": [conversation("A")]}),
    )
    for answer in answers:
        assert only_repeats("assistant", "\n".join(answer))
    assert only_repeats("user", "what did we talk about so far?")
    assert not only_repeats("user", "note: load_rows stays lazy")


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("what did we decide?", "said"),
        ("what did we say about echo?", "said"),
        ("what is the session about?", "what"),
        ("show me the session", "show"),
        ("summarize Context", "what"),
        ("what does this session do?", "what"),
    ],
)
def test_what_is_asked_of_something_is_no_recapitulation(text: str, form: str) -> None:
    assert [each.form for each in read_questions(text)] == [form]
