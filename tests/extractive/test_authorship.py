"""Who wrote something, and when it was last changed."""

from __future__ import annotations

from typing import Any

import pytest

from ragforge_memory.language.reading.questions import read_questions
from tests.extractive.asking import ECHO, answer_to, requests_for, user

pytestmark = pytest.mark.anyio

FIRST = {"id": "a" * 40, "day": "2020-01-02", "author": "Ada", "subject": "begin"}
LAST = {"id": "b" * 40, "day": "2021-03-04", "author": "Bob", "subject": "mend"}


def history(**more: Any) -> dict[str, Any]:
    return {
        "asked": "echo", "match": "exact", "file": "", "total": 1, "scopes": [ECHO], "known": True,
        "authors": [{"name": "Ada", "lines": 3}, {"name": "Bob", "lines": 1}], "first": FIRST, "last": LAST,
        "by_lines": False, "uncommitted": 0, "shallow": False, "totals": {"authors": 2, "lines": 4}, **more,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("who wrote Talk.echo?", "Talk.echo"),
        ("who last changed src/talk.py?", "src/talk.py"),
        ("who originally wrote echo", "echo"),
        ("by whom was Talk.echo written?", "Talk.echo"),
        ("when was Talk.echo last changed?", "Talk.echo"),
        ("when was Talk.echo changed for the last time?", "Talk.echo"),
        ("when did Talk.echo change?", "Talk.echo"),
        ("which commit introduced Talk.echo?", "Talk.echo"),
        ("who is the author of Talk.echo?", "Talk.echo"),
        ("show the git history of talk.py", "talk.py"),
        ("how old is Talk.echo?", "Talk.echo"),
    ],
)
def test_questions_are_read(text: str, target: str) -> None:
    assert [(each.form, each.target.text) for each in read_questions(text)] == [("history", target)]


@pytest.mark.parametrize(
    "text",
    ["who creates Talk?", "when is echo called?", "what is the author of Command?", "when did we decide that?",
     "has Talk.echo changed?", "what changed in the last commit?", "who wrote all of these long sentences for us?"],
)  # fmt: skip
def test_other_questions(text: str) -> None:
    assert {each.form for each in read_questions(text)}.isdisjoint({"history"})


async def test_answers() -> None:
    assert await requests_for(user("who wrote echo?")) == [("code_history", {"target": "echo"})]
    assert (await answer_to("who wrote echo?", {"code_history": history()})).splitlines() == [
        "`Talk.echo` - src/talk.py:12 (method, lines 11-14, decorators included)",
        "As git has it, its 4 lines are by Ada (3), Bob (1).",
        'It was last changed on 2021-03-04 by Bob: commit `bbbbbbbbbbbb` "mend".',
        'The oldest of its lines is of 2020-01-02 by Ada: commit `aaaaaaaaaaaa` "begin".',
    ]
    changing = history(by_lines=True, uncommitted=1, shallow=True, last=FIRST)
    assert (await answer_to("when was echo last changed?", {"code_history": changing})).splitlines()[1:] == [
        "As git has it, its 3 lines are by Ada (3), Bob (1).",
        "Not committed yet: 1 line of it.",
        'The newest of its committed lines is of 2020-01-02 by Ada: commit `aaaaaaaaaaaa` "begin".',
        "This clone has only the end of the history: what is older is not known here.",
    ]
    unknown = {"asked": "echo", "match": "exact", "file": "", "total": 1, "scopes": [ECHO], "known": False}
    assert (await answer_to("who wrote echo?", {"code_history": unknown})).endswith(
        "Nothing found that says who wrote it or when: git has no history of it here."
    )
    assert await answer_to("who wrote nothing_so?", {"code_history": {**unknown, "scopes": []}}) == (
        "Nothing found for `nothing_so` in this project."
    )


async def test_what_a_search_found_says_that_it_was_one() -> None:
    found = {"results": [ECHO], "embedded": {}}
    answer = await answer_to("which parts say things again?", {"search_code": found})
    assert "`Talk.echo` - src/talk.py:12" in answer
    assert answer.splitlines()[-1].startswith("I searched for the words")
