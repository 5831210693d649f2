"""How much a message matters, what its sentences carry, and that the quick ways of looking at words are right."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from ragforge_memory.agent.context.importance import IMPORTANT, importance_of, key_sentences, sentences_and_lines
from ragforge_memory.graph import text as graph_text
from ragforge_memory.graph.text import terms
from ragforge_memory.models.conversation import ToolCall
from ragforge_memory.text import categories
from ragforge_memory.text.categories import CATEGORIES, categories_in


def _call(name: str, success: bool = True) -> ToolCall:
    return ToolCall(
        uuid="c", message_id="m", timestamp=datetime(2026, 1, 1, tzinfo=UTC), tool_name=name, success=success
    )


@pytest.mark.parametrize(
    ("text", "importance"),
    [
        ("Good morning.", 0.5),
        ("The build failed on Friday.", 0.8),
        ("From now on every time is stored in UTC.", 0.8),
        ("我们决定使用 sqlite66 作为存储。", 0.8),
        ("A terrorist's mirror errorless.", 0.5),
    ],
)
def test_importance_is_that_of_the_first_category_which_a_message_has_a_word_of(text: str, importance: float) -> None:
    assert importance_of(text, role="user") == importance


def test_what_tools_did_weighs_too() -> None:
    assert importance_of("Here.", [_call("grep_code", success=False)]) == IMPORTANT
    assert importance_of("Here.", [_call("edit_file")]) == importance_of("Here.", [_call("run_tests")]) == 0.7
    assert importance_of("Here.", [_call("grep_code")]) == 0.5


def test_sentences_say_what_they_carry() -> None:
    said = "Is it fine? The build failed. We fixed the error. Never log it. We decided to keep it. Please look. So?"
    kinds = [kind for kind, _ in key_sentences(said)]
    assert kinds == ["question", "error", "solution", "decision", "decision", "intent", "question"]


def test_every_keyword_of_every_language_is_found_as_a_word() -> None:
    for name, section in categories._data().items():
        for category, words in () if name == "increments" else section.items():
            assert category in CATEGORIES
            for word in words:
                assert category in categories_in(f"so {word.removesuffix('*')}, then"), (name, word)


@pytest.mark.parametrize(
    "text",
    [
        "We decided that make() rejects .. segments because of path traversal.",
        "We decided on f(a, ...) over g(b, ... ) since it is shorter.",
    ],
)
def test_dots_that_end_nothing_cut_no_decision(text: str) -> None:
    assert sentences_and_lines(f"{text} It holds.") == [text, "It holds."]
    assert sentences_and_lines("It rejects dots, etc. Then it ends.") == ["It rejects dots, etc.", "Then it ends."]


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("größeBerechnen", "größe berechnen"),
        ("получитьДанные", "получить данные"),
        ("使用getUser方法", "get user"),
    ],
)
def test_identifiers_have_their_parts_in_other_alphabets_too(text: str, parts: str) -> None:
    assert set(terms(text).split()) == set(parts.split())
    assert {"größe", "berechnen"} <= set(graph_text.query_words("größeBerechnen"))
