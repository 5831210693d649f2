"""Which results of a search answer, and which are only near."""

from __future__ import annotations

from ragforge_memory.retrieval.relevance import judged


def result(name: str, documentation: str = "") -> dict[str, object]:
    return {"qualified_name": name, "file": "a.py", "line": 1, "type": "function", "docstring": documentation}


def test_what_has_a_word_in_its_name_is_near_and_what_has_it_elsewhere_is_not() -> None:
    asked = ("cookies", "kept", "across", "redirects")
    jar = result("Options.cookie_jar")
    found = judged(asked, [result("send", "Follows redirects."), jar])
    assert found.good == ()
    assert found.near == ((jar, ("cookies",)),)
    assert found.missing == ("kept", "across", "redirects")


def test_what_has_half_of_the_words_is_near_wherever_it_has_them() -> None:
    asked = ("cookies", "kept", "across", "redirects")
    both = result("send", "Follows redirects, with cookies.")
    assert judged(asked, [both]).near == ((both, ("cookies", "redirects")),)
    assert judged(asked, [result("send", "Sends.")]).missing == asked


def test_tests_and_examples_stand_behind_code_unless_they_are_asked_for() -> None:
    own = result("reject", "Refuses a certificate.")
    of_test = {**result("test_reject_bad_certificate"), "file": "tests/test_tls.py"}
    assert judged(("reject", "bad", "certificate"), [of_test, own]).good == (own, of_test)
    assert judged(("test", "reject", "bad", "certificate"), [own, of_test]).good == (of_test,)
