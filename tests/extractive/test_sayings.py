"""What was said about something: what tells most comes first, and a question with a text behind it is a question."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.language.said.echoes import only_repeats
from ragforge_memory.llm.extractive.said.sayings import decisions, sayings, stated


def message(role: str, excerpt: str) -> dict[str, Any]:
    return {
        "role": role,
        "excerpt": excerpt,
        "message_id": f"{abs(hash(excerpt)):032x}",
        "conversation_id": "c" * 32,
        "timestamp": "2026-01-01T00:00:00Z",
        "this_conversation": True,
    }


def test_a_question_that_a_diff_was_piped_into_hides_no_answer() -> None:
    piped = "what does this touch?\n\n```\ndiff --git a/auth.py\n+ check_password(word)\n```"
    answer = "`check_password` compares the hashes."
    told = "\n".join(
        sayings(
            "check_password",
            {"query": "check_password", "messages": [message("user", piped), message("assistant", answer)]},
        )
    )
    assert "compares the hashes" in told
    assert "what does this touch" not in told


def test_a_word_that_was_taken_for_a_beginning_is_said_to_be_one() -> None:
    def first(asked: str, *texts: str) -> str:
        told = [{**message("user", text), "decided": True} for text in texts]
        return sayings(asked, {"query": asked, "messages": told}, decided=True)[0]

    protobuf = "decision: we serialise with protobuf"
    assert first("proto", protobuf) == "What was said about `proto`, taken for the beginning of a word:"
    assert first("proto", protobuf, "decision: proto files are checked in") == "What was said about `proto`:"
    # Of code by its name.
    assert first("load_rows", "decision: it stays") == "What was said about `load_rows`:"


def test_a_decision_comes_first_and_what_became_of_the_code_is_told_of_all() -> None:
    decision = "we decided that load_rows reads everything at once"
    quoted = "`load_rows` - a.py:1 (function)\n> `def load_rows(path)`"
    code = {"name": "load_rows", "file": "a.py", "status": "drifted"}
    messages = [
        {**message("assistant", quoted), "code": [code]},
        message("user", "where is load_rows?"),
        message("user", decision),
    ]
    told = sayings("load_rows", {"query": "load_rows", "messages": messages})
    assert [line for line in told if line.startswith("  >")] == [f"  > {decision}"]
    assert told[-1] == "- `load_rows` (a.py): its code has changed"


@pytest.mark.parametrize(
    "quoted",
    [
        "No test calls `rows` directly, but these lines of tests name it:\n- test_a.py:1 `load(rows)`",
        "`load_rows` (a.py, line 1) is called by 1 scope:\n- `main` - a.py:9",
    ],
)
def test_what_only_quotes_code_is_no_saying_beside_what_was_stated(quoted: str) -> None:
    decision = "we decided that load_rows reads everything at once"
    messages = [message("assistant", quoted), message("user", decision)]
    told = sayings("load_rows", {"query": "load_rows", "messages": messages})
    assert [line for line in told if line.startswith("  >")] == [f"  > {decision}"]


def test_an_excerpt_out_of_quoted_code_hides_no_question() -> None:
    asked = message("user", "what does load_rows do?") | {"only_asks": True}
    cut = message("assistant", "… rows = load_rows(path)\nfor row in rows:") | {"quotes_code": True}
    told = sayings("load_rows", {"query": "load_rows", "messages": [cut, asked]})
    quoted = [line for line in told if line.startswith("  >")]
    assert quoted == ["  > what does load_rows do?", "  > … rows = load_rows(path)", "  > for row in rows:"]


def test_what_the_user_stated_is_a_reason_and_a_question_is_none() -> None:
    said = message("user", "We chose to keep inst positional only, since a field may be called inst")
    asked = message("user", "why is inst positional only")
    quoted = message("assistant", "inst is positional only because of fields of that name.")
    value = {"query": "inst positional only", "messages": [asked, quoted, said]}
    assert [line for line in stated("inst", value) if line.startswith("  >")] == [f"  > {said['excerpt']}"]
    assert stated("inst", {**value, "messages": [asked, quoted]}) == []


def test_decisions_are_what_was_noted_the_newest_first() -> None:
    first = {**message("user", "we decided to use tabs"), "timestamp": "2026-01-01T00:00:00Z"}
    then = {**message("user", "note: get_default stays lazy"), "timestamp": "2026-01-02T00:00:00Z"}
    told = decisions({"decisions": [then, first]})
    assert [line for line in told if line.startswith("  >")] == [f"  > {then['excerpt']}", f"  > {first['excerpt']}"]
    assert only_repeats("assistant", "\n".join(told))
    assert only_repeats("assistant", "\n".join(decisions({"decisions": []})))
    assert "There are more" not in told[-1]
    assert "There are more" in decisions({"decisions": [then, first], "more": True})[-1]


def test_of_two_decisions_on_the_same_the_later_one_comes_first() -> None:
    first = {**message("user", "we decided that load_rows is eager"), "timestamp": "2026-01-01T00:00:00Z"}
    then = {**message("user", "we decided that load_rows is lazy"), "timestamp": "2026-01-02T00:00:00Z"}
    told = "\n".join(sayings("load_rows", {"query": "load_rows", "messages": [first, then]}))
    assert told.index("is lazy") < told.index("is eager")
