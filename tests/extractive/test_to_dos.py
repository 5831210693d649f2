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
        ("todo: deploy the billing service to staging", "the billing service is done", False),
    ],
)
def test_only_what_is_done_as_a_whole_is_closed(wanted: str, said: str, closed: bool) -> None:
    assert closes(said, wanted) is closed
