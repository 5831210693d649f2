"""Whether what was said still holds: what was said of it, and what has become of its code, unchanged code too."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.language.reading.aims import asks_outdated
from ragforge_memory.language.reading.questions import read_questions
from ragforge_memory.language.said.echoes import only_asks, only_repeats
from ragforge_memory.llm.extractive.said.sayings import decisions, outdated, sayings

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize(
    ("text", "form", "kind", "target"),
    [
        ("is what we decided about check_amount still true?", "said", "words", "check_amount"),
        ("Is what we said about the retry policy still valid", "said", "words", "retry policy"),
        ("is what I noted still true?", "said", "words", ""),
        ("does what we decided about tokens still hold?", "said", "words", "tokens"),
        ("is the decision about tokens still valid?", "said", "words", "tokens"),
        ("is the retry decision still valid?", "said", "words", "retry"),
        ("does check_amount still do what we said?", "said", "words", "check_amount"),
        ("does check_amount still work as we decided?", "said", "words", "check_amount"),
        ("is check_amount still what we agreed on?", "said", "words", "check_amount"),
        ("is it still true that check_amount is strict?", "said", "words", "check_amount strict"),
        ("is that still so?", "said", "pronoun", "that"),
        ("is that still true", "said", "pronoun", "that"),
        ("does that still hold?", "said", "pronoun", "that"),
        ("what did we decide about it?", "said", "pronoun", "it"),
        # What asks about code as before.
        ("is check_amount still used?", "uses", "name", "check_amount"),
        ("is anything still calling check_amount?", "callers", "name", "check_amount"),
    ],
)
def test_what_asks_whether_it_still_holds(text: str, form: str, kind: str, target: str) -> None:
    assert [(each.form, each.target.kind, each.target.text) for each in read_questions(text)] == [(form, kind, target)]


@pytest.mark.parametrize(
    "text",
    [
        "which decisions are stale?",
        "which notes are about code that is gone?",
        "which decisions are about code that changed?",
        "Which notes are about functions that no longer exist?",
        "are there any notes on deleted code?",
        "what did we decide about code that has changed since?",
        "which notes are orphaned?",
        "what has drifted?",
        "what drifted since?",
        "has anything drifted?",
        "which code has drifted?",
        "what is orphaned now?",
    ],
)
def test_what_asks_for_decisions_whose_code_is_not_what_it_was(text: str) -> None:
    assert [asks_outdated(each) for each in read_questions(text)] == [True]


def test_what_is_missing_or_changed_may_be_a_subject() -> None:
    for text, about in (
        ("which notes do we have about missing keys?", "missing keys"),
        ("what did we decide about changed passwords?", "changed passwords"),
    ):
        assert [(each.target.text, asks_outdated(each)) for each in read_questions(text)] == [(about, False)]


@pytest.mark.parametrize("text", ["is persist still there?", "does persist still exist?", "is `persist` still there?"])
def test_whether_a_name_is_still_there_is_where_it_is(text: str) -> None:
    assert [(each.form, each.target.kind, each.target.text) for each in read_questions(text)] == [
        ("where", "name", "persist")
    ]


def note(status: str, **more: Any) -> dict[str, Any]:
    return {
        "role": "user",
        "excerpt": "we decided that load_rows is lazy",
        "message_id": "1" * 32,
        "conversation_id": "c" * 32,
        "timestamp": "2026-01-01T00:00:00Z",
        "code": [{"name": "load_rows", "file": "a.py", "status": status, **more}] if status else [],
    }


@pytest.mark.parametrize(
    ("status", "told"),
    [
        ("fresh", "- `load_rows` (a.py): its code is as it was"),
        ("drifted", "- `load_rows` (a.py): its code has changed"),
        ("orphaned", "- `load_rows` (a.py): it is gone"),
        ("", "It is tied to no code, so that nothing tells whether it still holds."),
    ],
)
def test_the_label_of_the_code_answers(status: str, told: str) -> None:
    value = {"query": "load_rows", "messages": [note(status)]}
    assert sayings("load_rows", value, still=True)[-1] == told
    assert (sayings("load_rows", value)[-1] == told) == (status in ("drifted", "orphaned"))


def test_of_code_that_is_as_it_was_when_it_was_noted_no_earlier_message_tells_a_change() -> None:
    asked = {**note("drifted"), "excerpt": "where is load_rows?", "message_id": "2" * 32}
    quoted = "`load_rows` (a.py, line 1) is called by 1 scope:\n- `main` - a.py:9"
    answered = {**note("drifted"), "role": "assistant", "excerpt": quoted, "message_id": "3" * 32}

    def told(*messages: dict[str, Any], still: bool = True) -> str:
        return sayings("load_rows", {"query": "load_rows", "messages": list(messages)}, still=still)[-1]

    assert told(asked, answered, note("fresh")) == "- `load_rows` (a.py): its code is as it was"
    assert told(asked, answered, note("fresh"), still=False) == "  > we decided that load_rows is lazy"
    assert told(asked, answered, note("drifted")) == "- `load_rows` (a.py): its code has changed"
    # Nothing else tells of it.
    assert told(asked, answered, note("")) == "- `load_rows` (a.py): its code has changed"


def test_of_other_code_than_what_is_named_nothing_is_told() -> None:
    codes = [
        {"name": name, "file": "a.py", "status": status}
        for name, status in (
            ("Rows.load", "fresh"),
            ("Rows", "drifted"),
            ("Rows.drop", "drifted"),
            ("dump", "orphaned"),
        )
    ]
    value = {
        "query": "load",
        "messages": [{**note(""), "excerpt": "we decided that load of Rows is lazy", "code": codes}],
    }

    def told(words: str, still: bool = False) -> list[str]:
        lines = sayings(words, {**value, "query": words}, still=still)
        return [line.split("`")[1] for line in lines if line.startswith("- `")]

    assert told("load") == ["Rows"]
    assert told("load", still=True) == ["Rows.load", "Rows"]
    assert told("Rows") == ["Rows", "Rows.drop"]
    # What names no code of them: as before.
    assert told("lazy") == ["Rows", "Rows.drop", "dump"]
    # A plain word among others is no name.
    assert told("lazy load") == ["Rows", "Rows.drop", "dump"]


def test_which_decisions_may_no_longer_hold() -> None:
    def each(number: int, text: str, status: str = "", **more: Any) -> dict[str, Any]:
        return {
            **note(status, **more),
            "excerpt": text,
            "message_id": f"{number:032x}",
            "timestamp": f"2026-01-0{number}",
        }

    none = outdated({"decisions": []})
    assert none == ["No decision that you noted was corrected since, or is of code that has changed."]
    assert only_repeats("assistant", none[0])
    over = [
        {
            **each(6, "note: tokens expire"),
            "corrected": {"excerpt": "update: tokens never expire", "timestamp": "2026-01-07"},
        },
        each(5, "note: rows have names", "orphaned"),
        each(4, "note: ports are even", "moved", moved_to="b.py load_all", changed=True),
        each(7, "note: ports are odd", "moved", moved_to="b.py load_rows"),
        each(3, "note: load_rows is lazy", "drifted"),
    ]
    lines = outdated({"decisions": over})
    assert lines[0] == "What was decided or noted that may no longer hold:"
    assert [line for line in lines if not line.startswith("- You")][1:] == [
        "  > note: tokens expire",
        '  (later: "update: tokens never expire")',
        "  > note: rows have names",
        "  - `load_rows` (a.py): it is gone",
        "  > note: ports are even",
        "  - `load_rows` (a.py): it has moved to b.py and is called `load_all` now, and its code has changed",
        "  > note: ports are odd",
        "  - `load_rows` (a.py): it has moved to b.py",
        "  > note: load_rows is lazy",
        "  - `load_rows` (a.py): its code has changed",
    ]
    assert only_repeats("assistant", "\n".join(lines))


async def test_whether_a_decision_still_holds(agent: AsyncConversationAgent, tmp_path: Path) -> None:
    talk = await agent.create_conversation()

    async def ask(text: str) -> str:
        return (await talk.send_message(text)).content

    await ask("we decided that check_amount must stay strict")
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    fresh = await ask("is what we decided about check_amount still true?")
    assert "> we decided that check_amount must stay strict" in fresh
    assert (await ask("which decisions are out of date?")).startswith("No decision that you noted was corrected since")
    assert fresh.endswith("- `check_amount` (bank/account.py): its code is as it was")
    assert (await ask("is that still so?")).endswith("its code is as it was")
    both = await ask("what did we decide about check_amount, and is it still true?")
    assert "> we decided that check_amount must stay strict" in both
    assert both.endswith("its code is as it was")

    file = tmp_path / "project" / "bank/account.py"
    file.write_text(file.read_text().replace("amount < 0", "amount < 1"))
    await agent.ingest(tmp_path / "project")
    assert (await ask("does check_amount still do what we said?")).endswith("its code has changed")
    assert (await ask("is what we decided still true?")).endswith("its code has changed")
    assert (await ask("which of our decisions are no longer true")).endswith("its code has changed")
    assert "- `Account.deposit`" in await ask("who calls it?")


async def test_what_was_said_in_an_archived_conversation_says_so(agent: AsyncConversationAgent) -> None:
    old = await agent.create_conversation(title="Old")
    await old.send_message("note: monthly_report is in euros")
    await old.archive()
    for text in ("where is monthly_report?", "what does monthly_report do?", "show me monthly_report"):
        await (await agent.create_conversation()).send_message(text)
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    talk = await agent.create_conversation()
    answer = await talk.send_message("what did we decide about monthly_report?")
    assert f"conversation {old.uuid[:8]} (archived), message" in answer.content
    call = next(each for each in answer.tool_calls if each.tool_name == "search_conversation")
    # Questions that state nothing come behind what was stated, and behind the answers to them.
    asked = [only_asks(each["excerpt"]) for each in call.result["messages"] if each["role"] == "user"]
    assert asked == sorted(asked)
    assert [each["archived"] for each in call.result["messages"] if each["conversation_id"] == old.uuid] == [True]
    listed = (await talk.send_message("list our conversations")).content
    assert "`Old`" in next(line for line in listed.splitlines() if "archived" in line)


def test_what_is_left_out_of_what_became_of_the_code_is_counted() -> None:
    def tied(number: int, status: str) -> dict[str, Any]:
        code = [{"name": f"load_{number}", "file": "a.py", "status": status}]
        return {**note(""), "message_id": f"{number:032}", "code": code}

    eight = [tied(number, "drifted") for number in range(8)]
    kept = [tied(number, "fresh") for number in range(8, 16)]
    told = decisions({"decisions": [*kept, *eight]}, still=True)
    assert told[-7:] == [
        *(f"- `load_{number}` (a.py): its code has changed" for number in range(6)),
        "- and 10 more: `ragforge decisions` tells of all",
    ]
    assert decisions({"decisions": [*kept, *eight]})[-1] == "- and 2 more: `ragforge decisions` tells of all"
    assert decisions({"decisions": [*kept, *eight[:6]]})[-1] == "- `load_5` (a.py): its code has changed"
    many = {**note(""), "code": [code for each in eight for code in each["code"]]}
    assert outdated({"decisions": [many]})[-1] == "  - and 2 more: `ragforge decisions --doubtful` tells of all"
