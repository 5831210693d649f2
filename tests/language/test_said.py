"""What is said beside questions, and questions as people put them in passing."""

from __future__ import annotations

import pytest

from ragforge_memory.language.reading.questions import read_questions
from tests.language.asked import read


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("We decided to use Bolt because HTTP was too slow.", "noted", ""),
        ("Note: load is deprecated since 25.1", "noted", ""),
        ("we decided to use Bolt. where is Driver?", "where", "Driver"),
        ("why do we use Bolt?", "said", "Bolt"),
        ("let's agree: redirects never keep cookies", "noted", ""),
        ("TODO: check lookup_default for lists", "noted", ""),
        ("what decisions did we make?", "said", ""),
        ("what have we decided so far?", "said", ""),
        ("what are my todos?", "said", ""),
        ("has redact changed since we talked about it?", "said", "redact"),
        ("did redact change?", "said", "redact"),
        ("wheres the function evolve", "where", "evolve"),
        ("what is the default of keep_recent?", "what", "keep_recent"),
        ("which files are there?", "overview", ""),
    ],
)
def test_what_people_say_in_passing(text: str, form: str, target: str) -> None:
    (question,) = read_questions(text)
    assert (question.form, question.target.text) == (form, target)


@pytest.mark.parametrize(
    ("text", "form", "target"),
    [
        ("what would break if I change check_amount?", "uses", "check_amount"),
        ("is get_default dead code?", "uses", "get_default"),
        ("give me an example of using Option", "uses", "Option"),
        ("how do I use click.Option?", "what", "click.Option"),
        ("what's the value of DEFAULT_MAX_REDIRECTS?", "what", "DEFAULT_MAX_REDIRECTS"),
        ("why does convert raise BadParameter?", "what", "convert"),
        ("which functions are never called?", "unused", ""),
        ("that's wrong, we use five retries", "noted", ""),
        ("correction: five retries", "noted", ""),
        ("forget the note about retries", "taken back", ""),
        ("undo that", "taken back", ""),
        ("forget what I said about retries", "taken back", ""),
        ("please forget about the retry limit", "taken back", ""),
        ("can you forget what we decided about Client.send?", "taken back", ""),
        ("delete everything I said about proxies", "taken back", ""),
        ("ignore what I noted about `retries`.", "taken back", ""),
        ("forget what I said about retries, they are 5", "noted", ""),
        ("don't forget to close the client", "noted", ""),
        ("does it forget the cookies?", "search", "does it forget the cookies?"),
        ("never mind", "taken back", ""),
        ("delete the file core.py", "outline", "core.py"),
        ("what changed since yesterday?", "changes", ""),
        ("what are the fields of Account?", "show", "Account"),
        ("which attributes does Account have?", "show", "Account"),
        ("list the tests of Account", "tests", "Account"),
        ("list the tests in test_account.py", "outline", "test_account.py"),
        ("how many classes are there?", "overview", ""),
        ("what tests are in test_account.py?", "outline", "test_account.py"),
        ("what depends on account.py?", "imports", "account.py"),
        ("where is bank/account.py used?", "imports", "bank/account.py"),
        ("list all functions", "overview", ""),
        ("what's new?", "changes", ""),
        ("what is new_event_loop?", "what", "new_event_loop"),
    ],
)
def test_what_is_told_and_what_the_code_does_not_know(text: str, form: str, target: str) -> None:
    [(found, _, about)] = read(text)
    assert (found, about) == (form, target)


def test_small_talk() -> None:
    assert read("Hello!")[0][0] == "greeting"
    assert read("thank you very much")[0][0] == "thanks"
    assert read("what can you do?")[0][0] == "help"
    assert read("hi, what can you do?")[0][0] == "help"
    assert read("") == []
    assert read("note:")[0][0] == "help"
    assert read("update: ")[0][0] == "help"
