"""Which words are forms of one."""

from __future__ import annotations

import pytest

from ragforge_memory.language.reading.wording import covered, stem


@pytest.mark.parametrize(
    "forms",
    [
        "render renders rendered rendering renderer",
        "filter filters filtered filtering",
        "implement implements implemented implementing implementation implementer",
        "position positions positioned positioning",
        "document documents documented documentation",
        "restore restores restored restoring",
        "validate validates validated validating validation validator",
        "generate generates generated generating generation generator",
        "alter alters altered altering",
        "parse parses parsed parsing parser",
    ],
)
def test_forms_of_a_verb_have_one_stem(forms: str) -> None:
    assert len({stem(word) for word in forms.split()}) == 1


@pytest.mark.parametrize(("one", "other"), [("restored", "rest"), ("ignored", "sign"), ("server", "session")])
def test_other_words_have_another(one: str, other: str) -> None:
    assert stem(one) != stem(other)


def test_a_name_has_a_word_in_any_form() -> None:
    assert covered(("JSON", "rendered"), "JSONResponse.render") == ("JSON", "rendered")
