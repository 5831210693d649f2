"""Which results of a search answer, and which are only near."""

from __future__ import annotations

from ragforge_memory.retrieval.relevance import judged, named_so


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


def test_beside_tests_alone_what_else_has_a_word_is_told() -> None:
    asked = ("validate", "host", "header")
    of_test = {**result("test_validate_host_header"), "file": "tests/test_hosts.py"}
    host, other = result("TrustedHost.check"), {**result("test_host"), "file": "tests/test_hosts.py"}
    found = judged(asked, [other, result("send"), of_test, host])
    assert (found.good, found.near, found.missing) == ((of_test,), ((host, ("host",)),), ())
    assert judged(("test", *asked), [of_test, host]).near == ()
    assert judged(asked, [of_test, result("validate_host_header"), host]).near == ()


def test_how_something_is_done_no_constant_tells() -> None:
    asked = ("range", "request")
    method, constant = result("handle_range_request"), {**result("RANGE_REQUEST"), "type": "constant"}
    assert named_so(asked, judged(asked, [method])) == method
    assert named_so(asked, judged(asked, [constant])) is None


def test_what_is_near_has_each_of_the_words_somewhere() -> None:
    asked = ("page", "rendered")
    renders = [result(f"{name}.render", "") for name in ("Response", "Chart", "Table")]
    page = result("Page.show")
    found = judged(asked, [*renders, page])
    assert [each["qualified_name"] for each, _ in found.near[:2]] == ["Response.render", "Page.show"]
    assert found.missing == asked
