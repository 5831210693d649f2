"""Notes, corrections and what was said, quoted from what the tools give."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.tools.code_search import CODE_SEARCH_TOOLS, MEMORY_TOOLS
from ragforge_memory.tools.registry import ToolRegistry
from tests.extractive.asking import answer_to, played
from tests.extractive.test_searching import message

pytestmark = pytest.mark.anyio


def decisions(*entries: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"list_decisions": {"about": "", "decisions": list(entries), **more}}


def corrected(how: str, **more: Any) -> dict[str, Any]:
    later = {"message_id": "m", "timestamp": "2026-11-29T12:00:00+00:00", "excerpt": "update: 20", "how": how, **more}
    return message("note: the pool has 10", kind="note", corrected=later)


async def test_a_note_is_acknowledged_and_how_it_is_found_again() -> None:
    answer, _ = await played("note: check_amount never logs", {})
    assert answer.text == "Noted: `what did we decide about check_amount` finds it again."
    assert answer.finished.echo
    assert await answer_to("remember that we never log", {}) == ["Noted: `what did we decide` finds it again."]


async def test_a_correction_quotes_what_the_graph_says_it_corrects() -> None:
    before = decisions(message("rule: no md5"), corrected("corrects"), corrected("corrects", just_now=True))
    assert await answer_to("update: 20", before) == [
        "Noted: `what did we decide` finds it again.",
        'This corrects what was noted before: "note: the pool has 10".',
    ]
    assert (await answer_to("update: 20", decisions(corrected("corrects"))))[1] == "It corrects no earlier note."
    now = decisions(corrected("retracts", just_now=True))
    assert await answer_to("forget: the pool", now) == ['Taken back: "note: the pool has 10".']
    assert await answer_to("forget: the pool", decisions()) == ["No note fits that, so none is taken back."]
    now = decisions(corrected("done", just_now=True))
    assert await answer_to("done: the pool", now) == ['Done: "note: the pool has 10".']


async def test_without_memory_nothing_is_noted() -> None:
    code = ToolRegistry([each for each in CODE_SEARCH_TOOLS if each not in MEMORY_TOOLS]).specs
    answer, _ = await played("note: check_amount never logs", {}, tools=code)
    assert answer.text == "This agent keeps no conversations: what is said here is not found again."


async def test_what_was_decided_comes_before_what_was_said_and_questions_alone() -> None:
    heard = [
        message("how large is the pool?"),
        message("I would keep the pool at 10.", archived=True),
        message("The release is on Friday."),
        message("note: the pool has 10", kind="note"),
    ]
    results = {**decisions(corrected("corrects"), more=True), "search_conversation": {"messages": heard}}
    answer, _ = await played("what did we say about the pool?", results)
    lines = [line.split(", ", 1)[-1] for line in answer.text.splitlines()]
    assert lines[0] == "Noted or decided about `the pool`:"
    assert lines[1] == 'you (note): "note: the pool has 10"'
    assert lines[2].endswith('"update: 20"')
    assert lines[3:] == [
        "There is more: `ragforge decisions` lists all.",
        "",
        "Said besides:",
        'you, archived: "I would keep the pool at 10."',
    ]
    assert answer.finished.echo
    results = {**decisions(), "search_conversation": {"messages": heard[:1]}}
    title, only = await answer_to("what did we say about the pool?", results)
    assert (title, only.partition(", ")[2]) == ("Asked about `the pool`:", 'you: "how large is the pool?"')
    # What has no word of it is not said to be about it.
    results = {**decisions(), "search_conversation": {"messages": heard}}
    title, *near = await answer_to("what did we say about kubernetes?", results)
    assert title == "Nothing that was said has the word `kubernetes`. Perhaps near to it:"
    assert len(near) == 3


async def test_a_correction_that_took_back_or_closed_a_note_says_so() -> None:
    for how, word in (("corrects", "corrected"), ("retracts", "taken back"), ("done", "done")):
        lines = await answer_to("our decisions", decisions(corrected(how)))
        assert lines[2].startswith(f"  {word} 2026-11-29")


async def test_conversations_are_told_where_no_subject_is_named() -> None:
    talks = [
        {"this_conversation": True, "title": "Now", "updated_at": "2026-11-29", "message_count": 1, "summary": None},
        {"this_conversation": False, "title": "Pools", "updated_at": "2026-11-28T12:00:00+00:00", "message_count": 6}
        | {"summary": "Their size."},
    ]
    results = {**decisions(), "recent_conversations": {"conversations": talks}}
    assert await answer_to("what did we talk about yesterday?", results) == [
        "Conversations on 2026-11-28:",
        '- 2026-11-28, Pools (6 messages): "Their size."',
    ]


async def test_nothing_said_is_said_with_its_days() -> None:
    results = {**decisions(), "search_conversation": {"messages": []}}
    assert await answer_to("what did we say about pools since 2026-11-01?", results) == [
        "No note, decision or message about `pools` since 2026-11-01 was found."
    ]
    failed = {"list_decisions": "Neo4j is away", "search_conversation": "Neo4j is away"}
    assert await answer_to("what did we say about pools?", failed) == ["Neo4j is away."]
