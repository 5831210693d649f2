"""The examples, run as a reader would run them, against the real graph."""

from __future__ import annotations

import re
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
    assert re.findall(r"^- `login` - auth\.py:9, hash \w{8} \((.*)\)$", where, re.MULTILINE) == ["discussed, read"]
    assert len(re.findall(r"^- `login` - .*\bread\)$", who, re.MULTILINE)) == 1
    assert len(re.findall(r"^- `check_password` - auth\.py:4, hash \w{8} \(discussed", who, re.MULTILINE)) == 1
    listed = re.findall(r"^- (`\w+` - \S+), hash", where, re.MULTILINE)
    assert len(listed) == len(set(listed)) > 0


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
