"""What is to be done, and what says that it is."""

from __future__ import annotations

import pytest

from ragforge_memory.llm.extractive.to_dos import closes


@pytest.mark.parametrize(
    ("wanted", "said", "closed"),
    [
        ("todo: write the migration", "the migration is done", True),
        ("todo: write the migration", "done: write the migration", True),
        ("todo: add tests for the parser", "I've finished the parser tests", True),
        ("todo: write docs for the parser", "the parser is done", False),
        ("todo: remove the parser cache", "we finished the parser", False),
        ("todo: deploy the billing service to staging", "the billing service is done", False),
    ],
)
def test_only_what_is_done_as_a_whole_is_closed(wanted: str, said: str, closed: bool) -> None:
    assert closes(said, wanted) is closed
