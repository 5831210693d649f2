"""What is no code is told by what the user noted of it, before text of the code that happens to have the words."""

from __future__ import annotations

import pytest

from ragforge_memory import AsyncConversationAgent

pytestmark = pytest.mark.anyio


async def test_what_is_no_code_is_told_by_notes(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    notes = [
        "we decided that the overdraft limit is 50 euros",
        "note: amounts below zero are told by mail",
        "we decided that reports are kept for 3 years",
        "note: deposit is slow",
        "note: the safe is locked at night",
        "we never print twice",
    ]
    for note in notes:
        await talk.send_message(note)
    await talk.send_message("what is the overdraft fee?")
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    other = await agent.create_conversation()

    async def ask(text: str) -> list[str]:
        return (await other.send_message(text)).content.splitlines()

    for text in ("what is the overdraft limit?", "what's our overdraft limit", "how high is the overdraft limit?"):
        told = await ask(text)
        assert told[0].startswith("What was said about `"), text
        assert told[2:] == [f"  > {notes[0]}"], text
    # Text of the code that has the words comes behind it.
    refused = await ask("what refuses amounts below zero?")
    assert refused[0].startswith("`check_amount`")
    both = await ask("which amounts below zero")
    assert both[2] == f"  > {notes[1]}"
    assert any(line.startswith("`check_amount`") for line in both)
    # Plain words that are nearly a name may be about something else; words that fit anything need not be there.
    assert (await ask("what is the safe locked for?"))[0] == "What was said about `safe locked`:"
    assert "  > we never print twice" in await ask("what is the print limit?")
    # Code is told by the code, and what nothing was noted of as before.
    assert (await ask("what is deposit?"))[0].startswith("`Account.deposit`")
    assert (await ask("what is the audit policy?"))[0].startswith("Nothing found for")


async def test_a_default_that_was_settled_is_told_before_the_code(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    await talk.send_message("we decided that the default of sum_limit is 5")
    await talk.send_message("note: deposit is slow")
    told = (await talk.send_message("what is the default of sum_limit?")).content
    assert "  > we decided that the default of sum_limit is 5" in told.splitlines()[:4], told
    assert "bank/vault.py" in told
    # A line that two searches find is one.
    alone = (await talk.send_message("what is the default value of Vault.sum_limit?")).content
    assert alone.count("bank/vault.py:12") == 1


async def test_who_answers_for_a_file_is_told_by_notes(agent: AsyncConversationAgent) -> None:
    talk = await agent.create_conversation()
    await talk.send_message("note: Ann owns account.py, Bob owns the vault")
    services = await agent.open()
    await services.stores.graph.run_schema("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    other = await agent.create_conversation()
    told = (await other.send_message("who owns account.py?")).content
    assert "  > note: Ann owns account.py, Bob owns the vault" in told.splitlines()[:4], told
    assert "contains" not in told
    outline = (await other.send_message("what is in account.py?")).content
    assert outline.startswith("`bank/account.py` contains"), outline
