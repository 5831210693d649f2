"""aider's chat history."""

from __future__ import annotations

from datetime import datetime

from tests.importers.reading import outcomes, read_all_ways

HISTORY = """
# aider chat started at 2024-08-05 19:33:02

> Aider v0.48.2-dev
> Git repo: .git with 2 files

# aider chat started at 2024-08-05 19:33:32

> Aider v0.48.2-dev

#### Use the Spinner
#### instead of the custom one.

Sure:

# A heading of the answer

> Tokens: 1k sent
> Applied edit to a.py

#### /diff
> Diff since the last message
# aider chat started at 2024-08-06 08:00:00
#### hi

Hello. 🎉
"""


def test_sessions_in_which_something_was_said() -> None:
    first, second = read_all_ways(HISTORY)
    transcript, messages = first
    assert transcript.created_at is not None
    assert transcript.created_at == datetime(2024, 8, 5, 19, 33, 32).astimezone()
    assert transcript.place == "line 11"
    assert [(each.role, each.content) for each in messages] == [
        ("user", "Use the Spinner\ninstead of the custom one."),
        ("assistant", "Sure:\n\n# A heading of the answer"),
        ("user", "/diff"),
    ]
    assert messages[1].metadata == {"output": "Tokens: 1k sent\nApplied edit to a.py"}
    assert messages[2].metadata == {"output": "Diff since the last message"}
    assert all(each.timestamp == transcript.created_at for each in messages)
    assert [each.content for each in second[1]] == ["hi", "Hello. 🎉"]
    # Windows ends its lines otherwise.
    assert [list(messages) for _, messages in read_all_ways(HISTORY.replace("\n", "\r\n"))] == [first[1], second[1]]


def test_a_message_that_is_too_long_refuses_its_session_alone() -> None:
    long = "# aider chat started at 2024-08-05 19:33:02\n#### hi\n" + "a long line of code\n" * 30_000
    refused, *others = outcomes(long + HISTORY)
    assert str(refused).startswith("line 3: its content has ")
    assert others == [3, 2]
