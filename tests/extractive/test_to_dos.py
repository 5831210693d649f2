"""What is to be done, and what says that it is."""

from __future__ import annotations

import pytest

from ragforge_memory.agent.context.importance import IMPORTANT, importance_of
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.reading.statements import noted_in
from ragforge_memory.language.said.to_dos import became, closes
from ragforge_memory.llm.extractive.said.noted_answer import noted


@pytest.mark.parametrize(
    ("wanted", "said", "closed"),
    [
        ("todo: write the migration", "the migration is done", True),
        ("todo: write the migration", "done: write the migration", True),
        ("todo: add tests for the parser", "I've finished the parser tests", True),
        ("todo: add tests for the parser", "I added tests for the parser", True),
        ("todo: add tests for the parser", "we've just added the parser tests.", True),
        ("todo: add tests for the parser", "done with the tests for the parser", True),
        ("todo: add tests for the parser", "I'm done with the parser tests", True),
        ("todo: add tests for the parser", "the parser tests are written", True),
        ("we still need to write the migration", "I wrote the migration", True),
        ("todo: fix `Parser.run`", "I fixed Parser.run", True),
        ("todo: add tests for the parser", "I removed the tests for the parser", False),
        ("todo: add tests for the parser", "I added a parser", False),
        ("todo: add tests for the parser", "I added tests for the parser but they fail", False),
        ("todo: add tests for the parser", "I am done with the parser", False),
        ("todo: write docs for the parser", "the parser is done", False),
        ("todo: remove the parser cache", "we finished the parser", False),
        ("todo: add an index on orders.created_at", "I've added the index on orders.created_at", True),
        ("todo: document rate limits", "rate limits are documented", True),
        ("todo: write a script that checks migrations", "the migration check script has been written", True),
        ("todo: rotate the signing keys", "Rotated the signing keys.", True),
        ("todo: virus scan", "we decided against virus scanning", True),
        ("todo: write a man page", "we no longer need a man page", True),
        ("todo: add presigned URLs", "presigned URLs are not needed", True),
        ("todo: add presigned URLs", "we dropped URLs", False),
        ("todo: support NO_COLOR", "NO_COLOR is supported now", True),
        ("todo: shell completion", "done with shell completion", True),
        ("todo (Kim): reindex users", "reindex users is done", True),
        ("todo: fix the parser", "I fixed the parser cache", False),
        ("todo: document the parser", "I tested the parser", False),
        ("todo: rotate the signing keys", "keys are rotated", False),
        ("todo: fix the parser", "I fixed the parser?", False),
        ("todo: deploy the billing service to staging", "the billing service is done", False),
    ],
)
def test_only_what_is_done_as_a_whole_is_closed(wanted: str, said: str, closed: bool) -> None:
    assert closes(said, wanted) is closed


def test_what_becomes_of_a_note_is_told_by_what_is_said_of_it() -> None:
    wanted = "todo: virus scan"
    assert became("done with the virus scan", wanted) == "done"
    assert became("we decided against virus scanning", wanted) == "corrected"
    assert became("forget the note about the virus scan", wanted) == "taken back"
    assert became("update: the port is 9090", "the port is 8080") == "corrected"


def test_a_deed_is_acknowledged_and_is_no_note_by_itself() -> None:
    deed = "we removed the old flag"
    assert [each.form for each in read_questions(deed)] == ["noted"]
    assert noted(deed).endswith(" about old flag` finds it again.")
    assert noted_in(deed) is None
    assert noted_in("the migration is done") is None
    # What it closes is known by it, so it must not get lost.
    assert (importance_of(deed, role="user") or 0) >= IMPORTANT
    for text in ("I wanted the old flag", "the flag is old", "removed functions", "where is what we removed"):
        assert "noted" not in [each.form for each in read_questions(text)]
