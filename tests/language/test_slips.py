"""Misspelled question words, and two questions in one."""

from __future__ import annotations

import pytest

from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.said.echoes import only_asks


@pytest.mark.parametrize(
    ("said", "form", "target", "slip"),
    [
        ("waht is dispatch!", "what", "dispatch!", "`waht` as `what`"),
        ("waht tests cover FastList?", "tests", "FastList", "`waht` as `what`"),
        ("and waht does it call?", "callees", "it", "`waht` as `what`"),
        ("hwo calls parse", "callers", "parse", "`hwo` as `who`"),
        ("wich classes implement Router?", "subclasses", "Router", "`wich` as `which`"),
        ("shwo me the code of parse", "show", "parse", "`shwo` as `show`"),
        ("whats in bank/safe.py", "outline", "bank/safe.py", "`whats` as `what's`"),
        ("whcih loaders run first?", "search", "which loaders run first?", "`whcih` as `which`"),
    ],
)
def test_a_slip_is_read_as_what_is_meant(said: str, form: str, target: str, slip: str) -> None:
    (question,) = read_questions(said)
    assert (question.form, question.target.text, question.slip) == (form, target, slip)
    assert only_asks(said)


@pytest.mark.parametrize("said", ["dose response", "the dose is high here", "were tokens checked", "shop basket items"])
def test_a_word_is_no_slip(said: str) -> None:
    assert not any(each.slip for each in read_questions(said))


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        (
            "what's the default number of warm starts and where is it set?",
            [("search", "default number of warm starts")],
        ),
        ("where is Pool and who calls it?", [("where", "Pool"), ("callers", "it")]),
        ("how do tokens get renewed and where is Pool?", [("where", "Pool")]),
    ],
)
def test_two_in_one(said: str, asked: list[tuple[str, str]]) -> None:
    assert [(each.form, each.target.text) for each in read_questions(said)] == asked


@pytest.mark.parametrize(
    ("said", "target"),
    [
        ("who calls it from tests?", "it"),
        ("what uses Pool in the unit tests", "Pool"),
        ("where is Pool used by tests?", "Pool"),
    ],
)
def test_uses_by_tests(said: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(said)] == [("tests", target)]
