"""Asked for code by the name that it had when it was spoken of."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragforge_memory import AsyncConversationAgent

pytestmark = pytest.mark.anyio


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "project"


async def _ask(agent: AsyncConversationAgent, *texts: str) -> list[str]:
    talk = await agent.create_conversation()
    return [(await talk.send_message(text)).content for text in texts]


def _edit(root: Path, file: str, *changes: tuple[str, str]) -> None:
    text = (root / file).read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    (root / file).write_text(text)


async def test_what_is_called_something_else_now_is_found_by_its_old_name(
    agent: AsyncConversationAgent, root: Path
) -> None:
    await _ask(agent, "what does check_amount do?", "what does Safe do?")
    _edit(root, "bank/account.py", ("check_amount", "refuse_debts"))
    _edit(root, "bank/safe.py", ("class Safe:", "class Strongbox:"))
    await agent.ingest(root)

    where, callers, member, follow_up = await _ask(
        agent, "where is check_amount?", "who calls check_amount?", "show me Safe.open", "who calls check_amont?"
    )
    assert where.startswith("`refuse_debts` - bank/account.py:13 (function")
    assert "When it was spoken of, `check_amount` was in bank/account.py:13" in where
    assert "It is `refuse_debts` in bank/account.py now." in where
    assert "- `Account.deposit` - bank/account.py:6" in callers
    assert "It is `refuse_debts` in bank/account.py now." in callers
    assert member.startswith("`Strongbox.open` - bank/safe.py:7")
    assert "check_amount` was in" not in follow_up  # nobody spoke of what is spelled so


async def test_lines_that_still_have_the_old_name_are_told(agent: AsyncConversationAgent, root: Path) -> None:
    await _ask(agent, "what does check_amount do?", "what does Account.deposit do?")
    _edit(root, "bank/account.py", ("def check_amount", "def refuse_debts"), ("def deposit", "def pay_in"))
    await agent.ingest(root)

    callers, uses, member = await _ask(
        agent, "who calls check_amount?", "where is check_amount used?", "who calls Account.deposit?"
    )
    for answer in (callers, uses):
        assert "It is `refuse_debts` in bank/account.py now.\n\n`check_amount` still stands in these 5 lines:" in answer
        assert "- bank/account.py:6 `check_amount(amount)`\n- bank/account.py:10 `check_amount(amount)`" in answer
        assert "- tests/test_account.py:5 `check_amount(1)`" in answer
    assert "`deposit` still stands in this line, of it or of something else:\n- bank/report.py:5" in member

    for file in ("bank/account.py", "tests/test_account.py"):
        _edit(root, file, ("check_amount", "refuse_debts"))
    await agent.ingest(root)
    (followed,) = await _ask(agent, "who calls check_amount?")
    assert followed.endswith("It is `refuse_debts` in bank/account.py now.")


async def test_what_is_gone_is_said_to_be_gone(agent: AsyncConversationAgent, root: Path) -> None:
    await _ask(agent, "what does monthly_report do?")
    (root / "bank/report.py").write_text("LIMIT = 12\n")
    await agent.ingest(root)

    (where,) = await _ask(agent, "where is monthly_report?")
    assert where.startswith("When it was spoken of, `monthly_report` was in bank/report.py:4. It is gone since.")


async def test_what_was_said_under_the_old_name_is_found_by_the_new_one(
    agent: AsyncConversationAgent, root: Path
) -> None:
    decision = "We decided that check_amount must ignore the loopback account, see SEC-7"
    assert "`what did we decide about check_amount`" in (await _ask(agent, decision))[0]
    _edit(root, "bank/account.py", ("check_amount", "refuse_debts"))
    await agent.ingest(root)
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")

    decided, said, nothing = await _ask(
        agent,
        "what did we decide about refuse_debts?",
        "what did we say about refuse_debts?",
        "what did we decide about monthly_report?",
    )
    assert f"> {decision}" in decided
    assert f"> {decision}" in said
    assert "(bank/account.py): it is called `refuse_debts` now" in decided
    assert nothing.startswith("Nothing found about `monthly_report` in our conversations.")


async def test_an_update_under_the_new_name_corrects_a_note_under_the_old_one(
    agent: AsyncConversationAgent, root: Path
) -> None:
    note = "note: check_amount must stay tiny because it is hot"
    await _ask(agent, note, "note: monthly_report must stay tiny because it is hot")
    _edit(root, "bank/account.py", ("check_amount", "refuse_debts"))
    await agent.ingest(root)
    update = "update: refuse_debts need not stay tiny"
    assert (await _ask(agent, update))[0].splitlines()[1:] == [f'This corrects what was noted before: "{note}".']
    found = (await agent.decisions(about="check_amount")).items
    assert [each.corrected and each.corrected.text for each in found if each.text == note] == [update]
    others = (await agent.decisions(about="monthly_report")).items
    assert [each.corrected for each in others] == [None]
