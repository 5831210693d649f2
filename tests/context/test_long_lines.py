"""Texts as a tool, a log or a careless model writes them cost in proportion to their length."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from ragforge_memory.agent.context.budget import window_of
from ragforge_memory.agent.context.compression import _parsed, _request
from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.models.conversation import Message
from ragforge_memory.retrieval.excerpts import excerpt
from ragforge_memory.text.forms import read_form
from ragforge_memory.text.sentences import sentences

# Seconds of processor; before, each of these took ten or more.
_SOON = 3.0


@pytest.mark.parametrize(
    "reads",
    [
        lambda: importance_of("we decide " * 16_000 + "error", role="user"),
        lambda: read_form("we have " * 16_000),
        lambda: _parsed("# a" + " " * 60_000 + "!b"),
        lambda: sentences("[" * 40_000 + "[a](" * 20_000),
        lambda: excerpt("error in line x \n" * 16_000, ["error"], 300),
    ],
    ids=[
        "a beginning of a keyword again and again",
        "a beginning of a form again and again",
        "a heading of blanks",
        "links that are none",
        "a word in every line",
    ],
)
def test_a_text_is_read_in_time(reads: Callable[[], object]) -> None:
    began = time.process_time()
    reads()
    assert time.process_time() - began < _SOON


def _message(seq: int, text: str) -> Message:
    return Message(uuid=str(seq), conversation_id="c", seq=seq, role="user", content=text, timestamp=datetime.now(UTC))


def test_the_question_for_a_long_conversation_is_made_in_time_and_keeps_what_is_newest() -> None:
    messages = [_message(seq, f"number {seq} " + "word " * 800) for seq in range(1, 2_001)]
    began = time.process_time()
    (asked,) = _request(messages, None, window_of(8_000, 8_000)).messages
    assert time.process_time() - began < _SOON
    assert "#2000 user: number 2000" in asked.content
    assert "#1 user:" not in asked.content
    first = int(asked.content.partition("#")[2].partition(" ")[0])
    assert all(f"#{seq} user:" in asked.content for seq in range(first, 2_001))


def test_of_a_conversation_that_nearly_fits_all_messages_are_there_each_as_long_as_it_may_be() -> None:
    messages = [_message(seq, "word " * 800) for seq in range(1, 11)]
    (asked,) = _request(messages, None, window_of(8_000, 8_000)).messages
    assert all(f"#{seq} user: word" in asked.content for seq in range(1, 11))
    assert len(asked.content) > 10 * 400
