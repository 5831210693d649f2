"""`/context` and `/why` in a chat."""

from __future__ import annotations

from datetime import UTC, datetime

from ragforge_memory.cli.receipts import context_lines, why_lines
from ragforge_memory.models.context import ContextItem, ContextReceipt
from tests.cli.conftest import CommandLine

UNKNOWN = "nothing was noted of what this answer was given"


def test_a_chat_says_what_its_last_answer_was_given(ragforge: CommandLine) -> None:
    model = ragforge.script("Argon2.", {"tools": [{"name": "list_files", "arguments": {}}]}, "In auth.py.")
    said = "We decided to use argon2.\nWhere is it?\n/context\n/why\n/why 1\n"
    shown = ragforge.run("chat", "--no-ingest", "--model", model, stdin=said)
    assert "tokens, of 112,000 in a window of 128,000" in shown.stdout
    assert "2 messages" in shown.stdout
    assert "#1 user" in shown.stdout
    assert "We decided to use argon2." in shown.stdout
    assert "list_files()" in shown.stdout
    assert "nothing that was said before" in shown.stdout


def test_what_was_not_noted_or_erased_is_said() -> None:
    assert list(context_lines(ContextReceipt(message_id="m"))) == [UNKNOWN]
    assert list(why_lines(ContextReceipt(message_id="m"), [], 80)) == [
        "nothing was noted of what this answer was given"
    ]
    receipt = ContextReceipt(
        message_id="m",
        items=(
            ContextItem(tier="summary", kind="summary", seq=1, to_seq=40, tokens=900, rank=1, excerpt="### Decisions"),
            ContextItem(tier="relevant", seq=43, role="user", tokens=12, rank=2, score=0.5, excerpt="x" * 300),
        ),
        tokens={"system": 100, "summary": 900, "relevant": 12, "reserve": 500},
        window=4_000,
        limit=3_500,
        erased=1,
    )
    assert list(context_lines(receipt)) == [
        "prompt of about 1,012 tokens, of 3,500 in a window of 4,000",
        "system         100",
        "summary        900  condensed up to message 40",
        "relevant        12  1 relevant",
        "1 item of it erased since",
    ]
    lines = list(why_lines(receipt, [], 80))
    assert lines[0].startswith(" 1 summary             900 tokens  messages up to 40, condensed: ### Decisions")
    assert lines[1].startswith(" 2 relevant    0.50     12 tokens  #43 user: xxx")
    assert len(lines[1]) <= 80
    assert lines[2] == "1 item erased since"
    when = datetime(2026, 1, 2, tzinfo=UTC)
    long = {"seq": 140, "role": "assistant", "tokens": 1_200, "rank": 10, "timestamp": when, "excerpt": "x y " * 50}
    for score in (None, 0.5):
        item = ContextItem(tier="important", score=score, **long)
        [line] = why_lines(ContextReceipt(message_id="m", items=(item,), window=9_000), [], 80)
        assert len(line) <= 80
        assert line.endswith("…")
