"""How found code is ranked, and which of its lines are shown."""

from __future__ import annotations

from ragforge_memory.retrieval.bm25 import rarity
from ragforge_memory.retrieval.code import asks_for_aside, bm25, fused_by_rank, names_in, telling_lines
from ragforge_memory.text.words import content_words, counted, stems_asked


def test_a_rare_word_tells_more_and_none_tells_less_than_nothing() -> None:
    assert rarity(1, 1_000) > rarity(100, 1_000) > rarity(1_000, 1_000) > 0
    assert rarity(5, 3) > 0


def test_length_counts_for_little_and_repetition_for_less_each_time() -> None:
    weights = {"tide": 2.0, "moon": 1.0}
    texts = {"once": "tide", "twice": "tide tide", "long": "tide " + "sand " * 40, "other": "sand", "both": "tide moon"}
    scores = bm25(texts, weights)
    assert scores["both"] > scores["twice"] > scores["once"] > scores["long"] > scores["other"] == 0
    assert scores["long"] > scores["once"] / 3
    assert bm25({}, weights) == {}


def test_what_two_lists_have_is_before_what_one_has() -> None:
    assert list(fused_by_rank(["a", "b", "c"], ["d", "b"])) == ["b", "a", "c", "d"]
    assert fused_by_rank([], []) == {}


def test_what_waits_for_its_vector_is_not_taken_to_be_far() -> None:
    assert next(iter(fused_by_rank(["a", "b", "c"], ["c", "b"], {"a"}))) == "a"
    assert fused_by_rank(["a", "b"], [], {"b"}) == fused_by_rank(["a", "b"], [])
    # One that has got its vector in between counts once.
    assert fused_by_rank(["a"], ["a"], {"a"}) == {"a": 1.5 / 11}


def test_the_lines_with_the_words_are_shown_in_their_order() -> None:
    lines = [
        (7, "def ebb(self):"),
        (8, "    {"),
        (9, "    wait = 3"),
        (10, ""),
        (11, "    # the tide turns"),
        (12, "    go()"),
    ]
    weights = {"tide": 3.0, "turn": 2.0}
    assert telling_lines(lines, weights, 1) == [lines[4]]
    # What stands beside comes before the beginning; brackets never.
    assert telling_lines(lines, weights, 3) == [lines[2], lines[4], lines[5]]
    assert [number for number, _ in telling_lines(lines, weights, 9)] == [7, 9, 11, 12]
    assert telling_lines([], weights, 3) == []


def test_names_are_what_no_english_word_looks_like() -> None:
    asked = "How does Cart.add_item() treat `till` and parseArgs of HTTPServer, or Bag? See core.py::main. Thanks"
    assert names_in(asked) == ["till", "Cart.add_item()", "parseArgs", "HTTPServer", "Bag", "core.py::main"]
    assert names_in("How are prices added. With tax?") == []
    assert names_in("Cart") == []


def test_tests_are_asked_for_by_any_form_of_their_name() -> None:
    assert asks_for_aside(["benchmark"])
    assert asks_for_aside(counted("which examples"))
    assert not asks_for_aside(counted("the latest price"))


def test_a_question_is_asked_by_what_it_is_about() -> None:
    assert content_words("How does the user's `Context.parse_args` handle eager ones?") == (
        "user", "Context", "parse_args", "eager", "ones",
    )  # fmt: skip
    assert content_words("what does it do") == ("what", "does", "do")
    assert content_words("?!") == ()
    assert len(content_words(" ".join(f"word{letter}" for letter in map(chr, range(0x100, 0x200))))) == 32
    assert stems_asked(["parse_args", "Café"]) == {
        "parse_args": ("parse_args", "pars", "arg"),
        "Café": ("café", "cafe"),
    }
