"""What is pure in a search: lists fused, neighbours, words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ragforge_memory.graph.search import words_of
from ragforge_memory.retrieval.excerpts import excerpt, without_fences
from ragforge_memory.retrieval.fusion import DAYS_WEIGHT, VECTOR_WEIGHT, fused, fused_with_gaps, of_days, scaled
from ragforge_memory.retrieval.neighbours import NEIGHBOUR_WEIGHT, Ranked, is_apart, ranked
from ragforge_memory.text.words import beginning, matched, stem

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
SCORES = st.dictionaries(
    st.tuples(st.sampled_from(["a", "b"]), st.integers(1, 40)), st.floats(0, 2.5, allow_nan=False), max_size=30
)


def test_a_neighbour_enters_and_lends() -> None:
    order = ranked({("a", 3): 1.0, ("a", 4): 0.5, ("b", 1): 0.2}, {}, 10)
    assert order[:2] == [Ranked(("a", 3), 1.2), Ranked(("a", 4), 0.9)]
    assert Ranked(("a", 2), NEIGHBOUR_WEIGHT, beside=3) in order
    assert Ranked(("a", 5), NEIGHBOUR_WEIGHT * 0.5, beside=4) in order
    assert ("b", 0) not in {each.place for each in order}


def test_another_session_lends_nothing() -> None:
    times = {("a", 3): NOON, ("a", 4): NOON + timedelta(minutes=61), ("a", 2): NOON - timedelta(minutes=60)}
    order = ranked({("a", 3): 1.0, ("a", 4): 0.5}, times, 10)
    assert {each.place: each.score for each in order}[("a", 3)] == 1.0
    assert ("a", 2) in {each.place for each in order}
    assert is_apart(Ranked(("a", 4), 0.4, beside=3), times)
    assert not is_apart(Ranked(("a", 2), 0.4, beside=3), times)
    assert not is_apart(Ranked(("a", 3), 1.0), times)


@given(SCORES, st.integers(1, 20))
def test_the_first_ones_are_those_of_all(scores: dict[tuple[str, int], float], most: int) -> None:
    """Neighbours of late candidates are left out, and none of them would be among the first."""
    some = [each.score for each in ranked(scores, {}, most)[:most]]
    every = [each.score for each in ranked(scores, {}, 1_000)[:most]]
    assert some == pytest.approx(every)


@given(st.dictionaries(st.text(max_size=2), st.floats(-10, 10, allow_nan=False)))
def test_a_scaled_list_is_within_0_and_1(scores: dict[str, float]) -> None:
    found = scaled(scores)
    assert found.keys() == scores.keys()
    assert all(0 <= score <= 1 for score in found.values())
    assert [key for key, _ in fused([(1.0, scores)])] == sorted(scores, key=lambda key: -found[key])


def test_what_the_user_said_stands_beside_longer_answers() -> None:
    """Each is measured by a top of its own, halfway to that of all; a list of one kind is as it was."""
    scores = {"answer": 10.0, "other": 8.0, "user": 6.0, "far": 2.0}
    alone = scaled(scores)
    found = scaled(scores, {"user"})
    assert found["answer"] == alone["answer"] == 1.0
    assert alone["user"] == 0.5
    assert found["user"] == pytest.approx(4 / 6)
    assert sorted(found, key=lambda key: -found[key]) == ["answer", "other", "user", "far"]
    assert scaled(scores, scores) == alone == scaled(scores, ())


def test_what_was_said_in_the_days_that_are_named_weighs_more() -> None:
    times = {"then": NOON, "later": NOON + timedelta(days=9)}
    scores = {"later": 0.9, "then": 0.4, "unknown": 0.5}
    found = of_days(scores, times, (NOON - timedelta(hours=1), NOON + timedelta(hours=1)))
    assert found == pytest.approx({"later": 0.9, "then": 0.4 + DAYS_WEIGHT, "unknown": 0.5})
    assert of_days(scores, times, (NOON, None))["later"] == pytest.approx(0.9 + DAYS_WEIGHT)


def test_words() -> None:
    assert words_of("Where did Ada's parse_header go to?") == [
        "where",
        "did",
        "ada",
        "parse_header",
        "parse",
        "header",
        "go",
    ]
    assert words_of("the of and") == []
    assert matched(["parse", "header", "tokens"], "It PARSED a token; no more.") == ("parse", "tokens")
    assert matched(["password", "check", "word"], "See check_password and getHTTPUrl.") == ("password", "check")
    assert matched(["url", "http"], "See check_password and getHTTPUrl.") == ("url", "http")
    assert matched([], "x") == ()
    words = ("parsing", "Parsed", "parses", "cities", "city", "is", "validation", "validated")
    assert [stem(word) for word in words] == ["pars", "pars", "pars", "citi", "citi", "is", "valid", "valid"]
    assert [beginning(word) for word in ("parsing", "city")] == ["pars", "cit"]
    assert stem("X" * 5_000) == "x" * 5_000


@given(st.dictionaries(st.text(max_size=2), st.floats(0, 10)), st.dictionaries(st.text(max_size=2), st.floats(-1, 1)))
def test_where_everything_has_a_vector_nothing_is_made_up(text: dict[str, float], meaning: dict[str, float]) -> None:
    assert fused_with_gaps(text, meaning, ()) == dict(fused([(1.0, text), (VECTOR_WEIGHT, meaning)]))
    assert fused_with_gaps(text, {}, text) == scaled(text)


def test_what_has_no_vector_is_judged_by_its_words() -> None:
    text, meaning = {"verbatim": 9.0, "some": 6.0, "near": 3.0}, {"near": 0.9, "nonsense": 0.8, "other": 0.7}
    assert max(fused_with_gaps(text, meaning, ()).items(), key=lambda pair: pair[1])[0] == "near"
    scores = fused_with_gaps(text, meaning, {"verbatim", "some", "near"})
    assert scores == pytest.approx(
        {"verbatim": 2.5, "some": 1.25, "near": VECTOR_WEIGHT, "nonsense": VECTOR_WEIGHT / 2, "other": 0.0}
    )
    half = fused_with_gaps(text, meaning, {"verbatim", "some", "near"}, share=0.5)
    assert (half["verbatim"], half["near"]) == pytest.approx((1 + VECTOR_WEIGHT / 2, VECTOR_WEIGHT))


def test_an_excerpt_is_around_the_words() -> None:
    text = "First of all.\n" + "filler words " * 100 + "then we parsed the session tokens here " + "and more " * 100
    cut = excerpt(text, ["parsing", "tokens"], 120)
    assert "parsed the session tokens" in cut
    assert cut.startswith("… ")
    assert cut.endswith(" …")
    assert len(cut) <= 124
    assert set(cut.strip("… ").split()) <= set(text.split()), "no word is cut"
    assert excerpt(text, ["absent"], 30) == "First of all.\nfiller words …"
    assert excerpt("short", ["x"], 30) == "short"
    assert len(excerpt("漢" * 500, [], 100)) == 102
    assert excerpt(text, ["first"], 40).startswith("First of all.")


@given(st.text(max_size=300), st.lists(st.text(max_size=4)), st.integers(8, 200))
@example("a long text", ["?ぁ", "(漢", "漢["], 8)
def test_an_excerpt_is_a_part_of_the_text(text: str, words: list[str], length: int) -> None:
    cut = excerpt(text, words, length)
    assert len(cut) <= max(len(text) if len(text) <= length else 0, length + 4)
    assert cut.removeprefix("… ").removesuffix(" …") in text


def test_fences_are_left_out() -> None:
    assert without_fences("a\n```python\nx = 1\n```\nb").split() == ["a", "x", "=", "1", "b"]
