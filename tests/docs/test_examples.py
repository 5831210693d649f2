"""The examples, run as a reader would run them, against the real graph."""

from __future__ import annotations

from uuid import uuid4

from tests.docs.conftest import ROOT, Shop

EXAMPLES = ROOT / "examples"


def test_the_report_names_the_code_that_answers_stand_on(shop: Shop) -> None:
    printed = shop.python(
        str(EXAMPLES / "code_report.py"), str(shop.root), "where is login?", "who calls check_password?"
    )
    assert "# shop: 3 definitions in 2 files" in printed
    where, _, who = printed.partition("## who calls check_password?")
    assert "auth.py:9" in where
    assert "- discussed `login` - auth.py:9, hash " in where
    assert "- read `login` - auth.py:9, hash " in who
    assert "- discussed `check_password` - auth.py:4, hash " in who


def test_another_run_of_the_script_goes_on_in_the_session(shop: Shop) -> None:
    (shop.root / "questions.txt").write_text("where is check_password?\n\n")
    session = f"session-{uuid4().hex}"
    script = (str(EXAMPLES / "chat_script.py"), "--session", session)
    first = shop.python(*script, "questions.txt")
    assert "> where is check_password?" in first
    assert "auth.py:4" in first
    assert "going on" not in first
    second = shop.python(*script, "-", stdin="who calls it?\n")
    assert "(going on after 2 messages)" in second
    assert "`login` - auth.py:" in second
